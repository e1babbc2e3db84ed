// store.h - what all parts of one database share: engine, clock, latches, keyspaces, events.
// Lock order: ARCHITECTURE.md. Threads: any, after Load().
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "base/owned_mutex.h"
#include "base/owner_process.h"
#include "core/clock/deadline_watch.h"
#include "core/clock/trusted_clock.h"
#include "core/commit/change.h"
#include "core/commit/commit_plan.h"
#include "core/commit/key_state.h"
#include "core/keyspaces/catalog.h"
#include "core/keyspaces/collection_ids.h"
#include "core/keyspaces/key_latches.h"
#include "core/layout/limits.h"
#include "core/store/data_meter.h"
#include "core/store/death_listener.h"
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
  // The engine was opened for a salvage: records missing in meta are no error.
  bool salvage = false;
  Millis clock_jump_max = std::chrono::hours(12);
  std::optional<Millis> state_age_max = std::nullopt;
  // The drop policy that the engine's compactions ask. Null: they ask none. Shared with the engine.
  std::shared_ptr<DropHorizon> horizon = nullptr;
  const Clock* clock = nullptr;
  // How far clocks of other machines allow removal. Null: they do not matter.
  const RemovalLimit* removal_limit = nullptr;
  Logger* logger = nullptr;
};

// How much of a new collection a latched transaction buffers before it stages the members; and up
// to which size a collection keeps its parts in its row.
struct DraftBounds {
  std::size_t parts_max = kDraftPartsMax;
  std::size_t bytes_max = kDraftBytesMax;
  std::size_t packed_bytes_max = kPackedBytesMax;  // 0: none does.
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
  std::atomic<std::int64_t> last_write_ms{0};  // The last write by a caller; upkeep not counted.
  std::atomic<std::uint64_t> revoked_states{0};
  std::atomic<std::uint64_t> files_dropped{0};
  std::atomic<std::uint64_t> files_rewritten{0};
  std::atomic<std::uint64_t> bytes_rewritten{0};
};

// Empty batches, whose memory the next single write of their counter uses. Who finds one in use goes
// without.
class SpareBatches {
 public:
  engine::Batch Take(Counter counter) {
    Spare& spare = spares_[counter];
    const std::unique_lock lock(spare.latch, std::try_to_lock);
    return lock.owns_lock() ? std::exchange(spare.batch, {}) : engine::Batch();
  }
  void Give(Counter counter, engine::Batch batch) {
    if (batch.bytes() > kSpareCounterBytesMax) return;
    batch.Clear();
    Spare& spare = spares_[counter];
    const std::unique_lock lock(spare.latch, std::try_to_lock);
    if (lock.owns_lock()) spare.batch = std::move(batch);
  }

 private:
  struct Spare {
    Latch latch;
    engine::Batch batch;
  };
  std::array<Spare, kCounters> spares_;
};

class Store {
 public:
  Store(std::unique_ptr<engine::Engine> engine, const StoreOptions& options);

  // Reads the stored state of the last run, or makes an empty database. Call it first.
  Status Load();

  // Busy, as Engine::Close(), or while a reaper runs.
  Status Close();

  // As those of Database; durable for the next run.
  Status ConfirmClock();
  Status RevertClock();

  // Records an instant by which a call was or will be answered: the next run must not start behind
  // it, not even after a crash. Writes at most once a second, and when the clock was set.
  void KeepTime(WallTime now) {
    if (TimeIsDue(now, kHighWaterStep)) [[unlikely]]
      KeepDueTime(now);
  }

  // For a database that another process may write to: reads that process's commits and refreshes
  // what is cached of them in memory. Call it before taking a state or instant that must show them.
  Status Follow() {
    if (!follows_) [[likely]]
      return {};
    return FollowWriter();
  }

  bool is_open() const { return !closed_.load(std::memory_order_acquire) && is_owner(); }

  // False in a child made by fork(), where nothing may be touched and no lock taken.
  bool is_owner() const { return owner_.IsThis(); }

  // Ok when the database is open and the keyspace not dropped. Inline: asked at each step of a
  // transaction.
  Status CheckUsable(const KeyspaceState& keyspace) const {
    if (!is_open() || keyspace.dropped()) [[unlikely]]
      return RefuseUse(keyspace);
    return {};
  }
  Status CheckOpen() const;

  // Ok when the database was not opened for reading alone.
  Status CheckWritable() const {
    if (!engine_->capabilities().writable) [[unlikely]]
      return RefuseWrite();
    return {};
  }

  // Reads a stored row, dead or not; nothing when there is none. The view points into `pin`.
  Status ReadStored(const KeyspaceState& keyspace, Bytes key, const engine::Snapshot* snapshot,
                    PinnedBytes& pin, std::optional<RowView>& row) const;

  // Reads the stored row of the key, or its marker if there is none.
  Status ReadKeyState(const KeyspaceState& keyspace, Bytes key, const engine::Snapshot* snapshot,
                      KeyState& key_state) const;

  // Reads the version or marker with this key, given without the keyspace; nothing when there is
  // none.
  Status ReadVersion(const KeyspaceState& keyspace, Bytes member_key,
                     const engine::Snapshot* snapshot, PinnedBytes& pin,
                     std::optional<VersionView>& version) const;

  // A key of a keyspace, and its stripe.
  struct Place {
    KeyspaceState& keyspace;
    Bytes key;
    Stripe stripe;
  };

  // Adds a change of the key, whose state is `key_state`, to the plan; under the key's latch.
  Status PlanChange(CommitPlan& plan, const Place& place, const KeyState& key_state,
                    const Change& change);

  // As PlanChange(), for another deadline of a collection.
  Status PlanCollectionDeadline(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                                const KeyState& key_state, const Span& span) const;

  // As PlanChange(), for a change that a newer write of the key has overtaken already.
  Status PlanLateChange(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                        const KeyState& key_state, const Change& change, WallTime overtaken_at);

  // As PlanChange(), for the removal of the stored row, which is dead.
  static void PlanPurge(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                        const KeyState& key_state, EventCause cause);

  // Reads, decides and writes one key under its latch.
  Status Mutate(KeyspaceState& keyspace, Bytes key, Decide decide);

  // Seals and commits a plan under the latches of all its keys. The caller delivers the events once
  // the latches are released.
  Status Commit(CommitPlan& plan, Durability durability);

  // As Commit(), for the changes of a caller; does nothing if there are none.
  Status CommitChanges(CommitPlan& plan, Durability durability);

  // Removes the row if it is dead now and its latch is free. Never fails the read it is part of.
  void PurgeOnRead(KeyspaceState& keyspace, Bytes key);

  // Notes that all rows of a keyspace were removed: their space is worth giving back, however many
  // they were.
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
  Catalog& catalog() { return *catalog_; }
  EventLog& events() const { return *events_; }
  CollectionIds& collection_ids() { return collection_ids_; }
  StagedCollections& staged() { return staged_; }
  DataMeter& meter() { return meter_; }

  // Null: nobody asks. Set while all latches are held; it must outlive the store, or be unset.
  DeathListener* death_listener() const { return death_listener_.load(std::memory_order_acquire); }
  void set_death_listener(DeathListener* listener) { death_listener_ = listener; }

  // Lowered by tests, while there is no transaction.
  DraftBounds& draft_bounds() { return draft_bounds_; }

  OpenStates& states() const { return *states_; }
  DropHorizon& horizon() const { return *horizon_; }

  // Held while space is reclaimed: one thread at a time.
  OwnedMutex& reclaim_mutex() { return reclaim_mutex_; }

  // Busy in a callback that runs while this thread reclaims space: it would wait for itself.
  Status CheckNotReclaiming() const;
  DeadlineWatch& watch() { return watch_; }

  // Where the next purge continues after one ended at a bound; see purger.cc.
  std::uint64_t purge_turn() const { return purge_turn_; }
  void set_purge_turn(std::uint64_t turn) { purge_turn_ = turn; }
  StoreCounts& counts() { return counts_; }
  const StoreOptions& options() const { return options_; }
  Logger& logger() const { return logger_; }

 private:
  Status RefuseUse(const KeyspaceState& keyspace) const;
  static Status RefuseWrite();
  Status LoadFormat();
  Status StoreFormat();
  Status FollowWriter();
  Result<std::optional<StoredTime>> LoadTime();

  // True when the record of time lags behind by `lag_max` or more, or is wrong.
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
  const std::shared_ptr<DropHorizon> horizon_;  // Shared with the engine's compactions.
  OwnedMutex reclaim_mutex_;
  std::atomic<std::uint64_t> purge_turn_{0};
  std::atomic<DeathListener*> death_listener_{nullptr};
  KeyLatches latches_;
  std::array<Latch, kCounters> counter_locks_;  // Of KeyspaceState::counters().
  SpareBatches spare_batches_;
  CollectionIds collection_ids_;
  StagedCollections staged_;
  DataMeter meter_;
  DraftBounds draft_bounds_;
  DeadlineWatch watch_;
  StoreCounts counts_;
  std::unique_ptr<TrustedClock> clock_;  // These three are set by Load(), once.
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<EventLog> events_;
  bool follows_ = false;                    // Set by Load() as well.
  std::mutex follow_mutex_;                 // Held in FollowWriter().
  std::atomic<std::uint64_t> followed_{0};  // The last Engine::Refresh().
  std::mutex time_mutex_;                   // Held while the time is recorded outside of a commit.
  bool time_refused_ = false;               // Guarded by time_mutex_. The last record failed.
  std::atomic<std::int64_t> recorded_ms_{0};
  std::atomic<bool> closed_{false};
};

// The timestamp that a change gets where order is by timestamp.
WallTime TimestampOf(const Change& change, const KeyState& key_state, WallTime now);

// Invalid when the key or value exceeds the limits.
Status CheckUserKey(Bytes key);
Status CheckUserValue(Bytes value);

}  // namespace mayfly::core
