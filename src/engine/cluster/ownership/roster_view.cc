#include "engine/cluster/ownership/roster_view.h"

#include <algorithm>

#include "base/check.h"
#include "engine/cluster/ownership/limits.h"

namespace mayfly::engine::cluster {

RosterView::RosterView(const OwnershipOptions& options, std::uint32_t groups, ServerId self,
                       SteadyTime now)
    : options_(options),
      self_(self),
      began_(now),
      pages_(options.roster_pages),
      pages_unread_(options.roster_pages),
      groups_(groups),
      unlisted_(groups),
      drift_(options.drift_refused_ppm) {
  const std::uint32_t claimable = MillisOf(now + options.unlisted_grace);
  for (Group& group : groups_) group.claimable_ms = claimable;
}

bool RosterView::OnPage(std::uint32_t page, SteadyTime sent, SteadyTime received,
                        const RosterPage& records) {
  Page& seen = pages_[page];
  const SteadyTime former_sent = seen.read ? seen.sent : began_;
  if (!seen.read) {
    --pages_unread_;
  } else if (sent - seen.sent <= options_.counted_gap_max) {
    seen.count += sent - seen.sent;
  } else {
    for (const std::uint16_t number : seen.servers) servers_[number].quiet_since = seen.count;
  }
  const Arrival arrival{.count = seen.count + (received - sent),
                        .earliest = former_sent - options_.request_timeout,
                        .received = received};
  bool changed = !seen.read;
  seen.read = true;
  seen.sent = sent;
  bool same_servers = records.size() == seen.servers.size();
  std::vector<std::uint16_t> present;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const ServerRecordPtr& record = records[i];
    if (same_servers && servers_[seen.servers[i]].record->server == record->server) {
      changed |= Replace(seen.servers[i], record, arrival);
      continue;
    }
    if (same_servers) {
      same_servers = false;
      present.assign(seen.servers.begin(), seen.servers.begin() + static_cast<std::ptrdiff_t>(i));
    }
    const std::uint16_t number = NumberOf(record->server);
    present.push_back(number);
    changed |= Replace(number, record, arrival);
  }
  if (!peers_chosen_) ChoosePeers();
  if (same_servers) return changed;
  MarkAbsent(seen.servers, present, received);
  seen.servers = std::move(present);
  return true;
}

ServerRecordPtr RosterView::RecordOf(ServerId server) const {
  const auto found = numbers_.find(server);
  if (found == numbers_.end() || servers_[found->second].absent) return nullptr;
  return servers_[found->second].record;
}

Nanos RosterView::SilenceOf(std::uint16_t server) const {
  const Server& seen = servers_[server];
  return std::max(pages_[PageOf(seen.record->server)].count - seen.quiet_since, Nanos(0));
}

void RosterView::ForgetSilence() {
  for (Server& server : servers_) {
    server.quiet_since = pages_[PageOf(server.record->server)].count;
  }
}

bool RosterView::HasEnded(ServerId server, std::uint64_t incarnation, SteadyTime learnt) const {
  const ServerRecordPtr record = RecordOf(server);
  if (record == nullptr) {
    const Page& page = pages_[PageOf(server)];
    return page.read && page.sent > learnt;
  }
  if (record->incarnation != incarnation) return record->incarnation > incarnation;
  return record->HasEnded();
}

SteadyTime RosterView::ClaimableAt(GroupId group) const {
  return began_ + Millis(groups_[group].claimable_ms);
}

std::uint16_t RosterView::NumberOf(ServerId server) {
  const auto [found, inserted] =
      numbers_.try_emplace(server, static_cast<std::uint16_t>(servers_.size()));
  if (inserted) {
    MAYFLY_CHECK(servers_.size() < kServersMax, "more servers than a cluster may have");
    servers_.emplace_back();
  }
  return found->second;
}

bool RosterView::Replace(std::uint16_t number, const ServerRecordPtr& record,
                         const Arrival& arrival) {
  Server& seen = servers_[number];
  if (seen.record == record && !seen.absent) return false;
  const bool known = seen.record != nullptr && !seen.absent;
  const bool same_life = known && seen.incarnation == record->incarnation;
  if (same_life && seen.state == record->state && seen.revision == record->revision) {
    // Read once more; or a renewal, which is most of what comes.
    if (seen.beat != record->beat) Keep(seen, record, arrival);
    return false;
  }
  const ServerRecordPtr former = seen.record;
  const bool was_in = known && !former->HasEnded();
  Keep(seen, record, arrival);
  if (former == nullptr) {
    const auto place = std::upper_bound(
        by_id_.begin(), by_id_.end(), record->server,
        [this](ServerId id, std::uint16_t other) { return id < servers_[other].record->server; });
    by_id_.insert(place, number);
    peers_chosen_ = false;
  }
  if (record->HasEnded()) {
    if (was_in) Relist(number, former->groups, {}, arrival.received);
    Release(*record, arrival.received);
    return true;
  }
  const SteadyTime claimable = arrival.received + (same_life ? options_.unlisted_grace : Nanos(0));
  Relist(number, was_in ? former->groups : std::vector<GroupId>(), record->groups, claimable);
  return true;
}

void RosterView::Keep(Server& seen, const ServerRecordPtr& record, const Arrival& arrival) {
  if (seen.peer != kNoPeer) {
    if (seen.incarnation == record->incarnation && !seen.absent && !record->HasEnded()) {
      drift_.Add(seen.peer, record->steady_ns, arrival.earliest, arrival.received);
    } else {
      drift_.Forget(seen.peer);
    }
  }
  seen.record = record;
  seen.absent = false;
  seen.quiet_since = arrival.count;
  seen.incarnation = record->incarnation;
  seen.beat = record->beat;
  seen.revision = record->revision;
  seen.state = record->state;
}

// Both by id.
void RosterView::MarkAbsent(const std::vector<std::uint16_t>& former,
                            const std::vector<std::uint16_t>& present, SteadyTime now) {
  auto still = present.begin();
  for (const std::uint16_t number : former) {
    Server& server = servers_[number];
    const ServerId id = server.record->server;
    while (still != present.end() && servers_[*still].record->server < id) ++still;
    if (still != present.end() && *still == number) continue;
    if (!server.record->HasEnded()) Relist(number, server.record->groups, {}, now);
    server.absent = true;
  }
}

// Goes by the difference: a server that takes one group lists all the others again.
void RosterView::Relist(std::uint16_t number, const std::vector<GroupId>& former,
                        const std::vector<GroupId>& now, SteadyTime claimable) {
  auto gone = former.begin();
  auto listed = now.begin();
  while (gone != former.end() || listed != now.end()) {
    if (listed == now.end() || (gone != former.end() && *gone < *listed)) {
      Unlist(number, *gone++, claimable);
    } else if (gone == former.end() || *listed < *gone) {
      List(number, *listed++);
    } else {
      ++gone;
      ++listed;
    }
  }
}

void RosterView::List(std::uint16_t number, GroupId group) {
  if (group >= groups_.size()) return;  // Of a database with more groups: not ours to judge.
  Group& listed = groups_[group];
  if (listed.listers++ == 0) --unlisted_;
  listed.lister = number;
}

void RosterView::Unlist(std::uint16_t number, GroupId group, SteadyTime claimable) {
  if (group >= groups_.size()) return;
  Group& listed = groups_[group];
  if (listed.lister == number) listed.lister = kNoServer;
  if (--listed.listers > 0) return;
  ++unlisted_;
  listed.claimable_ms = MillisOf(claimable);
}

void RosterView::Release(const ServerRecord& record, SteadyTime claimable) {
  for (const GroupId group : record.groups) {
    if (group >= groups_.size() || groups_[group].listers > 0) continue;
    groups_[group].claimable_ms = std::min(groups_[group].claimable_ms, MillisOf(claimable));
  }
}

// The servers that follow us by id, around the end: every server is compared with by as many as it
// compares with.
void RosterView::ChoosePeers() {
  peers_chosen_ = true;
  std::vector<std::uint16_t> chosen;
  const auto after = std::partition_point(
      by_id_.begin(), by_id_.end(),
      [this](std::uint16_t number) { return servers_[number].record->server <= self_; });
  const std::size_t begin = static_cast<std::size_t>(after - by_id_.begin());
  for (std::size_t i = 0; i < by_id_.size() && chosen.size() < kDriftPeersMax; ++i) {
    const std::uint16_t number = by_id_[(begin + i) % by_id_.size()];
    if (servers_[number].record->server != self_) chosen.push_back(number);
  }
  std::vector<bool> taken(kDriftPeersMax, false);
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const auto number = static_cast<std::uint16_t>(i);
    Server& server = servers_[i];
    if (server.peer == kNoPeer) continue;
    if (std::find(chosen.begin(), chosen.end(), number) != chosen.end()) {
      taken[server.peer] = true;
    } else {
      drift_.Forget(server.peer);
      server.peer = kNoPeer;
    }
  }
  for (const std::uint16_t number : chosen) {
    if (servers_[number].peer != kNoPeer) continue;
    const auto place = std::find(taken.begin(), taken.end(), false) - taken.begin();
    taken[static_cast<std::size_t>(place)] = true;
    servers_[number].peer = static_cast<std::uint8_t>(place);
  }
}

std::uint32_t RosterView::MillisOf(SteadyTime instant) const {
  const auto ms = std::chrono::duration_cast<Millis>(instant - began_).count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ms, 0, UINT32_MAX));
}

}  // namespace mayfly::engine::cluster
