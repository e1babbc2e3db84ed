#include "engine/cluster/ownership/ownership.h"

#include <algorithm>

#include "base/check.h"

namespace mayfly::engine::cluster {

namespace {

// Ownership is asked to tick at least this much later than now.
constexpr Nanos kTickMin = std::chrono::milliseconds(1);

// Strangers are forgotten when there are more: they only delay a claim.
constexpr std::size_t kStrangersMax = 1000;

// Renewals after which a record is another process's.
constexpr std::uint32_t kNamesakeBeats = 2;

}  // namespace

Ownership::Ownership(const OwnershipOptions& options, const ShardMap& map, Identity identity,
                     LeaseStore& store, OwnershipListener& listener, SteadyTime now)
    : options_(options),
      map_(map),
      self_(identity.server),
      store_(store),
      random_(identity.seed),
      view_(options_, map.groups(), identity.server, now),
      lease_(options_, identity.server, std::move(identity.address), store, requests_),
      shards_(options_, map, identity.server, store, listener, requests_,
              [this](ServerId server, std::uint64_t incarnation) {
                return HasEnded(server, incarnation);
              }),
      now_(now),
      reads_(options.roster_pages),
      next_renewal_(now),
      rejoin_at_(now),
      joined_at_(now),
      rejoin_pause_(options.rejoin_pause_first),
      next_plan_(now) {
  MAYFLY_CHECK(self_ != kNobody, "a server without an id");
  // Reads of the pages are spread over an interval, which begins at a random moment.
  const Nanos interval = options_.observe_interval;
  const auto reach = static_cast<std::uint64_t>(interval.count());
  const Nanos offset(options_.jitter_percent > 0 ? random_.Below(reach) : 0);
  const auto pages = static_cast<int>(reads_.size());
  for (int page = 0; page < pages; ++page) {
    reads_[static_cast<std::size_t>(page)].due = now + offset + interval * page / pages;
  }
}

SteadyTime Ownership::Tick(SteadyTime now) {
  now_ = now;
  lease_.Tick(now);
  shards_.Tick(now);
  std::erase_if(fences_, [&](const auto& fence) {
    return now - fence.second.sent >= options_.request_timeout;
  });
  ReadPages(now);
  if ((changed_ && now >= next_plan_) || now >= replan_at_) Plan(now);
  Move(now);
  KeepLease(now);
  return next_tick(now);
}

SteadyTime Ownership::next_tick(SteadyTime now) const {
  SteadyTime next = std::min(lease_.next(), shards_.next());
  for (const PageRead& read : reads_) {
    next = std::min(next, read.due);
  }
  if (lease_.phase() == ServerLease::Phase::kIn && !lease_.IsWaiting()) {
    next = std::min(next, RenewalDue());
  }
  next = std::min(next, changed_ ? std::min(next_plan_, replan_at_) : replan_at_);
  if (!to_take_.empty() || !to_give_.empty()) next = std::min(next, std::max(pace_.next(), now));
  return std::max(next, now + kTickMin);
}

void Ownership::OnRosterPage(SteadyTime now, RequestId request, const RosterPage& records) {
  now_ = now;
  const auto read = std::find_if(reads_.begin(), reads_.end(),
                                 [&](const PageRead& each) { return each.request == request; });
  if (request == 0 || read == reads_.end()) return;
  const auto page = static_cast<std::uint32_t>(read - reads_.begin());
  const bool withdrawn = IsWithdrawn();
  changed_ |= view_.OnPage(page, read->sent, now, records);
  changed_ |= withdrawn != IsWithdrawn();
  read->request = 0;
  read->due = NextTime(read->sent, options_.observe_interval, now);
  if (page == view_.PageOf(self_)) JoinIfFree(now);
  FenceSilent(now, page);
}

void Ownership::OnServerSwapped(SteadyTime now, RequestId request, bool done,
                                const ServerRecordPtr& found) {
  now_ = now;
  if (const auto fence = fences_.find(request); fence != fences_.end()) {
    // The next read of the page shows it, to us as to the others.
    if (done) {
      ++counts_.fences;
      PageRead& read = reads_[view_.PageOf(fence->second.server)];
      if (read.request == 0) read.due = now;
    }
    fences_.erase(fence);
    return;
  }
  switch (lease_.OnSwapped(now, request, done, found)) {
    case ServerLease::Outcome::kNothing: break;
    case ServerLease::Outcome::kJoined:
      ++counts_.joined;
      joined_at_ = now;
      announced_ = ServerState::kServing;
      announced_at_ = now;
      next_renewal_ = now + Varied(options_.renew_interval);
      shards_.Begin(lease_.incarnation());
      view_.ForgetSilence();
      changed_ = true;
      break;
    case ServerLease::Outcome::kRegained:
      ++counts_.regained;
      view_.ForgetSilence();
      [[fallthrough]];
    case ServerLease::Outcome::kRenewed:
      ++counts_.renewed;
      OnRenewed(now);
      break;
    case ServerLease::Outcome::kRefused:  // JoinIfFree() tries again.
    case ServerLease::Outcome::kLeft: break;
    case ServerLease::Outcome::kEnded: OnEnded(now); break;
  }
}

void Ownership::OnOwnerSwapped(SteadyTime now, RequestId request, ShardId shard, bool done,
                               const OwnerRecord& found) {
  now_ = now;
  switch (shards_.OnSwapped(now, request, shard, done, found)) {
    case HeldShards::Outcome::kNothing: break;
    case HeldShards::Outcome::kTaken: ++counts_.takeovers; break;
    case HeldShards::Outcome::kReceived: ++counts_.received; break;
    case HeldShards::Outcome::kReleased: ++counts_.given; break;
    case HeldShards::Outcome::kRefused: OnClaimRefused(now, shard, found); break;
  }
}

void Ownership::OnOffer(SteadyTime now, ShardId shard, const OwnerRecord& released) {
  now_ = now;
  if (!IsActing(now) || shards_.Holds(shard)) return;
  gifts_.erase(map_.GroupOf(shard));
  shards_.Claim(now, shard, released, true);
}

void Ownership::Leave() {
  leaving_ = true;
  changed_ = true;
}

Right Ownership::RightOver(ShardId shard, SteadyTime now) const {
  if (!shards_.IsOwned(shard)) return Right::kNone;
  return IsIn(now) && !IsWithdrawn() ? Right::kLeased : Right::kConfirm;
}

SteadyTime Ownership::LeasedUntil() const {
  const bool in = lease_.phase() == ServerLease::Phase::kIn && !IsWithdrawn();
  return in ? lease_.valid_until() : SteadyTime::min();
}

bool Ownership::IsIn(SteadyTime now) const {
  return lease_.phase() == ServerLease::Phase::kIn && now < lease_.valid_until();
}

bool Ownership::HasEnded(ServerId server, std::uint64_t incarnation) {
  if (server == self_) return incarnation != lease_.incarnation();
  if (view_.RecordOf(server) != nullptr) return view_.HasEnded(server, incarnation, now_);
  if (strangers_.size() > kStrangersMax) strangers_.clear();
  const auto stranger = strangers_.try_emplace({server, incarnation}, now_).first;
  return view_.HasEnded(server, incarnation, stranger->second);
}

// When to do something again that is done every `interval`. What comes late, because the store has
// stalled, comes late for all servers: they go on at different moments.
SteadyTime Ownership::NextTime(SteadyTime former, Nanos interval, SteadyTime now) {
  const SteadyTime next = former + Varied(interval);
  if (next > now || options_.jitter_percent == 0) return std::max(next, now);
  return now + Nanos(random_.Below(static_cast<std::uint64_t>(interval.count())));
}

ServerState Ownership::state() const {
  if (leaving_) return ServerState::kLeaving;
  return IsWithdrawn() ? ServerState::kWithdrawn : ServerState::kServing;
}

// The others have had the time to see that we take no groups. Before, they would give back what we
// give them.
bool Ownership::IsAnnounced(SteadyTime now) const {
  return state() == ServerState::kServing ||
         (announced_ == state() && now - announced_at_ >= options_.observe_interval * 3 / 2);
}

void Ownership::ReadPages(SteadyTime now) {
  for (std::uint32_t page = 0; page < reads_.size(); ++page) {
    PageRead& read = reads_[page];
    if (now < read.due) continue;
    if (read.request == 0) {
      read.request = requests_.Next();
      read.sent = now;
      read.pause = options_.request_timeout;
    } else {
      // Under the same number. What a reply shows was there after the first sending.
      read.pause = std::min(read.pause * 2, options_.request_pause_max);
    }
    read.due = now + read.pause;
    store_.ReadRosterPage(read.request, page);
  }
}

void Ownership::KeepLease(SteadyTime now) {
  if (lease_.phase() != ServerLease::Phase::kIn || lease_.IsWaiting()) return;
  if (leaving_ && shards_.groups().empty()) {
    lease_.Leave(now);
  } else if (now >= RenewalDue()) {
    lease_.Renew(now, state(), shards_.groups());
  }
}

SteadyTime Ownership::RenewalDue() const {
  const ServerRecord& record = *lease_.record();
  const bool same = record.state == state() && record.groups == shards_.groups() &&
                    !(leaving_ && shards_.groups().empty());
  return same ? next_renewal_
              : std::min(next_renewal_, lease_.sent() + options_.early_renew_interval);
}

// After our own page has been read.
void Ownership::JoinIfFree(SteadyTime now) {
  if (lease_.phase() != ServerLease::Phase::kOut || leaving_ || now < rejoin_at_) return;
  const ServerRecordPtr former = view_.RecordOf(self_);
  if (former != nullptr && !former->HasEnded()) {
    // An earlier life of ours, or a second process with our name: its lease may still hold.
    const auto& by_id = view_.by_id();
    const auto number = std::find_if(by_id.begin(), by_id.end(), [&](std::uint16_t each) {
      return view_.servers()[each].record == former;
    });
    LookForNamesake(former);
    if (view_.SilenceOf(*number) < options_.takeover_wait) return;
  }
  namesake_ = former_ = nullptr;
  former_beats_ = 0;
  lease_.Join(now, former, random_.Next());
}

// An earlier life of ours can renew once more, by a request that was under way. What renews again and
// again is another process; one that leaves is waited for.
void Ownership::LookForNamesake(const ServerRecordPtr& found) {
  const bool same_life = former_ != nullptr && former_->incarnation == found->incarnation;
  if (!same_life) former_beats_ = 0;
  if (same_life && former_->beat != found->beat) ++former_beats_;
  former_ = found;
  const bool renews = former_beats_ >= kNamesakeBeats && found->state != ServerState::kLeaving;
  namesake_ = renews ? found : nullptr;
}

void Ownership::OnRenewed(SteadyTime now) {
  next_renewal_ = NextTime(lease_.sent(), options_.renew_interval, now);
  // Ours was held up, so those of the others may have been, too.
  if (now - lease_.sent() > options_.counted_gap_max) view_.ForgetSilence();
  if (announced_ == lease_.record()->state) return;
  announced_ = lease_.record()->state;
  announced_at_ = now;
}

void Ownership::OnEnded(SteadyTime now) {
  ++counts_.ended;
  shards_.DropAll();
  to_take_.clear();
  to_give_.clear();
  gifts_.clear();
  contested_.clear();
  incomplete_.clear();
  if (now - joined_at_ > options_.rejoin_pause_max) rejoin_pause_ = options_.rejoin_pause_first;
  rejoin_at_ = now + Varied(rejoin_pause_);
  rejoin_pause_ = std::min(rejoin_pause_ * 2, options_.rejoin_pause_max);
}

void Ownership::OnClaimRefused(SteadyTime now, ShardId shard, const OwnerRecord& found) {
  ++counts_.refused;
  const GroupId group = map_.GroupOf(shard);
  contested_[group] = now + options_.unlisted_grace;
  changed_ = true;
  // Two servers have each a part of the group: the one with its first shard gets the rest.
  if (shards_.HoldsGroup(group) && shard == map_.FirstShardOf(group)) {
    GiveGroup(now, group, found.server);
  }
}

}  // namespace mayfly::engine::cluster
