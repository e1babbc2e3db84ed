// Goal: the cost of drawing a key does not depend on the number of dead rows.
// Method: an engine that counts its steps; a thousand dead rows around few living ones, and ten
// thousand.
#include "server/commands/keys/random_key.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/counting_engine.h"
#include "core/latched_fixture.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"

namespace mayfly::server {
namespace {

using namespace std::chrono_literals;

constexpr int kSmall = 2000;
constexpr int kLarge = 20'000;
constexpr int kDraws = 50;

// The most expensive of many draws among `dead` rows named dead_name, and some living ones.
std::uint64_t CostOfADraw(const char* living_name, int living, const char* dead_name, int dead) {
  const auto costs = std::make_shared<EngineCosts>();
  ManualClock clock(kStart);
  const auto database =
      *core::NewDatabase(std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs),
                         {.purge_on_read = false, .clock = &clock});
  Keyspace& rows = database->default_keyspace();
  for (int i = 0; i < dead; ++i) {
    EXPECT_TRUE(rows.Put(fmt::format(fmt::runtime(dead_name), i), "", Lifetime::For(1s)).ok());
  }
  for (int i = 0; i < living; ++i) {
    EXPECT_TRUE(rows.Put(fmt::format(fmt::runtime(living_name), i), "").ok());
  }
  clock.Advance(1s);
  Random random(1);
  const auto steps = [&] { return costs->gets + costs->cursor_moves; };
  std::uint64_t dearest = 0;
  for (int i = 0; i < kDraws; ++i) {
    InLatched(*database, rows, {}, [&](core::TransactionKeyspace& space) {
      // The count of dead rows is tested elsewhere, so it is left out.
      const std::uint64_t before = steps();
      ASSERT_EQ(space.Count().value(), static_cast<std::uint64_t>(living));
      const std::uint64_t counted = steps();
      const auto drawn = DrawKey(space, random, clock);
      dearest = std::max(dearest, steps() - counted - (counted - before));
      ASSERT_TRUE(drawn.has_value()) << drawn.status().ToString();
      ASSERT_TRUE(drawn->has_value());
      EXPECT_TRUE(rows.Get(**drawn).has_value()) << **drawn;
    });
  }
  return dearest;
}

struct Names {
  const char* living;
  const char* dead;
};

// Before the dead, behind them, and far into names that begin alike.
class DrawAmongTheDead : public testing::TestWithParam<Names> {};

TEST_P(DrawAmongTheDead, CostsTheSameForFewAndForMany) {
  for (const int living : {5, 1500}) {
    const auto [living_name, dead_name] = GetParam();
    const std::uint64_t small = CostOfADraw(living_name, living, dead_name, kSmall);
    EXPECT_LT(CostOfADraw(living_name, living, dead_name, kLarge), small + kSmall) << living;
  }
}

INSTANTIATE_TEST_SUITE_P(Places, DrawAmongTheDead,
                         testing::Values(Names{"alive:{}", "key:{}"}, Names{"key:{}", "gone:{}"},
                                         Names{"user:session:z{:05}", "user:session:a{:05}"}));

}  // namespace
}  // namespace mayfly::server
