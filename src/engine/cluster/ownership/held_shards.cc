#include "engine/cluster/ownership/held_shards.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace mayfly::engine::cluster {

HeldShards::HeldShards(const OwnershipOptions& options, const ShardMap& map, ServerId self,
                       LeaseStore& store, OwnershipListener& listener, RequestIds& requests,
                       HasEnded has_ended)
    : options_(options),
      map_(map),
      self_(self),
      store_(store),
      listener_(listener),
      requests_(requests),
      has_ended_(std::move(has_ended)) {}

void HeldShards::Claim(SteadyTime now, ShardId shard, const OwnerRecord& believed, bool offered) {
  const auto [place, inserted] = shards_.try_emplace(shard);
  MAYFLY_CHECK(inserted, "a shard is claimed twice");
  ++claiming_;
  place->second.offered = offered;
  const GroupId group = map_.GroupOf(shard);
  const auto at = std::lower_bound(groups_.begin(), groups_.end(), group);
  if (at == groups_.end() || *at != group) groups_.insert(at, group);
  SendClaim(now, shard, place->second, believed);
}

void HeldShards::Give(SteadyTime now, ShardId shard, ServerId to) {
  const auto place = shards_.find(shard);
  if (place == shards_.end() || place->second.phase != Phase::kOwned) return;
  Held& held = place->second;
  --owned_;
  held.phase = Phase::kDraining;
  held.to = to;
  held.due = now + options_.drain_max;
  listener_.OnDraining(shard);
}

void HeldShards::Drained(SteadyTime now, ShardId shard) {
  const auto place = shards_.find(shard);
  if (place == shards_.end() || place->second.phase != Phase::kDraining) return;
  Release(now, shard, place->second);
}

HeldShards::Outcome HeldShards::OnSwapped(SteadyTime now, RequestId request, ShardId shard,
                                          bool done, const OwnerRecord& found) {
  const auto place = shards_.find(shard);
  if (place == shards_.end() || place->second.request != request) return Outcome::kNothing;
  Held& held = place->second;
  if (held.phase == Phase::kClaiming) {
    if (done || found == held.wanted) return Gain(shard, held, held.wanted);
    return OnOtherRecord(now, place, found);
  }
  if (held.phase != Phase::kReleasing) return Outcome::kNothing;
  // Released now, or by an earlier sending; or taken from us, and then there is nothing to offer.
  const bool released = done || found == held.wanted;
  if (released && held.to != kNobody) store_.Offer(held.to, shard, held.wanted);
  Erase(place);
  return Outcome::kReleased;
}

void HeldShards::Tick(SteadyTime now) {
  if (owned_ == shards_.size()) return;
  for (auto& [shard, held] : shards_) {
    if (now < held.due) continue;
    if (held.phase == Phase::kDraining) {
      Release(now, shard, held);
    } else {
      SendAgain(now, shard, held);
    }
  }
}

void HeldShards::DropAll() {
  for (const auto& [shard, held] : shards_) {
    if (held.phase == Phase::kOwned || held.phase == Phase::kDraining) listener_.OnLost(shard);
  }
  shards_.clear();
  groups_.clear();
  owned_ = 0;
  claiming_ = 0;
}

const OwnerRecord* HeldShards::RecordOf(ShardId shard) const {
  const auto place = shards_.find(shard);
  if (place == shards_.end()) return nullptr;
  const Phase phase = place->second.phase;
  const bool ours = phase == Phase::kOwned || phase == Phase::kDraining;
  return ours ? &place->second.expected : nullptr;
}

bool HeldShards::IsOwned(ShardId shard) const {
  const auto place = shards_.find(shard);
  return place != shards_.end() && place->second.phase == Phase::kOwned;
}

bool HeldShards::HoldsGroup(GroupId group) const {
  return std::binary_search(groups_.begin(), groups_.end(), group);
}

SteadyTime HeldShards::next() const {
  SteadyTime next = SteadyTime::max();
  if (owned_ == shards_.size()) return next;
  for (const auto& [shard, held] : shards_) next = std::min(next, held.due);
  return next;
}

void HeldShards::Send(SteadyTime now, ShardId shard, Held& held) {
  held.request = requests_.Next();
  held.pause = options_.request_timeout;
  held.due = now + held.pause;
  store_.SwapOwner(held.request, shard, held.expected, held.wanted);
}

// Under the same number, so that a reply to any of the sendings counts.
void HeldShards::SendAgain(SteadyTime now, ShardId shard, Held& held) {
  held.pause = std::min(held.pause * 2, options_.request_pause_max);
  held.due = now + held.pause;
  store_.SwapOwner(held.request, shard, held.expected, held.wanted);
}

void HeldShards::SendClaim(SteadyTime now, ShardId shard, Held& held, const OwnerRecord& believed) {
  held.expected = believed;
  held.wanted = {.server = self_, .incarnation = incarnation_, .epoch = believed.epoch + 1};
  Send(now, shard, held);
}

void HeldShards::Release(SteadyTime now, ShardId shard, Held& held) {
  held.phase = Phase::kReleasing;
  held.wanted = {.server = kNobody, .incarnation = 0, .epoch = held.expected.epoch};
  listener_.OnLost(shard);
  Send(now, shard, held);
}

HeldShards::Outcome HeldShards::Gain(ShardId shard, Held& held, const OwnerRecord& record) {
  --claiming_;
  ++owned_;
  held.phase = Phase::kOwned;
  held.expected = record;
  held.due = SteadyTime::max();
  held.request = 0;
  listener_.OnGained(shard, held.expected);
  return held.offered ? Outcome::kReceived : Outcome::kTaken;
}

HeldShards::Outcome HeldShards::OnOtherRecord(SteadyTime now, Shards::iterator place,
                                              const OwnerRecord& found) {
  Held& held = place->second;
  // An earlier claim of this incarnation has arrived after we had gone on from another record.
  if (found.server == self_ && found.incarnation == incarnation_) {
    return Gain(place->first, held, found);
  }
  if (found.server == kNobody || has_ended_(found.server, found.incarnation)) {
    SendClaim(now, place->first, held, found);
    return Outcome::kNothing;
  }
  Erase(place);
  return Outcome::kRefused;
}

void HeldShards::Erase(Shards::iterator place) {
  const Phase phase = place->second.phase;
  if (phase == Phase::kClaiming) --claiming_;
  if (phase == Phase::kOwned) --owned_;
  const GroupId group = map_.GroupOf(place->first);
  shards_.erase(place);
  const auto first = shards_.lower_bound(map_.FirstShardOf(group));
  if (first != shards_.end() && map_.GroupOf(first->first) == group) return;
  groups_.erase(std::lower_bound(groups_.begin(), groups_.end(), group));
}

}  // namespace mayfly::engine::cluster
