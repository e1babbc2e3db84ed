#include "rdb/packed_lists.h"

#include <algorithm>
#include <cstdint>

namespace mayfly::rdb {
namespace {

constexpr unsigned kEnd = 0xff;
constexpr unsigned kCountUnknown = 0xffff;  // More entries than the count can hold.

bool EatByte(Bytes& in, unsigned& byte) {
  if (in.empty()) return false;
  byte = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  return true;
}

// An unsigned number of up to 8 bytes.
bool EatNumber(Bytes& in, std::size_t bytes, std::uint64_t& number) {
  if (in.size() < bytes) return false;
  number = 0;
  for (std::size_t i = bytes; i-- > 0;) number = number << 8 | static_cast<unsigned char>(in[i]);
  in.remove_prefix(bytes);
  return true;
}

bool EatBigEndian(Bytes& in, std::size_t bytes, std::uint64_t& number) {
  if (in.size() < bytes) return false;
  number = 0;
  for (std::size_t i = 0; i < bytes; ++i) number = number << 8 | static_cast<unsigned char>(in[i]);
  in.remove_prefix(bytes);
  return true;
}

std::int64_t WithSign(std::uint64_t number, std::size_t bits) {
  const std::size_t spare = 64 - bits;
  return static_cast<std::int64_t>(number << spare) >> spare;
}

bool EatSigned(Bytes& in, std::size_t bytes, std::string& value) {
  std::uint64_t number = 0;
  if (!EatNumber(in, bytes, number)) return false;
  value = std::to_string(WithSign(number, bytes * 8));
  return true;
}

bool EatText(Bytes& in, std::uint64_t bytes, std::string& value) {
  if (in.size() < bytes) return false;
  value = in.substr(0, bytes);
  in.remove_prefix(bytes);
  return true;
}

// `first` is the entry's first byte.
bool EatListpackValue(Bytes& in, unsigned first, std::string& value) {
  std::uint64_t number = 0;
  if (first < 0x80) {
    value = std::to_string(first);
    return true;
  }
  if (first < 0xc0) return EatText(in, first & 0x3fu, value);
  if (first < 0xe0) {
    if (!EatNumber(in, 1, number)) return false;
    value = std::to_string(WithSign((first & 0x1fu) << 8 | number, 13));
    return true;
  }
  if (first < 0xf0) {
    return EatNumber(in, 1, number) && EatText(in, (first & 0x0fu) << 8 | number, value);
  }
  switch (first) {
    case 0xf0: return EatNumber(in, 4, number) && EatText(in, number, value);
    case 0xf1: return EatSigned(in, 2, value);
    case 0xf2: return EatSigned(in, 3, value);
    case 0xf3: return EatSigned(in, 4, value);
    case 0xf4: return EatSigned(in, 8, value);
    default: return false;
  }
}

// Bytes of the length that follows an entry of this size.
std::size_t BackwardLengthBytes(std::size_t entry_bytes) {
  if (entry_bytes <= 127) return 1;
  if (entry_bytes < 16'383) return 2;
  if (entry_bytes < 2'097'151) return 3;
  if (entry_bytes < 268'435'455) return 4;
  return 5;
}

bool EatListpackEntry(Bytes& in, unsigned first, std::string& value) {
  const std::size_t before = in.size() + 1;  // With `first`.
  if (!EatListpackValue(in, first, value)) return false;
  const std::size_t backward = BackwardLengthBytes(before - in.size());
  if (in.size() < backward) return false;
  in.remove_prefix(backward);
  return true;
}

bool EatZiplistEntry(Bytes& in, unsigned first, std::string& value) {
  constexpr unsigned kLongLengthBefore = 0xfe;
  std::uint64_t number = 0;
  unsigned encoding = 0;
  if (first == kLongLengthBefore && !EatNumber(in, 4, number)) return false;
  if (!EatByte(in, encoding)) return false;
  if (encoding < 0x40) return EatText(in, encoding, value);
  if (encoding < 0x80) {
    return EatBigEndian(in, 1, number) && EatText(in, (encoding & 0x3fu) << 8 | number, value);
  }
  switch (encoding) {
    case 0x80: return EatBigEndian(in, 4, number) && EatText(in, number, value);
    case 0xc0: return EatSigned(in, 2, value);
    case 0xd0: return EatSigned(in, 4, value);
    case 0xe0: return EatSigned(in, 8, value);
    case 0xf0: return EatSigned(in, 3, value);
    case 0xfe: return EatSigned(in, 1, value);
    default: break;
  }
  if (encoding < 0xf1 || encoding > 0xfd) return false;
  value = std::to_string(encoding - 0xf1);  // Numbers from 0 to 12 are their own encoding.
  return true;
}

// Entries up to the end mark, which must be the last byte.
PackedValues ReadEntries(Bytes in, std::uint64_t count, std::uint64_t values_max,
                         bool (*eat)(Bytes& in, unsigned first, std::string& value)) {
  std::vector<std::string> values;
  unsigned first = 0;
  while (EatByte(in, first)) {
    if (first == kEnd) {
      const bool whole = in.empty() && (count == kCountUnknown || count == values.size());
      return whole ? PackedValues(std::move(values)) : std::nullopt;
    }
    if (values.size() == values_max) return values;
    if (!eat(in, first, values.emplace_back())) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

PackedValues ReadListpack(Bytes bytes, std::uint64_t values_max) {
  const std::size_t size = bytes.size();
  std::uint64_t told = 0;
  std::uint64_t count = 0;
  if (!EatNumber(bytes, 4, told) || told != size) return std::nullopt;
  if (!EatNumber(bytes, 2, count)) return std::nullopt;
  return ReadEntries(bytes, count, values_max, EatListpackEntry);
}

PackedValues ReadZiplist(Bytes bytes, std::uint64_t values_max) {
  const std::size_t size = bytes.size();
  std::uint64_t told = 0;
  std::uint64_t tail = 0;
  std::uint64_t count = 0;
  if (!EatNumber(bytes, 4, told) || told != size) return std::nullopt;
  if (!EatNumber(bytes, 4, tail) || !EatNumber(bytes, 2, count)) return std::nullopt;
  return ReadEntries(bytes, count, values_max, EatZiplistEntry);
}

PackedValues ReadIntset(Bytes bytes, std::uint64_t values_max) {
  std::uint64_t width = 0;
  std::uint64_t count = 0;
  if (!EatNumber(bytes, 4, width) || !EatNumber(bytes, 4, count)) return std::nullopt;
  if (width != 2 && width != 4 && width != 8) return std::nullopt;
  if (bytes.size() != width * count) return std::nullopt;
  std::vector<std::string> values(std::min(count, values_max));
  for (std::string& value : values) {
    if (!EatSigned(bytes, width, value)) return std::nullopt;
  }
  return values;
}

PackedValues ReadZipmap(Bytes bytes, std::uint64_t values_max) {
  constexpr unsigned kLongLength = 0xfe;
  unsigned count = 0;
  unsigned first = 0;
  if (!EatByte(bytes, count)) return std::nullopt;
  std::vector<std::string> values;
  while (EatByte(bytes, first)) {
    if (first == kEnd) {
      return bytes.empty() && values.size() % 2 == 0 ? PackedValues(std::move(values))
                                                     : std::nullopt;
    }
    if (values.size() >= values_max) return values;
    std::uint64_t length = first;
    if (first == kLongLength && !EatNumber(bytes, 4, length)) return std::nullopt;
    unsigned spare = 0;
    if (values.size() % 2 != 0 && !EatByte(bytes, spare)) return std::nullopt;
    if (!EatText(bytes, length, values.emplace_back()) || bytes.size() < spare) return std::nullopt;
    bytes.remove_prefix(spare);
  }
  return std::nullopt;
}

}  // namespace mayfly::rdb
