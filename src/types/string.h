// string.h - strings: short ones as plain rows, long ones that change in part as chunks.
// A string is a plain row, as the library writes it, until a part of a long one is overwritten or
// appended to: then it becomes chunks (core/commit/whole_value.h), and such a write costs only the
// chunks that it touches. A write of the whole makes it a plain row again, unless it is longer than
// a row can be: then it is chunks from the beginning, and is staged in the engine before the
// commit, as all large collections are. Callers and clients do not see the difference.
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

// Writes a whole string in place of the key's value of any type. At most kStringBytesMax bytes.
Status PutString(core::TransactionKeyspace& space, Bytes key, Bytes value, Lifetime lifetime);

// Turns a row in chunks into the plain row that it stands for. Other rows stay unchanged.
Status ShowString(core::TransactionKeyspace& space, Bytes key, core::FoundRow& row);

class String {
 public:
  // The key is the caller's.
  String(core::TransactionKeyspace& space, Bytes key) : space_(space), key_(key) {}
  String(const String&) = delete;
  String& operator=(const String&) = delete;

  // Call it first. WrongType when the key holds another type; a key without a row is an empty
  // string.
  Status Open();

  bool exists() const { return row_.exists; }
  std::uint64_t size() const { return head_ ? head_->size : row_.value.size(); }

  // The bytes from `begin` on, `count` of them or as many as there are. The view points into the
  // row or into `room`, and holds until the next write.
  Result<Bytes> Read(std::uint64_t begin, std::uint64_t count, std::string& room);

  // Overwrites the bytes from `begin` on, and appends past the end; zeros fill a gap. Keeps the
  // deadline.
  Status Write(std::uint64_t begin, Bytes bytes);

 private:
  Status WriteChunk(std::uint64_t chunk, std::uint64_t begin, Bytes bytes);

  core::TransactionKeyspace& space_;
  const Bytes key_;
  core::FoundRow row_;
  std::optional<core::ChunkedHead> head_;  // If it is in chunks.
};

}  // namespace mayfly::types
