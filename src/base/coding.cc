#include "base/coding.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mayfly {
namespace {

static_assert(std::endian::native == std::endian::little, "written for little-endian machines");

constexpr std::uint16_t Swapped(std::uint16_t value) { return __builtin_bswap16(value); }
constexpr std::uint32_t Swapped(std::uint32_t value) { return __builtin_bswap32(value); }
constexpr std::uint64_t Swapped(std::uint64_t value) { return __builtin_bswap64(value); }

template <typename Integer>
void AppendNative(std::string& out, Integer value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

template <typename Integer>
bool EatNative(Bytes& in, Integer& value) {
  if (in.size() < sizeof value) return false;
  std::memcpy(&value, in.data(), sizeof value);
  in.remove_prefix(sizeof value);
  return true;
}

template <typename Integer>
bool EatSwapped(Bytes& in, Integer& value) {
  if (!EatNative(in, value)) return false;
  value = Swapped(value);
  return true;
}

}  // namespace

void AppendBigEndian16(std::string& out, std::uint16_t value) { AppendNative(out, Swapped(value)); }
void AppendBigEndian32(std::string& out, std::uint32_t value) { AppendNative(out, Swapped(value)); }
void AppendBigEndian64(std::string& out, std::uint64_t value) { AppendNative(out, Swapped(value)); }
void AppendLittleEndian32(std::string& out, std::uint32_t value) { AppendNative(out, value); }
void AppendLittleEndian64(std::string& out, std::uint64_t value) { AppendNative(out, value); }

void AppendLongVarint(std::string& out, std::uint64_t value) {
  char bytes[kVarintBytesMax];
  out.append(bytes, WriteVarint(bytes, value));
}

void AppendZigZag(std::string& out, std::int64_t value) {
  // The right shift spreads the sign over all bits.
  AppendVarint(out,
               (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

void AppendSized(std::string& out, Bytes bytes) {
  AppendVarint(out, bytes.size());
  out.append(bytes);
}

bool EatBigEndian16(Bytes& in, std::uint16_t& value) { return EatSwapped(in, value); }
bool EatBigEndian32(Bytes& in, std::uint32_t& value) { return EatSwapped(in, value); }
bool EatBigEndian64(Bytes& in, std::uint64_t& value) { return EatSwapped(in, value); }
bool EatLittleEndian32(Bytes& in, std::uint32_t& value) { return EatNative(in, value); }
bool EatLittleEndian64(Bytes& in, std::uint64_t& value) { return EatNative(in, value); }

bool EatLongVarint(Bytes& in, std::uint64_t& value) {
  std::uint64_t sum = 0;
  const std::size_t bytes_max = std::min(in.size(), kVarintBytesMax);
  for (std::size_t i = 0; i < bytes_max; ++i) {
    const auto byte = static_cast<unsigned char>(in[i]);
    if (i == kVarintBytesMax - 1 && byte > 1) return false;  // Past 64 bits.
    sum |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      if (byte == 0 && i > 0) return false;  // Not the shortest form.
      value = sum;
      in.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool EatZigZag(Bytes& in, std::int64_t& value) {
  std::uint64_t raw = 0;
  if (!EatVarint(in, raw)) return false;
  value = static_cast<std::int64_t>((raw >> 1) ^ (~(raw & 1) + 1));
  return true;
}

bool EatSized(Bytes& in, Bytes& bytes) {
  Bytes rest = in;
  std::uint64_t size = 0;
  if (!EatVarint(rest, size) || size > rest.size()) return false;
  bytes = rest.substr(0, size);
  rest.remove_prefix(size);
  in = rest;
  return true;
}

}  // namespace mayfly
