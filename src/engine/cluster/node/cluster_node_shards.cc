// The shards of a node: reading them into memory, giving them to the listener, taking them away.
#include <fmt/format.h>

#include <utility>

#include "base/log.h"
#include "engine/cluster/node/cluster_node.h"
#include "engine/cluster/node/limits.h"
#include "engine/cluster/shard/shard_engine.h"

namespace mayfly::engine::cluster {

void ClusterNode::OnGained(ShardId shard, const OwnerRecord& record) {
  Held& held = held_[shard];
  held.record = record;
  held.claimed = Now();
  Load(shard, held);
}

// Called from within Ownership, which hears later that there is nothing to wait for.
void ClusterNode::OnDraining(ShardId shard) {
  const auto drained = [this, mailbox = mailbox_, shard] {
    mailbox->Post([this, shard] { ownership_->Drained(Now(), shard); });
  };
  const auto place = held_.find(shard);
  if (place == held_.end() || !place->second.is_given) return drained();
  SetHere(shard, false);
  listener_.OnDraining(shard, drained);
}

void ClusterNode::OnLost(ShardId shard) {
  const auto place = held_.find(shard);
  if (place == held_.end()) return;
  TakeFromListener(shard, place->second);
  held_.erase(place);
}

// The engine refuses everything before the listener hears of it, and before the shard is released.
void ClusterNode::TakeFromListener(ShardId shard, Held& held) {
  if (held.shard != nullptr) held.shard->Stop(held.shard->writer().NotOurs());
  held.shard = nullptr;
  if (!held.is_given) return;
  held.is_given = false;
  --counted_.shards_here;
  SetHere(shard, false);
  listener_.OnLost(shard);
}

void ClusterNode::Load(ShardId shard, Held& held) {
  held.retry_at = SteadyTime::max();
  held.shard =
      std::make_shared<Shard>(store_,
                              ShardPlace{.object = ShardObject(options_.format.database, shard),
                                         .name = fmt::format("shard {}", shard),
                                         .record = held.record},
                              lease_, options_.shard);
  held.shard->SetOnBroken([this, mailbox = mailbox_, shard, broken = held.shard.get()] {
    mailbox->Post([this, shard, broken] { OnBroken(shard, broken); });
  });
  loads_->Add([this, mailbox = mailbox_, shard, loading = held.shard] {
    const Status status = loading->Load();
    mailbox->Post([this, shard, loading, status] { OnLoaded(shard, loading, status); });
  });
}

void ClusterNode::OnLoaded(ShardId shard, const std::shared_ptr<Shard>& loaded,
                           const Status& status) {
  const auto place = held_.find(shard);
  if (place == held_.end() || place->second.shard != loaded) return;  // Lost meanwhile.
  if (!ownership_->shards().IsOwned(shard)) return;                   // It is being given away.
  Held& held = place->second;
  if (!status.ok()) {
    ++counted_.load_failures;
    Log(logger_, LogLevel::kError, "cluster: {} cannot be read: {}", loaded->name(),
        status.message());
    TakeFromListener(shard, held);
    held.retry_at = Now() + kReloadPause;
    return;
  }
  ++counted_.loads;
  ++counted_.shards_here;
  if (const auto& totals = options_.shard.totals) totals->openings.Add(Now() - held.claimed);
  held.is_given = true;
  listener_.OnGained(shard, NewShardEngine(loaded),
                     [loaded] { return loaded->writer().is_stopped(); });
  SetHere(shard, true);
}

void ClusterNode::OnBroken(ShardId shard, const Shard* broken) {
  const auto place = held_.find(shard);
  if (place == held_.end() || place->second.shard.get() != broken) return;
  Log(logger_, LogLevel::kWarning, "cluster: {} is closed: {}", broken->name(),
      broken->writer().stopped().message());
  TakeFromListener(shard, place->second);
  place->second.claimed = Now();
  place->second.retry_at = Now() + kReloadPause;
}

void ClusterNode::SetHere(ShardId shard, bool here) {
  const std::unique_lock lock(places_mutex_);
  here_[shard] = here;
}

}  // namespace mayfly::engine::cluster
