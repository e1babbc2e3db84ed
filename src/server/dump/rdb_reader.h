// rdb_reader.h - the pieces Redis' dumps are made of.
//   length  | 00llllll |, | 01llllll llllllll |, | 0x80 | u32 |, | 0x81 | u64 |, big endian
//   string  | length | bytes |, | 0xc0, 0xc1 or 0xc2 | i8, i16 or i32, little endian |,
//           | 0xc3 | length packed | length | LZF |
#pragma once

#include <cstdint>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly::server {

// Eats from the front. Every call says false when the bytes are too few or malformed; then the
// reader is of no more use. Borrows the bytes.
class RdbReader {
 public:
  explicit RdbReader(Bytes bytes) : in_(bytes) {}

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
};

}  // namespace mayfly::server
