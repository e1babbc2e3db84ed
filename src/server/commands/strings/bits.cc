#include "server/commands/strings/bits.h"

#include <bit>
#include <cstring>

namespace mayfly::server {
namespace {

unsigned ByteAt(Bytes bytes, std::uint64_t index) {
  return static_cast<unsigned char>(bytes[index]);
}

std::uint64_t WordAt(Bytes bytes, std::uint64_t index) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + index, sizeof(word));
  return word;
}

std::uint64_t CountOnesOf(Bytes bytes) {
  std::uint64_t count = 0;
  std::uint64_t i = 0;
  for (; i + sizeof(std::uint64_t) <= bytes.size(); i += sizeof(std::uint64_t)) {
    count += static_cast<std::uint64_t>(std::popcount(WordAt(bytes, i)));
  }
  for (; i < bytes.size(); ++i) {
    count += static_cast<std::uint64_t>(std::popcount(ByteAt(bytes, i)));
  }
  return count;
}

// The first byte in [index, end) with a bit that equals `on`, or end.
std::uint64_t SkipBytes(Bytes bytes, std::uint64_t index, std::uint64_t end, bool on) {
  const std::uint64_t dull_word = on ? 0 : ~std::uint64_t{0};
  const unsigned dull_byte = on ? 0x00 : 0xff;
  while (index + sizeof(std::uint64_t) <= end && WordAt(bytes, index) == dull_word) {
    index += sizeof(std::uint64_t);
  }
  while (index < end && ByteAt(bytes, index) == dull_byte) ++index;
  return index;
}

}  // namespace

bool BitAt(Bytes bytes, std::uint64_t bit) {
  return bit < BitsOf(bytes) && ((ByteAt(bytes, bit / 8) >> (7 - bit % 8)) & 1u) != 0;
}

void SetBitAt(std::string& bytes, std::uint64_t bit, bool on) {
  const unsigned mask = 1u << (7 - bit % 8);
  const unsigned byte = ByteAt(bytes, bit / 8);
  bytes[bit / 8] = static_cast<char>(on ? byte | mask : byte & ~mask);
}

std::uint64_t CountOnes(Bytes bytes, BitRange range) {
  std::uint64_t count = 0;
  std::uint64_t bit = range.begin;
  for (; bit < range.end && bit % 8 != 0; ++bit) count += BitAt(bytes, bit) ? 1u : 0u;
  if (bit < range.end) {
    count += CountOnesOf(bytes.substr(bit / 8, (range.end - bit) / 8));
    bit += (range.end - bit) / 8 * 8;
  }
  for (; bit < range.end; ++bit) count += BitAt(bytes, bit) ? 1u : 0u;
  return count;
}

std::optional<std::uint64_t> FindBit(Bytes bytes, BitRange range, bool on) {
  std::uint64_t bit = range.begin;
  while (bit < range.end) {
    if (bit % 8 == 0) {
      const std::uint64_t byte = SkipBytes(bytes, bit / 8, range.end / 8, on);
      bit = byte * 8;
      if (bit >= range.end) break;
    }
    if (BitAt(bytes, bit) == on) return bit;
    ++bit;
  }
  return std::nullopt;
}

}  // namespace mayfly::server
