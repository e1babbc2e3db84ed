#include "cluster/peer_clocks.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/log.h"
#include "cluster/limits.h"
#include "server/command/command_feed.h"
#include "wire/decimal.h"

namespace mayfly::cluster {
namespace {

using server::ClusterMember;
using server::ClusterView;

// The servers that follow `self` by id, around the end.
std::vector<ClusterMember> Following(const ClusterView& view, const ClusterMember& self) {
  std::vector<ClusterMember> others;
  for (const ClusterMember& member : view.members) {
    if (!member.is_self && member.state != ClusterMember::State::kGone) others.push_back(member);
  }
  std::sort(others.begin(), others.end(), [&](const ClusterMember& a, const ClusterMember& b) {
    return std::pair(a.id < self.id, a.id) < std::pair(b.id < self.id, b.id);
  });
  if (others.size() > kComparedServersMax) others.resize(kComparedServersMax);
  return others;
}

// ":1700000000000\r\n"
std::optional<WallTime> TimeIn(Bytes reply) {
  std::int64_t ms = 0;
  if (!reply.starts_with(':') || !reply.ends_with("\r\n")) return std::nullopt;
  if (!ReadInteger(reply.substr(1, reply.size() - 3), ms)) return std::nullopt;
  constexpr std::int64_t kPlausibleMax = std::int64_t{1} << 50;
  if (ms < 0 || ms > kPlausibleMax) return std::nullopt;
  return WallTimeFromMs(ms);
}

}  // namespace

PeerClocks::PeerClocks(const server::ShardDirectory& directory, server::PeerCalls& peers,
                       const Clock& clock, ClockComparison& comparison, Logger& logger)
    : directory_(directory),
      peers_(peers),
      clock_(clock),
      comparison_(comparison),
      logger_(logger) {}

PeerClocks::~PeerClocks() {
  {
    const std::lock_guard lock(asked_->mutex);
    stopping_ = true;
  }
  waker_.Wake();
  if (thread_.joinable()) thread_.join();
}

void PeerClocks::Start() {
  thread_ = std::thread([this] {
    for (;;) {
      {
        const std::lock_guard lock(asked_->mutex);
        if (stopping_) return;
      }
      Ask();
      waker_.WaitFor(kClockAskPause);
    }
  });
}

void PeerClocks::Ask() {
  if (!begun_ && directory_.Here().empty()) return;
  const auto view = directory_.view();
  const ClusterMember* const self = view->self();
  if (self == nullptr) return;  // It joins again soon; until then what is known holds.
  if (!std::exchange(begun_, true)) begun_at_ = clock_.Passed();
  const std::vector<ClusterMember> members = Following(*view, *self);
  std::vector<std::string> ids;
  for (const ClusterMember& member : members) ids.push_back(member.id);
  comparison_.SetPeers(ids);
  LogChanges(members);
  std::erase_if(calls_, [&](const auto& call) {
    return std::find(ids.begin(), ids.end(), call.first) == ids.end();
  });
  {
    const std::lock_guard lock(asked_->mutex);
    std::erase_if(asked_->waiting, [&](const std::string& id) { return !calls_.contains(id); });
  }
  for (const ClusterMember& member : members) AskOne(member);
}

std::size_t PeerClocks::waiting() const {
  const std::lock_guard lock(asked_->mutex);
  return asked_->waiting.size();
}

void PeerClocks::AskOne(const ClusterMember& member) {
  {
    const std::lock_guard lock(asked_->mutex);
    if (!asked_->waiting.insert(member.id).second) return;
  }
  server::PeerRequest request{.to = member.address, .bytes = {}, .replies = 1};
  server::AppendCommand(request.bytes, std::array<Bytes, 2>{"CLUSTER", "CLOCK"});
  const SteadyTime sent = clock_.Passed();
  calls_[member.id] = peers_.Send(
      std::move(request), [asked = asked_, id = member.id, sent, &clock = clock_,
                           &comparison = comparison_](const server::PeerReplies& replies) {
        const SteadyTime received = clock.Passed();
        const auto time = replies ? TimeIn(replies->front()) : std::nullopt;
        if (time) comparison.Add(id, *time, sent, received);
        const std::lock_guard lock(asked->mutex);
        asked->waiting.erase(id);
      });
}

// Each once, and once more when it is over.
void PeerClocks::LogChanges(const std::vector<ClusterMember>& members) {
  const server::ClusterClocks report = comparison_.Report();
  for (const ClusterMember& member : members) {
    const auto ahead = comparison_.AheadOfOurs(member.id);
    if (!ahead) continue;
    const bool is_far = std::chrono::abs(*ahead) > report.bound;
    if (!is_far) logged_.erase(member.id);
    if (!is_far || !logged_.insert(member.id).second) continue;
    Log(logger_, LogLevel::kWarning,
        "cluster: the clock of the server at {} is {} ms {} this one's",
        server::ToText(member.address), std::chrono::abs(*ahead).count(),
        ahead->count() > 0 ? "ahead of" : "behind");
  }
  // At first none is known.
  const bool is_early = clock_.Passed() - begun_at_ < kClockAskPatience;
  if (report.state == server::ClusterClocks::State::kUnknown && is_early) return;
  const std::string advice = server::ClocksAdvice(report);
  const std::string state = advice.empty() ? "agree" : std::string(server::Word(report.state));
  if (std::exchange(logged_state_, state) == state) return;
  if (advice.empty()) {
    Log(logger_, LogLevel::kInfo, "cluster: the clocks agree; dead rows are removed again");
  } else {
    Log(logger_, LogLevel::kWarning, "cluster: {}", advice);
  }
}

}  // namespace mayfly::cluster
