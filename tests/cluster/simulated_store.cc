#include "tests/cluster/simulated_store.h"

#include <fmt/format.h>

#include <algorithm>

namespace mayfly::engine::cluster::suite {

SimulatedStore::SimulatedStore(const SimulationOptions& options, Findings& findings)
    : options_(options),
      findings_(findings),
      pages_(options.ownership.roster_pages, std::make_shared<const RosterPage>()),
      shards_(options.shards) {}

RosterPagePtr SimulatedStore::Read(std::uint32_t page) {
  ++counts_.page_reads;
  return pages_[page];
}

bool SimulatedStore::SwapServer(const ServerRecordPtr& expected, const ServerRecordPtr& wanted,
                                ServerRecordPtr& found) {
  const bool fence = wanted->state == ServerState::kFenced;
  ++(fence ? counts_.fences_tried : counts_.renewals);
  RosterPagePtr& page = pages_[wanted->server % pages_.size()];
  const auto place =
      std::lower_bound(page->begin(), page->end(), wanted->server,
                       [](const ServerRecordPtr& each, ServerId id) { return each->server < id; });
  const bool present = place != page->end() && (*place)->server == wanted->server;
  found = present ? *place : nullptr;
  const bool blind = options_.mutant == Mutant::kBlindRenewal && !fence && wanted->beat > 0;
  const bool same =
      present && expected != nullptr ? *found == *expected : !present && expected == nullptr;
  if (!same && !blind) return false;
  if (fence) {
    ++counts_.fences;
    if (options_.mutant == Mutant::kNoFence) return true;
  }
  auto changed = std::make_shared<RosterPage>(*page);
  const auto at = changed->begin() + (place - page->begin());
  if (present) {
    *at = wanted;
  } else {
    changed->insert(at, wanted);
  }
  page = std::move(changed);
  return true;
}

bool SimulatedStore::SwapOwner(ShardId shard, const OwnerRecord& expected,
                               const OwnerRecord& wanted, OwnerRecord& found) {
  ++counts_.owner_swaps;
  Shard& stored = shards_[shard];
  found = stored.owner;
  if (stored.owner != expected) return false;
  stored.owner = wanted;
  if (wanted.server == kNobody) return true;
  ++counts_.claims;
  if (wanted.epoch != expected.epoch + 1) {
    findings_.Add(Fault::kEpochSkipped,
                  fmt::format("shard {}: {} after {}", shard, wanted.epoch, expected.epoch));
  }
  return true;
}

bool SimulatedStore::Write(ShardId shard, const OwnerRecord& condition, std::uint64_t number) {
  Shard& stored = shards_[shard];
  if (stored.owner != condition && options_.mutant != Mutant::kNoEpochCompare) {
    ++counts_.writes_refused;
    return false;
  }
  ++counts_.writes;
  if (number != stored.number + 1) {
    findings_.Add(
        Fault::kLostUpdate,
        fmt::format("shard {}: {} over {}, written by server {} of epoch {} in epoch {}", shard,
                    number, stored.number, condition.server, condition.epoch, stored.owner.epoch));
  }
  stored.number = number;
  return true;
}

}  // namespace mayfly::engine::cluster::suite
