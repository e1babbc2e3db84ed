// simulated_store.h - the shards' and servers' records, each changed by compare-and-swap, and one
// number per shard that its owner counts up.
// Finds by itself what must not happen to a shard, without knowing what its owners believe.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/cluster/ownership/lease_store.h"
#include "tests/cluster/findings.h"
#include "tests/cluster/simulation_options.h"

namespace mayfly::engine::cluster::suite {

// Shared by the store and the replies under way; never changed.
using RosterPagePtr = std::shared_ptr<const RosterPage>;

struct StoreCounts {
  std::uint64_t page_reads = 0;
  std::uint64_t renewals = 0;  // And joins and leaves.
  std::uint64_t fences_tried = 0;
  std::uint64_t fences = 0;
  std::uint64_t owner_swaps = 0;  // Claims, releases, and claims that found another record.
  std::uint64_t claims = 0;       // That took effect.
  std::uint64_t writes = 0;
  std::uint64_t writes_refused = 0;
};

class SimulatedStore {
 public:
  SimulatedStore(const SimulationOptions& options, Findings& findings);

  RosterPagePtr Read(std::uint32_t page);

  // True: done. `found`: what was there before.
  bool SwapServer(const ServerRecordPtr& expected, const ServerRecordPtr& wanted,
                  ServerRecordPtr& found);
  bool SwapOwner(ShardId shard, const OwnerRecord& expected, const OwnerRecord& wanted,
                 OwnerRecord& found);

  // Sets the shard's number, if its owner is `condition`.
  bool Write(ShardId shard, const OwnerRecord& condition, std::uint64_t number);

  const OwnerRecord& OwnerOf(ShardId shard) const { return shards_[shard].owner; }
  std::uint64_t NumberOf(ShardId shard) const { return shards_[shard].number; }
  const StoreCounts& counts() const { return counts_; }

 private:
  struct Shard {
    OwnerRecord owner;
    std::uint64_t number = 0;
  };

  const SimulationOptions& options_;
  Findings& findings_;
  std::vector<RosterPagePtr> pages_;
  std::vector<Shard> shards_;
  StoreCounts counts_;
};

}  // namespace mayfly::engine::cluster::suite
