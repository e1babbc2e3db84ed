// coding.h - integers as bytes.
// Big endian where byte order must be number order (anything inside a key), little endian where it
// only has to be read back, varints where most numbers are small. Writers append to a string;
// readers consume the front of a view and return false when it is too short or malformed, leaving
// the view as it was: bytes from disk or wire are never trusted to be complete.
#pragma once

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
void AppendVarint(std::string& out, std::uint64_t value);

// A varint in which small numbers of either sign are short: 0, -1, 1, -2 become 0, 1, 2, 3.
void AppendZigZag(std::string& out, std::int64_t value);

// A varint of the length, then the bytes.
void AppendSized(std::string& out, Bytes bytes);

[[nodiscard]] bool EatBigEndian16(Bytes& in, std::uint16_t& value);
[[nodiscard]] bool EatBigEndian32(Bytes& in, std::uint32_t& value);
[[nodiscard]] bool EatBigEndian64(Bytes& in, std::uint64_t& value);
[[nodiscard]] bool EatLittleEndian32(Bytes& in, std::uint32_t& value);
[[nodiscard]] bool EatLittleEndian64(Bytes& in, std::uint64_t& value);
[[nodiscard]] bool EatVarint(Bytes& in, std::uint64_t& value);
[[nodiscard]] bool EatZigZag(Bytes& in, std::int64_t& value);

// `bytes` points into `in`'s memory.
[[nodiscard]] bool EatSized(Bytes& in, Bytes& bytes);

}  // namespace mayfly
