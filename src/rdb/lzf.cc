#include "rdb/lzf.h"

#include <algorithm>

namespace mayfly::rdb {
namespace {

constexpr unsigned kLiteralsEnd = 32;   // First bytes below it announce literal bytes.
constexpr unsigned kLongReference = 7;  // A length that goes on in the next byte.

}  // namespace

std::optional<std::string> UnpackLzf(Bytes packed, std::size_t size) {
  std::string out;
  const auto eat = [&](unsigned& byte) {
    if (packed.empty()) return false;
    byte = static_cast<unsigned char>(packed.front());
    packed.remove_prefix(1);
    return true;
  };
  unsigned control = 0;
  while (eat(control)) {
    if (control < kLiteralsEnd) {
      const std::size_t count = control + 1;
      if (packed.size() < count || size - out.size() < count) return std::nullopt;
      out.append(packed.substr(0, count));
      packed.remove_prefix(count);
      continue;
    }
    unsigned length = control >> 5;
    unsigned more = 0;
    unsigned low = 0;
    if (length == kLongReference && !eat(more)) return std::nullopt;
    if (!eat(low)) return std::nullopt;
    length += more + 2;
    const std::size_t back = ((control & 0x1fu) << 8 | low) + std::size_t{1};
    if (back > out.size() || size - out.size() < length) return std::nullopt;
    // A reference may overlap its own output, which repeats it.
    const std::size_t from = out.size() - back;
    for (std::size_t left = length; left > 0;) {
      const std::size_t count = std::min(left, out.size() - from);
      out.append(out, from, count);
      left -= count;
    }
  }
  if (out.size() != size) return std::nullopt;
  return out;
}

}  // namespace mayfly::rdb
