// growth - fails when what a call costs grows faster with its data than it should.
// Run by `make bench`; an argument chooses the cases whose name begins with it.
#include "growth.h"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "must.h"

namespace mayfly::bench {

GrowthStage::GrowthStage()
    : clock_(SystemClock::Process().Now()),
      database_(Must(Database::Open(
          {.directory = directory_.Inside("db"), .purge_on_read = false, .clock = &clock_}))) {}

void GrowthStage::Run(const std::function<void(core::TransactionKeyspace&)>& task) {
  const auto transaction = Must(core::BeginLatched(*database_, {.keys = {{&rows(), kKey}}}));
  task(transaction->In(rows()));
  Must(transaction->Commit());
}

namespace {

constexpr int kRounds = 5;

// Below this, noise is most of the cost of a call.
constexpr double kFloorUs = 5;

double CpuUs(bool all_threads) {
  timespec now{};
  clock_gettime(all_threads ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

double CostAt(const GrowthCase& one, std::size_t size) {
  GrowthStage stage;
  const auto call = one.prepare(stage, size);
  double cheapest = std::numeric_limits<double>::infinity();
  int done = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = CpuUs(one.all_threads);
    for (int i = 0; i < one.calls; ++i) call(done++);
    cheapest = std::min(cheapest, (CpuUs(one.all_threads) - begin) / one.calls);
  }
  return cheapest;
}

// Runs a case; true when its cost grows within the bound.
bool Try(const GrowthCase& one) {
  const double small = CostAt(one, one.size);
  const double large = CostAt(one, 10 * one.size);
  const double growth = large / std::max(small, kFloorUs);
  const bool fine = growth <= one.growth_max;
  fmt::print("{:52} {:>8} {:>9.1f} us {:>9.1f} us {:>7.2f} of {:.1f}  {}\n", one.name, one.size,
             small, large, growth, one.growth_max, fine ? "ok" : "GROWS");
  return fine;
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) {
  using namespace mayfly::bench;
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  bool fine = true;
  for (const auto& family : {SortedSetGrowth(), ListGrowth(), SetAndHashGrowth(), RowGrowth(),
                             EventGrowth(), TableGrowth(), ClientGrowth()}) {
    for (const GrowthCase& one : family) {
      if (std::string_view(one.name).starts_with(wanted)) fine = Try(one) && fine;
    }
  }
  return fine ? 0 : 1;
}
