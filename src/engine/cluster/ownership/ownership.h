// ownership.h - which shards this server owns, and how it comes to own them.
// One object per server. It has no thread, no clock and no connection: the caller passes instants of
// one steady clock (Clock::Passed(), which counts a machine's sleep), carries requests to a
// LeaseStore, and calls Tick() when it asked to be called.
//
//   a server dies     its record in the roster is seen not to change for takeover_wait; one of the
//                     others ends its incarnation there (fences it); all see that, and each takes
//                     its part of the groups, shard by shard, with an epoch one higher
//   a server comes    it joins the roster; the others see it and give it their surplus
//   a server leaves   it gives everything away, then ends its incarnation
//
// Invariants:
// (1) A shard accepts only writes that carry the record it has, so nobody writes who was replaced.
//     This needs no clock.
// (2) A server answers from memory only while its lease holds by its own clock. No other server
//     owns one of its shards before that lease has run out, if both clocks keep the bound. Later it
//     may answer, too, if it compares the record in the shard with each answer.
// (3) Nothing is decided by a message between servers: one that is lost costs time.
// (4) While the store does not answer, nobody is fenced.
//
// Not safe to share between threads: calls come from one at a time. The reasons are in
// docs/decisions/0082-ownership-of-shards.md.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "engine/cluster/ownership/assignment.h"
#include "engine/cluster/ownership/held_shards.h"
#include "engine/cluster/ownership/lease_store.h"
#include "engine/cluster/ownership/move_pace.h"
#include "engine/cluster/ownership/ownership_options.h"
#include "engine/cluster/ownership/roster_view.h"
#include "engine/cluster/ownership/server_lease.h"

namespace mayfly::engine::cluster {

// What a server may do with a shard now.
enum class Right : std::uint8_t {
  kNone,     // Nothing: the shard is another's, or on its way.
  kConfirm,  // Write, and read if the shard confirms the record with each answer.
  kLeased,   // Write, and read from memory.
};

// What has happened since the object was made.
struct OwnershipCounts {
  std::uint64_t fences = 0;     // Incarnations of other servers that we ended.
  std::uint64_t takeovers = 0;  // Shards claimed without an offer.
  std::uint64_t refused = 0;    // Claims that found a living owner.
  std::uint64_t received = 0;   // Shards claimed after an offer.
  std::uint64_t given = 0;      // Shards released.
  std::uint64_t joined = 0;     // Incarnations of this server.
  std::uint64_t ended = 0;      // Those that others ended.
  std::uint64_t renewed = 0;    // Renewals of the lease.
  std::uint64_t regained = 0;   // Of these, after it had run out.
};

class Ownership {
 public:
  struct Identity {
    ServerId server = kNobody;
    std::string address;
    std::uint64_t seed = 0;  // Differs between servers and between starts.
  };

  // `options` must pass CheckOptions(). `store` and `listener` must outlive this. The server joins
  // when it has read the roster; if an earlier life of its name may still hold a lease, after that.
  Ownership(const OwnershipOptions& options, const ShardMap& map, Identity identity,
            LeaseStore& store, OwnershipListener& listener, SteadyTime now);

  Ownership(const Ownership&) = delete;
  Ownership& operator=(const Ownership&) = delete;

  // Does what is due. Returns when to be called next, at the latest; replies may bring that forward,
  // so ask next_tick() after them.
  SteadyTime Tick(SteadyTime now);
  SteadyTime next_tick(SteadyTime now) const;

  // Gives everything away, then leaves the roster. It is over when HasLeft().
  void Leave();
  bool HasLeft() const { return leaving_ && lease_.phase() == ServerLease::Phase::kOut; }

  // Nothing is in flight on a shard of OnDraining().
  void Drained(SteadyTime now, ShardId shard) { shards_.Drained(now, shard); }

  // Replies, and the messages of other servers.
  void OnRosterPage(SteadyTime now, RequestId request, const RosterPage& records);
  void OnServerSwapped(SteadyTime now, RequestId request, bool done, const ServerRecordPtr& found);
  void OnOwnerSwapped(SteadyTime now, RequestId request, ShardId shard, bool done,
                      const OwnerRecord& found);
  void OnOffer(SteadyTime now, ShardId shard, const OwnerRecord& released);

  Right RightOver(ShardId shard, SteadyTime now) const;

  // What every write to the shard must carry as a condition; null when the shard is not ours. Valid
  // until the next call that is not const.
  const OwnerRecord* RecordOf(ShardId shard) const { return shards_.RecordOf(shard); }

  // Until when RightOver() an owned shard is kLeased, if nothing happens before; min(): it is not.
  SteadyTime LeasedUntil() const;

  // In the roster, and with a lease that holds.
  bool IsIn(SteadyTime now) const;

  // The record of a living server that has our number; null: there is none. Then we never join.
  const ServerRecordPtr& namesake() const { return namesake_; }

  // Our clock is beyond the bound: groups are given away, and reads are confirmed by their shards.
  bool IsWithdrawn() const { return view_.drift().IsBeyond(); }

  // Of this life; 0: not joined.
  std::uint64_t incarnation() const { return lease_.incarnation(); }

  const HeldShards& shards() const { return shards_; }
  const RosterView& view() const { return view_; }
  const ShardMap& map() const { return map_; }
  const OwnershipCounts& counts() const { return counts_; }

 private:
  struct PageRead {
    RequestId request = 0;  // 0: none is under way.
    SteadyTime sent;
    SteadyTime due;  // To be sent, or sent again.
    Nanos pause{0};
  };
  struct Gift {
    ServerId to = kNobody;
    SteadyTime since;
  };
  struct Fence {
    ServerId server = kNobody;
    SteadyTime sent;
  };

  Nanos Varied(Nanos length) { return Jittered(length, options_.jitter_percent, random_); }
  SteadyTime NextTime(SteadyTime former, Nanos interval, SteadyTime now);
  bool IsActing(SteadyTime now) const { return IsIn(now) && !leaving_ && !IsWithdrawn(); }
  bool HasEnded(ServerId server, std::uint64_t incarnation);
  ServerState state() const;
  bool IsAnnounced(SteadyTime now) const;

  // ownership.cc
  void ReadPages(SteadyTime now);
  void KeepLease(SteadyTime now);
  SteadyTime RenewalDue() const;
  void JoinIfFree(SteadyTime now);
  void LookForNamesake(const ServerRecordPtr& found);
  void OnRenewed(SteadyTime now);
  void OnEnded(SteadyTime now);
  void OnClaimRefused(SteadyTime now, ShardId shard, const OwnerRecord& found);

  // ownership_plan.cc
  void FenceSilent(SteadyTime now, std::uint32_t page);
  bool IsWriting(SteadyTime now) const;
  bool IsMyTurn(std::uint16_t silent, Nanos beyond_wait) const;
  bool IsAble(std::uint16_t server) const;
  void Plan(SteadyTime now);
  void ForgetTakenGifts(SteadyTime now);
  void MendGroups(SteadyTime now);
  std::vector<Participant> Participants(std::uint32_t& self);
  std::vector<GroupId> Unowned() const;
  void Move(SteadyTime now);
  void TakeGroups(SteadyTime now);
  void GiveGroups(SteadyTime now);
  void GiveAllToAnyone(SteadyTime now);
  void GiveGroup(SteadyTime now, GroupId group, ServerId to);
  Nanos PaceInterval() const;

  const OwnershipOptions options_;
  const ShardMap map_;
  const ServerId self_;
  LeaseStore& store_;
  Random random_;
  RequestIds requests_;
  RosterView view_;
  ServerLease lease_;
  HeldShards shards_;
  OwnershipCounts counts_;
  SteadyTime now_;  // Of the call under way; for HasEnded().

  std::vector<PageRead> reads_;  // By page.
  SteadyTime next_renewal_;
  ServerState announced_ = ServerState::kServing;  // Our state in the store, and since when.
  SteadyTime announced_at_;
  SteadyTime rejoin_at_;
  SteadyTime joined_at_;
  Nanos rejoin_pause_;
  bool leaving_ = false;
  ServerRecordPtr former_;          // While we are out: our number's record as last seen.
  std::uint32_t former_beats_ = 0;  // How often it has been renewed meanwhile.
  ServerRecordPtr namesake_;

  // Incarnations that were found in a shard and not in the roster, and since when.
  std::map<std::pair<ServerId, std::uint64_t>, SteadyTime> strangers_;
  std::map<RequestId, Fence> fences_;

  // The plan: what is to be moved, and what is on its way.
  bool changed_ = false;                      // Since the last plan.
  SteadyTime next_plan_;                      // Not before, if something has changed.
  SteadyTime replan_at_ = SteadyTime::max();  // Even if nothing has.
  std::uint32_t takers_ = 1;
  bool silent_ = false;  // Some server was, when the plan was made.
  MovePace pace_;
  std::vector<GroupId> to_take_;                       // From the back.
  std::vector<std::pair<GroupId, ServerId>> to_give_;  // From the back.
  std::map<GroupId, Gift> gifts_;                      // Until the new owner lists them.
  std::map<GroupId, SteadyTime> contested_;            // Not to be claimed before.
  std::map<GroupId, SteadyTime> incomplete_;           // Held in part, since.
  std::vector<GroupId> own_groups_;                    // For Participants().
};

}  // namespace mayfly::engine::cluster
