// Goal: the model play notices each kind of broken database, and reports it in a few operations.
// Method: play on databases broken on purpose, and expect a difference; play the same on the same
// wrappers unbroken, and expect none. The purge that loses a renewed row is also shown step by
// step.
#include "tests/core/mutants.h"

#include <gtest/gtest.h>

#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
#include "tests/core/database_home.h"

namespace mayfly::core::suite {
namespace {

constexpr std::uint64_t kSeed = 20'241'115;
constexpr std::size_t kOperations = 25'000;

class CoreMutants : public testing::TestWithParam<Mutant> {};

TEST_P(CoreMutants, AreCaughtAndToldInAFewOperations) {
  const Subject& subject = GetParam().subject;
  const auto story = PlayAgainstModel(subject, kSeed, GetParam().operations);
  ASSERT_TRUE(story.has_value());
  RecordProperty("story", *story);
  EXPECT_LE(std::count(story->begin(), story->end(), '\n'), GetParam().lines_max) << *story;
}

INSTANTIATE_TEST_SUITE_P(Broken, CoreMutants, testing::ValuesIn(AllMutants()),
                         [](const auto& one) { return one.param.name; });

TEST(CoreUnbroken, PassesTheSamePlay) {
  const Subject subject{.kind = engine::suite::MemoryKind()};
  EXPECT_EQ(PlayAgainstModel(subject, kSeed, kOperations), std::nullopt);
}

// Writes a dead row anew after the purge has found it dead and before it removes it. Returns the
// row read afterwards.
Result<std::string> RenewWhileAPurgeLooks(const Subject& subject, bool& check_is_clean) {
  ManualClock clock(kStart);
  const auto race = std::make_shared<Race>();
  const auto database =
      *NewDatabase(subject.wrap(engine::NewMemoryEngine(), race), {.clock = &clock});
  Keyspace& keyspace = database->default_keyspace();
  EXPECT_TRUE(keyspace.Put("key", "old", Lifetime::For(Millis(10))).ok());
  clock.Advance(Millis(10));
  race->work = [&] { EXPECT_TRUE(keyspace.Put("key", "new", Lifetime::For(Millis(10))).ok()); };
  EXPECT_TRUE(database->Purge().has_value());
  EXPECT_EQ(race->work, nullptr) << "the purge did not look";
  check_is_clean = database->Check().value().clean();
  return keyspace.Get("key");
}

TEST(CorePurge, KeepsARowThatIsRenewedWhileItLooks) {
  bool clean = false;
  EXPECT_EQ(RenewWhileAPurgeLooks({.kind = engine::suite::MemoryKind()}, clean).value_or("lost"),
            "new");
  EXPECT_TRUE(clean);
}

TEST(CorePurge, WouldLoseItWithoutASecondLookUnderTheLatch) {
  bool clean = true;
  EXPECT_EQ(RenewWhileAPurgeLooks(AllMutants().front().subject, clean).value_or("lost"), "lost");
  EXPECT_FALSE(clean);
}

}  // namespace
}  // namespace mayfly::core::suite
