// roster_view.h - what one server has seen of all servers: their records, how long each has been
// silent, and which groups they list.
// Silence is counted by pages. Every completed read of a page moves the page's count on by the time
// between the sending of this read and of the one before. A server is silent for what the count has
// moved on since its record was seen to change. A longer time than counted_gap_max counts nothing,
// and all silence of the page begins again.
// Invariants:
// (1) Silence is at most the time by our clock between the reply that first showed a record and the
//     sending of the read that last showed the same. So it never exceeds the record's real age.
// (2) While the store does not answer, nobody's silence grows.
// (3) A group counts as listed while the record of a server that has not ended lists it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/cluster/ownership/drift_meter.h"
#include "engine/cluster/ownership/lease_store.h"
#include "engine/cluster/ownership/ownership_options.h"
#include "mayfly/clock.h"

namespace mayfly::engine::cluster {

class RosterView {
 public:
  struct Server {
    ServerRecordPtr record;  // The last one seen.
    Nanos quiet_since{0};    // On its page's count.
    // Of the record, so that most renewals are recognised without a look at the former one.
    std::uint64_t incarnation = 0;
    std::uint64_t beat = 0;
    std::uint64_t revision = 0;
    ServerState state = ServerState::kServing;
    std::uint8_t peer = kNoPeer;
    bool absent = false;  // The record is gone from the store.

    bool HasEnded() const {
      return absent || state == ServerState::kLeft || state == ServerState::kFenced;
    }
  };
  static constexpr std::uint8_t kNoPeer = 0xff;
  static constexpr std::uint16_t kNoServer = 0xffff;

  // `options` must outlive the view.
  RosterView(const OwnershipOptions& options, std::uint32_t groups, ServerId self, SteadyTime now);

  // A page that was asked for at `sent`. Replies to one page come in the order of their sending.
  // True when a server came, ended, changed its state or its groups.
  bool OnPage(std::uint32_t page, SteadyTime sent, SteadyTime received, const RosterPage& records);

  std::uint32_t PageOf(ServerId server) const {
    return static_cast<std::uint32_t>(server % pages_.size());
  }

  // Every page has been read.
  bool IsComplete() const { return pages_unread_ == 0; }

  // All servers ever seen; ended ones stay.
  const std::vector<Server>& servers() const { return servers_; }

  // Those with a record in a page.
  const std::vector<std::uint16_t>& ServersOf(std::uint32_t page) const {
    return pages_[page].servers;
  }

  // Their numbers in servers(), by id.
  const std::vector<std::uint16_t>& by_id() const { return by_id_; }

  // Null when it has no record.
  ServerRecordPtr RecordOf(ServerId server) const;

  Nanos SilenceOf(std::uint16_t server) const;

  // Everybody's silence begins again: our own renewals did not get through either, so those of the
  // others are no evidence.
  void ForgetSilence();

  // True when this incarnation cannot renew any more. A server without a record has ended if its
  // page was read after `learnt`, when we came across the incarnation.
  bool HasEnded(ServerId server, std::uint64_t incarnation, SteadyTime learnt) const;

  bool IsListed(GroupId group) const { return groups_[group].listers > 0; }

  // Groups that are not listed.
  std::uint32_t unlisted() const { return unlisted_; }

  // For a group that is not listed: when it may be taken without having been offered.
  SteadyTime ClaimableAt(GroupId group) const;

  // The server that listed the group last, or kNoServer. A hint for routing: only the shard knows.
  std::uint16_t ListerOf(GroupId group) const { return groups_[group].lister; }

  const DriftMeter& drift() const { return drift_; }

 private:
  struct Page {
    bool read = false;
    SteadyTime sent;  // Of the last completed read.
    Nanos count{0};
    std::vector<std::uint16_t> servers;  // As in the last reply.
  };
  struct Group {
    std::uint32_t claimable_ms = 0;  // Since began_.
    std::uint16_t lister = kNoServer;
    std::uint16_t listers = 0;
  };
  struct Arrival {
    Nanos count{0};       // Of the page, when the reply came.
    SteadyTime earliest;  // When what has changed was sent, at the earliest.
    SteadyTime received;
  };

  std::uint16_t NumberOf(ServerId server);
  bool Replace(std::uint16_t number, const ServerRecordPtr& record, const Arrival& arrival);
  void Keep(Server& seen, const ServerRecordPtr& record, const Arrival& arrival);
  void MarkAbsent(const std::vector<std::uint16_t>& former,
                  const std::vector<std::uint16_t>& present, SteadyTime now);
  void Relist(std::uint16_t number, const std::vector<GroupId>& former,
              const std::vector<GroupId>& now, SteadyTime claimable);
  void List(std::uint16_t number, GroupId group);
  void Unlist(std::uint16_t number, GroupId group, SteadyTime claimable);
  void Release(const ServerRecord& record, SteadyTime claimable);
  void ChoosePeers();
  std::uint32_t MillisOf(SteadyTime instant) const;

  const OwnershipOptions& options_;
  const ServerId self_;
  const SteadyTime began_;
  std::vector<Page> pages_;
  std::size_t pages_unread_;
  std::vector<Server> servers_;
  std::vector<std::uint16_t> by_id_;
  std::unordered_map<ServerId, std::uint16_t> numbers_;
  std::vector<Group> groups_;
  std::uint32_t unlisted_;
  bool peers_chosen_ = true;  // Since the last server came.
  DriftMeter drift_;
};

}  // namespace mayfly::engine::cluster
