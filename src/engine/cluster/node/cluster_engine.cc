#include "engine/cluster/node/cluster_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/check.h"
#include "engine/cluster/node/limits.h"
#include "engine/cluster/shard/counted_cursor.h"

namespace mayfly::engine::cluster {
namespace {

// The engines of the shards that are here.
class ShardTable final : public ShardListener {
 public:
  std::shared_ptr<Engine> Find(ShardId shard) const {
    const std::shared_lock lock(mutex_);
    const auto place = engines_.find(shard);
    return place == engines_.end() ? nullptr : place->second;
  }

  std::map<ShardId, std::shared_ptr<Engine>> all() const {
    const std::shared_lock lock(mutex_);
    return engines_;
  }

  bool AwaitCount(std::size_t count, std::chrono::milliseconds wait_max) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, wait_max, [&] { return engines_.size() >= count; });
  }

 private:
  void OnGained(ShardId shard, std::unique_ptr<Engine> engine, IsClosed) override {
    {
      const std::unique_lock lock(mutex_);
      engines_[shard] = std::move(engine);
    }
    changed_.notify_all();
  }

  // Commits under way reach the store before the release, or are refused.
  void OnDraining(ShardId, std::function<void()> done) override { done(); }

  void OnLost(ShardId shard) override {
    std::shared_ptr<Engine> lost;  // Destroyed without the lock, if nobody else uses it.
    const std::unique_lock lock(mutex_);
    lost = std::exchange(engines_[shard], nullptr);
    engines_.erase(shard);
  }

  mutable std::shared_mutex mutex_;
  std::condition_variable_any changed_;
  std::map<ShardId, std::shared_ptr<Engine>> engines_;  // Guarded by mutex_.
};

class ClusterSnapshot final : public Snapshot {
 public:
  struct One {
    std::shared_ptr<Engine> engine;  // First, so that it is destroyed last.
    std::unique_ptr<Snapshot> snapshot;
  };

  ClusterSnapshot(std::map<ShardId, One> shards, std::atomic<std::uint64_t>& open_snapshots)
      : ticket_(open_snapshots), shards_(std::move(shards)) {}

  const One* Of(ShardId shard) const {
    const auto place = shards_.find(shard);
    return place == shards_.end() ? nullptr : &place->second;
  }

 private:
  const HandleTicket ticket_;
  const std::map<ShardId, One> shards_;
};

class ClusterEngine final : public Engine {
 public:
  ClusterEngine(std::unique_ptr<ShardTable> table, std::unique_ptr<ClusterNode> node,
                std::string name)
      : Engine(std::move(name), {.atomic_across_slots = false}),
        table_(std::move(table)),
        node_(std::move(node)) {}

  ~ClusterEngine() override { static_cast<void>(CloseAtDestruction()); }

 private:
  struct Source {
    std::shared_ptr<Engine> engine;
    const Snapshot* snapshot = nullptr;
  };

  Result<Source> SourceOf(Slot slot, const Snapshot* snapshot) const {
    const ShardId shard = node_->map().ShardOf(slot);
    if (snapshot == nullptr) {
      if (auto engine = table_->Find(shard)) return Source{.engine = std::move(engine)};
    } else if (const auto* const one = static_cast<const ClusterSnapshot*>(snapshot)->Of(shard)) {
      return Source{.engine = one->engine, .snapshot = one->snapshot.get()};
    }
    return NotHere(slot);
  }

  Status NotHere(Slot slot) const {
    const Place place = node_->PlaceOf(slot);
    return Status::Busy(place.kind == Place::Kind::kElsewhere
                            ? fmt::format("slot {} is at {}; go there", slot, place.address)
                            : fmt::format("slot {} is not here now; try again soon", slot));
  }

  Status DoGet(Address at, Bytes key, PinnedBytes& value, const Snapshot* snapshot) const override {
    value.Reset();
    MAYFLY_TRY(const Source source, SourceOf(at.slot, snapshot));
    return Copy(source, at, key, value);
  }

  // The engine of a shard may go before the value does.
  static Status Copy(const Source& source, Address at, Bytes key, PinnedBytes& value) {
    PinnedBytes pinned;
    MAYFLY_RETURN_IF_ERROR(source.engine->Get(at, key, pinned, source.snapshot));
    Keep(pinned.view(), value);
    return {};
  }
  static void Keep(Bytes bytes, PinnedBytes& value) {
    std::string& held = value.Hold<std::string>();
    held.assign(bytes);
    value.Show(held);
  }

  // The keys of a shard are read from one state.
  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const override {
    std::map<ShardId, std::vector<Lookup*>> by_shard;
    for (Lookup* const lookup : lookups) {
      by_shard[node_->map().ShardOf(lookup->at.slot)].push_back(lookup);
    }
    for (const auto& [shard, wanted] : by_shard) MultiGetOf(wanted, snapshot);
  }

  void MultiGetOf(const std::vector<Lookup*>& wanted, const Snapshot* snapshot) const {
    const auto source = SourceOf(wanted.front()->at.slot, snapshot);
    std::vector<Lookup> found(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      found[i].at = wanted[i]->at;
      found[i].key = wanted[i]->key;
    }
    if (source) static_cast<void>(source->engine->MultiGet(found, source->snapshot));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      wanted[i]->value.Reset();
      wanted[i]->status = source ? found[i].status : source.error();
      if (wanted[i]->status.ok()) Keep(found[i].value.view(), wanted[i]->value);
    }
  }

  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override {
    MAYFLY_TRY(const Source source, SourceOf(at.slot, options.snapshot));
    CursorOptions inner = options;
    inner.snapshot = source.snapshot;
    MAYFLY_TRY(auto cursor, source.engine->NewCursor(at, inner));
    return std::make_unique<CountedCursor>(std::move(cursor), open_cursors(), source.engine);
  }

  Result<std::unique_ptr<Snapshot>> DoNewSnapshot() const override {
    std::map<ShardId, ClusterSnapshot::One> shards;
    for (auto& [shard, engine] : table_->all()) {
      MAYFLY_TRY(auto snapshot, engine->NewSnapshot());
      shards[shard] = {engine, std::move(snapshot)};
    }
    return std::make_unique<ClusterSnapshot>(std::move(shards), open_snapshots());
  }

  Status DoCommit(const Batch& batch, Durability durability) override {
    const Slot slot =
        batch.change_count() > 0 ? batch.change(0).at.slot : batch.condition(0).at.slot;
    MAYFLY_TRY(const Source source, SourceOf(slot, nullptr));
    return source.engine->Commit(batch, durability);
  }

  template <typename Call>
  Status OnEach(Call&& call) const {
    for (const auto& [shard, engine] : table_->all()) MAYFLY_RETURN_IF_ERROR(call(*engine));
    return {};
  }

  Status DoSync(Durability durability) override {
    return OnEach([=](Engine& engine) { return engine.Sync(durability); });
  }
  Status DoCompact(Role role, const KeyRange& range) override {
    return OnEach([&](Engine& engine) { return engine.Compact(role, range); });
  }
  Result<bool> DoCompactFile(Role, const std::string&, std::uint64_t) override { return false; }
  Result<bool> DoDropFile(Role, const std::string&) override { return false; }
  Status DoFlush() override { return {}; }
  Result<std::vector<FileInfo>> DoFiles(Role) const override { return std::vector<FileInfo>(); }

  Result<std::vector<Trace>> DoFind(Bytes needle, std::size_t traces_max,
                                    const FindProgress& progress) const override {
    std::vector<Trace> traces;
    MAYFLY_RETURN_IF_ERROR(OnEach([&](Engine& engine) -> Status {
      if (traces.size() == traces_max) return {};
      MAYFLY_TRY(auto more, engine.Find(needle, traces_max - traces.size(), progress));
      std::move(more.begin(), more.end(), std::back_inserter(traces));
      return {};
    }));
    return traces;
  }

  Result<EngineStats> DoStats() const override {
    EngineStats all;
    MAYFLY_RETURN_IF_ERROR(OnEach([&](Engine& engine) -> Status {
      MAYFLY_TRY(const EngineStats one, engine.Stats());
      all.disk_bytes += one.disk_bytes;
      all.memory_bytes += one.memory_bytes;
      all.last_commit += one.last_commit;
      return {};
    }));
    return all;
  }

  Status DoClose() override { return node_->Leave(kLeaveWait); }

  const std::unique_ptr<ShardTable> table_;  // Outlives the node, which calls it.
  const std::unique_ptr<ClusterNode> node_;
};

}  // namespace

Result<std::unique_ptr<Engine>> OpenClusterEngine(std::shared_ptr<ObjectStore> store,
                                                  NodeOptions options,
                                                  std::chrono::milliseconds wait_max) {
  options.shard.by_slot = true;
  const std::string name = fmt::format("database {} in {}", options.format.database, store->name());
  auto table = std::make_unique<ShardTable>();
  MAYFLY_TRY(auto node, ClusterNode::Start(std::move(store), options, *table));
  const std::uint32_t shards = node->map().shards();
  if (!table->AwaitCount(shards, wait_max)) {
    return Status::Busy(fmt::format("{}: not all of {} shards are here after {} ms", name, shards,
                                    wait_max.count()));
  }
  return std::make_unique<ClusterEngine>(std::move(table), std::move(node), name);
}

}  // namespace mayfly::engine::cluster
