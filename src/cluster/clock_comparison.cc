#include "cluster/clock_comparison.h"

#include <algorithm>
#include <limits>

#include "cluster/limits.h"

namespace mayfly::cluster {
namespace {

using std::chrono::microseconds;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kUsPerMs = 1000;

std::int64_t ToUs(SteadyTime time) {
  return std::chrono::floor<microseconds>(time.time_since_epoch()).count();
}
std::int64_t ToUs(WallTime time) { return ToMs(time) * kUsPerMs; }
Millis ToMillis(std::int64_t us) { return std::chrono::floor<Millis>(microseconds(us)); }

}  // namespace

void ClockComparison::SetPeers(const std::vector<std::string>& peers) {
  std::map<std::string, std::optional<Interval>> kept;
  const std::lock_guard lock(mutex_);
  for (const std::string& peer : peers) {
    const auto known = peers_.find(peer);
    kept[peer] = known == peers_.end() ? std::nullopt : known->second;
  }
  peers_ = std::move(kept);
  begun_ = true;
}

void ClockComparison::Add(const std::string& peer, WallTime theirs, SteadyTime asked,
                          SteadyTime answered) {
  // It says milliseconds, and had reached up to one more.
  const Interval reading{.low = ToUs(theirs) - ToUs(answered) - 1,
                         .high = ToUs(theirs) + kUsPerMs - ToUs(asked),
                         .at = ToUs(answered)};
  const std::lock_guard lock(mutex_);
  const auto place = peers_.find(peer);
  if (place == peers_.end()) return;
  std::optional<Interval>& known = place->second;
  if (known) {
    const Interval before = Widened(*known, reading.at);
    const std::int64_t low = std::max(before.low, reading.low);
    const std::int64_t high = std::min(before.high, reading.high);
    if (low <= high) {
      known = Interval{.low = low, .high = high, .at = reading.at};
      return;
    }
  }
  known = reading;  // Its clock was set since.
}

WallTime ClockComparison::Latest() const {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = Passed();
  const Agreed agreed = Find(now);
  if (!begun_ || agreed.most == kMin) return WallTime::min();
  const std::int64_t lead = std::max(std::min(agreed.own, agreed.most), agreed.least);
  return WallTime(ToMillis(now + lead) + Millis(bound_ms_.load(std::memory_order_relaxed)));
}

server::ClusterClocks ClockComparison::Report() const {
  using State = server::ClusterClocks::State;
  const std::lock_guard lock(mutex_);
  const std::int64_t now = Passed();
  const Agreed agreed = Find(now);
  server::ClusterClocks report{.bound = Millis(bound_ms_.load(std::memory_order_relaxed)),
                               .servers = peers_.size()};
  for (const auto& [peer, interval] : peers_) {
    if (!interval || now - interval->at > ToUs(SteadyTime(kClockKnownFor))) continue;
    ++report.known;
    const std::int64_t middle = interval->low + (interval->high - interval->low) / 2;
    report.skew = std::max(report.skew, ToMillis(std::abs(agreed.own - middle)));
  }
  if (!begun_ || agreed.most == kMin) return report;
  if (peers_.empty()) {
    report.state = State::kAlone;
    return report;
  }
  const std::int64_t least = peers_.size() == 1 ? agreed.most : agreed.least;
  if (agreed.own > agreed.most) report.ahead = ToMillis(agreed.own - agreed.most);
  if (agreed.own < least) report.ahead = -ToMillis(least - agreed.own);
  report.state = report.ahead > report.bound    ? State::kAhead
                 : -report.ahead > report.bound ? State::kBehind
                                                : State::kAgree;
  return report;
}

std::optional<Millis> ClockComparison::AheadOfOurs(const std::string& peer) const {
  const std::lock_guard lock(mutex_);
  const auto known = peers_.find(peer);
  if (known == peers_.end() || !known->second) return std::nullopt;
  const Interval& interval = *known->second;
  if (Passed() - interval.at > ToUs(SteadyTime(kClockKnownFor))) return std::nullopt;
  return ToMillis(interval.low + (interval.high - interval.low) / 2 - OwnLead());
}

ClockComparison::Interval ClockComparison::Widened(const Interval& interval, std::int64_t now) {
  const std::int64_t more = std::max<std::int64_t>(now - interval.at, 0) / kClockWideningInverse;
  return {.low = interval.low - more, .high = interval.high + more, .at = interval.at};
}

std::int64_t ClockComparison::Passed() const { return ToUs(clock_.Passed()); }

// Wall time first: a pause in between makes it the older one, which is no lead.
std::int64_t ClockComparison::OwnLead() const {
  const std::int64_t wall = ToUs(clock_.Now());
  return wall - Passed();
}

ClockComparison::Agreed ClockComparison::Find(std::int64_t now) const {
  std::vector<std::int64_t> leads;
  for (const auto& [peer, interval] : peers_) {
    const bool known = interval && now - interval->at <= ToUs(SteadyTime(kClockKnownFor));
    leads.push_back(known ? Widened(*interval, now).low : kMin);
  }
  std::sort(leads.begin(), leads.end());
  const std::size_t half = leads.size() / 2;
  return {.own = OwnLead(),
          .least = half > 0 ? leads[half - 1] : kMin,
          .most = leads.empty() ? kMax : leads[half]};
}

}  // namespace mayfly::cluster
