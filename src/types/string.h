// string.h - strings, short ones as plain rows and long ones that change in part as chunks.
// A string is a plain row, as the library writes it, until a part of one that is long is written
// over or added to: then it becomes chunks (core/commit/whole_value.h), and such a write costs the
// chunks that it touches instead of all of them. A write of the whole makes it a plain row again,
// unless it is longer than a row can be: then it is chunks from the beginning, and goes to the
// engine in batches before the commit, as all large collections do. Callers do not see the
// difference, and neither do clients: it is a string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/commit/whole_value.h"
#include "core/layout/limits.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::types {

// Up to this size a string is written as a whole: a row and a chunk would cost about as much.
inline constexpr std::size_t kWholeStringBytesMax = std::size_t{64} << 10;

// The longest, as in Redis.
inline constexpr std::size_t kStringBytesMax = std::size_t{512} << 20;
static_assert(kStringBytesMax >= core::kValueBytesMax);

// Writes a string as a whole, whatever the key held before. At most kStringBytesMax bytes.
Status PutString(core::LatchedKeyspace& space, Bytes key, Bytes value, Lifetime lifetime);

// Makes a row that is a string in chunks look like the plain one it stands for. Others stay.
Status ShowString(core::LatchedKeyspace& space, Bytes key, core::FoundRow& row);

class String {
 public:
  // The key is the caller's.
  String(core::LatchedKeyspace& space, Bytes key) : space_(space), key_(key) {}
  String(const String&) = delete;
  String& operator=(const String&) = delete;

  // Before everything else. WrongType when the key holds something else; a key without a row is an
  // empty string.
  Status Open();

  bool exists() const { return row_.exists; }
  std::uint64_t size() const { return head_ ? head_->size : row_.value.size(); }

  // The bytes from `begin` on, `count` of them or as many as there are. They lie in the row or in
  // `room`, until the next write.
  Result<Bytes> Read(std::uint64_t begin, std::uint64_t count, std::string& room);

  // Writes over what is there from `begin` on and behind it; zeros fill a gap. Keeps the deadline.
  Status Write(std::uint64_t begin, Bytes bytes);

 private:
  Status WriteChunk(std::uint64_t chunk, std::uint64_t begin, Bytes bytes);

  core::LatchedKeyspace& space_;
  const Bytes key_;
  core::FoundRow row_;
  std::optional<core::ChunkedHead> head_;  // If it is in chunks.
};

}  // namespace mayfly::types
