#include "items/item_size.h"

#include <algorithm>

#include "items/number_parts.h"

namespace mayfly::items {
namespace {

constexpr std::size_t kContainerBytes = 3;  // Of a list or a map, whatever is in it.
constexpr std::size_t kElementBytes = 1;    // Of each element of one.
constexpr std::size_t kNumberBytesMax = 21;

// Two digits share a byte when they stand on the same side of an even power of ten; one more byte
// is for the power, and one for a sign.
std::size_t SizeOfDigits(std::size_t digits, int power, bool negative) {
  if (digits == 0) return 1;
  const std::size_t alone = power % 2 == 0 ? 1 : 0;  // The first digit has no neighbour.
  const std::size_t pairs = (digits + alone + 1) / 2;
  return std::min(pairs + 1 + (negative ? 1 : 0), kNumberBytesMax);
}

std::size_t SizeOfNumber(const Number& number) {
  const std::string& text = number.text();
  if (text.find_first_of("-.") == std::string::npos) {  // Most, and counted without copies.
    return SizeOfDigits(text.find_last_not_of('0') + 1, static_cast<int>(text.size()) - 1, false);
  }
  const NumberParts parts = PartsOf(number);
  return SizeOfDigits(parts.digits.size(), parts.power, parts.negative);
}

}  // namespace

std::size_t SizeOf(const AttributeValue& value) {
  std::size_t size = 0;
  switch (value.type()) {
    case AttributeType::kString: return value.string()->size();
    case AttributeType::kNumber: return SizeOfNumber(*value.number());
    case AttributeType::kBinary: return value.binary()->bytes.size();
    case AttributeType::kBool:
    case AttributeType::kNull: return 1;
    case AttributeType::kList:
      for (const AttributeValue& element : *value.list()) size += kElementBytes + SizeOf(element);
      return kContainerBytes + size;
    case AttributeType::kMap:
      return kContainerBytes + kElementBytes * value.map()->size() + SizeOf(*value.map());
    case AttributeType::kStringSet:
      for (const std::string& member : *value.string_set()) size += member.size();
      return size;
    case AttributeType::kNumberSet:
      for (const Number& member : *value.number_set()) size += SizeOfNumber(member);
      return size;
    case AttributeType::kBinarySet:
      for (const Binary& member : *value.binary_set()) size += member.bytes.size();
      return size;
  }
  return size;
}

std::size_t SizeOf(const Item& item) {
  std::size_t size = 0;
  for (const auto& [name, value] : item) size += name.size() + SizeOf(value);
  return size;
}

std::size_t DepthOf(const AttributeValue& value) {
  std::size_t below = 0;
  if (const auto* list = value.list()) {
    for (const AttributeValue& element : *list) below = std::max(below, DepthOf(element));
    return below + 1;
  }
  if (const auto* map = value.map()) {
    for (const auto& [name, element] : *map) below = std::max(below, DepthOf(element));
    return below + 1;
  }
  return 0;
}

}  // namespace mayfly::items
