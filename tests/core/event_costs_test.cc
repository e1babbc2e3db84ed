// Goal: the cost of an event does not grow with the events that are kept, nor with those that were
// trimmed. Method: an engine that counts its reads, steps and tombstones, at one size and at ten
// times it.
#include <gtest/gtest.h>

#include "core/counting_engine.h"
#include "core/each_engine.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSmall = 300;
constexpr std::uint64_t kLarge = 3000;
constexpr std::uint64_t kFew = 16;

class EventCosts {
 public:
  // `kept` events, and some dead rows that have none yet.
  explicit EventCosts(std::uint64_t kept)
      : database_(
            *core::NewDatabase(std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs_),
                               {.purge_on_read = false, .clock = &clock_})) {
    Keyspace& rows = database_->default_keyspace();
    EXPECT_TRUE(rows.SetPolicy({.events = EventDetail::kKey}).ok());
    for (std::uint64_t i = 0; i < kept + kFew; ++i) {
      EXPECT_TRUE(rows.Put(std::to_string(i), "", Lifetime::For(1s)).ok());
    }
    clock_.Advance(1s);
    EXPECT_EQ(database_->Purge({.rows_max = kept})->rows, kept);
  }

  Database& database() { return *database_; }

  std::uint64_t CostOf(const std::function<void()>& call) {
    *costs_ = {};
    call();
    return costs_->gets + costs_->cursor_moves + costs_->tombstones + costs_->changes;
  }

 private:
  ManualClock clock_{kStart};
  const std::shared_ptr<EngineCosts> costs_ = std::make_shared<EngineCosts>();
  const std::unique_ptr<Database> database_;
};

std::uint64_t CostOfPurge(std::uint64_t kept) {
  EventCosts home(kept);
  return home.CostOf([&] { EXPECT_EQ(home.database().Purge()->rows, kFew); });
}

std::uint64_t CostOfRead(std::uint64_t kept) {
  EventCosts home(kept);
  return home.CostOf([&] { EXPECT_EQ(home.database().ReadEvents(kept / 2, kFew)->size(), kFew); });
}

// After all but a hundred were trimmed.
std::uint64_t CostOfTrim(std::uint64_t kept) {
  EventCosts home(kept);
  EXPECT_EQ(*home.database().TrimEvents({.keep_newest = 100}), kept - 100);
  return home.CostOf([&] {
    EXPECT_EQ(*home.database().TrimEvents({.keep_newest = 0, .events_max = kFew}), kFew);
  });
}

TEST(EventCosts, OfAPurgeDoNotGrowWithWhatIsKept) {
  EXPECT_LE(CostOfPurge(kLarge), CostOfPurge(kSmall) + kFew);
}

TEST(EventCosts, OfAReadDoNotGrowWithWhatIsKept) {
  EXPECT_LE(CostOfRead(kLarge), CostOfRead(kSmall) + kFew);
}

TEST(EventCosts, OfATrimDoNotGrowWithWhatWasTrimmed) {
  EXPECT_LE(CostOfTrim(kLarge), CostOfTrim(kSmall) + kFew);
}

}  // namespace
}  // namespace mayfly
