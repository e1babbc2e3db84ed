// Goal: where order is by timestamp the largest one wins, whatever the order of arrival.
// Method: every call that writes, before, at and after the stored timestamp, on every engine.
#include <algorithm>
#include <array>

#include "core/timestamped.h"

namespace mayfly {
namespace {

class Timestamps : public Timestamped {
 protected:
  Timestamps() { Make(); }
};

TEST_P(Timestamps, TheLargestWinsInEveryOrderOfArrival) {
  struct Word {
    std::int64_t at;
    const char* value;  // Null: a delete.
  };
  const std::array<Word, 4> words{{{-30, "a"}, {-20, nullptr}, {-10, "c"}, {0, nullptr}}};
  std::array order{0, 1, 2, 3};
  do {
    Make({.history = Millis(1000)});
    std::int64_t newest = -1000;
    std::string expected = "(gone)";
    for (const int i : order) {
      const Word& word = words[static_cast<std::size_t>(i)];
      const bool last =
          word.value != nullptr ? PutAt("key", word.value, word.at) : DeleteAt("key", word.at);
      EXPECT_EQ(last, word.at > newest);
      if (last) expected = word.value != nullptr ? word.value : "(gone)";
      newest = std::max(newest, word.at);
      EXPECT_EQ(Get("key"), expected);
    }
    // The past is the same, too.
    EXPECT_EQ(AsOf("key", -31), "(gone)");
    EXPECT_EQ(AsOf("key", -30), "a");
    EXPECT_EQ(AsOf("key", -20), "(gone)");
    EXPECT_EQ(AsOf("key", -1), "c");
    EXPECT_EQ(AsOf("key", 0), "(gone)");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_P(Timestamps, OfTwoWithOneTimestampTheLaterArrivalCounts) {
  EXPECT_TRUE(PutAt("key", "first", 0));
  EXPECT_TRUE(PutAt("key", "second", 0));
  EXPECT_EQ(Get("key"), "second");
  EXPECT_TRUE(DeleteAt("key", 0));
  EXPECT_EQ(Get("key"), "(gone)");
  EXPECT_TRUE(PutAt("key", "third", 0));
  EXPECT_EQ(Get("key"), "third");
}

TEST_P(Timestamps, CallsWithoutOneTakeTheClocksAndAlwaysCount) {
  ASSERT_EQ(CodeOf(stamped().Put("key", "now")), kOk);
  EXPECT_EQ(stamped().GetRow("key")->timestamp, At(0));
  EXPECT_FALSE(PutAt("key", "late", -1));
  // One from the future is overtaken at its own timestamp.
  EXPECT_TRUE(PutAt("key", "to come", 100));
  ASSERT_EQ(CodeOf(stamped().Put("key", "now")), kOk);
  EXPECT_EQ(Get("key"), "now");
  EXPECT_EQ(stamped().GetRow("key")->timestamp, At(100));
  EXPECT_FALSE(PutAt("key", "late", 99));
  EXPECT_TRUE(stamped().Delete("key").value());
  EXPECT_EQ(Get("key"), "(gone)");
  EXPECT_FALSE(PutAt("key", "late", 99));
  EXPECT_TRUE(PutAt("key", "in time", 100));
  EXPECT_EQ(Get("key"), "in time");
}

TEST_P(Timestamps, ADeleteOfNothingIsAWordAsWell) {
  EXPECT_FALSE(stamped().Delete("key").value());
  EXPECT_FALSE(PutAt("key", "late", -1));
  EXPECT_EQ(Get("key"), "(gone)");
  EXPECT_TRUE(PutAt("key", "in time", 0));
  EXPECT_EQ(Get("key"), "in time");
}

TEST_P(Timestamps, AnUpdateThatLeavesNothingOfNothingIsNoWord) {
  const auto nothing = [](std::optional<Bytes>) { return std::optional<std::string>(); };
  ASSERT_EQ(CodeOf(stamped().Update("key", nothing)), kOk);
  EXPECT_TRUE(PutAt("key", "late", -1));
  EXPECT_EQ(Get("key"), "late");
}

// A ttl that is given with a timestamp counts from it; one that is given without, from the call.
TEST_P(Timestamps, ATtlCountsFromTheTimestampThatIsGiven) {
  EXPECT_TRUE(PutAt("past", "", -60, For(100)));
  EXPECT_TRUE(PutAt("future", "", 60, For(100)));
  EXPECT_EQ(stamped().Ttl("past").value(), Millis(40));
  EXPECT_EQ(stamped().Ttl("future").value(), Millis(160));
  ASSERT_EQ(CodeOf(stamped().Put("future", "", For(100))), kOk);
  EXPECT_EQ(stamped().GetRow("future")->timestamp, At(60));
  EXPECT_EQ(stamped().Ttl("future").value(), Millis(100)) << "a ttl of n ms lives for n ms";
}

TEST_P(Timestamps, ALifetimeUntilAnInstantDoesNotAskForTheTimestamp) {
  EXPECT_TRUE(PutAt("key", "", -60, Lifetime::Until(At(40))));
  EXPECT_EQ(stamped().Ttl("key").value(), Millis(40));
}

TEST_P(Timestamps, ADeadNewestOneDoesNotUncoverAnOlderOne) {
  EXPECT_TRUE(PutAt("key", "old", -10));
  EXPECT_TRUE(PutAt("key", "new", 0, For(10)));
  for (const std::int64_t ms : {9, 10, 11}) {
    GoTo(ms);
    EXPECT_EQ(Get("key"), ms < 10 ? "new" : "(gone)");
  }
  EXPECT_FALSE(PutAt("key", "late", -1));
  EXPECT_EQ(Get("key"), "(gone)");
}

TEST_P(Timestamps, OneThatIsBornDeadIsTheLastWordAllTheSame) {
  ASSERT_EQ(CodeOf(stamped().Put("key", "living")), kOk);
  GoTo(100);
  EXPECT_TRUE(PutAt("key", "dead", 50, For(50)));
  EXPECT_EQ(Get("key"), "(gone)");
  EXPECT_FALSE(PutAt("key", "late", 49));
  EXPECT_EQ(Get("key"), "(gone)");
  // A write that would have been the newest for a millisecond longer.
  EXPECT_TRUE(PutAt("other", "living", 50, For(51)));
  EXPECT_EQ(Get("other"), "living");
  // Born dead and late: it does not change the present.
  EXPECT_FALSE(PutAt("other", "dead", 40, For(5)));
  EXPECT_EQ(Get("other"), "living");
}

TEST_P(Timestamps, ExpireTouchAndPersistKeepIt) {
  EXPECT_TRUE(PutAt("key", "value", -50, For(100)));
  GoTo(10);
  EXPECT_TRUE(stamped().Expire("key", For(100)).value());
  EXPECT_EQ(stamped().GetRow("key")->timestamp, At(-50));
  EXPECT_EQ(stamped().Ttl("key").value(), Millis(100)) << "counted from the call";
  EXPECT_EQ(stamped().Touch("key", For(200))->timestamp, At(-50));
  EXPECT_EQ(stamped().Ttl("key").value(), Millis(200));
  EXPECT_TRUE(stamped().Persist("key").value());
  EXPECT_EQ(stamped().GetRow("key")->timestamp, At(-50));
  EXPECT_TRUE(PutAt("key", "newer", -49));
  EXPECT_EQ(Get("key"), "newer");
}

TEST_P(Timestamps, AnExpireInThePastLeavesTheLastWord) {
  EXPECT_TRUE(PutAt("key", "value", 0));
  EXPECT_TRUE(stamped().Expire("key", Lifetime::Until(At(-5))).value());
  EXPECT_EQ(Get("key"), "(gone)");
  EXPECT_FALSE(PutAt("key", "late", -1));
  EXPECT_EQ(Get("key"), "(gone)");
  EXPECT_TRUE(PutAt("key", "in time", 0));
}

TEST_P(Timestamps, AnUpdateIsAWriteOfItsOwnAndKeepsTheDeadline) {
  EXPECT_TRUE(PutAt("key", "a", -50, For(100)));
  GoTo(10);
  const auto append = [](std::optional<Bytes> old) { return std::string(*old) + "b"; };
  ASSERT_EQ(CodeOf(stamped().Update("key", append)), kOk);
  const Row row = stamped().GetRow("key").value();
  EXPECT_EQ(row.value, "ab");
  EXPECT_EQ(row.timestamp, At(10));
  EXPECT_EQ(row.deadline, At(50));
  EXPECT_FALSE(PutAt("key", "late", 9));
}

TEST_P(Timestamps, ConditionsLookAtTheLivingRow) {
  EXPECT_TRUE(PutAt("key", "value", 0, For(10)));
  EXPECT_FALSE(stamped().PutIf("key", "x", PutCondition::Absent()).value());
  EXPECT_TRUE(stamped().PutIf("key", "y", PutCondition::Equals("value"), For(10)).value());
  GoTo(10);
  EXPECT_FALSE(stamped().PutIf("key", "x", PutCondition::Present()).value());
  EXPECT_TRUE(stamped().PutIf("key", "z", PutCondition::Absent()).value());
  EXPECT_EQ(Get("key"), "z");
}

TEST_P(Timestamps, MayLieBeforeAndAfterEverything) {
  home_.options().allow_any_instant = true;
  home_.Reopen();
  if (home_.persistent()) {
    ASSERT_EQ(CodeOf(database().DropKeyspace("stamped")), kOk);
  }
  stamped_.reset();
  Make({.history = Millis::max()});
  for (const WallTime instant :
       {WallTime::min(), WallTimeFromMs(-1), WallTimeFromMs(0), WallTime::max()}) {
    SCOPED_TRACE(ToMs(instant));
    EXPECT_TRUE(stamped().PutAt("key", std::to_string(ToMs(instant)), instant).value());
    EXPECT_EQ(stamped().GetRow("key")->timestamp, instant);
    EXPECT_EQ(Get("key"), std::to_string(ToMs(instant)));
  }
  EXPECT_EQ(ValueOf(stamped().GetAsOf("key", WallTimeFromMs(-1))), "-1");
  // A ttl from long ago: dead before 1970, and no error.
  EXPECT_TRUE(stamped().PutAt("dead", "", WallTimeFromMs(-100), For(50)).value());
  EXPECT_EQ(Get("dead"), "(gone)");
  EXPECT_EQ(CodeOf(stamped().PutAt("key", "", WallTime::max(), For(1))), kInvalid)
      << "it ends after the end of time";
}

TEST_P(Timestamps, InAnotherUnitAreRefusedByName) {
  const auto seconds = stamped().PutAt("key", "", WallTimeFromMs(ToMs(kStart) / 1000));
  EXPECT_EQ(CodeOf(seconds), kInvalid);
  EXPECT_NE(seconds.error().ToString().find("seconds"), std::string::npos);
  const auto micros = stamped().DeleteAt("key", WallTimeFromMs(ToMs(kStart) * 1000));
  EXPECT_EQ(CodeOf(micros), kInvalid);
  EXPECT_NE(micros.error().ToString().find("microseconds"), std::string::npos);
}

TEST_P(Timestamps, AreForKeyspacesOrderedByThem) {
  EXPECT_EQ(CodeOf(rows().PutAt("key", "", At(0))), kInvalid);
  EXPECT_EQ(CodeOf(rows().DeleteAt("key", At(0))), kInvalid);
  EXPECT_EQ(CodeOf(rows().GetAsOf("key", At(0))), kInvalid);
  EXPECT_EQ(CodeOf(rows().NewCursor({.as_of = At(0)})), kInvalid);
  ASSERT_EQ(CodeOf(rows().Put("key", "")), kOk);
  EXPECT_EQ(rows().GetRow("key")->timestamp, std::nullopt);
  const auto cursor = rows().NewCursor().value();
  cursor->SeekToFirst();
  EXPECT_EQ(cursor->timestamp(), std::nullopt);
}

TEST_P(Timestamps, AreShownByCursors) {
  EXPECT_TRUE(PutAt("a", "", -5));
  EXPECT_TRUE(PutAt("b", "", 5));
  const auto cursor = stamped().NewCursor().value();
  cursor->SeekToLast();
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->timestamp(), At(5));
  cursor->Prev();
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->timestamp(), At(-5));
}

TEST_P(Timestamps, BadKeysAndLifetimesAreRefusedAsElsewhere) {
  EXPECT_EQ(CodeOf(stamped().PutAt("", "", At(0))), kInvalid);
  EXPECT_EQ(CodeOf(stamped().DeleteAt("", At(0))), kInvalid);
  EXPECT_EQ(CodeOf(stamped().GetAsOf("", At(0))), kInvalid);
  EXPECT_EQ(CodeOf(stamped().PutAt("key", "", At(0), For(0))), kInvalid);
  EXPECT_EQ(CodeOf(stamped().PutAt("key", "", At(0), Lifetime::For(Millis::max()))), kInvalid);
  EXPECT_EQ(stamped().Count().value(), 0u);
}

TEST_P(Timestamps, FurtherFromTheClockThanLateMaxAreRefused) {
  Make({.late_max = Millis(100)});
  GoTo(1000);
  struct Edge {
    std::int64_t at;
    bool good;
  };
  for (const Edge& edge : {Edge{899, false}, Edge{900, true}, Edge{901, true}, Edge{1099, true},
                           Edge{1100, true}, Edge{1101, false}}) {
    SCOPED_TRACE(edge.at);
    const std::string key = std::to_string(edge.at);
    EXPECT_EQ(CodeOf(stamped().PutAt(key, "value", At(edge.at))), edge.good ? kOk : kInvalid);
    EXPECT_EQ(Get(key), edge.good ? "value" : "(gone)");
    EXPECT_EQ(CodeOf(stamped().DeleteAt(key, At(edge.at))), edge.good ? kOk : kInvalid);
    EXPECT_EQ(Get(key), "(gone)");
  }
  const auto late = stamped().PutAt("key", "", At(0));
  EXPECT_NE(late.error().ToString().find("late_max"), std::string::npos);
}

TEST_P(Timestamps, PoliciesThatContradictThemselvesAreRefusedWithWhatToDo) {
  constexpr Millis kSecond{1000};
  struct Bad {
    const char* word;
    KeyspacePolicy policy;
  };
  constexpr auto kBy = RowOrder::kTimestamp;
  const Bad bad[] = {
      {"set order", {.history = kSecond}},
      {"set order", {.late_max = kSecond}},
      {"negative", {.order = kBy, .history = -kSecond}},
      {"positive", {.order = kBy, .late_max = Millis(0)}},
      {"late_max", {.purge_within = 8 * kSecond, .order = kBy}},
      {"late_max", {.purge_within = 8 * kSecond, .order = kBy, .late_max = Millis(2001)}},
      {"history",
       {.purge_within = 8 * kSecond, .order = kBy, .history = Millis(2001), .late_max = kSecond}},
      {"purge_within", {.purge_within = Millis(999)}},
  };
  for (const auto& [word, policy] : bad) {
    const auto made = database().CreateKeyspace("bad", policy);
    ASSERT_EQ(CodeOf(made), kInvalid) << word;
    EXPECT_NE(made.error().ToString().find(word), std::string::npos) << made.error().ToString();
  }
  EXPECT_EQ(CodeOf(database().CreateKeyspace("good", {.purge_within = 8 * kSecond,
                                                      .order = kBy,
                                                      .history = 2 * kSecond,
                                                      .late_max = 2 * kSecond})),
            kOk);
}

TEST_P(Timestamps, TheOrderIsChosenForGood) {
  EXPECT_EQ(CodeOf(stamped().SetPolicy({})), kInvalid);
  EXPECT_EQ(CodeOf(rows().SetPolicy({.order = RowOrder::kTimestamp})), kInvalid);
  EXPECT_EQ(CodeOf(stamped().SetPolicy({.order = RowOrder::kTimestamp, .history = Millis(5)})),
            kOk);
  if (!home_.persistent()) return;
  Reopen();
  EXPECT_EQ(stamped().policy().order, RowOrder::kTimestamp);
  EXPECT_EQ(stamped().policy().history, Millis(5));
}

INSTANTIATE_TEST_SUITE_P(Engines, Timestamps, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
