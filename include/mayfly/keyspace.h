// keyspace.h - reading and writing rows.
// The same calls exist on a Keyspace, where each call is atomic by itself; on a Snapshot's view of
// it; and inside a Transaction. What differs is the instant: a call on a Keyspace asks the clock
// once, a snapshot and a transaction stay at theirs.
//
// One rule decides which rows are visible: a row whose deadline has come is gone, for every call.
// NotFound covers "never written", "deleted" and "dead" alike; they cannot be told apart.
//
// Rows may be collections of members, written by a server's clients or through types.h. Calls that
// need their value return WrongType; the others, Put and Delete among them, treat them as any row.
// A collection dies with the last of its members if all of these have deadlines: so the ttl it has
// left may be shorter than the one Expire() gave it. Conditions on the deadline, and
// Lifetime::Keep(), go by the one that Expire() gave.
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

// What Ttl() returns for a row without a deadline.
inline constexpr Millis kForever = Millis::max();

struct Row {
  std::string value;
  std::optional<WallTime> deadline;                  // Nothing: it lives for ever.
  std::optional<WallTime> timestamp = std::nullopt;  // In keyspaces ordered by timestamp.
};

// When a write goes ahead. A dead row counts as absent.
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
  // The last entry of the page before, to continue after it.
  std::optional<DeadlineEntry> after = std::nullopt;
};

// The position of a forecast that is computed in parts, each of a bounded number of rows: call
// again with the same part until it has no `after`. All parts have the same buckets; their sums are
// the forecast, of rows as each part read them.
struct ForecastPart {
  std::size_t rows_max = 10'000;
  // Of the first bucket; set by the first call.
  std::optional<WallTime> begin = std::nullopt;
  // The last row read, to continue after it; nothing: from the beginning, or there are no more.
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

  // The value, deadline and timestamp.
  virtual Result<Row> GetRow(Bytes key) const = 0;

  // The row as it was at `as_of`: the write with the largest timestamp up to it. A version that is
  // dead now is NotFound, although it was alive then. Inside a transaction, shows what was
  // committed before it began. Invalid when the keyspace is not ordered by timestamp, or `as_of`
  // lies before its history.
  virtual Result<Row> GetAsOf(Bytes key, WallTime as_of) const = 0;

  // One result per key, in order, all from one state at one instant.
  virtual Result<std::vector<Result<std::string>>> MultiGet(std::span<const Bytes> keys) const = 0;

  virtual Result<bool> Exists(Bytes key) const = 0;

  // The time the row has left: more than zero, or kForever. NotFound when there is no living row.
  virtual Result<Millis> Ttl(Bytes key) const = 0;

  // The number of living rows, exactly. Costs a walk over the rows that are dead and not yet
  // purged; inside a transaction or snapshot, over all rows.
  virtual Result<std::uint64_t> Count() const = 0;

  // A cursor over the living rows. Destroy it before its snapshot, transaction or database.
  virtual Result<std::unique_ptr<Cursor>> NewCursor(const CursorOptions& options = {}) const = 0;

  // A page of the expiry index, at most window.rows_max entries.
  virtual Result<std::vector<DeadlineEntry>> ScanDeadlines(const DeadlineWindow& window) const = 0;

  // The numbers and bytes of rows that will die, by time from now on. Invalid when the buckets are
  // too many or not positive.
  virtual Result<std::vector<ForecastBucket>> Forecast(const ForecastOptions& options) const = 0;

 protected:
  KeyspaceReader() = default;
};

class KeyspaceWriter : public KeyspaceReader {
 public:
  // Given the living value or nothing, returns the new value, or nothing to delete the row. Runs
  // under the key's latch: it must be quick and must not call into the database.
  using UpdateFunction = std::function<std::optional<std::string>(std::optional<Bytes>)>;

  // Writes the row, replacing any row under the key. The old deadline goes, unless the lifetime
  // keeps it.
  Status Put(Bytes key, Bytes value, Lifetime lifetime = Lifetime::Default());

  // Writes the row if the condition holds. True when it did.
  virtual Result<bool> PutIf(Bytes key, Bytes value, const PutCondition& condition,
                             Lifetime lifetime = Lifetime::Default()) = 0;

  // Deletes the row. True when a living row existed.
  virtual Result<bool> Delete(Bytes key) = 0;

  // Writes, or deletes, at the caller's timestamp, in a keyspace ordered by timestamp; in others
  // Invalid. True if this is now the newest write to the key. False if a newer one exists; then
  // only history changes. Of two writes with the same timestamp, the later call wins. A ttl counts
  // from the timestamp. Calls without a timestamp take the clock's instant, or the timestamp of the
  // newest write if that is later: they always win, and their ttl counts from now.
  virtual Result<bool> PutAt(Bytes key, Bytes value, WallTime timestamp,
                             Lifetime lifetime = Lifetime::Default()) = 0;
  virtual Result<bool> DeleteAt(Bytes key, WallTime timestamp) = 0;

  // Reads, computes and writes as one step. Keeps the deadline unless `lifetime` says otherwise.
  virtual Status Update(Bytes key, const UpdateFunction& update,
                        Lifetime lifetime = Lifetime::Keep()) = 0;

  // Changes the deadline alone, not the timestamp. True when it did, false when the condition did
  // not hold; NotFound when there is no living row. Lifetime::Forever() takes the deadline away;
  // Keep() is Invalid.
  virtual Result<bool> Expire(Bytes key, Lifetime lifetime,
                              DeadlineIf condition = DeadlineIf::kAlways) = 0;

  // Takes the deadline away. True when there was one; NotFound when there is no living row.
  Result<bool> Persist(Bytes key);

  // Reads the row and renews its lifetime as one step: the sliding session. NotFound as for Get;
  // Lifetime::Keep() is Invalid.
  virtual Result<Row> Touch(Bytes key, Lifetime lifetime = Lifetime::Default()) = 0;
};

// A keyspace of an open database. Safe from any thread. Handles stay valid until the database
// closes; after the keyspace is dropped, every call on them returns Invalid.
class Keyspace : public KeyspaceWriter {
 public:
  virtual const std::string& name() const = 0;

  virtual KeyspacePolicy policy() const = 0;

  // Sets the policy of writes from now on; a transaction's writes go by the policy at their call.
  // Invalid when it contradicts itself.
  virtual Status SetPolicy(const KeyspacePolicy& policy) = 0;

  // Removes every row at once, without events. Open snapshots and transactions keep showing them.
  virtual Status Clear() = 0;
};

}  // namespace mayfly
