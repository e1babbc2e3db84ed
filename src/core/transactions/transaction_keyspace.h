// transaction_keyspace.h - one keyspace within a transaction, with its rows and their members.
// Reads see the transaction's own writes. Everything happens at one instant, the transaction's.
// Nothing is written before the transaction commits.
//
// Rows are of two kinds. A plain row is a value. A collection is a head, a few bytes that its type
// defines, and members:
//   rows     key                                       ->  collection id, counts, deadline, head
//   members  collection id | kMember | member          ->  value, with a deadline if it has one
//            collection id | kSide   | anything        ->  value
// Members are counted and may have deadlines. Sides are not counted and have no deadlines; they
// serve as a second order. No two collections ever have the same id, and members belong to an id.
// So replacing, deleting or renaming a collection touches its row alone, however many members it
// has; the members left behind are queued and removed in bounded steps.
// Invariants: (1) A collection has a living member; with the last one it is removed. If all members
// are mortal, its row dies with the last of them, so that readers of rows need not read members.
// (2) A dead row or member is absent, for every call.
// Views handed out hold until the next call that changes the same key, or the end of the
// transaction. Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/keyspace.h"
#include "mayfly/lifetime.h"
#include "mayfly/pinned_bytes.h"
#include "mayfly/result.h"
#include "mayfly/transaction.h"

namespace mayfly::core {

// A row as a transaction finds it. Not to be moved while the views are in use.
struct FoundRow {
  bool exists = false;
  bool is_collection = false;
  Bytes value;                       // Of a collection: its head.
  std::optional<WallTime> deadline;  // As callers set it, not as members cause it.
  std::uint64_t members = 0;         // Living ones, exactly.
  PinnedBytes pin;                   // What `value` points into, unless the transaction does.
};

struct FoundMember {
  bool exists = false;
  Bytes value;
  std::optional<WallTime> deadline;
  PinnedBytes pin;
};

// What a write makes of a member's deadline.
class MemberLifetime {
 public:
  enum class Kind : std::uint8_t { kForever, kKeep, kUntil, kFor };

  static constexpr MemberLifetime Forever() { return {Kind::kForever, {}, {}}; }
  static constexpr MemberLifetime Keep() { return {Kind::kKeep, {}, {}}; }
  // An instant that has passed removes the member.
  static constexpr MemberLifetime Until(WallTime instant) { return {Kind::kUntil, instant, {}}; }
  // Counts from the commit.
  static constexpr MemberLifetime For(Millis ttl) { return {Kind::kFor, {}, ttl}; }

  constexpr Kind kind() const { return kind_; }
  constexpr WallTime instant() const { return instant_; }
  constexpr Millis ttl() const { return ttl_; }

 private:
  constexpr MemberLifetime(Kind kind, WallTime instant, Millis ttl)
      : kind_(kind), instant_(instant), ttl_(ttl) {}

  Kind kind_;
  WallTime instant_;
  Millis ttl_;
};

// Which rows of a collection: its members or its sides.
enum class Part : std::uint8_t { kMembers, kSides };

// The names in [begin, end). An empty bound is no bound.
struct MemberRange {
  Bytes begin = {};
  Bytes end = {};
};

// A cursor over living members, or sides, in byte order. Shows the transaction's writes up to the
// moment it was made. Must be destroyed before the collection is changed and before the transaction
// ends. A new cursor is not valid: seek first.
class MemberCursor {
 public:
  virtual ~MemberCursor() = default;
  MemberCursor(const MemberCursor&) = delete;
  MemberCursor& operator=(const MemberCursor&) = delete;

  virtual bool Valid() const = 0;
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  virtual void SeekAtOrAfter(Bytes target) = 0;
  virtual void SeekAtOrBefore(Bytes target) = 0;
  virtual void Next() = 0;
  virtual void Prev() = 0;
  virtual Bytes member() const = 0;  // These three hold until the cursor moves.
  virtual Bytes value() const = 0;
  virtual std::optional<WallTime> deadline() const = 0;
  virtual Status status() const = 0;

 protected:
  MemberCursor() = default;
};

// A cursor over the living rows of a keyspace, in key order; otherwise as MemberCursor. One that
// was made with a bound passes over at most so many dead rows after a seek, and then stops.
class TransactionCursor {
 public:
  virtual ~TransactionCursor() = default;
  TransactionCursor(const TransactionCursor&) = delete;
  TransactionCursor& operator=(const TransactionCursor&) = delete;

  virtual bool Valid() const = 0;
  virtual void SeekToFirst() = 0;
  virtual void SeekAtOrAfter(Bytes target) = 0;
  virtual void Next() = 0;
  // Where the cursor stopped at its bound, if it did. It is not valid then; a seek continues.
  virtual std::optional<Bytes> stopped_at() const = 0;
  virtual Bytes key() const = 0;  // These hold until the cursor moves.
  virtual bool is_collection() const = 0;
  virtual Bytes value() const = 0;  // Or the head.
  virtual std::optional<WallTime> deadline() const = 0;
  virtual Status status() const = 0;

 protected:
  TransactionCursor() = default;
};

// In a latched transaction keys must be among those it was begun with, or it must have been begun
// with everything. Errors of all calls: Corruption, IoError; Invalid for keys and values past the
// limits and for lifetimes the keyspace's policy refuses; WrongType for a call on collections that
// meets a plain row; Unsupported for collections in a keyspace ordered by timestamp. After an error
// the transaction may be rolled back to a mark and used further.
class TransactionKeyspace {
 public:
  virtual ~TransactionKeyspace() = default;
  TransactionKeyspace(const TransactionKeyspace&) = delete;
  TransactionKeyspace& operator=(const TransactionKeyspace&) = delete;

  // Fills `row`; `row.exists` is false when there is no living row.
  virtual Status Find(Bytes key, FoundRow& row) = 0;

  // Writes a plain row in place of any row of this key. A lifetime that is over deletes.
  virtual Status Put(Bytes key, Bytes value, Lifetime lifetime) = 0;

  // True when a living row was removed. A collection is removed as a whole.
  virtual Result<bool> Delete(Bytes key) = 0;

  // As Delete(), of a living row alone, for want of room: told as an event, if the keyspace wants
  // events.
  virtual Result<bool> Evict(Bytes key) = 0;

  // Changes the deadline alone; as KeyspaceWriter::Expire(). NotFound: no living row.
  virtual Result<bool> Expire(Bytes key, Lifetime lifetime,
                              DeadlineIf condition = DeadlineIf::kAlways) = 0;

  // As those of KeyspaceWriter.
  virtual Result<bool> PutAt(Bytes key, Bytes value, WallTime timestamp, Lifetime lifetime) = 0;
  virtual Result<bool> DeleteAt(Bytes key, WallTime timestamp) = 0;

  // Copies the row of `from`, with its members and deadlines, to `to` of the same or another
  // keyspace, in place of the row there. NotFound: no living row. Costs a write per member.
  virtual Status Copy(Bytes from, TransactionKeyspace& to_space, Bytes to) = 0;

  // As Copy(), and removes `from`. In a latched transaction a collection that stays in its keyspace
  // keeps its members where they are: the move costs the write of one row. Other moves cost what a
  // copy does. The members of a keyspace lie in its own range, which can be dropped or cleared.
  virtual Status Move(Bytes from, TransactionKeyspace& to_space, Bytes to) = 0;

  // Counts the dead members of a collection among those met (LatchedTransaction::TakeMetDead()): for
  // a change that depends on which members there are, and is made again where they may be living.
  virtual Status MeetDeadMembers(Bytes /*key*/) { return {}; }

  // Makes a collection without members, in place of any row of this key. If it gets no member
  // before the commit, no row is written.
  virtual Status MakeCollection(Bytes key, Bytes head, Lifetime lifetime = Lifetime::Default()) = 0;

  // The calls below return NotFound when there is no living collection, nor a fresh one of this
  // transaction.

  // Replaces the head, at most 160 bytes.
  virtual Status SetHead(Bytes key, Bytes head) = 0;

  virtual Status FindMember(Bytes key, Bytes member, FoundMember& found) = 0;

  // True when the member is new. With `known_new` the caller vouches for that and spares a read.
  virtual Result<bool> PutMember(Bytes key, Bytes member, Bytes value,
                                 MemberLifetime lifetime = MemberLifetime::Forever(),
                                 bool known_new = false) = 0;

  // True when a living member was removed. With the last one the collection is removed.
  virtual Result<bool> RemoveMember(Bytes key, Bytes member) = 0;

  virtual Status FindSide(Bytes key, Bytes side, FoundMember& found) = 0;
  virtual Status PutSide(Bytes key, Bytes side, Bytes value) = 0;
  virtual Status RemoveSide(Bytes key, Bytes side) = 0;

  virtual Result<std::unique_ptr<MemberCursor>> NewMemberCursor(Bytes key, Part part,
                                                                const MemberRange& range = {}) = 0;

  // For the calls below a latched transaction must be begun with `walks`, or with everything.
  virtual Result<std::unique_ptr<TransactionCursor>> NewCursor(
      const CursorOptions& options = {}, std::uint64_t dead_max = UINT64_MAX) = 0;

  // The key of the living row with a deadline before which `n` others die; nothing when there is
  // none. Rows that the transaction has changed are left out. O(n), however many rows are dead.
  virtual Result<std::optional<std::string>> MortalKey(std::uint64_t n) = 0;

  // The exact number of living rows.
  virtual Result<std::uint64_t> Count() = 0;

  // Removes every row, without events. Only in a latched transaction that was begun with
  // everything.
  virtual Status Clear() = 0;

  // The caller's handle.
  virtual const Keyspace* keyspace() const = 0;

 protected:
  TransactionKeyspace() = default;
};

// The keyspace within a public transaction, with collections and their members. Lives as long as the
// transaction.
TransactionKeyspace& SpaceOf(Transaction& transaction, const Keyspace& keyspace);

// The lifetime of a member in it, stated as that of a row. A member has no default ttl. Invalid as
// lifetime.h says.
Result<MemberLifetime> MemberLifetimeOf(const Transaction& transaction, Lifetime lifetime);

// Hits and misses of the next `left` calls of Find(). For statistics; nothing depends on it.
struct ReadCounts {
  std::uint64_t left = 0;
  std::uint64_t found = 0;
  std::uint64_t missed = 0;

  void Note(bool exists) {
    if (left == 0) return;
    --left;
    ++(exists ? found : missed);
  }
};

// A key that was changed. Points into the transaction.
struct ChangedKey {
  const Keyspace* keyspace;
  Bytes key;
};

}  // namespace mayfly::core
