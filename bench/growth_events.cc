// Events: the cost of new events beside those kept.
#include "growth.h"
#include "must.h"

namespace mayfly::bench {
namespace {

constexpr Millis kDay = std::chrono::hours(24);

// As many events as `kept`, and `more` rows whose death has none yet.
void FillEvents(GrowthStage& stage, std::size_t kept, std::size_t more) {
  Must(stage.rows().SetPolicy({.events = EventDetail::kKey}));
  for (std::size_t i = 0; i < kept + more; ++i) {
    Must(stage.rows().Put("key:" + std::to_string(i), "a value", Lifetime::For(kDay)));
  }
  stage.clock().Advance(kDay);
  Must(stage.database().Purge({.rows_max = kept}).status());
}

std::function<void(int)> PurgeWithEvents(GrowthStage& stage, std::size_t size) {
  FillEvents(stage, size, 10'000);
  return [&stage](int) { Must(stage.database().Purge({.rows_max = 16}).status()); };
}

std::function<void(int)> ReadInTheMiddle(GrowthStage& stage, std::size_t size) {
  FillEvents(stage, size, 0);
  return [&stage, size](int) {
    Must(Must(stage.database().ReadEvents(size / 2, 16)).size() == 16, "events are missing");
  };
}

// The number of events trimmed before is what grows.
std::function<void(int)> TrimAfterTrims(GrowthStage& stage, std::size_t size) {
  FillEvents(stage, size + 10'000, 0);
  Must(stage.database().TrimEvents({.through_sequence = size}).status());
  return [&stage](int) {
    Must(Must(stage.database().TrimEvents({.keep_newest = 0, .events_max = 16})) == 16,
         "nothing was left to trim");
  };
}

}  // namespace

std::vector<GrowthCase> EventGrowth() {
  // clang-format off
  return {
      {"event: purge sixteen with theirs", 3'000,  2.0, PurgeWithEvents, 100},
      {"event: read the next sixteen",     10'000, 2.0, ReadInTheMiddle, 200},
      {"event: trim sixteen, after many",  3'000,  2.5, TrimAfterTrims,  100},
  };
  // clang-format on
}

}  // namespace mayfly::bench
