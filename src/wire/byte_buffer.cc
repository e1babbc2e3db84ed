#include "wire/byte_buffer.h"

#include <algorithm>
#include <new>

#include "base/check.h"

namespace mayfly {
namespace {

constexpr std::size_t kCapacityMin = 256;

}  // namespace

void ByteBuffer::MakeRoom(std::size_t bytes) {
  const std::size_t live = size();
  // Moving has amortised cost only if at least as much was consumed as is moved.
  const bool worth_moving = begin_ >= live;
  if (begin_ > 0) {
    if (live > 0) std::memmove(memory_.get(), data(), live);
    begin_ = 0;
    end_ = live;
  }
  if (worth_moving && room() >= bytes) return;

  if (bytes > static_cast<std::size_t>(-1) / 4 - live) throw std::bad_alloc();
  const std::size_t wanted = std::max({live + bytes, 2 * capacity_, kCapacityMin});
  void* const grown = std::realloc(memory_.get(), wanted);
  if (grown == nullptr) throw std::bad_alloc();
  static_cast<void>(memory_.release());
  memory_.reset(static_cast<char*>(grown));
  capacity_ = wanted;
}

void ByteBuffer::Replace(std::uint64_t offset, std::size_t bytes, Bytes with) {
  MAYFLY_CHECK(offset >= consumed_ && offset + bytes <= end_offset(),
               "replaced bytes have left the buffer");
  if (with.size() > bytes) Reserve(with.size() - bytes);
  const auto index = static_cast<std::size_t>(offset - consumed_);
  char* const place = data() + index;
  if (with.size() != bytes) {
    std::memmove(place + with.size(), place + bytes, size() - index - bytes);
    end_ = end_ - bytes + with.size();
  }
  // memcpy() must not get a null pointer, which an empty buffer has.
  if (!with.empty()) std::memcpy(place, with.data(), with.size());
}

void ByteBuffer::Release() {
  if (!empty()) return;
  memory_.reset();
  capacity_ = begin_ = end_ = 0;
}

}  // namespace mayfly
