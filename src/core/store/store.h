// store.h - what all parts of one database share: engine, clock, latches, keyspaces, events.
// Lock order: ARCHITECTURE.md, "Lock order". There reclaim_mutex() is 4, gates are 6, latches 7,
// time_mutex_ is 10, the horizon's mutex and follow_mutex_ are 11; the catalog, collection ids and
// the event log, and the engine are 12 to 14. Callbacks run with none of 5 to 14 held.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "base/owner_process.h"
#include "core/clock/deadline_watch.h"
#include "core/clock/trusted_clock.h"
#include "core/commit/change.h"
#include "core/commit/commit_plan.h"
#include "core/commit/key_state.h"
#include "core/keyspaces/catalog.h"
#include "core/keyspaces/collection_ids.h"
#include "core/keyspaces/key_latches.h"
#include "core/keyspaces/stored_cache.h"
#include "core/layout/limits.h"
#include "core/store/drop_horizon.h"
#include "core/store/event_log.h"
#include "core/store/open_states.h"
#include "core/store/staged_collections.h"
#include "engine/engine.h"
#include "mayfly/durability.h"
#include "mayfly/logger.h"
#include "mayfly/pinned_bytes.h"

namespace mayfly::core {

struct StoreOptions {
  Durability durability = Durability::kProcess;
  bool purge_on_read = true;
  bool allow_any_instant = false;
  // The engine was opened for a salvage: what is missing in meta is done without.
  bool salvage = false;
  Millis clock_jump_max = std::chrono::hours(12);
  std::optional<Millis> state_age_max = std::nullopt;
  // For what latched transactions read; 0: each asks the engine.
  std::size_t cache_bytes = std::size_t{1} << 20;
  // The one that the engine's compactions ask. Null: none does. Shared with the engine.
  std::shared_ptr<DropHorizon> horizon = nullptr;
  const Clock* clock = nullptr;
  Logger* logger = nullptr;
};

// What a latched transaction holds of a collection that it makes, before the members go to the
// engine.
struct DraftBounds {
  std::size_t parts_max = kDraftPartsMax;
  std::size_t bytes_max = kDraftBytesMax;
};

struct StoreCounts {
  std::atomic<std::uint64_t> purged_rows{0};
  std::atomic<std::uint64_t> purged_by_reads{0};
  std::atomic<std::uint64_t> purged_members{0};
  std::atomic<std::uint64_t> removed_collections{0};
  std::atomic<std::uint64_t> stale_entries{0};
  std::atomic<std::uint64_t> clamped_lifetimes{0};
  std::atomic<std::uint64_t> conflicts{0};
  std::atomic<std::uint64_t> reapers{0};
  std::atomic<std::uint64_t> removed_rows{0};  // Purged and deleted: bytes that files may hold.
  std::atomic<std::int64_t> last_write_ms{0};  // When a caller, and not the upkeep, wrote last.
  std::atomic<std::uint64_t> revoked_states{0};
  std::atomic<std::uint64_t> files_dropped{0};
  std::atomic<std::uint64_t> files_rewritten{0};
  std::atomic<std::uint64_t> bytes_rewritten{0};
};

class Store {
 public:
  Store(std::unique_ptr<engine::Engine> engine, const StoreOptions& options);

  // Reads what the last run left, or makes an empty database.
  Status Load();

  // Busy, as Engine::Close(), or while a reaper runs.
  Status Close();

  // As those of Database; for the next run, too.
  Status ConfirmClock();
  Status RevertClock();

  // Told of the instant that a caller was answered by, or is about to be: the next run must not
  // fall behind it, after a crash neither. Writes once a second at most, and when the clock was
  // set.
  void KeepTime(WallTime now) {
    if (TimeIsDue(now, kHighWaterStep)) [[unlikely]]
      KeepDueTime(now);
  }

  // Of a database that another process may write to: takes over what that has committed, and what
  // is kept of it in memory. Before a state or instant is taken that must show it.
  Status Follow() {
    if (!follows_) [[likely]]
      return {};
    return FollowWriter();
  }

  bool is_open() const { return !closed_.load(std::memory_order_acquire) && is_owner(); }

  // False in a child made by fork(), where nothing may be touched and no lock taken.
  bool is_owner() const { return owner_.IsThis(); }

  // Ok when calls on the keyspace make sense.
  Status CheckUsable(const KeyspaceState& keyspace) const;
  Status CheckOpen() const;

  // Ok when the database was not opened for reading alone.
  Status CheckWritable() const;

  // Reads a stored row, dead or not; nothing when there is none. The view points into `pin`.
  Status ReadStored(const KeyspaceState& keyspace, Bytes key, const engine::Snapshot* snapshot,
                    PinnedBytes& pin, std::optional<RowView>& row) const;

  // The same as of now, for whoever holds the key's latch: spares the engine what it was asked
  // before.
  Status ReadLatched(const KeyspaceState& keyspace, Bytes key, PinnedBytes& pin,
                     std::optional<RowView>& row);

  // The same for any pair of `rows` or `members` whose row's latch is held; NotFound: there is
  // none.
  Status GetLatched(engine::Role role, Bytes key, PinnedBytes& pin);

  // The same for everything that is known of the key.
  Status ReadKeyState(const KeyspaceState& keyspace, Bytes key, const engine::Snapshot* snapshot,
                      KeyState& key_state) const;

  // Reads the version or marker with this key, given without the keyspace; nothing when there is
  // none.
  Status ReadVersion(const KeyspaceState& keyspace, Bytes member_key,
                     const engine::Snapshot* snapshot, PinnedBytes& pin,
                     std::optional<VersionView>& version) const;

  // Adds a change of the key, which stands as given, to the plan; under the key's latch.
  Status PlanChange(CommitPlan& plan, KeyspaceState& keyspace, Bytes key, const KeyState& key_state,
                    const Change& change);

  // The same for another deadline of a collection.
  Status PlanCollectionDeadline(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                                const KeyState& key_state, const Span& span) const;

  // The same for one that something later on the same key has overtaken already.
  Status PlanLateChange(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                        const KeyState& key_state, const Change& change, WallTime overtaken_at);

  // The same for the removal of the stored row, which is dead.
  static void PlanPurge(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                        const KeyState& key_state, EventCause cause);

  // Reads, decides and writes one key under its latch.
  Status Mutate(KeyspaceState& keyspace, Bytes key, Decide decide);

  // Whether the plan changes nothing, so that there is nothing to commit: it is done with.
  bool IsNothing(CommitPlan& plan);

  // Seals and commits a plan under the latches of all its keys. Events are to be delivered once the
  // latches are released.
  Status Commit(CommitPlan& plan, Durability durability);

  // Removes the row if it is dead now, unless that would mean waiting. Never fails what it is part
  // of.
  void PurgeOnRead(KeyspaceState& keyspace, Bytes key);

  // Everything of a keyspace went, however much it was: its space is worth giving back.
  void NoteMassRemoval() {
    counts_.removed_rows += kFlushAfterRows;
    watch_.Written(WallTimeFromMs(0));
  }

  LifetimeRule RuleOf(const KeyspacePolicy& policy) const {
    return {.policy = policy, .allow_any_instant = options_.allow_any_instant};
  }

  engine::Engine& engine() const { return *engine_; }
  const TrustedClock& clock() const { return *clock_; }
  TrustedClock& clock() { return *clock_; }
  KeyLatches& latches() { return latches_; }
  StoredCache& cache() { return cache_; }
  Catalog& catalog() { return *catalog_; }
  EventLog& events() const { return *events_; }
  CollectionIds& collection_ids() { return collection_ids_; }
  StagedCollections& staged() { return staged_; }

  // Lowered by tests, before the first work.
  DraftBounds& draft_bounds() { return draft_bounds_; }

  OpenStates& states() const { return *states_; }
  DropHorizon& horizon() const { return *horizon_; }

  // Held by whoever reclaims space: one at a time.
  std::mutex& reclaim_mutex() { return reclaim_mutex_; }
  DeadlineWatch& watch() { return watch_; }

  // Where purges, whoever runs them, go on when they end at a bound; purger.cc says of what.
  std::uint64_t purge_turn() const { return purge_turn_; }
  void set_purge_turn(std::uint64_t turn) { purge_turn_ = turn; }
  StoreCounts& counts() { return counts_; }
  const StoreOptions& options() const { return options_; }
  Logger& logger() const { return logger_; }

 private:
  Status LoadFormat();
  Status StoreFormat();
  Status FollowWriter();
  Result<std::optional<StoredTime>> LoadTime();

  // Whether the record of time lags behind by `lag_max` or more, or says something wrong.
  bool TimeIsDue(WallTime now, Millis lag_max) const {
    return ToMs(now) - recorded_ms_.load(std::memory_order_relaxed) >= lag_max.count() ||
           clock_->changed();
  }
  void KeepDueTime(WallTime now);

  // Adds the record of time to the batch if it is due.
  void AddTime(CommitPlan& plan, Millis lag_max);
  void PutTime(engine::Batch& batch, bool orderly_stop);
  Status CommitTime(bool orderly_stop);
  Status LowerInstants(engine::Batch& batch, KeyspaceState& keyspace, WallTime now);

  const StoreOptions options_;
  const OwnerProcess owner_;
  Logger& logger_;
  const std::unique_ptr<engine::Engine> engine_;
  const std::unique_ptr<OpenStates> states_;
  const std::shared_ptr<DropHorizon> horizon_;  // Shared with the engine, which asks it.
  std::mutex reclaim_mutex_;
  std::atomic<std::uint64_t> purge_turn_{0};
  KeyLatches latches_;
  StoredCache cache_;
  CollectionIds collection_ids_;
  StagedCollections staged_;
  DraftBounds draft_bounds_;
  DeadlineWatch watch_;
  StoreCounts counts_;
  std::unique_ptr<TrustedClock> clock_;  // These three are set by Load() and stay.
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<EventLog> events_;
  bool follows_ = false;                    // Set by Load() as well.
  std::mutex follow_mutex_;                 // Held by who takes over.
  std::atomic<std::uint64_t> followed_{0};  // The Engine::Refresh() that was.
  std::mutex time_mutex_;                   // Held by who records the time outside of a commit.
  std::atomic<std::int64_t> recorded_ms_{0};
  std::atomic<bool> closed_{false};
};

// The timestamp a change gets, where order is by timestamp.
WallTime TimestampOf(const Change& change, const KeyState& key_state, WallTime now);

// Key and value within the limits.
Status CheckUserKey(Bytes key);
Status CheckUserValue(Bytes value);

}  // namespace mayfly::core
