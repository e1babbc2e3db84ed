#include "engine/cluster/shard/shard_state.h"

#include <mutex>

#include "engine/cluster/shard/limits.h"
#include "engine/hot/hot_engine.h"

namespace mayfly::engine::cluster {
namespace {

// Without a thread and without a budget: a server has hundreds of these.
std::unique_ptr<Engine> NewState() {
  HotOptions options;
  options.reserved_bytes = kShardAddressesMax;
  options.huge_pages = false;
  options.has_thread = false;
  return NewHotMemoryEngine(options);
}

}  // namespace

ShardState::ShardState(bool by_slot) : by_slot_(by_slot) {
  if (by_slot_) return;
  slots_[0] = NewState();
  single_ = slots_[0].get();
}

Engine* ShardState::Find(Slot slot) const {
  if (single_ != nullptr) return single_;
  const std::shared_lock lock(mutex_);
  const auto place = slots_.find(Place(slot));
  return place == slots_.end() ? nullptr : place->second.get();
}

Engine& ShardState::Of(Slot slot) {
  if (Engine* const found = Find(slot)) return *found;
  const std::unique_lock lock(mutex_);
  std::unique_ptr<Engine>& engine = slots_[Place(slot)];
  if (engine == nullptr) engine = NewState();
  return *engine;
}

Status ShardState::Apply(const std::vector<KeyChange>& changes) {
  const std::unique_lock lock(apply_mutex_);
  Batch batch;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto& [at, key, value] = changes[i];
    value ? batch.Put(at, key, *value) : batch.Delete(at, key);
    const bool ends = i + 1 == changes.size() || Place(changes[i + 1].at.slot) != Place(at.slot);
    if (!ends) continue;
    MAYFLY_RETURN_IF_ERROR(Of(at.slot).Commit(batch, Durability::kNone));
    batch.Clear();
  }
  return {};
}

Result<std::vector<std::pair<Slot, std::unique_ptr<Snapshot>>>> ShardState::Freeze() const {
  const std::shared_lock apply_lock(apply_mutex_);
  const std::shared_lock lock(mutex_);
  std::vector<std::pair<Slot, std::unique_ptr<Snapshot>>> frozen;
  for (const auto& [slot, engine] : slots_) {
    MAYFLY_TRY(auto snapshot, engine->NewSnapshot());
    frozen.emplace_back(slot, std::move(snapshot));
  }
  return frozen;
}

std::vector<Engine*> ShardState::engines() const {
  const std::shared_lock lock(mutex_);
  std::vector<Engine*> engines;
  for (const auto& [slot, engine] : slots_) engines.push_back(engine.get());
  return engines;
}

std::uint64_t ShardState::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const Engine* const engine : engines()) {
    const auto stats = engine->Stats();
    if (stats) bytes += stats->memory_bytes;
  }
  return bytes;
}

}  // namespace mayfly::engine::cluster
