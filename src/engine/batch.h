// batch.h - changes that happen together or not at all.
// A batch is filled by one thread, committed, and may be cleared and filled again: it keeps its
// memory. Operations take effect in the order they were added, so the last one on a key wins and a
// range delete removes what the same batch put before it.
// The first bad operation (empty key, key too long, unknown role, reversed range, batch too large)
// is remembered and Engine::Commit returns it with nothing written; the calls themselves return
// nothing, so that a batch reads as a list of changes.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/address.h"
#include "mayfly/bytes.h"
#include "mayfly/status.h"

namespace mayfly::engine {

class Batch {
 public:
  enum class Kind : std::uint8_t { kPut, kDelete, kDeleteRange };

  // One change. The views point into the batch and hold until it changes.
  struct Change {
    Kind kind;
    Address at;
    Bytes key;    // The first key, for kDeleteRange.
    Bytes value;  // The end key, exclusive, for kDeleteRange; empty for kDelete.
  };

  // A condition that must hold at the moment of the commit.
  struct Condition {
    Address at;
    Bytes key;
    std::optional<Bytes> expected;  // Nothing: the key must be absent.
  };

  void Put(Address at, Bytes key, Bytes value);
  void Delete(Address at, Bytes key);

  // Deletes the keys in [begin, end). Both must be given; begin == end deletes nothing.
  void DeleteRange(Address at, Bytes begin, Bytes end);

  // The commit happens only if `key` still has exactly these bytes, or still is absent. Conditions
  // apply to the state before the batch, wherever they stand in it.
  void Require(Address at, Bytes key, Bytes expected);
  void RequireAbsent(Address at, Bytes key);

  // Removes all operations and keeps the memory.
  void Clear();

  std::size_t change_count() const { return changes_.size(); }
  std::size_t condition_count() const { return conditions_.size(); }
  bool empty() const { return changes_.empty() && conditions_.empty(); }

  // Bytes of all keys and values.
  std::size_t bytes() const { return arena_.size(); }

  Change change(std::size_t i) const;
  Condition condition(std::size_t i) const;

  // Ok, or the error of the first bad operation.
  const Status& status() const { return status_; }

  // True when changes or conditions name more than one slot.
  bool spans_slots() const { return spans_slots_; }

 private:
  enum class Tag : std::uint8_t { kPut, kDelete, kDeleteRange, kRequire, kRequireAbsent };

  struct Record {
    std::uint32_t offset;  // Of the key in the arena; the value follows it.
    std::uint32_t key_size;
    std::uint32_t value_size;
    Slot slot;
    Role role;
    Tag tag;
  };

  void Add(Tag tag, Address at, Bytes key, Bytes value);
  bool HasRoomFor(Bytes key, Bytes value) const;
  void Refuse(Address at, Bytes key, Bytes value);
  Bytes KeyOf(const Record& record) const {
    return {arena_.data() + record.offset, record.key_size};
  }
  Bytes ValueOf(const Record& record) const {
    return {arena_.data() + record.offset + record.key_size, record.value_size};
  }

  std::string arena_;
  std::vector<Record> changes_;
  std::vector<Record> conditions_;
  Status status_;
  std::optional<Slot> slot_;  // Of the first operation.
  bool spans_slots_ = false;
};

// Inline: engines call it for every change of every commit.
inline Batch::Change Batch::change(std::size_t i) const {
  assert(i < changes_.size());
  const Record& record = changes_[i];
  assert(record.tag <= Tag::kDeleteRange);
  return {.kind = static_cast<Kind>(record.tag),
          .at = {.role = record.role, .slot = record.slot},
          .key = KeyOf(record),
          .value = ValueOf(record)};
}

}  // namespace mayfly::engine
