#include "server/shards/cluster_health.h"

#include <fmt/format.h>

namespace mayfly::server {

std::string_view Word(ClusterClocks::State state) {
  switch (state) {
    case ClusterClocks::State::kAlone: return "alone";
    case ClusterClocks::State::kAgree: return "agree";
    case ClusterClocks::State::kAhead: return "ahead";
    case ClusterClocks::State::kBehind: return "behind";
    case ClusterClocks::State::kUnknown: break;
  }
  return "unknown";
}

std::string ClocksAdvice(const ClusterClocks& clocks) {
  switch (clocks.state) {
    case ClusterClocks::State::kAlone:
    case ClusterClocks::State::kAgree: return {};
    case ClusterClocks::State::kAhead:
      return fmt::format(
          "this server's clock is {} ms ahead of most others' ({} ms are allowed): what is dead by "
          "it alone is hidden and not removed, until the clocks agree; once they do, TTL.CLOCK "
          "REVERT shows again what it has hidden",
          clocks.ahead.count(), clocks.bound.count());
    case ClusterClocks::State::kBehind:
      return fmt::format(
          "this server's clock is {} ms behind most others' ({} ms are allowed): rows of its "
          "shards "
          "live longer by as much",
          -clocks.ahead.count(), clocks.bound.count());
    case ClusterClocks::State::kUnknown: break;
  }
  return fmt::format(
      "the clocks of {} of {} other servers are known, which are too few: dead rows are hidden and "
      "not removed, until more answer",
      clocks.known, clocks.servers);
}

std::string HealthText(const ClusterHealth& health) {
  std::string text =
      fmt::format("mayfly_store_state:{}\r\n", health.store_answers ? "ok" : "silent");
  if (!health.clocks) return text;
  const ClusterClocks& clocks = *health.clocks;
  text += fmt::format(
      "mayfly_clocks:{}\r\nmayfly_clocks_compared:{}\r\nmayfly_clocks_known:{}\r\n"
      "mayfly_clock_skew_max_ms:{}\r\nmayfly_clock_skew_ms:{}\r\nmayfly_clock_ahead_ms:{}\r\n",
      Word(clocks.state), clocks.servers, clocks.known, clocks.bound.count(), clocks.skew.count(),
      clocks.ahead.count());
  return text;
}

}  // namespace mayfly::server
