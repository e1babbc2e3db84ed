// byte_buffer.h - a queue of bytes: appended at the end, consumed at the front.
//   | free | size() bytes: view() | room |
// Contiguous, so that its content can be handed out as views and to one write(). Moves and growth
// have amortised cost: a byte is copied a bounded number of times on average, however large or
// small the pieces are. Not safe to share between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "mayfly/bytes.h"

namespace mayfly {

class ByteBuffer {
 public:
  std::size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  const char* data() const { return memory_.get() + begin_; }
  char* data() { return memory_.get() + begin_; }
  Bytes view() const { return {data(), size()}; }

  // Bytes held from the system, in use or not.
  std::size_t capacity() const { return capacity_; }

  // Bytes that fit after the end without another Reserve().
  std::size_t room() const { return capacity_ - end_; }

  // Makes room for `bytes` more and returns where they go. Invalidates every pointer into the
  // buffer. Throws std::bad_alloc when out of memory.
  char* Reserve(std::size_t bytes) {
    if (room() < bytes) [[unlikely]] {
      MakeRoom(bytes);
    }
    return memory_.get() + end_;
  }

  // Adds `bytes` that were written where Reserve() pointed.
  void Commit(std::size_t bytes) { end_ += bytes; }

  void Append(Bytes bytes) {
    if (bytes.empty()) return;
    std::memcpy(Reserve(bytes.size()), bytes.data(), bytes.size());
    Commit(bytes.size());
  }

  // Drops `bytes` from the front. They stay readable until the next Reserve(), Append(), Replace()
  // or Release().
  void Consume(std::size_t bytes) {
    begin_ += bytes;
    consumed_ += bytes;
    if (begin_ == end_) begin_ = end_ = 0;
  }

  void Clear() { Consume(size()); }

  // The offset of the end in the stream of all bytes that ever were in this buffer. Names a
  // position for Replace(), whatever is consumed before it meanwhile.
  std::uint64_t end_offset() const { return consumed_ + size(); }

  // Replaces the `bytes` at `offset`, which must not have been consumed, by `with`.
  void Replace(std::uint64_t offset, std::size_t bytes, Bytes with);

  // Frees the memory if the buffer is empty.
  void Release();

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };

  void MakeRoom(std::size_t bytes);

  std::unique_ptr<char, Free> memory_;  // From malloc: realloc moves large blocks without copying.
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t consumed_ = 0;
};

}  // namespace mayfly
