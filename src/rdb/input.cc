#include "rdb/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/coding.h"
#include "rdb/crc64.h"
#include "rdb/lzf.h"
#include "wire/decimal.h"

namespace mayfly::rdb {
namespace {

enum Encoding : std::uint64_t { kInt8 = 0, kInt16 = 1, kInt32 = 2, kLzf = 3 };

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
constexpr std::uint64_t kAnnouncedBytesMax = std::uint64_t{1} << 20;  // Allocated at once.
constexpr const char* kEnded = "the bytes end too early";

}  // namespace

Input::Input(ByteSource& source, std::uint64_t budget)
    : source_(&source), element_budget_(budget), buffer_(kBufferBytes, '\0'), budget_(budget) {}

bool Input::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
  return false;
}

bool Input::Malformed(const char* what) {
  return Fail(Status::Corruption(fmt::format("offset {}: {}", offset(), what)));
}

void Input::SumUp() {
  const std::size_t consumed = filled_ - in_.size();
  checksum_ = Crc64(Bytes(buffer_).substr(summed_, consumed - summed_), checksum_);
  summed_ = consumed;
}

std::uint64_t Input::Checksum() {
  SumUp();
  return checksum_;
}

bool Input::Fill() {
  if (source_ == nullptr) return Malformed(kEnded);
  SumUp();
  before_ += filled_ - in_.size();
  std::copy(in_.begin(), in_.end(), buffer_.begin());
  const std::size_t kept = in_.size();
  auto more = source_->Read(buffer_.data() + kept, buffer_.size() - kept);
  in_ = Bytes(buffer_).substr(0, kept + (more ? *more : 0));
  filled_ = in_.size();
  summed_ = 0;
  if (!more) return Fail(more.error());
  return *more > 0 || Malformed(kEnded);
}

bool Input::Need(std::size_t bytes) {
  while (in_.size() < bytes) {
    if (!Fill()) return false;
  }
  return true;
}

bool Input::Fixed(std::size_t bytes, Bytes& raw) {
  if (!Need(bytes)) return false;
  raw = in_.substr(0, bytes);
  in_.remove_prefix(bytes);
  return true;
}

bool Input::Byte(std::uint8_t& byte) {
  Bytes raw;
  if (!Fixed(1, raw)) return false;
  byte = static_cast<std::uint8_t>(raw.front());
  return true;
}

bool Input::LengthOrEncoding(std::uint64_t& length, bool& is_encoding) {
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
  if (first == 0x81) return Uint64BigEndian(length);
  Bytes raw;
  std::uint32_t length32 = 0;
  if (first != 0x80) return Malformed("no length begins like this");
  if (!Fixed(sizeof(length32), raw)) return false;
  static_cast<void>(EatBigEndian32(raw, length32));
  length = length32;
  return true;
}

bool Input::Length(std::uint64_t& length) {
  bool is_encoding = false;
  if (!LengthOrEncoding(length, is_encoding)) return false;
  return !is_encoding || Malformed("a length is expected, and a number in another form is there");
}

bool Input::Count(std::uint64_t& count) {
  if (!Length(count)) return false;
  return source_ != nullptr || count <= in_.size() || Malformed(kEnded);
}

bool Input::Raw(std::uint64_t bytes, std::string& raw) {
  raw.clear();
  if (source_ == nullptr && in_.size() < bytes) return Malformed(kEnded);
  raw.reserve(std::min(bytes, kAnnouncedBytesMax));
  while (raw.size() < bytes) {
    if (!Need(1)) return false;
    const std::size_t some = std::min<std::uint64_t>(bytes - raw.size(), in_.size());
    raw.append(in_.substr(0, some));
    in_.remove_prefix(some);
  }
  return true;
}

bool Input::Encoded(std::uint64_t encoding, std::string& text) {
  if (encoding == kLzf) {
    std::uint64_t packed_bytes = 0;
    std::uint64_t bytes = 0;
    std::string packed;
    if (!Length(packed_bytes) || !Length(bytes)) return false;
    if (bytes > kStringBytesMax || packed_bytes > kStringBytesMax) {
      return Malformed("a packed string is too long");
    }
    if (!Raw(packed_bytes, packed) || !Charge(bytes)) return false;
    auto unpacked = UnpackLzf(packed, bytes);
    if (!unpacked) return Malformed("a packed string cannot be unpacked");
    text = *std::move(unpacked);
    return true;
  }
  if (encoding > kInt32) return Malformed("no string begins like this");
  const std::size_t bytes = std::size_t{1} << encoding;
  Bytes raw;
  if (!Fixed(bytes, raw)) return false;
  std::uint32_t number = 0;
  for (std::size_t i = bytes; i-- > 0;) number = number << 8 | static_cast<unsigned char>(raw[i]);
  const std::size_t spare = 32 - bytes * 8;
  text = std::to_string(static_cast<std::int32_t>(number << spare) >> spare);
  return true;
}

bool Input::Charge(std::uint64_t bytes) {
  passed_budget_ = passed_budget_ || bytes > budget_;
  if (!passed_budget_) budget_ -= bytes;
  return !passed_budget_ || Malformed("an element is too large");
}

bool Input::String(std::string& text) {
  std::uint64_t length = 0;
  bool is_encoding = false;
  if (!LengthOrEncoding(length, is_encoding) || !Charge(kStringBytes)) return false;
  if (is_encoding) return Encoded(length, text);
  if (source_ == nullptr && in_.size() < length) return Malformed(kEnded);
  return Charge(length) && Raw(length, text);
}

bool Input::Int32(std::int32_t& number) {
  Bytes raw;
  std::uint32_t bits = 0;
  if (!Fixed(sizeof(bits), raw)) return false;
  static_cast<void>(EatLittleEndian32(raw, bits));
  number = static_cast<std::int32_t>(bits);
  return true;
}

bool Input::Int64(std::int64_t& number) {
  Bytes raw;
  std::uint64_t bits = 0;
  if (!Fixed(sizeof(bits), raw)) return false;
  static_cast<void>(EatLittleEndian64(raw, bits));
  number = static_cast<std::int64_t>(bits);
  return true;
}

bool Input::Uint64BigEndian(std::uint64_t& number) {
  Bytes raw;
  if (!Fixed(sizeof(number), raw)) return false;
  static_cast<void>(EatBigEndian64(raw, number));
  return true;
}

bool Input::Double(double& number) {
  std::int64_t bits = 0;
  if (!Int64(bits)) return false;
  number = std::bit_cast<double>(bits);
  return !std::isnan(number) || Malformed("a score is not a number");
}

bool Input::DecimalDouble(double& number) {
  constexpr std::uint8_t kNan = 253;
  constexpr std::uint8_t kInfinity = 254;
  constexpr std::uint8_t kMinusInfinity = 255;
  std::uint8_t length = 0;
  if (!Byte(length)) return false;
  if (length == kInfinity || length == kMinusInfinity) {
    const double infinity = std::numeric_limits<double>::infinity();
    number = length == kInfinity ? infinity : -infinity;
    return true;
  }
  Bytes digits;
  if (length != kNan && !Fixed(length, digits)) return false;
  return (length != kNan && ReadDouble(digits, number) && !std::isnan(number)) ||
         Malformed("a score is not a number");
}

}  // namespace mayfly::rdb
