// store.h - what all parts of one database share: engine, clock, latches, keyspaces, events.
// Lock order: the catalog's mutex, keyspace gates by id, key latches by stripe, the event log's
// sequence, then the engine. Nothing is taken against it, and callbacks run with none of them held.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/function_ref.h"
#include "core/catalog.h"
#include "core/commit_plan.h"
#include "core/deadline_watch.h"
#include "core/event_log.h"
#include "core/key_latches.h"
#include "core/lifetime_rule.h"
#include "core/trusted_clock.h"
#include "engine/engine.h"
#include "mayfly/durability.h"
#include "mayfly/logger.h"
#include "mayfly/pinned_bytes.h"

namespace mayfly::core {

struct StoreOptions {
  Durability durability = Durability::kProcess;
  bool purge_on_read = true;
  bool allow_any_instant = false;
  Millis clock_jump_max = std::chrono::hours(12);
  const Clock* clock = nullptr;
  Logger* logger = nullptr;
};

struct StoreCounts {
  std::atomic<std::uint64_t> purged_rows{0};
  std::atomic<std::uint64_t> purged_by_reads{0};
  std::atomic<std::uint64_t> stale_entries{0};
  std::atomic<std::uint64_t> clamped_lifetimes{0};
  std::atomic<std::uint64_t> conflicts{0};
  std::atomic<std::uint64_t> reapers{0};
};

// What a write decides about a key.
struct Change {
  enum class Kind : std::uint8_t { kNothing, kPut, kDelete };

  Kind kind = Kind::kNothing;
  Bytes payload = {};  // For kPut; lives until the change is applied.
  Span span = {};      // For kPut.

  static Change Nothing() { return {}; }
  static Change Delete() { return {.kind = Kind::kDelete}; }
  static Change Put(Bytes payload, Span span) { return {Kind::kPut, payload, span}; }
};

// Given the living row or null, and the instant it is living at.
using Decide = FunctionRef<Result<Change>(const RowView* row, WallTime now)>;

class Store {
 public:
  Store(std::unique_ptr<engine::Engine> engine, const StoreOptions& options);

  // Reads what the last run left, or makes an empty database.
  Status Load();

  // Busy, as Engine::Close(), or while a reaper runs.
  Status Close();

  // The time is right: dead rows may be removed again, in the next run too.
  Status ConfirmClock();

  bool is_open() const { return !closed_.load(std::memory_order_acquire); }

  // Ok when calls on the keyspace make sense.
  Status CheckUsable(const KeyspaceState& keyspace) const;
  Status CheckOpen() const;

  // Ok when the database was not opened for reading alone.
  Status CheckWritable() const;

  // Reads a stored row, dead or not; nothing when there is none. The view points into `pin`.
  Status ReadStored(const KeyspaceState& keyspace, Bytes key, const engine::Snapshot* snapshot,
                    PinnedBytes& pin, std::optional<RowView>& row) const;

  // Reads, decides and writes one key under its latch.
  Status Mutate(KeyspaceState& keyspace, Bytes key, Decide decide);

  // Seals and commits a plan under the latches of all its keys. Events are to be delivered once the
  // latches are released.
  Status Commit(CommitPlan& plan, Durability durability);

  // Removes the row if it is dead now, unless that would mean waiting. Never fails what it is part
  // of.
  void PurgeOnRead(KeyspaceState& keyspace, Bytes key);

  LifetimeRule RuleOf(const KeyspacePolicy& policy) const {
    return {.policy = policy, .allow_any_instant = options_.allow_any_instant};
  }

  engine::Engine& engine() const { return *engine_; }
  const TrustedClock& clock() const { return *clock_; }
  TrustedClock& clock() { return *clock_; }
  KeyLatches& latches() { return latches_; }
  Catalog& catalog() { return *catalog_; }
  EventLog& events() const { return *events_; }
  DeadlineWatch& watch() { return watch_; }
  StoreCounts& counts() { return counts_; }
  const StoreOptions& options() const { return options_; }
  Logger& logger() const { return logger_; }

 private:
  Status LoadFormat();
  Result<std::optional<StoredTime>> LoadTime();

  // Adds the record of time to the batch when it lags behind by `lag_max` or more.
  void AddTime(CommitPlan& plan, Millis lag_max);
  Status CommitTime();

  const StoreOptions options_;
  Logger& logger_;
  const std::unique_ptr<engine::Engine> engine_;
  KeyLatches latches_;
  DeadlineWatch watch_;
  StoreCounts counts_;
  std::unique_ptr<TrustedClock> clock_;  // These three are set by Load() and stay.
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<EventLog> events_;
  std::atomic<std::int64_t> stored_high_water_ms_{0};
  std::atomic<bool> stored_unconfirmed_{false};
  std::atomic<bool> closed_{false};
};

// Key and value within the limits.
Status CheckUserKey(Bytes key);
Status CheckUserValue(Bytes value);

}  // namespace mayfly::core
