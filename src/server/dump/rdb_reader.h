// rdb_reader.h - reads the elements of Redis' dumps.
//   length  | 00llllll |, | 01llllll llllllll |, | 0x80 | u32 |, | 0x81 | u64 |, big endian
//   string  | length | bytes |, | 0xc0, 0xc1 or 0xc2 | i8, i16 or i32, little endian |,
//           | 0xc3 | length packed | length | LZF |
#pragma once

#include <cstdint>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly::server {

// Consumes from the front. Every call returns false when the bytes are too few or malformed, or
// when they unpack to more than the budget; then the reader must not be used again. Borrows the
// bytes.
class RdbReader {
 public:
  // `budget`: bytes of memory that all strings may take together.
  RdbReader(Bytes bytes, std::uint64_t budget) : in_(bytes), budget_(budget) {}

  // Whether the budget made a call fail.
  bool passed_budget() const { return passed_budget_; }

  // Counts the memory of what a caller builds from the bytes, beside the strings that are read
  // here; Refund() takes it back.
  [[nodiscard]] bool Charge(std::uint64_t bytes);
  void Refund(std::uint64_t bytes) { budget_ += bytes; }
  std::uint64_t budget() const { return budget_; }

  bool AtEnd() const { return in_.empty(); }

  [[nodiscard]] bool Byte(std::uint8_t& byte);
  [[nodiscard]] bool Length(std::uint64_t& length);

  // A length that counts elements of at least a byte each.
  [[nodiscard]] bool Count(std::uint64_t& count);

  [[nodiscard]] bool String(std::string& text);
  [[nodiscard]] bool Int64(std::int64_t& number);

  // Eight bytes; or, as older dumps have it, decimal digits. nan is malformed.
  [[nodiscard]] bool Double(double& number);
  [[nodiscard]] bool DecimalDouble(double& number);

 private:
  bool LengthOrEncoding(std::uint64_t& length, bool& is_encoding);
  bool Raw(std::uint64_t bytes, Bytes& raw);
  bool Encoded(std::uint64_t encoding, std::string& text);

  Bytes in_;
  std::uint64_t budget_;  // What is left of it.
  bool passed_budget_ = false;
};

// What a string takes that is kept in a list: more than its bytes.
inline constexpr std::uint64_t kStringBytes = sizeof(std::string);

}  // namespace mayfly::server
