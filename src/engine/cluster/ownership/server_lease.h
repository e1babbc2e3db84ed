// server_lease.h - one server's own record in the roster: joining, renewing, leaving.
//   kOut --Join--> kJoining --reply--> kIn --Leave--> kLeaving --reply--> kOut
//                  kJoining, kIn, kLeaving --the record says otherwise--> kOut (ended by others)
// Every change is a compare-and-swap from the record we know. So a renewal that succeeds proves that
// nobody has ended this incarnation meanwhile, also after the lease had run out, and what a late
// request finds replaced it cannot bring back.
// The lease runs from the sending of the renewal, not from its reply: others count from a moment at
// which it was in the store, which is later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/cluster/ownership/lease_store.h"
#include "engine/cluster/ownership/ownership_options.h"
#include "mayfly/clock.h"

namespace mayfly::engine::cluster {

// Numbers of the requests of one server.
class RequestIds {
 public:
  RequestId Next() { return ++last_; }

 private:
  RequestId last_ = 0;
};

class ServerLease {
 public:
  enum class Phase : std::uint8_t { kOut, kJoining, kIn, kLeaving };

  // What a reply was about.
  enum class Outcome : std::uint8_t {
    kNothing,   // Nothing new.
    kJoined,    // This incarnation begins.
    kRenewed,   // The lease goes on.
    kRegained,  // The same, after it had run out.
    kRefused,   // Another server's record was found when joining.
    kLeft,
    kEnded,  // Others have ended this incarnation: nothing is ours any more.
  };

  // All but `address` must outlive the lease.
  ServerLease(const OwnershipOptions& options, ServerId server, std::string address,
              LeaseStore& store, RequestIds& requests);

  // Begins an incarnation after the one of `former`, the record in the store; null: there is none.
  // Only when kOut, and only when `former` has ended or may be ended.
  void Join(SteadyTime now, ServerRecordPtr former, std::uint64_t nonce);

  // Sends a renewal, unless a request is under way. Only when kIn.
  void Renew(SteadyTime now, ServerState state, std::vector<GroupId> groups);

  // Ends this incarnation by ourselves. Only when kIn and without groups.
  void Leave(SteadyTime now);

  // Sends again what has had no reply for long.
  void Tick(SteadyTime now);

  Outcome OnSwapped(SteadyTime now, RequestId request, bool done, const ServerRecordPtr& found);

  Phase phase() const { return phase_; }
  bool IsWaiting() const { return pending_ != nullptr; }
  // Of this life; 0: not joined.
  std::uint64_t incarnation() const {
    return phase_ == Phase::kIn || phase_ == Phase::kLeaving ? record_->incarnation : 0;
  }

  // Our record as far as we know that it is in the store.
  const ServerRecordPtr& record() const { return record_; }

  // The lease holds before this instant.
  SteadyTime valid_until() const { return valid_until_; }

  // When the newest renewal, acknowledged or not, was sent.
  SteadyTime sent() const { return sent_; }

  // When Tick() has something to do; SteadyTime::max(): never.
  SteadyTime next() const { return pending_ == nullptr ? SteadyTime::max() : resend_at_; }

 private:
  void Send(SteadyTime now, ServerRecordPtr wanted);
  Outcome Done(SteadyTime now);
  Outcome End(Outcome outcome);

  const OwnershipOptions& options_;
  const ServerId server_;
  const std::string address_;
  LeaseStore& store_;
  RequestIds& requests_;
  Phase phase_ = Phase::kOut;
  ServerRecordPtr record_;   // What the store had last; null: nothing.
  ServerRecordPtr pending_;  // What we want there; null: no request is under way.
  RequestId request_ = 0;
  SteadyTime sent_;       // pending_, for the first time.
  SteadyTime resend_at_;  // If no reply has come by then.
  Nanos pause_{0};
  SteadyTime valid_until_ = SteadyTime::min();
};

}  // namespace mayfly::engine::cluster
