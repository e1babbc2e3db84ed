#include "server/stats/throughput.h"

#include <algorithm>
#include <chrono>

namespace mayfly::server {
namespace {

constexpr std::chrono::seconds kLeast(1);

// A total may be less than at the note: it may have been reset since.
double PerSecond(std::uint64_t before, std::uint64_t after, double seconds) {
  return after <= before ? 0.0 : static_cast<double>(after - before) / seconds;
}

}  // namespace

void Throughput::Note(SteadyTime now, const Totals& totals) {
  const std::lock_guard lock(mutex_);
  // An earlier note would make the interval shorter than a second.
  if (now - notes_[0].at < kLeast) return;
  notes_[1] = notes_[0];
  notes_[0] = {now, totals};
}

void Throughput::Restart(SteadyTime now, const Totals& totals) {
  const std::lock_guard lock(mutex_);
  notes_.fill({now, totals});
}

Rates Throughput::At(SteadyTime now, const Totals& totals) const {
  const std::lock_guard lock(mutex_);
  const Mark& from = now - notes_[0].at >= kLeast ? notes_[0] : notes_[1];
  const std::chrono::nanoseconds length = std::max<std::chrono::nanoseconds>(now - from.at, kLeast);
  const double seconds = std::chrono::duration<double>(length).count();
  return {.commands = PerSecond(from.totals.commands, totals.commands, seconds),
          .bytes_in = PerSecond(from.totals.bytes_in, totals.bytes_in, seconds),
          .bytes_out = PerSecond(from.totals.bytes_out, totals.bytes_out, seconds)};
}

}  // namespace mayfly::server
