// lease_store.h - what ownership needs of the world: a store with compare-and-swap, and a way to the
// other servers.
// Requests are asynchronous. A reply goes to the Ownership that asked, by the same number; a reply
// may come late, out of order, or never, and a request without a reply may still take effect. So
// every request can be sent again: it names what it expects to find.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/cluster/ownership/lease_records.h"
#include "engine/cluster/ownership/shard_map.h"

namespace mayfly::engine::cluster {

using RequestId = std::uint64_t;

// One object of the roster: the records of the servers whose id modulo the number of pages is its
// number, by id.
using RosterPage = std::vector<ServerRecordPtr>;

class LeaseStore {
 public:
  virtual ~LeaseStore() = default;

  // Reply: Ownership::OnRosterPage().
  virtual void ReadRosterPage(RequestId request, std::uint32_t page) = 0;

  // Puts `wanted` in the place of `expected`, if the server's record is that; null: there is none.
  // Reply: Ownership::OnServerSwapped().
  virtual void SwapServer(RequestId request, ServerRecordPtr expected, ServerRecordPtr wanted) = 0;

  // The same for the owner of a shard. A shard without a record has OwnerRecord{}.
  // Reply: Ownership::OnOwnerSwapped().
  virtual void SwapOwner(RequestId request, ShardId shard, const OwnerRecord& expected,
                         const OwnerRecord& wanted) = 0;

  // Tells a server that a shard was released for it. May be lost.
  // There: Ownership::OnOffer().
  virtual void Offer(ServerId to, ShardId shard, const OwnerRecord& released) = 0;
};

// The part of the engine that has rows of shards in memory. Called from within calls of Ownership,
// and must not call it back from there.
class OwnershipListener {
 public:
  virtual ~OwnershipListener() = default;

  // The shard is ours from now on. Nothing known of it from before is true any more.
  virtual void OnGained(ShardId shard, const OwnerRecord& record) = 0;

  // Begin nothing new on the shard; call Ownership::Drained() when nothing is in flight.
  virtual void OnDraining(ShardId shard) = 0;

  // The shard is not ours any more.
  virtual void OnLost(ShardId shard) = 0;
};

}  // namespace mayfly::engine::cluster
