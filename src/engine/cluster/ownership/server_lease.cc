#include "engine/cluster/ownership/server_lease.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace mayfly::engine::cluster {

ServerLease::ServerLease(const OwnershipOptions& options, ServerId server, std::string address,
                         LeaseStore& store, RequestIds& requests)
    : options_(options),
      server_(server),
      address_(std::move(address)),
      store_(store),
      requests_(requests) {}

void ServerLease::Join(SteadyTime now, ServerRecordPtr former, std::uint64_t nonce) {
  MAYFLY_CHECK(phase_ == Phase::kOut, "a server joins while it is in");
  auto wanted = std::make_shared<ServerRecord>();
  wanted->server = server_;
  wanted->incarnation = (former == nullptr ? 0 : former->incarnation) + 1;
  wanted->nonce = nonce;
  wanted->steady_ns = now.time_since_epoch().count();
  wanted->address = address_;
  record_ = std::move(former);
  phase_ = Phase::kJoining;
  Send(now, std::move(wanted));
}

void ServerLease::Renew(SteadyTime now, ServerState state, std::vector<GroupId> groups) {
  MAYFLY_CHECK(phase_ == Phase::kIn, "a server renews while it is out");
  if (pending_ != nullptr) return;
  auto wanted = std::make_shared<ServerRecord>(*record_);
  ++wanted->beat;
  if (wanted->state != state || wanted->groups != groups) ++wanted->revision;
  wanted->state = state;
  wanted->steady_ns = now.time_since_epoch().count();
  wanted->groups = std::move(groups);
  Send(now, std::move(wanted));
}

void ServerLease::Leave(SteadyTime now) {
  MAYFLY_CHECK(phase_ == Phase::kIn && pending_ == nullptr, "a server leaves while it is not in");
  auto wanted = std::make_shared<ServerRecord>(*record_);
  ++wanted->beat;
  ++wanted->revision;
  wanted->state = ServerState::kLeft;
  wanted->steady_ns = now.time_since_epoch().count();
  wanted->groups.clear();
  phase_ = Phase::kLeaving;
  Send(now, std::move(wanted));
}

void ServerLease::Tick(SteadyTime now) {
  if (pending_ == nullptr || now < resend_at_) return;
  pause_ = std::min(pause_ * 2, options_.request_pause_max);
  resend_at_ = now + pause_;
  // Under the same number, so that a reply to any of the sendings counts.
  store_.SwapServer(request_, record_, pending_);
}

ServerLease::Outcome ServerLease::OnSwapped(SteadyTime now, RequestId request, bool done,
                                            const ServerRecordPtr& found) {
  if (pending_ == nullptr || request != request_) return Outcome::kNothing;
  if (done) return Done(now);
  if (found != nullptr) {
    // An earlier sending of the same request had arrived.
    if (*found == *pending_) return Done(now);
    // The request may still be on its way: Tick() sends it again.
    if (record_ != nullptr && *found == *record_) return Outcome::kNothing;
  }
  const bool joining = phase_ == Phase::kJoining;
  return End(joining ? Outcome::kRefused : Outcome::kEnded);
}

void ServerLease::Send(SteadyTime now, ServerRecordPtr wanted) {
  pending_ = std::move(wanted);
  sent_ = now;
  pause_ = options_.request_timeout;
  resend_at_ = now + pause_;
  request_ = requests_.Next();
  store_.SwapServer(request_, record_, pending_);
}

ServerLease::Outcome ServerLease::Done(SteadyTime now) {
  record_ = std::exchange(pending_, nullptr);
  if (phase_ == Phase::kLeaving) return End(Outcome::kLeft);
  const bool joined = phase_ == Phase::kJoining;
  const bool lapsed = now >= valid_until_;
  phase_ = Phase::kIn;
  valid_until_ = sent_ + options_.lease;
  if (joined) return Outcome::kJoined;
  return lapsed ? Outcome::kRegained : Outcome::kRenewed;
}

ServerLease::Outcome ServerLease::End(Outcome outcome) {
  phase_ = Phase::kOut;
  pending_ = nullptr;
  record_ = nullptr;
  valid_until_ = SteadyTime::min();
  return outcome;
}

}  // namespace mayfly::engine::cluster
