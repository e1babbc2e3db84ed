// keyspace.h - reading and writing rows.
// The same calls work three ways: on a Keyspace, each call by itself and atomic; on what a Snapshot
// shows of it; and inside a Transaction. What differs is the instant: a call on a Keyspace asks the
// clock once, a snapshot and a transaction stay at theirs.
//
// One rule decides what is there: a row whose deadline has come is gone, for every call. NotFound
// covers "never written", "deleted" and "dead" alike; they cannot be told apart.
//
// Rows that a server's clients made may be collections, of members. Calls that need their value
// answer WrongType; the others, Put and Delete among them, treat them as the rows they are. A
// collection dies with the last of its members, if all of these have deadlines: so the ttl it has
// left may be shorter than what Expire() gave it.
//
// Limits: keys 1 to 65,536 bytes, values up to 256 MiB; beyond them Invalid, and nothing is
// written. Errors all calls share: Invalid after the database closed or the keyspace was dropped;
// Corruption and IoError when the storage fails; ReadOnly for writes to a database opened for
// reading.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/cursor.h"
#include "mayfly/lifetime.h"
#include "mayfly/pinned_bytes.h"
#include "mayfly/policy.h"
#include "mayfly/result.h"

namespace mayfly {

// The answer of Ttl() for a row without a deadline.
inline constexpr Millis kForever = Millis::max();

struct Row {
  std::string value;
  std::optional<WallTime> deadline;                  // Nothing: it lives for ever.
  std::optional<WallTime> timestamp = std::nullopt;  // In keyspaces ordered by timestamp.
};

// When a write goes ahead. The dead are absent.
class PutCondition {
 public:
  enum class Kind : std::uint8_t { kAlways, kAbsent, kPresent, kEquals };

  static PutCondition Always() { return PutCondition(Kind::kAlways, {}); }
  static PutCondition Absent() { return PutCondition(Kind::kAbsent, {}); }
  static PutCondition Present() { return PutCondition(Kind::kPresent, {}); }
  static PutCondition Equals(Bytes value) { return PutCondition(Kind::kEquals, value); }

  Kind kind() const { return kind_; }
  Bytes expected() const { return expected_; }

 private:
  PutCondition(Kind kind, Bytes expected) : kind_(kind), expected_(expected) {}

  Kind kind_;
  Bytes expected_;  // The caller's; must live as long as the call.
};

// When a change of deadline goes ahead. A row without a deadline counts as dying last of all.
enum class DeadlineIf : std::uint8_t {
  kAlways,
  kNone,     // The row has no deadline yet (Redis: NX).
  kPresent,  // It has one (XX).
  kLater,    // The new one is later (GT).
  kEarlier,  // The new one is earlier (LT).
};

// A line of the expiry index.
struct DeadlineEntry {
  std::string key;
  WallTime deadline;
};

// Living rows whose deadline lies in [begin, end), in the order they will die.
struct DeadlineWindow {
  WallTime begin = WallTime::min();
  WallTime end = WallTime::max();
  std::size_t rows_max = 1000;
  // The last entry of the page before, to go on behind it.
  std::optional<DeadlineEntry> after = std::nullopt;
};

// A forecast that is asked for in parts, each of a bounded number of rows: call again with the same
// part until it has no `after`. Buckets of one part lie where those of the others do; their sums
// are the forecast, of rows as each part met them.
struct ForecastPart {
  std::size_t rows_max = 10'000;
  // Of the first bucket; set by the first call.
  std::optional<WallTime> begin = std::nullopt;
  // The last row read, to go on behind it; nothing: from the beginning, or there are no more.
  std::optional<DeadlineEntry> after = std::nullopt;
};

struct ForecastOptions {
  Millis bucket = Millis(60'000);
  std::size_t buckets = 60;  // At most 10,000. Rows that die later are in the last bucket's `end`.
  bool with_bytes = true;    // Reads every row that dies within them; without, only the index.
  ForecastPart* part = nullptr;  // The caller's. Null: all of it at once, however long that takes.
};

// Rows that die in [begin, end).
struct ForecastBucket {
  WallTime begin;
  WallTime end;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;  // Of keys and values.
};

class KeyspaceReader {
 public:
  virtual ~KeyspaceReader() = default;
  KeyspaceReader(const KeyspaceReader&) = delete;
  KeyspaceReader& operator=(const KeyspaceReader&) = delete;

  // Reads the value of `key` without copying it where the engine allows. NotFound leaves `value`
  // empty.
  virtual Status Get(Bytes key, PinnedBytes& value) const = 0;

  // A copy of the value, which outlives everything.
  Result<std::string> Get(Bytes key) const;

  // The value and what is known about the row.
  virtual Result<Row> GetRow(Bytes key) const = 0;

  // The row as it was at `as_of`: the write with the largest timestamp up to it. What is dead now
  // is not shown, however alive it was then. Inside a transaction, what was committed before it
  // began. Invalid when the keyspace is not ordered by timestamp, or `as_of` lies before its
  // history.
  virtual Result<Row> GetAsOf(Bytes key, WallTime as_of) const = 0;

  // One answer per key, in order, all from one state at one instant.
  virtual Result<std::vector<Result<std::string>>> MultiGet(std::span<const Bytes> keys) const = 0;

  virtual Result<bool> Exists(Bytes key) const = 0;

  // The time the row has left: more than zero, or kForever. NotFound when there is no living row.
  virtual Result<Millis> Ttl(Bytes key) const = 0;

  // The number of living rows, exactly. Costs a walk over the rows that are dead and not yet
  // purged; inside a transaction or snapshot, over all rows.
  virtual Result<std::uint64_t> Count() const = 0;

  virtual Result<std::unique_ptr<Cursor>> NewCursor(const CursorOptions& options = {}) const = 0;

  // A page of the expiry index, at most window.rows_max entries.
  virtual Result<std::vector<DeadlineEntry>> ScanDeadlines(const DeadlineWindow& window) const = 0;

  // What dies when, from now on, or a part of that. Invalid when the buckets are too many or not
  // positive.
  virtual Result<std::vector<ForecastBucket>> Forecast(const ForecastOptions& options) const = 0;

 protected:
  KeyspaceReader() = default;
};

class KeyspaceWriter : public KeyspaceReader {
 public:
  // Given the living value or nothing, returns the new value, or nothing to delete the row. Runs
  // under the key's latch: it must be quick and must not call into the database.
  using UpdateFunction = std::function<std::optional<std::string>(std::optional<Bytes>)>;

  // Writes the row, whatever was there. Its old deadline goes, unless the lifetime keeps it.
  Status Put(Bytes key, Bytes value, Lifetime lifetime = Lifetime::Default());

  // True when it was written, false when the condition did not hold.
  virtual Result<bool> PutIf(Bytes key, Bytes value, const PutCondition& condition,
                             Lifetime lifetime = Lifetime::Default()) = 0;

  // True when a living row was there.
  virtual Result<bool> Delete(Bytes key) = 0;

  // Writes, or deletes, at a timestamp of the caller's, in a keyspace ordered by timestamp; in
  // others Invalid. True when it is the last word on the key. False when a later one is known: then
  // nothing changes but the past. Of two with one timestamp the one that came last counts. A ttl
  // counts from the timestamp. Calls without a timestamp take the clock's instant, or that of the
  // last word on the key if it is later: they always count, and their ttl counts from now.
  virtual Result<bool> PutAt(Bytes key, Bytes value, WallTime timestamp,
                             Lifetime lifetime = Lifetime::Default()) = 0;
  virtual Result<bool> DeleteAt(Bytes key, WallTime timestamp) = 0;

  // Reads, computes and writes as one step. Keeps the deadline unless told otherwise.
  virtual Status Update(Bytes key, const UpdateFunction& update,
                        Lifetime lifetime = Lifetime::Keep()) = 0;

  // Changes the deadline alone, not the timestamp. True when it did, false when the condition did
  // not hold; NotFound when there is no living row. Lifetime::Forever() takes the deadline away;
  // Keep() is Invalid.
  virtual Result<bool> Expire(Bytes key, Lifetime lifetime,
                              DeadlineIf condition = DeadlineIf::kAlways) = 0;

  // Takes the deadline away. True when there was one; NotFound when there is no living row.
  Result<bool> Persist(Bytes key);

  // Reads the row and renews its lifetime as one step: the sliding session. NotFound as for Get.
  virtual Result<Row> Touch(Bytes key, Lifetime lifetime = Lifetime::Default()) = 0;
};

// A keyspace of an open database. Safe from any thread. Handles stay valid until the database
// closes; after the keyspace is dropped, every call on them answers Invalid.
class Keyspace : public KeyspaceWriter {
 public:
  virtual const std::string& name() const = 0;

  virtual KeyspacePolicy policy() const = 0;

  // From now on writes follow the new policy. Invalid when it contradicts itself.
  virtual Status SetPolicy(const KeyspacePolicy& policy) = 0;

  // Removes every row at once, without events. Snapshots keep what they see.
  virtual Status Clear() = 0;
};

}  // namespace mayfly
