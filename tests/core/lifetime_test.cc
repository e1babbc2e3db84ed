// Goal: writes accept valid lifetimes, give rows the right deadlines, and refuse the rest.
// Method: every call that takes a lifetime is given each kind, good and bad; time is tried in
// threes.
#include <gtest/gtest.h>

#include <limits>

#include "core/each_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

// A call that takes a lifetime.
struct WriteCall {
  const char* name;
  Status (*write)(KeyspaceWriter& writer, Lifetime lifetime);
};

std::optional<std::string> ChangedValue(std::optional<Bytes> /*old*/) { return "changed"; }

constexpr WriteCall kWriteCalls[] = {
    {"Put", [](KeyspaceWriter& w, Lifetime l) { return w.Put("key", "changed", l); }},
    {"PutIf",
     [](KeyspaceWriter& w, Lifetime l) {
       return w.PutIf("key", "changed", PutCondition::Present(), l).status();
     }},
    {"PutIfNot",
     [](KeyspaceWriter& w, Lifetime l) {
       return w.PutIf("key", "changed", PutCondition::Absent(), l).status();
     }},
    {"Update", [](KeyspaceWriter& w, Lifetime l) { return w.Update("key", ChangedValue, l); }},
    {"Expire", [](KeyspaceWriter& w, Lifetime l) { return w.Expire("key", l).status(); }},
    {"ExpireIfPresent",
     [](KeyspaceWriter& w, Lifetime l) {
       return w.Expire("key", l, DeadlineIf::kPresent).status();
     }},
    {"Touch", [](KeyspaceWriter& w, Lifetime l) { return w.Touch("key", l).status(); }},
};

class Lifetimes : public EachEngine {
 protected:
  void Put(Lifetime lifetime) { ASSERT_EQ(CodeOf(rows().Put("key", "value", lifetime)), kOk); }

  // Every call refuses the lifetime, plainly and in a transaction, and the row is unchanged.
  void ExpectRefused(Lifetime lifetime, const char* word) {
    for (const WriteCall& call : kWriteCalls) {
      SCOPED_TRACE(call.name);
      Put(Lifetime::For(10ms));
      const Status refused = call.write(rows(), lifetime);
      EXPECT_EQ(CodeOf(refused), kInvalid);
      EXPECT_NE(refused.message().find(word), std::string::npos) << refused.ToString();
      const auto transaction = *database().Begin();
      EXPECT_EQ(CodeOf(call.write(transaction->In(rows()), lifetime)), kInvalid);
      EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
      EXPECT_EQ(rows().Get("key").value(), "value");
      EXPECT_EQ(rows().Ttl("key").value(), 10ms);
    }
    EXPECT_EQ(CodeOf(rows().Put("new", "value", lifetime)), kInvalid);
    EXPECT_FALSE(rows().Exists("new").value());
    EXPECT_EQ(StatisticsOf(database()).rows, 1u);
  }

  // The message of a refusal of that instant.
  std::string RefusalOf(WallTime instant) {
    const Status refused = rows().Put("key", "value", Lifetime::Until(instant));
    EXPECT_EQ(CodeOf(refused), kInvalid);
    return std::string(refused.message());
  }
};

TEST_P(Lifetimes, ATtlOfNMillisecondsLivesForExactlyThose) {
  for (const int ttl : {1, 2, 1000}) {
    Put(Lifetime::For(Millis(ttl)));
    clock().Advance(Millis(ttl - 1));
    EXPECT_EQ(rows().Ttl("key").value(), 1ms);
    EXPECT_TRUE(rows().Exists("key").value());
    clock().Advance(1ms);
    EXPECT_FALSE(rows().Exists("key").value());
    clock().Advance(1ms);
    EXPECT_FALSE(rows().Exists("key").value());
  }
}

TEST_P(Lifetimes, AnInstantIsTheFirstMomentTheRowIsGone) {
  Put(Lifetime::Until(kStart + 2ms));
  clock().Advance(1ms);
  EXPECT_TRUE(rows().Exists("key").value());
  clock().Advance(1ms);
  EXPECT_FALSE(rows().Exists("key").value());
  clock().Advance(1ms);
  EXPECT_FALSE(rows().Exists("key").value());
}

TEST_P(Lifetimes, ATtlQueryIsPositiveOrForEverOrNotFound) {
  EXPECT_EQ(CodeOf(rows().Ttl("key")), kNotFound);
  Put(Lifetime::Forever());
  EXPECT_EQ(rows().Ttl("key").value(), kForever);
  Put(Lifetime::For(2ms));
  EXPECT_EQ(rows().Ttl("key").value(), 2ms);
  clock().Advance(1ms);
  EXPECT_EQ(rows().Ttl("key").value(), 1ms);
  clock().Advance(1ms);
  EXPECT_EQ(CodeOf(rows().Ttl("key")), kNotFound);
}

TEST_P(Lifetimes, ATtlOfZeroOrLessIsRefusedAndNothingIsWritten) {
  ExpectRefused(Lifetime::For(0ms), "positive");
  ExpectRefused(Lifetime::For(-1ms), "positive");
  ExpectRefused(Lifetime::For(Millis::min()), "positive");
}

TEST_P(Lifetimes, ATtlPastTheEndOfTimeIsRefusedAndNothingIsWritten) {
  ExpectRefused(Lifetime::For(Millis::max()), "last instant");
  const Millis longest = WallTime::max() - kStart;
  ExpectRefused(Lifetime::For(longest + 1ms), "last instant");
  Put(Lifetime::For(longest));
  EXPECT_EQ(rows().Ttl("key").value(), longest);
  EXPECT_EQ(rows().ScanDeadlines({}).value().size(), 1u);
}

TEST_P(Lifetimes, AnInstantInAnotherUnitIsRefusedAndTheUnitNamed) {
  ExpectRefused(Lifetime::Until(WallTimeFromMs(1'700'000'000)), "seconds");
  ExpectRefused(Lifetime::Until(WallTimeFromMs(1'700'000'000'000'000)), "microseconds");
  EXPECT_NE(RefusalOf(WallTimeFromMs(0)).find("seconds"), std::string::npos);
  EXPECT_NE(RefusalOf(WallTimeFromMs(-5)).find("seconds"), std::string::npos);
  EXPECT_NE(RefusalOf(WallTime::max()).find("nanoseconds"), std::string::npos);
  EXPECT_NE(RefusalOf(WallTimeFromMs(0)).find("allow_any_instant"), std::string::npos);
}

TEST_P(Lifetimes, AnyInstantIsTakenWhenAskedFor) {
  DatabaseHome home(GetParam(), {.allow_any_instant = true});
  Keyspace& keyspace = home.keyspace();
  ASSERT_EQ(CodeOf(keyspace.Put("far", "value", Lifetime::Until(WallTime::max()))), kOk);
  EXPECT_EQ(keyspace.Ttl("far").value(), WallTime::max() - kStart);
  for (const std::int64_t past : {std::int64_t{1'700'000'000}, std::int64_t{0}, std::int64_t{-1},
                                  std::numeric_limits<std::int64_t>::min()}) {
    ASSERT_EQ(CodeOf(keyspace.Put("past", "value", Lifetime::Until(WallTimeFromMs(past)))), kOk);
    EXPECT_FALSE(keyspace.Exists("past").value());
  }
  home.ExpectClean();
}

TEST_P(Lifetimes, AnInstantThatHasPassedDeletesTheRowWithItsEvent) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKeyAndValue})), kOk);
  clock().Advance(1h);
  std::uint64_t seen = 0;
  for (const WallTime instant : {kStart, kStart + 1h}) {  // Long past, and now.
    for (const WriteCall& call : kWriteCalls) {
      SCOPED_TRACE(call.name);
      Put(Lifetime::For(10ms));
      ASSERT_EQ(CodeOf(call.write(rows(), Lifetime::Until(instant))), kOk);
      const auto events = database().ReadEvents(seen, 10).value();
      if (std::string(call.name) == "PutIfNot") {
        EXPECT_TRUE(rows().Exists("key").value());
        EXPECT_TRUE(events.empty());
        continue;
      }
      EXPECT_FALSE(rows().Exists("key").value());
      EXPECT_EQ(StatisticsOf(database()).rows, 0u);
      ASSERT_EQ(events.size(), 1u);
      EXPECT_EQ(events[0].cause, EventCause::kBornDead);
      EXPECT_EQ(events[0].deadline, instant);
      EXPECT_EQ(events[0].purged_at, kStart + 1h);
      seen = events[0].sequence;
    }
  }
}

TEST_P(Lifetimes, ARowBornDeadInAnEmptyPlaceLeavesAnEventAndNoRow) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKeyAndValue})), kOk);
  ASSERT_EQ(CodeOf(rows().Put("key", "value", Lifetime::Until(kStart))), kOk);
  EXPECT_EQ(StatisticsOf(database()).rows, 0u);
  const auto events = database().ReadEvents(0, 10).value();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].cause, EventCause::kBornDead);
  EXPECT_EQ(events[0].value, "value");
}

TEST_P(Lifetimes, APlainPutDropsTheDeadline) {
  Put(Lifetime::For(10ms));
  Put(Lifetime::Default());
  EXPECT_EQ(rows().Ttl("key").value(), kForever);
  clock().Advance(1h);
  EXPECT_TRUE(rows().Exists("key").value());
}

TEST_P(Lifetimes, APlainPutTakesTheKeyspacesDefault) {
  Put(Lifetime::For(10ms));
  ASSERT_EQ(CodeOf(rows().SetPolicy({.default_ttl = 30ms})), kOk);
  Put(Lifetime::Default());
  EXPECT_EQ(rows().Ttl("key").value(), 30ms);
  Put(Lifetime::Forever());
  EXPECT_EQ(rows().Ttl("key").value(), kForever) << "for ever is said, so it is not the default";
}

TEST_P(Lifetimes, KeepKeepsTheDeadlineOrTheLackOfOne) {
  Put(Lifetime::For(10ms));
  clock().Advance(4ms);
  Put(Lifetime::Keep());
  EXPECT_EQ(rows().Ttl("key").value(), 6ms);
  Put(Lifetime::Forever());
  ASSERT_EQ(CodeOf(rows().SetPolicy({.default_ttl = 30ms})), kOk);
  Put(Lifetime::Keep());
  EXPECT_EQ(rows().Ttl("key").value(), kForever);
}

TEST_P(Lifetimes, KeepWithoutALivingRowIsTheDefault) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.default_ttl = 30ms})), kOk);
  Put(Lifetime::Keep());
  EXPECT_EQ(rows().Ttl("key").value(), 30ms);
  clock().Advance(30ms);  // Dead, and still stored.
  ASSERT_EQ(CodeOf(rows().Update("key", ChangedValue)), kOk);
  EXPECT_EQ(rows().Ttl("key").value(), 30ms);
}

INSTANTIATE_TEST_SUITE_P(On, Lifetimes, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
