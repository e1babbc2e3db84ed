// recording_store.h - a store of leases that keeps requests until the test answers them.
#pragma once

#include <utility>
#include <vector>

#include "engine/cluster/ownership/lease_store.h"

namespace mayfly::engine::cluster {

class RecordingStore final : public LeaseStore, public OwnershipListener {
 public:
  struct PageRead {
    RequestId request;
    std::uint32_t page;
  };
  struct ServerSwap {
    RequestId request;
    ServerRecordPtr expected;
    ServerRecordPtr wanted;
  };
  struct OwnerSwap {
    RequestId request;
    ShardId shard;
    OwnerRecord expected;
    OwnerRecord wanted;
  };
  struct Offered {
    ServerId to;
    ShardId shard;
    OwnerRecord released;
  };

  void ReadRosterPage(RequestId request, std::uint32_t page) override {
    reads.push_back({request, page});
  }
  void SwapServer(RequestId request, ServerRecordPtr expected, ServerRecordPtr wanted) override {
    server_swaps.push_back({request, std::move(expected), std::move(wanted)});
  }
  void SwapOwner(RequestId request, ShardId shard, const OwnerRecord& expected,
                 const OwnerRecord& wanted) override {
    owner_swaps.push_back({request, shard, expected, wanted});
  }
  void Offer(ServerId to, ShardId shard, const OwnerRecord& released) override {
    offers.push_back({to, shard, released});
  }
  void OnGained(ShardId shard, const OwnerRecord&) override { gained.push_back(shard); }
  void OnDraining(ShardId shard) override { draining.push_back(shard); }
  void OnLost(ShardId shard) override { lost.push_back(shard); }

  std::vector<PageRead> reads;
  std::vector<ServerSwap> server_swaps;
  std::vector<OwnerSwap> owner_swaps;
  std::vector<Offered> offers;
  std::vector<ShardId> gained;
  std::vector<ShardId> draining;
  std::vector<ShardId> lost;
};

}  // namespace mayfly::engine::cluster
