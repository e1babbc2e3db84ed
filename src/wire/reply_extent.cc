#include "wire/reply_extent.h"

#include <cstdint>

#include "wire/decimal.h"

namespace mayfly {
namespace {

constexpr std::size_t kLineBytesMax = std::size_t{64} * 1024;
constexpr std::int64_t kCountMax = std::int64_t{1} << 40;
constexpr Bytes kLineEnd = "\r\n";

Status Malformed() { return Status::Corruption("the bytes are no reply of the Redis protocol"); }

}  // namespace

Result<std::size_t> ReplyExtent::Find(Bytes bytes) {
  while (values_left_ > 0) {
    const std::size_t end = bytes.find(kLineEnd, at_);
    if (end == Bytes::npos) {
      if (bytes.size() - at_ > kLineBytesMax) return Malformed();
      return std::size_t{0};
    }
    const Bytes line = bytes.substr(at_, end - at_);
    if (line.empty()) return Malformed();
    std::size_t next = end + kLineEnd.size();
    std::size_t announced = 0;
    std::int64_t count = 0;
    switch (line.front()) {
      case '$':
      case '=':
      case '!':
      case '*':
      case '~':
      case '>':
      case '%':
      case '|':
        if (!ReadInteger(line.substr(1), count) || count > kCountMax) return Malformed();
        break;
      case '+':
      case '-':
      case ':':
      case '_':
      case ',':
      case '#':
      case '(': break;
      default: return Malformed();
    }
    const auto size = static_cast<std::size_t>(count < 0 ? 0 : count);
    switch (line.front()) {
      case '$':
      case '=':
      case '!':
        if (count >= 0) next += size + kLineEnd.size();
        if (next > bytes.size()) return std::size_t{0};
        break;
      case '*':
      case '~':
      case '>': announced = size; break;
      case '%': announced = 2 * size; break;
      case '|': announced = 2 * size + 1; break;  // It precedes a value.
      default: break;
    }
    at_ = next;
    values_left_ += announced;
    --values_left_;
  }
  const std::size_t extent = at_;
  at_ = 0;
  values_left_ = 1;
  return extent;
}

}  // namespace mayfly
