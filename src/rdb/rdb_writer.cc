#include "rdb/rdb_writer.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/coding.h"
#include "rdb/crc64.h"
#include "wire/decimal.h"

namespace mayfly::rdb {
namespace {

void AppendLowBytes(std::string& out, std::int64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(number >> (8 * i)));
}

}  // namespace

void AppendLength(std::string& out, std::uint64_t length) {
  if (length < 1u << 6) {
    out.push_back(static_cast<char>(length));
  } else if (length < 1u << 14) {
    AppendBigEndian16(out, static_cast<std::uint16_t>(0x4000u | length));
  } else if (length <= std::numeric_limits<std::uint32_t>::max()) {
    out.push_back('\x80');
    AppendBigEndian32(out, static_cast<std::uint32_t>(length));
  } else {
    out.push_back('\x81');
    AppendBigEndian64(out, length);
  }
}

void AppendString(std::string& out, Bytes text) {
  std::int64_t number = 0;
  const bool is_number = ReadInteger(text, number);
  if (is_number && number == static_cast<std::int8_t>(number)) {
    out.push_back('\xc0');
    AppendLowBytes(out, number, 1);
  } else if (is_number && number == static_cast<std::int16_t>(number)) {
    out.push_back('\xc1');
    AppendLowBytes(out, number, 2);
  } else if (is_number && number == static_cast<std::int32_t>(number)) {
    out.push_back('\xc2');
    AppendLowBytes(out, number, 4);
  } else {
    AppendLength(out, text.size());
    out.append(text);
  }
}

Writer::Writer(int version) : out_(fmt::format("REDIS{:04}", version)) {}

void Writer::Aux(Bytes name, Bytes value) {
  out_.push_back(static_cast<char>(kRdbAux));
  AppendString(out_, name);
  AppendString(out_, value);
}

void Writer::Function(Bytes text) {
  out_.push_back(static_cast<char>(kRdbFunction));
  AppendString(out_, text);
}

void Writer::Database(int number) {
  out_.push_back(static_cast<char>(kRdbDatabase));
  AppendLength(out_, static_cast<std::uint64_t>(number));
}

void Writer::Key(Bytes name, std::optional<WallTime> deadline, Bytes value) {
  KeyHead(name, deadline, static_cast<RdbType>(static_cast<std::uint8_t>(value.front())));
  out_.append(value.substr(1));
}

void Writer::KeyHead(Bytes name, std::optional<WallTime> deadline, RdbType type) {
  if (deadline) {
    out_.push_back(static_cast<char>(kRdbDeadlineMs));
    AppendLittleEndian64(out_, static_cast<std::uint64_t>(ToMs(*deadline)));
  }
  out_.push_back(static_cast<char>(type));
  AppendString(out_, name);
}

void Writer::End() {
  out_.push_back(static_cast<char>(kRdbEnd));
  AppendLittleEndian64(out_, Crc64(out_, checksum_));
}

std::string Writer::Take() {
  checksum_ = Crc64(out_, checksum_);
  return std::exchange(out_, {});
}

}  // namespace mayfly::rdb
