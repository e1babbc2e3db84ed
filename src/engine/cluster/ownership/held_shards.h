// held_shards.h - the shards that one server owns, or is about to.
//            reply: ours        Give()           Drained(), or time is up
//   kClaiming --------> kOwned --------> kDraining --------> kReleasing --reply--> gone, offered
//       | reply: another's
//       v gone
// A claim starts from the record we believe to be there. A reply that shows another one tells how to
// go on: from that record, if its owner released the shard or has ended; not at all, if it lives.
// Requests are sent again until a reply comes, so a shard is never left with our name and without us.
// Invariant: a shard counts as owned only between a reply that showed our record and the sending of
// its release.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "engine/cluster/ownership/lease_store.h"
#include "engine/cluster/ownership/ownership_options.h"
#include "engine/cluster/ownership/server_lease.h"

namespace mayfly::engine::cluster {

class HeldShards {
 public:
  // Says whether an incarnation of a server cannot renew any more.
  using HasEnded = std::function<bool(ServerId, std::uint64_t incarnation)>;

  // All but `map` and `has_ended` must outlive this.
  HeldShards(const OwnershipOptions& options, const ShardMap& map, ServerId self, LeaseStore& store,
             OwnershipListener& listener, RequestIds& requests, HasEnded has_ended);

  // What a reply has changed.
  enum class Outcome : std::uint8_t {
    kNothing,
    kTaken,     // Ours: it had no owner, or one that has ended.
    kReceived,  // Ours: it was offered.
    kRefused,   // The shard belongs to a server that lives; it is not claimed any more.
    kReleased,  // By us. Also when others had taken it meanwhile.
  };

  // From now on we are this incarnation. Nothing may be held.
  void Begin(std::uint64_t incarnation) { incarnation_ = incarnation; }

  // Begins to take a shard that we do not hold. `believed`: its record, as far as we know.
  void Claim(SteadyTime now, ShardId shard, const OwnerRecord& believed, bool offered);

  // Begins to give an owned shard to another server; kNobody: to anyone. Others are left alone.
  void Give(SteadyTime now, ShardId shard, ServerId to);

  // Nothing is in flight on a draining shard.
  void Drained(SteadyTime now, ShardId shard);

  Outcome OnSwapped(SteadyTime now, RequestId request, ShardId shard, bool done,
                    const OwnerRecord& found);

  // Sends again what has had no reply, and releases what has drained for too long.
  void Tick(SteadyTime now);

  // Our incarnation has ended.
  void DropAll();

  bool Holds(ShardId shard) const { return shards_.contains(shard); }

  // Our record of a shard that is owned or draining: what every write must carry. Null: not ours.
  const OwnerRecord* RecordOf(ShardId shard) const;

  bool IsOwned(ShardId shard) const;

  // A group is held while any of its shards is. Ascending.
  const std::vector<GroupId>& groups() const { return groups_; }
  bool HoldsGroup(GroupId group) const;

  std::size_t owned() const { return owned_; }
  std::size_t claiming() const { return claiming_; }
  std::size_t leaving() const { return shards_.size() - owned_ - claiming_; }

  // When Tick() has something to do; SteadyTime::max(): never.
  SteadyTime next() const;

 private:
  enum class Phase : std::uint8_t { kClaiming, kOwned, kDraining, kReleasing };
  struct Held {
    Phase phase = Phase::kClaiming;
    OwnerRecord expected;  // kClaiming: what we believe is there. Else: our own.
    OwnerRecord wanted;
    RequestId request = 0;
    SteadyTime due = SteadyTime::max();  // To send again, or to stop draining.
    Nanos pause{0};                      // Until the request is sent once more.
    bool offered = false;
    ServerId to = kNobody;
  };
  using Shards = std::map<ShardId, Held>;

  void Send(SteadyTime now, ShardId shard, Held& held);
  void SendAgain(SteadyTime now, ShardId shard, Held& held);
  void SendClaim(SteadyTime now, ShardId shard, Held& held, const OwnerRecord& believed);
  void Release(SteadyTime now, ShardId shard, Held& held);
  Outcome Gain(ShardId shard, Held& held, const OwnerRecord& record);
  Outcome OnOtherRecord(SteadyTime now, Shards::iterator place, const OwnerRecord& found);
  void Erase(Shards::iterator place);

  const OwnershipOptions& options_;
  const ShardMap map_;
  const ServerId self_;
  LeaseStore& store_;
  OwnershipListener& listener_;
  RequestIds& requests_;
  const HasEnded has_ended_;
  std::uint64_t incarnation_ = 0;
  Shards shards_;
  std::vector<GroupId> groups_;
  std::size_t owned_ = 0;
  std::size_t claiming_ = 0;
};

}  // namespace mayfly::engine::cluster
