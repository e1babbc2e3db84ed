#include "server/dump/rdb_reader.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/coding.h"
#include "server/dump/lzf.h"
#include "types/string.h"
#include "wire/decimal.h"

namespace mayfly::server {
namespace {

enum Encoding : std::uint64_t { kInt8 = 0, kInt16 = 1, kInt32 = 2, kLzf = 3 };

}  // namespace

bool RdbReader::Byte(std::uint8_t& byte) {
  if (in_.empty()) return false;
  byte = static_cast<std::uint8_t>(in_.front());
  in_.remove_prefix(1);
  return true;
}

bool RdbReader::LengthOrEncoding(std::uint64_t& length, bool& is_encoding) {
  std::uint8_t first = 0;
  std::uint8_t second = 0;
  if (!Byte(first)) return false;
  is_encoding = false;
  switch (first >> 6) {
    case 0: length = first; return true;
    case 1:
      if (!Byte(second)) return false;
      length = (first & 0x3fu) << 8 | second;
      return true;
    case 3:
      is_encoding = true;
      length = first & 0x3fu;
      return true;
    default: break;
  }
  if (first == 0x81) return EatBigEndian64(in_, length);
  std::uint32_t length32 = 0;
  if (first != 0x80 || !EatBigEndian32(in_, length32)) return false;
  length = length32;
  return true;
}

bool RdbReader::Length(std::uint64_t& length) {
  bool is_encoding = false;
  return LengthOrEncoding(length, is_encoding) && !is_encoding;
}

bool RdbReader::Count(std::uint64_t& count) { return Length(count) && count <= in_.size(); }

bool RdbReader::Raw(std::uint64_t bytes, Bytes& raw) {
  if (in_.size() < bytes) return false;
  raw = in_.substr(0, bytes);
  in_.remove_prefix(bytes);
  return true;
}

bool RdbReader::Encoded(std::uint64_t encoding, std::string& text) {
  if (encoding == kLzf) {
    std::uint64_t packed_bytes = 0;
    std::uint64_t bytes = 0;
    Bytes packed;
    if (!Length(packed_bytes) || !Length(bytes) || !Raw(packed_bytes, packed)) return false;
    if (bytes > types::kStringBytesMax || !Charge(bytes)) return false;
    auto unpacked = UnpackLzf(packed, bytes);
    if (!unpacked) return false;
    text = *std::move(unpacked);
    return true;
  }
  if (encoding > kInt32) return false;
  const std::size_t bytes = std::size_t{1} << encoding;
  Bytes raw;
  if (!Raw(bytes, raw)) return false;
  std::uint32_t number = 0;
  for (std::size_t i = bytes; i-- > 0;) number = number << 8 | static_cast<unsigned char>(raw[i]);
  const std::size_t spare = 32 - bytes * 8;
  text = std::to_string(static_cast<std::int32_t>(number << spare) >> spare);
  return true;
}

bool RdbReader::Charge(std::uint64_t bytes) {
  passed_budget_ = passed_budget_ || bytes > budget_;
  if (!passed_budget_) budget_ -= bytes;
  return !passed_budget_;
}

bool RdbReader::String(std::string& text) {
  std::uint64_t length = 0;
  bool is_encoding = false;
  if (!LengthOrEncoding(length, is_encoding) || !Charge(kStringBytes)) return false;
  if (is_encoding) return Encoded(length, text);
  Bytes raw;
  if (!Raw(length, raw) || !Charge(length)) return false;
  text = raw;
  return true;
}

bool RdbReader::Int64(std::int64_t& number) {
  std::uint64_t bits = 0;
  if (!EatLittleEndian64(in_, bits)) return false;
  number = static_cast<std::int64_t>(bits);
  return true;
}

bool RdbReader::Double(double& number) {
  std::uint64_t bits = 0;
  if (!EatLittleEndian64(in_, bits)) return false;
  number = std::bit_cast<double>(bits);
  return !std::isnan(number);
}

bool RdbReader::DecimalDouble(double& number) {
  constexpr std::uint8_t kNan = 253;
  constexpr std::uint8_t kInfinity = 254;
  constexpr std::uint8_t kMinusInfinity = 255;
  std::uint8_t length = 0;
  if (!Byte(length) || length == kNan) return false;
  if (length == kInfinity || length == kMinusInfinity) {
    const double infinity = std::numeric_limits<double>::infinity();
    number = length == kInfinity ? infinity : -infinity;
    return true;
  }
  Bytes digits;
  return Raw(length, digits) && ReadDouble(digits, number) && !std::isnan(number);
}

}  // namespace mayfly::server
