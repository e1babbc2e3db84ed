// Seed 002's interleavings of timestamps and ttls, one by one and under its names, and the rest of
// what it promises: an own clock, a default ttl, a ttl per write, the latest of three insertions.
// Method: the seed's own small instants; each state is read a millisecond before, at and after each
// instant at which it changes, as it was written and after every kind of upkeep, on every engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/database_home.h"

namespace mayfly {
namespace {

constexpr const char* kSeedKey = "KeyA";
constexpr const char* kGone = "(gone)";

constexpr WallTime At(std::int64_t ms) { return WallTimeFromMs(ms); }
constexpr Lifetime For(std::int64_t ms) { return Lifetime::For(Millis(ms)); }

// What is done before each read.
enum class Upkeep : std::uint8_t { kNone, kReads, kPurge, kReopen, kReclaim };

struct SeedCase {
  EngineKind engine;
  Upkeep upkeep;
};

std::vector<SeedCase> AllSeedCases() {
  std::vector<SeedCase> cases;
  for (const EngineKind engine :
       {EngineKind::kMemory, EngineKind::kRocks, EngineKind::kMemoryFirst}) {
    for (const Upkeep upkeep :
         {Upkeep::kNone, Upkeep::kReads, Upkeep::kPurge, Upkeep::kReopen, Upkeep::kReclaim}) {
      if (upkeep == Upkeep::kReopen && engine == EngineKind::kMemory) continue;
      cases.push_back({engine, upkeep});
    }
  }
  return cases;
}

std::string NameOfSeedCase(const ::testing::TestParamInfo<SeedCase>& info) {
  constexpr std::array kNames{"AsWritten", "PurgedByReads", "Purged", "Reopened", "Reclaimed"};
  return NameOf(info.param.engine) + kNames[static_cast<std::size_t>(info.param.upkeep)];
}

class Seed002 : public ::testing::TestWithParam<SeedCase> {
 protected:
  Seed002()
      : home_(GetParam().engine,
              {.purge_on_read = GetParam().upkeep == Upkeep::kReads, .allow_any_instant = true},
              At(0)) {
    Make({.order = RowOrder::kTimestamp});
  }

  void TearDown() override { home_.ExpectClean(); }

  // A fresh keyspace with this policy.
  void Make(const KeyspacePolicy& policy) {
    if (rows_ != nullptr) {
      ASSERT_TRUE(home_.database().DropKeyspace("seed").ok());
    }
    rows_ = *home_.database().CreateKeyspace("seed", policy);
  }

  Keyspace& rows() { return *rows_; }

  // The clock shows this from now on.
  void GoTo(std::int64_t ms) { home_.clock().Advance(At(ms) - home_.clock().Now()); }

  void Tend() {
    switch (GetParam().upkeep) {
      case Upkeep::kNone:
      case Upkeep::kReads: break;
      case Upkeep::kPurge: ASSERT_TRUE(home_.database().Purge().has_value()); break;
      case Upkeep::kReopen:
        rows_.reset();
        home_.Reopen();
        rows_ = *home_.database().OpenKeyspace("seed");
        break;
      case Upkeep::kReclaim: home_.ReclaimEverything(); break;
    }
  }

  // What a get returns at that instant.
  void Expect(std::int64_t ms, const std::string& value) {
    GoTo(ms);
    Tend();
    const auto found = rows().Get(kSeedKey);
    EXPECT_TRUE(found || found.error().IsNotFound()) << found.status().ToString();
    EXPECT_EQ(found.value_or(kGone), value) << "at " << ms;
    EXPECT_EQ(rows().Count().value(), value == kGone ? 0u : 1u) << "at " << ms;
  }

  // An insertion at that instant, as its timestamp.
  void Insert(std::int64_t ms, Bytes value, Lifetime lifetime = Lifetime::Default()) {
    GoTo(ms);
    ASSERT_TRUE(rows().Put(kSeedKey, value, lifetime).ok());
    Tend();
  }

  // An insertion at another instant than its timestamp. True if it is the newest write.
  bool InsertAt(std::int64_t ms, Bytes value, Lifetime lifetime = Lifetime::Default()) {
    const auto last = rows().PutAt(kSeedKey, value, At(ms), lifetime);
    EXPECT_TRUE(last.has_value()) << last.status().ToString();
    Tend();
    return last.value_or(false);
  }
  bool DeleteAt(std::int64_t ms) {
    const auto last = rows().DeleteAt(kSeedKey, At(ms));
    EXPECT_TRUE(last.has_value()) << last.status().ToString();
    Tend();
    return last.value_or(false);
  }

  DatabaseHome home_;
  std::shared_ptr<Keyspace> rows_;
};

TEST_P(Seed002, HappyPath) {
  Insert(100, "value", For(100));
  Expect(100, "value");
  Expect(199, "value");
  Expect(200, kGone);
  Expect(201, kGone);
}

TEST_P(Seed002, HappyPathLeavesNoBytesOnceCompactionRan) {
  Insert(100, "a value to look for", For(100));
  const auto traces = [this] {
    return home_.database().Prove({.find = "a value to look for"}).value().traces.size();
  };
  Expect(199, "a value to look for");
  EXPECT_GT(traces(), 0u);
  Expect(200, kGone);
  if (GetParam().upkeep != Upkeep::kReclaim) return;
  EXPECT_EQ(traces(), 0u);
}

TEST_P(Seed002, InOrderOverwriteNewerTtl) {
  Insert(100, "first", For(100));
  Expect(149, "first");
  Insert(150, "second", For(100));
  Expect(150, "second");
  Expect(151, "second");
  for (const std::int64_t first_end : {199, 200, 201}) Expect(first_end, "second");
  Expect(249, "second");
  Expect(250, kGone);
  Expect(251, kGone);
}

TEST_P(Seed002, InOrderOverwriteOlderTtl) {
  Insert(100, "first", For(100));
  Expect(109, "first");
  Insert(110, "second", For(40));
  Expect(110, "second");
  Expect(149, "second");
  for (const std::int64_t later : {150, 151, 160, 199, 200, 201}) Expect(later, kGone);
}

TEST_P(Seed002, OutOfOrderOverwrites) {
  GoTo(100);
  EXPECT_TRUE(InsertAt(100, "newer", For(100)));
  EXPECT_FALSE(InsertAt(50, "older"));
  Expect(100, "newer");
  Expect(199, "newer");
  // The older one has no ttl, and must not show now.
  Expect(200, kGone);
  Expect(201, kGone);
  EXPECT_FALSE(InsertAt(99, "older still late"));
  Expect(202, kGone);
  EXPECT_TRUE(InsertAt(100, "as new, and later", For(200)));
  Expect(299, "as new, and later");
  Expect(300, kGone);
}

TEST_P(Seed002, OutOfOrderOverwritesInTheirOrder) {
  GoTo(120);
  EXPECT_TRUE(InsertAt(50, "older"));
  Expect(121, "older");
  EXPECT_TRUE(InsertAt(100, "newer", For(50)));
  Expect(149, "newer");
  Expect(150, kGone);
  Expect(151, kGone);
}

TEST_P(Seed002, OutOfOrderTombstones) {
  GoTo(100);
  EXPECT_TRUE(InsertAt(100, "value"));
  EXPECT_FALSE(DeleteAt(50));
  Expect(100, "value");
  EXPECT_FALSE(DeleteAt(99));
  Expect(101, "value");
  EXPECT_TRUE(DeleteAt(100));
  Expect(102, kGone);
}

TEST_P(Seed002, OutOfOrderTombstonesThatComeFirst) {
  GoTo(200);
  EXPECT_TRUE(DeleteAt(100));
  EXPECT_FALSE(InsertAt(99, "before"));
  Expect(201, kGone);
  EXPECT_TRUE(InsertAt(100, "at"));
  Expect(202, "at");
  EXPECT_TRUE(DeleteAt(150));
  EXPECT_FALSE(InsertAt(149, "before"));
  Expect(203, kGone);
  EXPECT_TRUE(InsertAt(151, "after"));
  Expect(204, "after");
}

// The seed would need a retrieval grace that spans the distance. Here every read is exact.
TEST_P(Seed002, TheLatestOfThreeInsertionsAtAnyDistance) {
  for (const std::int64_t distance : {1LL, 1000LL, 1'000'000'000LL}) {
    std::array order{50, 100, 150};
    do {
      SCOPED_TRACE(::testing::Message()
                   << order[0] << ", " << order[1] << ", " << order[2] << " times " << distance);
      Make({.order = RowOrder::kTimestamp});
      int latest = 0;
      for (const int timestamp : order) {
        EXPECT_EQ(InsertAt(timestamp * distance, std::to_string(timestamp)), timestamp > latest);
        latest = std::max(latest, timestamp);
      }
      EXPECT_EQ(rows().Get(kSeedKey).value(), "150");
      EXPECT_EQ(rows().GetRow(kSeedKey)->timestamp, At(150 * distance));
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST_P(Seed002, WithoutATtlInsertionsRemainUntilDeleted) {
  Insert(100, "value");
  Expect(1'000'000'000'000, "value");
  EXPECT_TRUE(rows().Delete(kSeedKey).value());
  Expect(1'000'000'000'001, kGone);
}

TEST_P(Seed002, TheDefaultTtlIsForWritesThatSayNothingAndIsTakenAnew) {
  Make({.default_ttl = Millis(100), .order = RowOrder::kTimestamp});
  Insert(100, "first");
  Expect(199, "first");
  Insert(199, "again");
  for (const std::int64_t first_end : {199, 200, 201}) Expect(first_end, "again");
  Expect(298, "again");
  Expect(299, kGone);
  Expect(300, kGone);
}

TEST_P(Seed002, TheTtlOfAWriteComesBeforeTheDefault) {
  Make({.default_ttl = Millis(100), .order = RowOrder::kTimestamp});
  Insert(100, "short", For(10));
  Expect(109, "short");
  Expect(110, kGone);
  Expect(111, kGone);
  Insert(120, "long", For(500));
  for (const std::int64_t default_end : {219, 220, 221}) Expect(default_end, "long");
  Insert(300, "default");  // The latest insertion's ttl is what counts, though it is shorter.
  Expect(399, "default");
  Expect(400, kGone);
  Insert(410, "for ever", Lifetime::Forever());
  Expect(100'000, "for ever");
}

TEST_P(Seed002, ATtlCountsFromTheTimestamp) {
  GoTo(150);
  EXPECT_TRUE(InsertAt(100, "early", For(100)));
  Expect(199, "early");
  Expect(200, kGone);
  EXPECT_TRUE(InsertAt(300, "to come", For(100)));
  Expect(201, "to come");
  Expect(399, "to come");
  Expect(400, kGone);
  Expect(401, kGone);
}

INSTANTIATE_TEST_SUITE_P(Every, Seed002, ::testing::ValuesIn(AllSeedCases()), NameOfSeedCase);

}  // namespace
}  // namespace mayfly
