// ownership_plan.cc - ending silent servers, and moving groups to where they belong.
#include <algorithm>
#include <bit>

#include "engine/cluster/ownership/ownership.h"

namespace mayfly::engine::cluster {

void Ownership::FenceSilent(SteadyTime now, std::uint32_t page) {
  if (!IsActing(now) || !view_.IsComplete() || !IsWriting(now)) return;
  for (const std::uint16_t number : view_.ServersOf(page)) {
    const RosterView::Server& server = view_.servers()[number];
    if (server.HasEnded() || server.record->server == self_) continue;
    const Nanos beyond = view_.SilenceOf(number) - options_.takeover_wait;
    if (beyond < Nanos(0) || !IsMyTurn(number, beyond)) continue;
    const ServerId id = server.record->server;
    const bool under_way = std::any_of(fences_.begin(), fences_.end(), [&](const auto& fence) {
      return fence.second.server == id;
    });
    if (under_way || fences_.size() >= options_.fences_in_flight_max) continue;
    auto fenced = std::make_shared<ServerRecord>(*server.record);
    fenced->state = ServerState::kFenced;
    const RequestId request = requests_.Next();
    fences_.emplace(request, Fence{.server = id, .sent = now});
    store_.SwapServer(request, server.record, std::move(fenced));
  }
}

// Our own renewals get through. If they do not, those of the others may not either, and a request
// to fence would wait in the store beside them, and race with them when the store goes on.
bool Ownership::IsWriting(SteadyTime now) const {
  const SteadyTime acknowledged = lease_.valid_until() - options_.lease;
  return now - acknowledged <= options_.renew_interval * 3 / 2;
}

// The able servers behind a silent one on the ring of ids act in turn, fence_stagger apart: four one
// by one, then four together, eight, and so on. So few requests are made for one death, also when
// they take long, and many servers that seem able and are not cost little time.
bool Ownership::IsMyTurn(std::uint16_t silent, Nanos beyond_wait) const {
  const std::vector<std::uint16_t>& by_id = view_.by_id();
  const ServerId id = view_.servers()[silent].record->server;
  const auto place = std::partition_point(by_id.begin(), by_id.end(), [&](std::uint16_t number) {
    return view_.servers()[number].record->server <= id;
  });
  const auto begin = static_cast<std::size_t>(place - by_id.begin());
  std::uint32_t before_us = 0;
  const auto turn = [&] {
    const int step = before_us < 4 ? static_cast<int>(before_us)
                                   : 3 + static_cast<int>(std::bit_width(before_us / 4));
    return options_.fence_stagger * step;
  };
  for (std::size_t i = 0; i < by_id.size() && turn() <= beyond_wait; ++i) {
    const std::uint16_t number = by_id[(begin + i) % by_id.size()];
    if (view_.servers()[number].record->server == self_) return true;
    before_us += IsAble(number) ? 1U : 0U;
  }
  return false;
}

bool Ownership::IsAble(std::uint16_t server) const {
  const RosterView::Server& seen = view_.servers()[server];
  return !seen.HasEnded() && seen.record->state == ServerState::kServing &&
         view_.SilenceOf(server) < options_.takeover_wait / 2;
}

void Ownership::Plan(SteadyTime now) {
  next_plan_ = now + Varied(options_.plan_interval);
  replan_at_ = SteadyTime::max();
  changed_ = false;
  to_take_.clear();
  to_give_.clear();
  if (lease_.phase() != ServerLease::Phase::kIn || !view_.IsComplete()) return;
  ForgetTakenGifts(now);
  MendGroups(now);
  std::uint32_t self = 0;
  const std::vector<Participant> participants = Participants(self);
  // What the roster does not tell when it changes: time passes, and who was silent is heard again.
  const bool passing = silent_ || view_.unlisted() > 0 || !gifts_.empty() || !incomplete_.empty();
  if (passing || !IsAnnounced(now)) replan_at_ = next_plan_;
  // The roster does not show us yet; or it does not show yet that we give everything away.
  if (self == participants.size() || !IsAnnounced(now)) return;
  const Deal deal = DealFor(self, participants, Unowned());
  for (const GroupId group : deal.takes) {
    const auto contested = contested_.find(group);
    const SteadyTime free = contested == contested_.end() ? now : contested->second;
    const SteadyTime claimable = std::max(free, view_.ClaimableAt(group));
    if (claimable <= now) to_take_.push_back(group);
  }
  for (const Deal::Gift& gift : deal.gives) {
    to_give_.emplace_back(gift.group, participants[gift.to].server);
  }
  std::erase_if(contested_, [&](const auto& each) { return each.second <= now; });
  if (leaving_ && takers_ == 0) GiveAllToAnyone(now);
}

// A gift counts as the receiver's until the roster shows who has the group.
void Ownership::ForgetTakenGifts(SteadyTime now) {
  std::erase_if(gifts_, [&](const auto& gift) {
    // A part of it may have come to us meanwhile. Then it is ours again, to complete or to give.
    if (now - gift.second.since > options_.unlisted_grace * 2) return true;
    if (shards_.HoldsGroup(gift.first)) return false;
    const std::uint16_t lister = view_.ListerOf(gift.first);
    return view_.IsListed(gift.first) && lister != RosterView::kNoServer &&
           view_.servers()[lister].record->server != self_;
  });
}

// A group may have come without one of its shards: an offer was lost, or another was faster.
void Ownership::MendGroups(SteadyTime now) {
  if (map_.shards_per_group() == 1 || !IsActing(now)) return;
  std::vector<ShardId> missing;
  std::map<GroupId, SteadyTime> incomplete;
  for (const GroupId group : shards_.groups()) {
    if (gifts_.contains(group)) continue;
    for (std::uint32_t i = 0; i < map_.shards_per_group(); ++i) {
      const auto shard = static_cast<ShardId>(map_.FirstShardOf(group) + i);
      if (shards_.Holds(shard)) continue;
      const auto since = incomplete_.find(group);
      const SteadyTime noticed = since == incomplete_.end() ? now : since->second;
      const bool due = now - noticed >= options_.unlisted_grace;
      if (due) missing.push_back(shard);
      incomplete[group] = due ? now : noticed;
    }
  }
  incomplete_ = std::move(incomplete);
  for (const ShardId shard : missing) shards_.Claim(now, shard, OwnerRecord{}, false);
}

// All who have not ended. `self` becomes our index, or the number of participants.
std::vector<Participant> Ownership::Participants(std::uint32_t& self) {
  own_groups_.clear();
  for (const GroupId group : shards_.groups()) {
    if (!gifts_.contains(group)) own_groups_.push_back(group);
  }
  std::vector<Participant> participants;
  participants.reserve(view_.by_id().size());
  bool found = false;
  takers_ = 0;
  silent_ = false;
  for (const std::uint16_t number : view_.by_id()) {
    const RosterView::Server& server = view_.servers()[number];
    if (server.HasEnded()) continue;
    Participant each{.server = server.record->server,
                     .load = static_cast<std::uint32_t>(server.record->groups.size()),
                     .takes = server.record->state == ServerState::kServing,
                     .groups = server.record->groups};
    if (each.server == self_) {
      found = true;
      self = static_cast<std::uint32_t>(participants.size());
      each.load = static_cast<std::uint32_t>(own_groups_.size());
      each.groups = own_groups_;
      each.takes = state() == ServerState::kServing;
    } else if (view_.SilenceOf(number) >= options_.takeover_wait / 2) {
      silent_ = true;
      each.groups = {};  // It neither gives nor gets, but keeps what it has until it is fenced.
      each.takes = false;
    }
    takers_ += each.takes ? 1 : 0;
    participants.push_back(each);
  }
  if (!found) self = static_cast<std::uint32_t>(participants.size());
  // What the roster does not show yet: gifts on their way, and what came to us.
  const auto participant = [&](ServerId id) -> Participant* {
    const auto place = std::lower_bound(
        participants.begin(), participants.end(), id,
        [](const Participant& each, ServerId server) { return each.server < server; });
    return place != participants.end() && place->server == id ? &*place : nullptr;
  };
  for (const auto& [group, gift] : gifts_) {
    if (Participant* to = participant(gift.to)) ++to->load;
  }
  for (const GroupId group : own_groups_) {
    const std::uint16_t lister = view_.ListerOf(group);
    if (!view_.IsListed(group) || lister == RosterView::kNoServer) continue;
    const ServerId id = view_.servers()[lister].record->server;
    if (id == self_) continue;
    Participant* former = participant(id);
    if (former != nullptr && former->load > 0) --former->load;
  }
  return participants;
}

std::vector<GroupId> Ownership::Unowned() const {
  std::vector<GroupId> unowned;
  if (view_.unlisted() == 0) return unowned;
  for (std::uint32_t i = 0; i < map_.groups(); ++i) {
    const auto group = static_cast<GroupId>(i);
    if (view_.IsListed(group)) continue;
    if (!shards_.HoldsGroup(group) && !gifts_.contains(group)) unowned.push_back(group);
  }
  return unowned;
}

void Ownership::Move(SteadyTime now) {
  if (!IsIn(now)) return;
  if (IsActing(now)) TakeGroups(now);
  GiveGroups(now);
}

void Ownership::TakeGroups(SteadyTime now) {
  while (!to_take_.empty() && shards_.claiming() < options_.claims_in_flight_max) {
    if (!pace_.Take(now, PaceInterval(), options_.jitter_percent, random_)) return;
    const GroupId group = to_take_.back();
    to_take_.pop_back();
    if (view_.IsListed(group) || shards_.HoldsGroup(group)) continue;
    for (std::uint32_t i = 0; i < map_.shards_per_group(); ++i) {
      const auto shard = static_cast<ShardId>(map_.FirstShardOf(group) + i);
      shards_.Claim(now, shard, OwnerRecord{}, false);
    }
  }
}

void Ownership::GiveGroups(SteadyTime now) {
  const std::size_t leaving_max =
      std::size_t{options_.handovers_in_flight_max} * map_.shards_per_group();
  while (!to_give_.empty() && shards_.leaving() < leaving_max) {
    if (!pace_.Take(now, PaceInterval(), options_.jitter_percent, random_)) return;
    const auto [group, to] = to_give_.back();
    to_give_.pop_back();
    GiveGroup(now, group, to);
  }
}

// The last server leaves: the shards are free for the next that comes.
void Ownership::GiveAllToAnyone(SteadyTime now) {
  for (const GroupId group : std::vector<GroupId>(shards_.groups())) GiveGroup(now, group, kNobody);
}

void Ownership::GiveGroup(SteadyTime now, GroupId group, ServerId to) {
  if (!shards_.HoldsGroup(group)) return;
  gifts_[group] = {.to = to, .since = now};
  for (std::uint32_t i = 0; i < map_.shards_per_group(); ++i) {
    shards_.Give(now, static_cast<ShardId>(map_.FirstShardOf(group) + i), to);
  }
}

// Our share of what all servers may move together.
Nanos Ownership::PaceInterval() const {
  const std::int64_t shards = std::int64_t{std::max(takers_, 1U)} * map_.shards_per_group();
  return Nanos(std::chrono::seconds(1)) * shards / options_.moves_per_second;
}

}  // namespace mayfly::engine::cluster
