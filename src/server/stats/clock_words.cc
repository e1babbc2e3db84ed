#include "server/stats/clock_words.h"

#include <fmt/format.h>

namespace mayfly::server {
namespace {

// Time servers adjust clocks by less.
constexpr Millis kAheadMin = std::chrono::seconds(1);

bool IsAhead(const ClockReport& report) { return report.now - report.machine >= kAheadMin; }

}  // namespace

std::string_view ClockState(const ClockReport& report) {
  if (report.physical_deletion_stopped) return "jumped";
  return IsAhead(report) ? "ahead" : "ok";
}

std::string ClockAdvice(const ClockReport& report) {
  const auto ahead = (report.now - report.machine).count();
  if (report.physical_deletion_stopped && IsAhead(report)) {
    return fmt::format(
        "the clock jumped ahead by {} ms and was set back: nothing is removed; if the machine's "
        "clock is right now, TTL.CLOCK REVERT takes the jump back",
        report.last_jump.count());
  }
  if (report.physical_deletion_stopped) {
    return fmt::format(
        "the clock jumped ahead by {} ms: expired keys are hidden, nothing is removed; if the "
        "machine's clock is right, TTL.CLOCK CONFIRM; if not, set it right and TTL.CLOCK REVERT",
        report.last_jump.count());
  }
  if (!IsAhead(report)) return {};
  return fmt::format(
      "time is {} ms ahead of the machine's clock and goes on from there: an instant between the "
      "two (EXAT, PXAT, a ttl attribute) has passed; if the machine's clock is right, TTL.CLOCK "
      "REVERT takes the difference back",
      ahead);
}

}  // namespace mayfly::server
