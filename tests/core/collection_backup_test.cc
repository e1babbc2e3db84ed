// Goal: a backup carries collections, and every mode of restoring counts for members as for rows.
// Method: back up on one engine, restore into an empty database at a later time, and compare.
#include <gtest/gtest.h>

#include "core/latched_fixture.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::MemberLifetime;
using core::TransactionKeyspace;
using NameList = std::vector<std::string>;

class CollectionBackup : public EachEngine {
 protected:
  CollectionBackup() {
    InLatched(database(), rows(), {}, [&](TransactionKeyspace& space) {
      Fill(space, "mixed", {"a", "b"});
      Fill(space, "mixed", {"m"}, MemberLifetime::Until(clock().Now() + 10ms));
      ASSERT_EQ(CodeOf(space.PutSide("mixed", "side", "beside")), kOk);
      EXPECT_TRUE(space.Expire("mixed", Lifetime::For(100ms)).value());
      Fill(space, "mortal", {"x"}, MemberLifetime::Until(clock().Now() + 5ms));
      Fill(space, "mortal", {"y"}, MemberLifetime::Until(clock().Now() + 10ms));
      Fill(space, "gone", {"z"});
      ASSERT_EQ(CodeOf(space.Put("plain", "v", Lifetime::Forever())), kOk);
      Fill(space, "large", {});
      for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(space.PutMember("large", std::to_string(i), "v").value());
      }
    });
    EXPECT_TRUE(rows().Delete("gone").value());  // Its orphan is not in the backup.
    file_ = files_.Inside("backup");
    EXPECT_EQ(CodeOf(database().Backup(file_)), kOk);
  }

  RestoreReport Restore(DatabaseHome& into, RestoreOptions options) {
    const auto report = into.database().Restore(file_, options);
    EXPECT_TRUE(report.has_value()) << report.status().ToString();
    into.ExpectClean();
    EXPECT_EQ(into.database().Check()->stray_members, 0u);
    return report.value_or(RestoreReport{});
  }
  static NameList NamesOf(DatabaseHome& home, Bytes key) {
    return Look(home.database(), home.keyspace(), key).names;
  }

  TemporaryDirectory files_;
  std::string file_;
};

TEST_P(CollectionBackup, HonoursDeadlinesOfMembers) {
  for (const auto& [later, mortal, mixed] : std::vector<std::tuple<Millis, NameList, NameList>>{
           {9ms, {"y"}, {"a", "b", "m"}}, {10ms, {}, {"a", "b"}}, {11ms, {}, {"a", "b"}}}) {
    DatabaseHome home(GetParam(), {}, kStart + later);
    const RestoreReport report = Restore(home, {.mode = RestoreMode::kHonour});
    EXPECT_EQ(NamesOf(home, "mortal"), mortal) << later.count();
    EXPECT_EQ(NamesOf(home, "mixed"), mixed) << later.count();
    EXPECT_EQ(Look(home.database(), home.keyspace(), "large").members, 1000u);
    EXPECT_FALSE(Look(home.database(), home.keyspace(), "gone").exists);
    EXPECT_EQ(report.rows, mortal.empty() ? 3u : 4u);
    EXPECT_EQ(report.dropped_rows, mortal.empty() ? 1u : 0u);
    EXPECT_EQ(home.keyspace().Ttl("mixed").value(), 100ms - later);
    InLatched(home.database(), home.keyspace(), {"mixed"}, [](TransactionKeyspace& space) {
      core::FoundMember side;
      ASSERT_EQ(CodeOf(space.FindSide("mixed", "side", side)), kOk);
      EXPECT_EQ(side.value, "beside");
    });
  }
}

TEST_P(CollectionBackup, FreezesShiftsAndStripsDeadlinesOfMembers) {
  DatabaseHome frozen(GetParam(), {}, kStart + 1h);
  Restore(frozen, {.mode = RestoreMode::kFreeze});
  EXPECT_EQ(NamesOf(frozen, "mortal"), (NameList{"x", "y"}));
  EXPECT_EQ(frozen.keyspace().Ttl("mortal").value(), 10ms);
  frozen.clock().Advance(5ms);
  EXPECT_EQ(NamesOf(frozen, "mortal"), NameList{"y"});

  DatabaseHome shifted(GetParam(), {}, kStart + 1h);
  Restore(shifted, {.mode = RestoreMode::kShift, .shift = 1h - 6ms});
  EXPECT_EQ(NamesOf(shifted, "mortal"), NameList{"y"});
  EXPECT_EQ(shifted.keyspace().Ttl("mortal").value(), 4ms);

  DatabaseHome stripped(GetParam(), {}, kStart + 1h);
  Restore(stripped, {.mode = RestoreMode::kStrip});
  EXPECT_EQ(NamesOf(stripped, "mixed"), (NameList{"a", "b", "m"}));
  EXPECT_EQ(stripped.keyspace().Ttl("mortal").value(), kForever);
  EXPECT_EQ(stripped.keyspace().Ttl("mixed").value(), kForever);
}

TEST_P(CollectionBackup, RestoredCollectionsGrowAndGoLikeOthers) {
  DatabaseHome home(GetParam(), {}, kStart + 1ms);
  Restore(home, {});
  InLatched(home.database(), home.keyspace(), {"mixed"}, [](TransactionKeyspace& space) {
    EXPECT_TRUE(space.PutMember("mixed", "new", "v").value());
    EXPECT_FALSE(space.PutMember("mixed", "a", "v").value());
  });
  EXPECT_EQ(NamesOf(home, "mixed"), (NameList{"a", "b", "m", "new"}));
  EXPECT_TRUE(home.keyspace().Delete("mixed").value());
  ASSERT_EQ(CodeOf(home.database().Purge({})), kOk);
  home.ExpectClean();
}

INSTANTIATE_TEST_SUITE_P(Engines, CollectionBackup, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
