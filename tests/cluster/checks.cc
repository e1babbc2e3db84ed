// checks.cc - what a simulation looks for.
#include <fmt/format.h>

#include <algorithm>

#include "tests/cluster/simulated_server.h"
#include "tests/cluster/simulation.h"

namespace mayfly::engine::cluster::suite {

namespace {

constexpr Nanos kSecond = std::chrono::seconds(1);
constexpr Nanos kLoadSlot = std::chrono::milliseconds(10);

double InSeconds(Nanos time) { return static_cast<double>(time.count()) / 1e9; }

}  // namespace

Nanos Measured::HandoverAt(double quantile) const {
  if (handovers.empty()) return Nanos(0);
  std::vector<Nanos> sorted = handovers;
  std::sort(sorted.begin(), sorted.end());
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(quantile * last)];
}

// May the server answer from memory?
bool Simulation::MayServe(const Node& node, ShardId shard) const {
  if (!node.alive) return false;
  const Right right = node.ownership->RightOver(shard, node.Clock());
  if (options_.mutant == Mutant::kServesAfterLease) return right != Right::kNone;
  return right == Right::kLeased;
}

// A shard has just got a new owner in the store: the former one must have stopped.
void Simulation::OnClaimed(ShardId shard, const OwnerRecord& former) {
  CountMove();
  if (former.server == kNobody) return;
  const Node& node = *nodes_[former.server - 1];
  if (node.beyond_bound || !MayServe(node, shard)) return;
  if (*node.ownership->RecordOf(shard) != former) return;
  findings_.Add(Fault::kTwoOwners,
                fmt::format("shard {} of server {} at {:.3f} s: taken under its lease", shard,
                            former.server, InSeconds(now_)));
}

void Simulation::OnFenced(const ServerRecord& record) {
  const Node& node = *nodes_[record.server - 1];
  // A process that was started again waits for the end of its former incarnation.
  if (node.IsTroubled() || node.ownership->incarnation() != record.incarnation) return;
  findings_.Add(Fault::kInnocentFenced,
                fmt::format("server {} at {:.3f} s", record.server, InSeconds(now_)));
}

void Simulation::CountMove() {
  moves_.push_back(now_);
  while (now_ - moves_.front() > kSecond) moves_.pop_front();
  measured_.moves_per_second_max = std::max(measured_.moves_per_second_max, moves_.size());
  if (moves_.size() == moves_bound_ + 1) {
    findings_.Add(Fault::kStorm,
                  fmt::format("{} within a second, at {:.3f} s", moves_.size(), InSeconds(now_)));
  }
}

void Simulation::BeginLoad() {
  load_counts_ = true;
  load_since_ = now_;
  load_slot_ = now_ / kLoadSlot;
  load_in_slot_ = 0;
  load_total_ = 0;
  measured_.requests_per_10ms_max = 0;
}

void Simulation::CountRequest() {
  if (!load_counts_) return;
  const std::int64_t slot = now_ / kLoadSlot;
  if (slot != load_slot_) load_in_slot_ = 0;
  load_slot_ = slot;
  ++load_in_slot_;
  ++load_total_;
  measured_.requests_per_10ms_max = std::max(measured_.requests_per_10ms_max, load_in_slot_);
}

void Simulation::EndLoad() {
  load_counts_ = false;
  const double slots =
      static_cast<double>((now_ - load_since_).count()) / static_cast<double>(kLoadSlot.count());
  measured_.requests_per_10ms_mean = static_cast<double>(load_total_) / slots;
  const auto most = static_cast<double>(measured_.requests_per_10ms_max);
  if (most > 3 * measured_.requests_per_10ms_mean + 20) {
    findings_.Add(Fault::kInStep, fmt::format("{} requests in 10 ms, {:.0f} on average", most,
                                              measured_.requests_per_10ms_mean));
  }
}

// Who may answer from memory owns the shard in the store; and somebody serves every shard.
void Simulation::Sample() {
  std::vector<bool> served(options_.shards, false);
  for (const auto& each : nodes_) {
    const Node& node = *each;
    if (!node.alive) continue;
    for (const ShardId shard : node.owned) {
      const OwnerRecord* record = node.ownership->RecordOf(shard);
      const bool owns = record != nullptr && store_.OwnerOf(shard) == *record;
      if (!owns && !node.beyond_bound && MayServe(node, shard)) {
        findings_.Add(Fault::kTwoOwners,
                      fmt::format("shard {} of server {} at {:.3f} s: another's in the store",
                                  shard, Node::IdOf(node.number), InSeconds(now_)));
      }
      if (owns && !node.cut && !node.StandsStill()) served[shard] = true;
    }
  }
  // What had begun before a stall begins again after it, for the servers as for us.
  const bool stalled = now_ < std::max(stall_until_, page_stall_until_) + kStallTail;
  for (std::uint32_t shard = 0; shard < options_.shards; ++shard) {
    Nanos& unserved = unserved_[shard];
    if (served[shard]) served_before_[shard] = true;
    if (served[shard] || stalled) {
      unserved = Nanos(0);
    } else if (served_before_[shard]) {
      unserved += kSampleInterval;
      measured_.unowned_max = std::max(measured_.unowned_max, unserved);
      // What is sampled may be one interval longer.
      if (unserved > options_.unserved_max + kSampleInterval) {
        findings_.Add(Fault::kUnownedTooLong,
                      fmt::format("shard {} at {:.3f} s", shard, InSeconds(now_)));
      }
    }
  }
}

std::uint32_t Simulation::LoadOf(std::uint32_t server) const {
  std::uint32_t load = 0;
  for (std::uint32_t shard = 0; shard < options_.shards; ++shard) {
    load += store_.OwnerOf(static_cast<ShardId>(shard)).server == Node::IdOf(server) ? 1U : 0U;
  }
  return load;
}

void Simulation::CheckEven() {
  std::vector<std::uint32_t> loads(nodes_.size(), 0);
  for (std::uint32_t shard = 0; shard < options_.shards; ++shard) {
    const ServerId owner = store_.OwnerOf(static_cast<ShardId>(shard)).server;
    if (owner != kNobody) ++loads[owner - 1];
  }
  double takers = 0;
  for (const auto& node : nodes_) takers += node->IsTroubled() ? 0 : 1;
  const double even = options_.shards / takers;
  for (const auto& node : nodes_) {
    const double load = loads[node->number];
    const bool takes = !node->IsTroubled();
    if (takes ? load > even * 1.2 || load < even * 0.8 : load > even * 1.2) {
      findings_.Add(Fault::kUneven,
                    fmt::format("server {} has {} at {:.3f} s, even is {:.1f}",
                                Node::IdOf(node->number), load, InSeconds(now_), even));
    }
  }
}

void Simulation::CheckFences() {
  const StoreCounts& counts = store_.counts();
  if (counts.fences_tried > 9 * counts.fences + 20) {
    findings_.Add(Fault::kManyFences,
                  fmt::format("{} requests for {} servers", counts.fences_tried, counts.fences));
  }
}

void Simulation::CheckMoves(std::uint64_t needed) {
  const std::uint64_t moves = store_.counts().claims - claims_before_;
  claims_before_ = store_.counts().claims;
  // A fifth more: servers see each other late, and now and then a group goes the long way.
  if (moves > needed + needed / 5 + options_.shards / 100) {
    findings_.Add(Fault::kManyMoves, fmt::format("{} where {} were needed, at {:.3f} s", moves,
                                                 needed, InSeconds(now_)));
  }
}

}  // namespace mayfly::engine::cluster::suite
