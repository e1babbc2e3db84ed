#include "engine/cluster/shard/shard_engine.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "engine/cluster/shard/counted_cursor.h"
#include "engine/cluster/shard/limits.h"

namespace mayfly::engine::cluster {
namespace {

class ShardSnapshot final : public Snapshot {
 public:
  using Slots = std::vector<std::pair<Slot, std::unique_ptr<Snapshot>>>;

  ShardSnapshot(Slots slots, std::atomic<std::uint64_t>& open_snapshots)
      : ticket_(open_snapshots), slots_(std::move(slots)) {}

  // Null: the slot had no rows.
  const Snapshot* Of(Slot slot) const {
    const auto place = std::lower_bound(slots_.begin(), slots_.end(), slot,
                                        [](const auto& one, Slot at) { return one.first < at; });
    return place != slots_.end() && place->first == slot ? place->second.get() : nullptr;
  }

 private:
  const HandleTicket ticket_;
  const Slots slots_;
};

class ShardEngine final : public Engine {
 public:
  explicit ShardEngine(std::shared_ptr<Shard> shard)
      : Engine(shard->name(), {.atomic_across_slots = !shard->options().by_slot}),
        shard_(std::move(shard)) {}

  ~ShardEngine() override {
    MAYFLY_CHECK(CloseAtDestruction().ok(), "closing a shard is only to stop it");
  }

 private:
  // Where a read looks: an engine in memory, and its snapshot. Null: the slot has, or had, no rows.
  struct Source {
    Engine* engine = nullptr;
    const Snapshot* snapshot = nullptr;
  };

  Source SourceOf(Slot slot, const Snapshot* snapshot) const {
    Source source{.engine = shard_->state().Find(slot)};
    if (snapshot == nullptr || source.engine == nullptr) return source;
    const Slot place = shard_->state().Place(slot);
    source.snapshot = static_cast<const ShardSnapshot*>(snapshot)->Of(place);
    if (source.snapshot == nullptr) source.engine = nullptr;
    return source;
  }
  Address Normal(Address at) const {
    return {.role = at.role, .slot = shard_->state().Place(at.slot)};
  }

  // What a snapshot shows was confirmed when it was made.
  Status Confirm(const Snapshot* snapshot) const {
    return snapshot != nullptr ? Status() : shard_->Confirm();
  }

  Status DoGet(Address at, Bytes key, PinnedBytes& value, const Snapshot* snapshot) const override {
    const Source source = SourceOf(at.slot, snapshot);
    Status status = Status::NotFound();
    if (source.engine != nullptr) {
      status = source.engine->Get(Normal(at), key, value, source.snapshot);
    } else {
      value.Reset();
    }
    if (Status confirmed = Confirm(snapshot); !confirmed.ok()) [[unlikely]] {
      value.Reset();
      return confirmed;
    }
    return status;
  }

  // All keys of one state: that of the snapshot, or one that is frozen for this call.
  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const override {
    if (snapshot == nullptr && lookups.size() > 1) {
      auto slots = shard_->state().Freeze();
      if (!slots) return Fail(lookups, slots.error());
      std::atomic<std::uint64_t> uncounted{0};
      const ShardSnapshot frozen(std::move(slots).value(), uncounted);
      ReadEach(lookups, &frozen);
    } else {
      ReadEach(lookups, snapshot);
    }
    const Status confirmed = Confirm(snapshot);
    if (!confirmed.ok()) Fail(lookups, confirmed);
  }

  void ReadEach(std::span<Lookup*> lookups, const Snapshot* snapshot) const {
    for (Lookup* const lookup : lookups) {
      const Source source = SourceOf(lookup->at.slot, snapshot);
      lookup->status = Status::NotFound();
      if (source.engine == nullptr) {
        lookup->value.Reset();
      } else {
        lookup->status =
            source.engine->Get(Normal(lookup->at), lookup->key, lookup->value, source.snapshot);
      }
    }
  }

  static void Fail(std::span<Lookup*> lookups, const Status& why) {
    for (Lookup* const lookup : lookups) {
      lookup->status = why;
      lookup->value.Reset();
    }
  }

  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override {
    const Source source = SourceOf(at.slot, options.snapshot);
    std::unique_ptr<Cursor> inner;
    if (source.engine != nullptr) {
      CursorOptions inner_options = options;
      inner_options.snapshot = source.snapshot;
      MAYFLY_TRY(inner, source.engine->NewCursor(Normal(at), inner_options));
    }
    MAYFLY_RETURN_IF_ERROR(Confirm(options.snapshot));
    return std::make_unique<CountedCursor>(std::move(inner), open_cursors());
  }

  Result<std::unique_ptr<Snapshot>> DoNewSnapshot() const override {
    MAYFLY_TRY(auto slots, shard_->state().Freeze());
    MAYFLY_RETURN_IF_ERROR(shard_->Confirm());
    return std::make_unique<ShardSnapshot>(std::move(slots), open_snapshots());
  }

  // Every commit is durable on all replicas, whatever is asked for.
  Status DoCommit(const Batch& batch, Durability) override {
    std::size_t broken = 0;
    Status status = shard_->Commit(batch, broken);
    if (status.code() == StatusCode::kConflict) return ConditionFailed(batch.condition(broken));
    return status;
  }

  Status DoSync(Durability) override {
    return shard_->writer().is_stopped() ? shard_->writer().stopped() : Status();
  }

  Status DoCompact(Role role, const KeyRange& range) override;
  Status DropDead(Engine& engine, Address at, const KeyRange& range, DropPolicy::Judge& judge);
  Status Remove(Address at, std::span<const std::pair<std::string, std::string>> dead);

  // There are no files of our own.
  Result<bool> DoCompactFile(Role, const std::string&, std::uint64_t) override { return false; }
  Result<bool> DoDropFile(Role, const std::string&) override { return false; }
  Status DoFlush() override { return {}; }
  Result<std::vector<FileInfo>> DoFiles(Role) const override { return std::vector<FileInfo>(); }

  // In memory, which has what the store shows. Older bytes in the files of OSDs cannot be searched.
  Result<std::vector<Trace>> DoFind(Bytes needle, std::size_t traces_max,
                                    const FindProgress& progress) const override {
    std::vector<Trace> traces;
    for (const Engine* const engine : shard_->state().engines()) {
      if (traces.size() == traces_max) break;
      MAYFLY_TRY(auto more, engine->Find(needle, traces_max - traces.size(), progress));
      std::move(more.begin(), more.end(), std::back_inserter(traces));
    }
    return traces;
  }

  // The store keeps about what memory keeps, times its replicas.
  Result<EngineStats> DoStats() const override {
    const std::uint64_t bytes = shard_->state().memory_bytes();
    return EngineStats{.disk_bytes = bytes,
                       .memory_bytes = bytes,
                       .last_commit = shard_->writer().counts().writes.load()};
  }

  Status DoClose() override {
    shard_->Stop(Status::Invalid(name() + " is closed; open it again before using it"));
    return {};
  }

  const std::shared_ptr<Shard> shard_;
};

Status ShardEngine::DoCompact(Role role, const KeyRange& range) {
  if (shard_->options().drop_policy == nullptr) return {};
  const auto judge = shard_->options().drop_policy->NewJudge(role);
  if (judge == nullptr) return {};
  ShardState& state = shard_->state();
  for (std::uint32_t slot = 0; slot < kSlotCount; ++slot) {
    const Address at{.role = role, .slot = static_cast<Slot>(slot)};
    if (state.Place(at.slot) != at.slot) break;
    if (Engine* const engine = state.Find(at.slot)) {
      MAYFLY_RETURN_IF_ERROR(DropDead(*engine, at, range, *judge));
    }
  }
  return {};
}

Status ShardEngine::DropDead(Engine& engine, Address at, const KeyRange& range,
                             DropPolicy::Judge& judge) {
  MAYFLY_TRY(const auto cursor, engine.NewCursor(at, {.range = range, .fill_cache = false}));
  std::vector<std::pair<std::string, std::string>> dead;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    if (!judge.IsDead(cursor->key(), cursor->value())) continue;
    dead.emplace_back(cursor->key(), cursor->value());
    if (dead.size() < kShardCompactStepKeys) continue;
    MAYFLY_RETURN_IF_ERROR(Remove(at, dead));
    dead.clear();
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return Remove(at, dead);
}

// An ordinary commit, if the pairs are still what was judged; else those that are.
Status ShardEngine::Remove(Address at, std::span<const std::pair<std::string, std::string>> dead) {
  Batch batch;
  for (const auto& [key, value] : dead) {
    batch.Require(at, key, value);
    batch.Delete(at, key);
  }
  if (batch.empty()) return {};
  std::size_t broken = 0;
  const Status status = shard_->Commit(batch, broken);
  if (status.code() != StatusCode::kConflict) return status;
  MAYFLY_RETURN_IF_ERROR(Remove(at, dead.first(broken)));
  return Remove(at, dead.subspan(broken + 1));
}

}  // namespace

std::unique_ptr<Engine> NewShardEngine(std::shared_ptr<Shard> shard) {
  return std::make_unique<ShardEngine>(std::move(shard));
}

}  // namespace mayfly::engine::cluster
