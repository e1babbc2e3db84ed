#include "expressions/syntax/operand.h"

#include <string_view>

namespace mayfly::expressions {
namespace {

// DynamoDB counts in UTF-16: a character beyond the first 65,536 counts twice. It has four bytes of
// UTF-8, the others up to three.
std::int64_t CountUtf16(std::string_view text) {
  std::int64_t count = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0U) != 0x80U) ++count;
    if (byte >= 0xf0U) ++count;
  }
  return count;
}

}  // namespace

std::optional<AttributeType> TypeOf(const Operand& operand) {
  if (operand.kind == Operand::Kind::kValue) return operand.value->type();
  if (operand.kind == Operand::Kind::kSize) return AttributeType::kNumber;
  return std::nullopt;
}

std::optional<std::int64_t> SizeFunction(const AttributeValue& value) {
  const auto size = [](const auto& container) {
    return static_cast<std::int64_t>(container.size());
  };
  switch (value.type()) {
    case AttributeType::kString: return CountUtf16(*value.string());
    case AttributeType::kBinary: return size(value.binary()->bytes);
    case AttributeType::kList: return size(*value.list());
    case AttributeType::kMap: return size(*value.map());
    case AttributeType::kStringSet: return size(*value.string_set());
    case AttributeType::kNumberSet: return size(*value.number_set());
    case AttributeType::kBinarySet: return size(*value.binary_set());
    case AttributeType::kNumber:
    case AttributeType::kBool:
    case AttributeType::kNull: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace mayfly::expressions
