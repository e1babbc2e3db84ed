#include "server/commands/strings/bit_fields.h"

#include "server/commands/strings/bits.h"
#include "wire/decimal.h"

namespace mayfly::server {
namespace {

// Wide enough for the sum of any two numbers of 64 bits, so that nothing here overflows.
__extension__ using Wide = __int128;

Wide LargestOf(FieldType type) {
  return (Wide{1} << (type.has_sign ? type.bits - 1 : type.bits)) - 1;
}

Wide SmallestOf(FieldType type) { return type.has_sign ? -LargestOf(type) - 1 : Wide{0}; }

// NOLINTBEGIN(clang-analyzer-core.UndefinedBinaryOperatorResult): a type has at least one bit.
std::int64_t LowestBits(FieldType type, std::uint64_t bits) {
  const unsigned spare = 64 - type.bits;
  if (type.has_sign) return static_cast<std::int64_t>(bits << spare) >> spare;
  return static_cast<std::int64_t>(bits << spare >> spare);
}
// NOLINTEND(clang-analyzer-core.UndefinedBinaryOperatorResult)

std::optional<std::int64_t> Fit(FieldType type, Wide number, Overflow mode) {
  const Wide largest = LargestOf(type);
  const Wide smallest = SmallestOf(type);
  if (number >= smallest && number <= largest) return static_cast<std::int64_t>(number);
  switch (mode) {
    case Overflow::kWrap: return LowestBits(type, static_cast<std::uint64_t>(number));
    case Overflow::kSaturate:
      return static_cast<std::int64_t>(number > largest ? largest : smallest);
    case Overflow::kFail: break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<FieldType> FieldTypeNamed(Bytes name) {
  if (!name.starts_with('i') && !name.starts_with('u')) return std::nullopt;
  const bool has_sign = name.front() == 'i';
  std::int64_t bits = 0;
  if (!ReadInteger(name.substr(1), bits)) return std::nullopt;
  if (bits < 1 || bits > (has_sign ? 64 : 63)) return std::nullopt;
  return FieldType{has_sign, static_cast<unsigned>(bits)};
}

std::int64_t ReadField(Bytes bytes, std::uint64_t offset, FieldType type) {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < type.bits; ++i) bits = bits << 1 | (BitAt(bytes, offset + i) ? 1u : 0u);
  return LowestBits(type, bits);
}

void WriteField(std::string& bytes, std::uint64_t offset, FieldType type, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  for (unsigned i = 0; i < type.bits; ++i) {
    SetBitAt(bytes, offset + i, (bits >> (type.bits - 1 - i) & 1u) != 0);
  }
}

std::optional<std::int64_t> FitSum(FieldType type, std::int64_t a, std::int64_t b, Overflow mode) {
  return Fit(type, Wide{a} + Wide{b}, mode);
}

std::optional<std::int64_t> FitNumber(FieldType type, std::int64_t number, Overflow mode) {
  return Fit(type, type.has_sign ? Wide{number} : Wide{static_cast<std::uint64_t>(number)}, mode);
}

}  // namespace mayfly::server
