// bit_fields.h - integers of any width within a string, at any bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly::server {

// An integer of up to 64 bits with a sign, or of up to 63 without.
struct FieldType {
  bool has_sign;
  unsigned bits;
};

// How a number that does not fit is stored.
enum class Overflow : std::uint8_t {
  kWrap,      // Wraps around: only its lowest bits.
  kSaturate,  // The nearest number that fits.
  kFail,      // Nothing is written.
};

// Nothing for anything but i1 to i64 and u1 to u63.
std::optional<FieldType> FieldTypeNamed(Bytes name);

// Bits behind the end are zeros.
std::int64_t ReadField(Bytes bytes, std::uint64_t offset, FieldType type);

// The field must lie within the bytes, and the value must fit.
void WriteField(std::string& bytes, std::uint64_t offset, FieldType type, std::int64_t value);

// The sum, or the number alone, as the field can hold it. Nothing: overflow with kFail. In a field
// without a sign a negative number counts as a large one.
std::optional<std::int64_t> FitSum(FieldType type, std::int64_t a, std::int64_t b, Overflow mode);
std::optional<std::int64_t> FitNumber(FieldType type, std::int64_t number, Overflow mode);

}  // namespace mayfly::server
