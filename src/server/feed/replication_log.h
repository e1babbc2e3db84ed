// replication_log.h - the newest bytes of a stream, by their offset in it.
//   | block | block | ... | block |      begin() is the first offset that is kept, end() that of the
//   begin()                     end()    next byte
// Grows at the end and is cut at the front, block by block. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "mayfly/bytes.h"
#include "wire/byte_buffer.h"

namespace mayfly::server {

class ReplicationLog {
 public:
  // Empties it; the next byte is at `end`.
  void Reset(std::int64_t end);

  std::int64_t begin() const { return blocks_.empty() ? end_ : blocks_.front().begin; }
  std::int64_t end() const { return end_; }
  std::size_t bytes() const { return static_cast<std::size_t>(end() - begin()); }

  void Append(Bytes bytes);

  // Appends up to `bytes_max` of what lies behind `from`, which must be kept, to `out`; returns how
  // many.
  std::size_t Read(std::int64_t from, std::size_t bytes_max, ByteBuffer& out) const;

  // Drops blocks that lie before `first` as a whole.
  void Cut(std::int64_t first);

 private:
  struct Block {
    std::int64_t begin;
    std::string bytes;

    std::int64_t end() const { return begin + static_cast<std::int64_t>(bytes.size()); }
  };

  std::deque<Block> blocks_;
  std::int64_t end_ = 0;
};

}  // namespace mayfly::server
