// coding.h - integers as bytes.
// Big endian where byte order must be number order (anything inside a key), little endian where it
// only has to be read back, varints where most numbers are small. Writers append to a string;
// readers consume the front of a view and return false when it is too short or malformed, leaving
// the view as it was: bytes from disk or wire are never trusted to be complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "mayfly/bytes.h"

namespace mayfly {

void AppendBigEndian16(std::string& out, std::uint16_t value);
void AppendBigEndian32(std::string& out, std::uint32_t value);
void AppendBigEndian64(std::string& out, std::uint64_t value);
void AppendLittleEndian32(std::string& out, std::uint32_t value);
void AppendLittleEndian64(std::string& out, std::uint64_t value);

// LEB128: seven bits a byte, low ones first; at most ten bytes, and only the shortest form is read
// back, so that equal numbers have equal bytes.
inline constexpr std::size_t kVarintBytesMax = 10;
void AppendLongVarint(std::string& out, std::uint64_t value);  // Of any length.
inline void AppendVarint(std::string& out, std::uint64_t value) {
  value < 0x80 ? out.push_back(static_cast<char>(value)) : AppendLongVarint(out, value);
}

// Writes to memory with room for kVarintBytesMax; returns where the varint ends.
inline char* WriteVarint(char* at, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
  *at++ = static_cast<char>(value);
  return at;
}

// A varint in which small numbers of either sign are short: 0, -1, 1, -2 become 0, 1, 2, 3.
void AppendZigZag(std::string& out, std::int64_t value);

// A varint of the length, then the bytes.
void AppendSized(std::string& out, Bytes bytes);

[[nodiscard]] bool EatBigEndian16(Bytes& in, std::uint16_t& value);
[[nodiscard]] bool EatBigEndian32(Bytes& in, std::uint32_t& value);
[[nodiscard]] bool EatBigEndian64(Bytes& in, std::uint64_t& value);
[[nodiscard]] bool EatLittleEndian32(Bytes& in, std::uint32_t& value);
[[nodiscard]] bool EatLittleEndian64(Bytes& in, std::uint64_t& value);
[[nodiscard]] bool EatLongVarint(Bytes& in, std::uint64_t& value);  // Of any length.
[[nodiscard]] inline bool EatVarint(Bytes& in, std::uint64_t& value) {
  if (in.empty() || static_cast<unsigned char>(in.front()) >= 0x80) return EatLongVarint(in, value);
  value = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  return true;
}
[[nodiscard]] bool EatZigZag(Bytes& in, std::int64_t& value);

// `bytes` points into `in`'s memory.
[[nodiscard]] bool EatSized(Bytes& in, Bytes& bytes);

}  // namespace mayfly
