// throughput.h - commands and bytes per second, over the last second or two.
// A thread notes the totals about once a second; a reader gets the change since the newest note
// that is at least a second old. So the interval is between one second and two, or longer if notes
// came late. Safe to call from any thread.
#pragma once

#include <array>
#include <mutex>

#include "mayfly/clock.h"
#include "server/stats/command_statistics.h"

namespace mayfly::server {

// Per second.
struct Rates {
  double commands = 0;
  double bytes_in = 0;
  double bytes_out = 0;
};

class Throughput {
 public:
  using Totals = CommandStatistics::Totals;

  explicit Throughput(SteadyTime begin) { Restart(begin, {}); }

  void Note(SteadyTime now, const Totals& totals);

  // Call it after the totals were reset, as by CONFIG RESETSTAT.
  void Restart(SteadyTime now, const Totals& totals);

  // In the first second the interval counts as a second: a single command is no thousand.
  Rates At(SteadyTime now, const Totals& totals) const;

 private:
  struct Mark {
    SteadyTime at;
    Totals totals;
  };

  mutable std::mutex mutex_;
  std::array<Mark, 2> notes_;  // Guarded by mutex_. The newer first.
};

}  // namespace mayfly::server
