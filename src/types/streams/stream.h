// stream.h - streams: entries in the order of their ids, and groups of consumers that read them.
//   head    stream_head.h
//   member  | six zero bytes |               ->  empty: the stream, which may have no entries
//           | six zero bytes | id, 16 bytes |  ->  | strings varint | each: length varint, bytes |
//   side    groups, consumers and what they have pending: stream_group.h
// A stream exists without entries, as in Redis; the first member keeps its row. Entries are members
// of core: they are counted, and with a max age they have deadlines. A dead entry is absent for
// every call here, the count included, since core decides what lives. No name of a hash's field
// begins with six zero bytes (member_key.h), so that the event of an entry's death differs from
// that of a field's. Layout: docs/formats/types.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "types/streams/stream_head.h"
#include "types/streams/stream_id.h"

namespace mayfly::types {

// The strings of an entry, fields and values in turn. Borrows the entry's bytes.
class EntryStrings {
 public:
  explicit EntryStrings(Bytes entry) : rest_(entry) {
    if (!EatCount()) count_ = 0;
  }

  std::uint64_t count() const { return count_; }

  // Call it `count()` times. Empty where the bytes are damaged.
  Bytes Next();

 private:
  bool EatCount();

  Bytes rest_;
  std::uint64_t count_ = 0;
};

// Which entries a trim removes, from the oldest on.
struct StreamTrim {
  enum class Kind : std::uint8_t { kLength, kMinId };
  Kind kind = Kind::kLength;
  std::uint64_t length = 0;  // Of kLength: how many stay.
  StreamId min_id = {};      // Of kMinId: the first that stays.
  std::uint64_t step = 1;    // So many, or none, are removed at a time.
  std::uint64_t limit = 0;   // The most that are removed; 0: no limit.
};

enum class StreamOrder : std::uint8_t { kAscending, kDescending };

// A stream within a latched transaction. Changes of the head are kept until Save(). Borrows the
// space and the key. While it is in use the key must not be changed in other ways. Threads: one at
// a time.
class Stream {
 public:
  // One that does not exist, whatever the key holds.
  Stream(core::TransactionKeyspace& space, Bytes key, WallTime now)
      : space_(&space), key_(key), now_ms_(static_cast<std::uint64_t>(ToMs(now))) {}

  // `now` is the transaction's. WrongType when the key holds another type.
  static Result<Stream> Open(core::TransactionKeyspace& space, Bytes key, WallTime now);

  bool exists() const { return exists_; }
  bool is_new() const { return made_; }
  std::uint64_t size() const { return size_; }
  const StreamHead& head() const { return head_; }

  // Makes a stream without entries; there must be none.
  Status Make();

  // Writes the head. Call it once, after the last change of a command.
  Status Save();

  // The id for an entry that is added now; nothing when ids are exhausted.
  std::optional<StreamId> NextId() const;

  // Adds an entry with an id behind the last one, in a stream that exists.
  Status Add(StreamId id, std::span<const Bytes> strings);

  // True when the entry existed.
  Result<bool> Remove(StreamId id);

  // Returns how many were removed.
  Result<std::uint64_t> Trim(const StreamTrim& trim);

  // How long entries live that are added from now on; 0: for ever.
  void SetMaxAge(Millis max_age);

  void SetLast(StreamId last) { head_.last = last; }
  void SetAdded(std::uint64_t added) { head_.added = added; }
  void SetNewestRemoved(StreamId id) { head_.newest_removed = id; }

  Result<bool> Contains(StreamId id) const;

  // Fills `found` with the entry's bytes, see EntryStrings.
  Status Find(StreamId id, core::FoundMember& found) const;

  // The oldest and the newest entry; nothing when there is none.
  Result<std::optional<StreamId>> FirstId() const;
  Result<std::optional<StreamId>> LastId() const;

  // Shows up to `count` entries with ids in [first, last]. Returns how many.
  using Show = FunctionRef<void(StreamId id, Bytes entry)>;
  Result<std::uint64_t> Walk(StreamId first, StreamId last, std::uint64_t count, StreamOrder order,
                             Show show) const;

  // The id of the entry whose death an event's member is; nothing when it is no entry.
  static std::optional<StreamId> EntryOf(Bytes member);

  // For groups.
  core::TransactionKeyspace& space() const { return *space_; }
  Bytes key() const { return key_; }
  std::uint64_t NewNumber() { return head_.next_number++; }
  void CountGroup(bool added) { head_.groups += added ? 1 : std::uint64_t(-1); }

 private:
  Result<std::unique_ptr<core::MemberCursor>> NewCursor(StreamId first, StreamId last) const;
  Result<std::vector<StreamId>> FirstIds(std::uint64_t count) const;
  Result<std::uint64_t> RemoveFirst(std::uint64_t count);
  Result<std::uint64_t> RemoveBefore(const StreamTrim& trim);
  std::uint64_t NextStep(const StreamTrim& trim, std::uint64_t removed) const;
  Status RemoveIds(std::span<const StreamId> ids);
  Result<bool> Renew(std::uint64_t kept);
  void SetLow(StreamId low);
  Status FindLow();

  core::TransactionKeyspace* space_;
  Bytes key_;
  std::uint64_t now_ms_;
  bool exists_ = false;
  bool made_ = false;
  std::uint64_t size_ = 0;
  StreamHead head_;
};

}  // namespace mayfly::types
