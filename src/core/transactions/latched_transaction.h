// latched_transaction.h - many changes of many keys as one, under their latches.
// A latched transaction holds the latches of the keys it was begun with, so that nobody changes
// them before it is over: what it reads it may rely on, and it never conflicts. Keys it only reads
// it shares with other readers. All of it happens at one instant, now(). Reads see its own writes.
// Nothing is written before Commit(), which applies everything as one batch or nothing. A
// Transaction, by contrast, holds nothing and may have to begin again.
//
// Rows are of two kinds. A plain row is a value. A collection is a head, a few bytes of its type's,
// and members:
//   rows     key                                       ->  version, counts, deadline, head
//   members  version | kMember | member                ->  value, with a deadline if it has one
//            version | kSide   | anything              ->  value
// Members are counted and may have deadlines; sides are neither, and serve as a second order. Since
// members belong to a id, which no other collection ever has, replacing, deleting or renaming
// a collection touches its row alone, however many members it has; what is left of it is queued and
// removed in bounded steps. Invariants: (1) A collection has a living member, or it is not there:
// with the last one it goes. If all members are mortal, its row dies with the last of them, so that
// every reader of rows is right without looking at members. (2) A dead row or member is absent, for
// every call. Views handed out hold until the next call that changes the same key, or the end of
// the transaction. One thread at a time. Nothing else may be asked of the database by the thread
// that holds a latched transaction.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/durability.h"
#include "mayfly/keyspace.h"
#include "mayfly/lifetime.h"
#include "mayfly/pinned_bytes.h"
#include "mayfly/result.h"

namespace mayfly {
class Database;
}

namespace mayfly::core {

// A row as a latched transaction finds it. Not to be moved while the views are in use.
struct FoundRow {
  bool exists = false;
  bool is_collection = false;
  Bytes value;                       // Of a collection: its head.
  std::optional<WallTime> deadline;  // What callers set, not what members bring about.
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
  enum class Kind : std::uint8_t { kForever, kKeep, kUntil };

  static constexpr MemberLifetime Forever() { return {Kind::kForever, {}}; }
  static constexpr MemberLifetime Keep() { return {Kind::kKeep, {}}; }
  // An instant that has passed removes the member.
  static constexpr MemberLifetime Until(WallTime instant) { return {Kind::kUntil, instant}; }

  constexpr Kind kind() const { return kind_; }
  constexpr WallTime instant() const { return instant_; }

 private:
  constexpr MemberLifetime(Kind kind, WallTime instant) : kind_(kind), instant_(instant) {}

  Kind kind_;
  WallTime instant_;
};

// Which of a collection's own rows.
enum class Part : std::uint8_t { kMembers, kSides };

// Those in [begin, end); what is empty does not bind.
struct MemberRange {
  Bytes begin = {};
  Bytes end = {};
};

// A walk over living members, or sides, in byte order. Shows the transaction's writes up to the
// moment it was made; must be gone before the collection is changed and before the transaction
// ends. Starts nowhere: seek first.
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
  virtual Bytes member() const = 0;  // These three until the cursor moves.
  virtual Bytes value() const = 0;
  virtual std::optional<WallTime> deadline() const = 0;
  virtual Status status() const = 0;

 protected:
  MemberCursor() = default;
};

// A walk over the living rows of a keyspace, in key order; as above. One that was made with a bound
// passes over so many dead rows from a seek on, and then stops.
class LatchedCursor {
 public:
  virtual ~LatchedCursor() = default;
  LatchedCursor(const LatchedCursor&) = delete;
  LatchedCursor& operator=(const LatchedCursor&) = delete;

  virtual bool Valid() const = 0;
  virtual void SeekToFirst() = 0;
  virtual void SeekAtOrAfter(Bytes target) = 0;
  virtual void Next() = 0;
  // Where it stopped at its bound, if it did: it is not valid then, and may be sent on by a seek.
  virtual std::optional<Bytes> stopped_at() const = 0;
  virtual Bytes key() const = 0;  // These until the walk moves on.
  virtual bool is_collection() const = 0;
  virtual Bytes value() const = 0;  // Or the head.
  virtual std::optional<WallTime> deadline() const = 0;
  virtual Status status() const = 0;

 protected:
  LatchedCursor() = default;
};

// One keyspace within a latched transaction. Keys must be among those the transaction was begun
// with, or it must have been begun with everything. Errors of all calls: Corruption, IoError;
// Invalid for keys and values past the limits and for lifetimes the keyspace's policy refuses;
// WrongType for a call on collections that meets a plain row. After an error the transaction may be
// rolled back to a mark and used on.
class LatchedKeyspace {
 public:
  virtual ~LatchedKeyspace() = default;
  LatchedKeyspace(const LatchedKeyspace&) = delete;
  LatchedKeyspace& operator=(const LatchedKeyspace&) = delete;

  virtual Status Find(Bytes key, FoundRow& row) = 0;

  // Writes a plain row, whatever was there. A lifetime that is over deletes.
  virtual Status Put(Bytes key, Bytes value, Lifetime lifetime) = 0;

  // True when a living row was there. A collection goes as a whole.
  virtual Result<bool> Delete(Bytes key) = 0;

  // Changes the deadline alone; as KeyspaceWriter::Expire(). NotFound: no living row.
  virtual Result<bool> Expire(Bytes key, Lifetime lifetime,
                              DeadlineIf condition = DeadlineIf::kAlways) = 0;

  // Puts the row of `from`, with its members and deadlines, under `to` of the same or another
  // keyspace, in place of what was there. NotFound: no living row. Costs a write per member.
  virtual Status Copy(Bytes from, LatchedKeyspace& to_space, Bytes to) = 0;

  // The same, and `from` is no longer there. A collection that stays in its keyspace keeps its
  // members as they are: it costs the write of a row, however many they are. Another keyspace's
  // are its own, so that it can be dropped or cleared as a range; there it costs what a copy does.
  virtual Status Move(Bytes from, LatchedKeyspace& to_space, Bytes to) = 0;

  // Makes a collection without members, in place of whatever was there. If it gets none, it is not
  // there.
  virtual Status MakeCollection(Bytes key, Bytes head, Lifetime lifetime = Lifetime::Default()) = 0;

  // The rest is NotFound when there is no living collection (or a fresh one of this transaction).

  // Replaces the head, at most 64 bytes.
  virtual Status SetHead(Bytes key, Bytes head) = 0;

  virtual Status FindMember(Bytes key, Bytes member, FoundMember& found) = 0;

  // True when the member was not there before. `known_new` says that it is not, and spares a read.
  virtual Result<bool> PutMember(Bytes key, Bytes member, Bytes value,
                                 MemberLifetime lifetime = MemberLifetime::Forever(),
                                 bool known_new = false) = 0;

  // True when a living member was there. With the last one the collection goes.
  virtual Result<bool> RemoveMember(Bytes key, Bytes member) = 0;

  virtual Status FindSide(Bytes key, Bytes side, FoundMember& found) = 0;
  virtual Status PutSide(Bytes key, Bytes side, Bytes value) = 0;
  virtual Status RemoveSide(Bytes key, Bytes side) = 0;

  virtual Result<std::unique_ptr<MemberCursor>> NewMemberCursor(Bytes key, Part part,
                                                                const MemberRange& range = {}) = 0;

  // The rest asks for a latched transaction that was begun with `walks`, or with everything.
  virtual Result<std::unique_ptr<LatchedCursor>> NewCursor(const CursorOptions& options = {},
                                                           std::uint64_t dead_max = UINT64_MAX) = 0;

  // A living row with a deadline, and before which `n` others die; nothing when there is none.
  // Those that the transaction has changed are left out. O(n), whatever is dead.
  virtual Result<std::optional<std::string>> MortalKey(std::uint64_t n) = 0;

  // Living rows, exactly.
  virtual Result<std::uint64_t> Count() = 0;

  // Removes every row, without events. Only in a latched transaction that was begun with
  // everything.
  virtual Status Clear() = 0;

 protected:
  LatchedKeyspace() = default;
};

// Of the next so many looks of Find(), those that found a row and those that found none. For
// whoever counts reads: the transaction itself goes by nothing of it.
struct ReadCounts {
  std::uint64_t left = 0;  // That are to be counted.
  std::uint64_t found = 0;
  std::uint64_t missed = 0;

  void Note(bool exists) {
    if (left == 0) return;
    --left;
    ++(exists ? found : missed);
  }
};

// A key that was changed.
struct ChangedKey {
  const Keyspace* keyspace;
  std::string key;
};

class LatchedTransaction {
 public:
  virtual ~LatchedTransaction() =
      default;  // Lets go of the latches. What was not committed never was.
  LatchedTransaction(const LatchedTransaction&) = delete;
  LatchedTransaction& operator=(const LatchedTransaction&) = delete;

  // Lives as long as the transaction.
  virtual LatchedKeyspace& In(const Keyspace& keyspace) = 0;

  virtual WallTime now() const = 0;

  // A point to come back to. Marks of a latched transaction grow; rolling back to one ends the
  // later ones.
  using Mark = std::size_t;
  virtual Mark SetMark() = 0;
  virtual void RollBack(Mark mark) = 0;

  // Rows that were written, deleted or given another deadline so far, once each, cleared keyspaces
  // aside; the views hold until the next change.
  virtual const std::vector<ChangedKey>& changed() const = 0;

  // About how much memory its writes take until it ends; what was rolled back counts, too. For
  // callers that bound what one client may hold.
  virtual std::size_t buffered_bytes() const { return 0; }

  // None are counted unless the caller says how many.
  virtual ReadCounts& read_counts() = 0;

  // Applies everything; a latched transaction that changed nothing costs nothing. Events are
  // delivered once the latches are released, which this does. After any outcome the transaction is
  // over.
  virtual Status Commit() = 0;

 protected:
  LatchedTransaction() = default;
};

// The keys a latched transaction is about.
struct KeySet {
  struct Key {
    const Keyspace* keyspace;
    Bytes key;           // Needed until the transaction has begun.
    bool writes = true;  // False: a call that would change the key is refused as Internal.
  };
  std::vector<Key> keys = {};
  bool everything = false;  // All keys of all keyspaces: for what does not know its keys before.
  bool walks = false;       // Walks over rows, or counts them: sees others' in one state, taken
                            // before now(), so that no purge shows a part of what died together.
};

// Waits for the latches. Invalid when the database is closed. Keyspaces ordered by timestamp are
// refused by In()'s calls as Unsupported.
Result<std::unique_ptr<LatchedTransaction>> BeginLatched(Database& database, const KeySet& scope);

}  // namespace mayfly::core
