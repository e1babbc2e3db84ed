#include "base/random.h"

#include <cassert>

namespace mayfly {

std::uint64_t Random::Below(std::uint64_t end) {
  assert(end > 0);
  // The high half of a 128-bit product maps a draw to the range without a division; its bias is
  // below 2^-64 times the range.
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(Next()) * end) >> 64);
}

std::uint64_t Random::Between(std::uint64_t first, std::uint64_t last) {
  assert(first <= last);
  const std::uint64_t width = last - first + 1;
  return width == 0 ? Next() : first + Below(width);
}

std::string Random::Bytes(std::size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(Next() >> 56);
  return bytes;
}

std::uint64_t FreshSeed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

}  // namespace mayfly
