// Every call on the rows of a keyspace does what its declaration says.
// Method: each call with and without a row, with and without a deadline, on every engine. Deadlines
// are tested in law_test, lifetimes in lifetime_test, cursors in cursor_test.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/each_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class Rows : public EachEngine {
 protected:
  void Put(Bytes key, Bytes value, Lifetime lifetime = Lifetime::Default()) {
    const Status put = rows().Put(key, value, lifetime);
    EXPECT_TRUE(put.ok()) << put.ToString();
  }
};

TEST_P(Rows, KeysAndValuesAreAnyBytes) {
  const std::string key("\0\xff key\n", 7);
  Put(key, "");
  Put("empty follows", std::string(1, '\0'));
  EXPECT_EQ(rows().Get(key).value(), "");
  EXPECT_EQ(rows().Get("empty follows").value(), std::string(1, '\0'));
  EXPECT_EQ(rows().Count().value(), 2u);
}

TEST_P(Rows, AReadWithoutACopyShowsTheValueOrNothing) {
  PinnedBytes value;
  Put("key", "first", Lifetime::For(5ms));
  ASSERT_EQ(CodeOf(rows().Get("key", value)), kOk);
  EXPECT_EQ(value.view(), "first");
  Put("key", "second");
  EXPECT_EQ(value.view(), "first") << "what was read stays until the next read";
  EXPECT_EQ(CodeOf(rows().Get("missing", value)), kNotFound);
  EXPECT_TRUE(value.view().empty());
}

TEST_P(Rows, ARowIsReadWithItsDeadline) {
  Put("mortal", "value", Lifetime::For(5ms));
  Put("immortal", "value");
  const Row mortal = rows().GetRow("mortal").value();
  EXPECT_EQ(mortal.value, "value");
  EXPECT_EQ(mortal.deadline, kStart + 5ms);
  EXPECT_EQ(rows().GetRow("immortal").value().deadline, std::nullopt);
  EXPECT_EQ(CodeOf(rows().GetRow("missing")), kNotFound);
}

TEST_P(Rows, ManyReadsAnswerInOrderEachForItself) {
  Put("a", "1");
  Put("b", "2", Lifetime::For(5ms));
  Put("c", "3");
  clock().Advance(5ms);
  const std::string long_key(65'537, 'k');
  const std::string very_long_key(400'000, 'k');
  const std::array<Bytes, 7> keys{"c", "missing", "b", "", long_key, "a", very_long_key};
  const auto answers = rows().MultiGet(keys);
  ASSERT_TRUE(answers.has_value()) << answers.status().ToString();
  ASSERT_EQ(answers->size(), keys.size());
  EXPECT_EQ((*answers)[0].value(), "3");
  EXPECT_EQ(CodeOf((*answers)[1]), kNotFound);
  EXPECT_EQ(CodeOf((*answers)[2]), kNotFound);
  EXPECT_EQ(CodeOf((*answers)[3]), kInvalid);
  EXPECT_EQ(CodeOf((*answers)[4]), kInvalid);
  EXPECT_EQ((*answers)[5].value(), "1");
  EXPECT_EQ(CodeOf((*answers)[6]), kInvalid);
  EXPECT_TRUE(rows().MultiGet({}).value().empty());
}

TEST_P(Rows, CountsAreOfTheLivingAndExact) {
  for (int i = 0; i < 50; ++i) Put("for ever " + std::to_string(i), "value");
  for (int i = 1; i <= 50; ++i)
    Put("for a while " + std::to_string(i), "value", Lifetime::For(Millis(i)));
  for (int dead = 0; dead <= 50; ++dead) {
    ASSERT_EQ(rows().Count().value(), 100u - static_cast<unsigned>(dead));
    if (dead == 20) {
      ASSERT_EQ(database().Purge().value().rows, 20u);
    }
    clock().Advance(1ms);
  }
}

TEST_P(Rows, AConditionalPutGoesAheadAsItsConditionSays) {
  EXPECT_FALSE(rows().PutIf("key", "x", PutCondition::Present()).value());
  EXPECT_FALSE(rows().PutIf("key", "x", PutCondition::Equals("")).value());
  EXPECT_FALSE(rows().Exists("key").value());
  EXPECT_TRUE(rows().PutIf("key", "one", PutCondition::Absent(), Lifetime::For(5ms)).value());
  EXPECT_FALSE(rows().PutIf("key", "two", PutCondition::Absent()).value());
  EXPECT_FALSE(rows().PutIf("key", "two", PutCondition::Equals("on")).value());
  EXPECT_EQ(rows().Get("key").value(), "one");
  EXPECT_EQ(rows().Ttl("key").value(), 5ms) << "a put that does not go ahead changes nothing";
  EXPECT_TRUE(rows().PutIf("key", "two", PutCondition::Equals("one")).value());
  EXPECT_TRUE(rows().PutIf("key", "three", PutCondition::Present()).value());
  EXPECT_TRUE(rows().PutIf("key", "four", PutCondition::Always()).value());
  EXPECT_EQ(rows().Get("key").value(), "four");
}

TEST_P(Rows, ADeleteTellsWhetherALivingRowWasThere) {
  EXPECT_FALSE(rows().Delete("key").value());
  Put("key", "value", Lifetime::For(5ms));
  EXPECT_TRUE(rows().Delete("key").value());
  EXPECT_FALSE(rows().Delete("key").value());
  Put("key", "value", Lifetime::For(5ms));
  clock().Advance(5ms);
  EXPECT_FALSE(rows().Delete("key").value());
  EXPECT_EQ(StatisticsOf(database()).rows, 0u) << "and takes a dead one with it all the same";
}

TEST_P(Rows, AnUpdateMakesChangesOrDeletesTheRow) {
  const auto append = [](std::optional<Bytes> old) -> std::optional<std::string> {
    return std::string(old.value_or("new")) + "!";
  };
  ASSERT_EQ(CodeOf(rows().Update("key", append)), kOk);
  ASSERT_EQ(CodeOf(rows().Update("key", append)), kOk);
  EXPECT_EQ(rows().Get("key").value(), "new!!");
  const auto remove = [](std::optional<Bytes>) { return std::optional<std::string>(); };
  ASSERT_EQ(CodeOf(rows().Update("key", remove)), kOk);
  EXPECT_FALSE(rows().Exists("key").value());
  ASSERT_EQ(CodeOf(rows().Update("key", remove)), kOk) << "nothing to delete is fine";
}

TEST_P(Rows, AnUpdateKeepsTheDeadlineUnlessToldOtherwise) {
  const auto change = [](std::optional<Bytes>) { return std::optional<std::string>("changed"); };
  Put("key", "value", Lifetime::For(10ms));
  clock().Advance(4ms);
  ASSERT_EQ(CodeOf(rows().Update("key", change)), kOk);
  EXPECT_EQ(rows().Ttl("key").value(), 6ms);
  ASSERT_EQ(CodeOf(rows().Update("key", change, Lifetime::For(20ms))), kOk);
  EXPECT_EQ(rows().Ttl("key").value(), 20ms);
  ASSERT_EQ(CodeOf(rows().Update("key", change, Lifetime::Forever())), kOk);
  EXPECT_EQ(rows().Ttl("key").value(), kForever);
}

// What Expire() of 50 ms returns for rows with these deadlines.
struct ExpireCase {
  DeadlineIf condition;
  bool without;  // The row has no deadline.
  bool sooner;   // It dies before 50 ms.
  bool same;     // Then.
  bool later;    // After.
};

// clang-format off
constexpr ExpireCase kExpireCases[] = {
    {DeadlineIf::kAlways,  true,  true,  true,  true},
    {DeadlineIf::kNone,    true,  false, false, false},
    {DeadlineIf::kPresent, false, true,  true,  true},
    {DeadlineIf::kLater,   false, true,  false, false},
    {DeadlineIf::kEarlier, true,  false, false, true},
};
// clang-format on

TEST_P(Rows, ADeadlineChangesAsItsConditionSays) {
  for (const ExpireCase& c : kExpireCases) {
    SCOPED_TRACE(static_cast<int>(c.condition));
    const auto changes = [&](Lifetime before) {
      Put("key", "value", before);
      const Millis was = rows().Ttl("key").value();
      const bool changed = rows().Expire("key", Lifetime::For(50ms), c.condition).value();
      EXPECT_EQ(rows().Ttl("key").value(), changed ? Millis(50) : was);
      EXPECT_EQ(rows().Get("key").value(), "value");
      return changed;
    };
    EXPECT_EQ(changes(Lifetime::Forever()), c.without);
    EXPECT_EQ(changes(Lifetime::For(49ms)), c.sooner);
    EXPECT_EQ(changes(Lifetime::For(50ms)), c.same);
    EXPECT_EQ(changes(Lifetime::For(51ms)), c.later);
  }
}

TEST_P(Rows, ForEverIsLaterThanAnyDeadline) {
  Put("key", "value", Lifetime::For(5ms));
  EXPECT_FALSE(rows().Expire("key", Lifetime::Forever(), DeadlineIf::kEarlier).value());
  EXPECT_TRUE(rows().Expire("key", Lifetime::Forever(), DeadlineIf::kLater).value());
  EXPECT_EQ(rows().Ttl("key").value(), kForever);
  EXPECT_FALSE(rows().Expire("key", Lifetime::Forever(), DeadlineIf::kLater).value());
  EXPECT_FALSE(rows().Expire("key", Lifetime::Forever(), DeadlineIf::kEarlier).value());
}

TEST_P(Rows, AChangeOfDeadlineNeedsARowAndAnotherLifetimeThanKeep) {
  EXPECT_EQ(CodeOf(rows().Expire("missing", Lifetime::For(5ms))), kNotFound);
  EXPECT_EQ(CodeOf(rows().Expire("missing", Lifetime::For(5ms), DeadlineIf::kNone)), kNotFound);
  EXPECT_EQ(CodeOf(rows().Persist("missing")), kNotFound);
  EXPECT_EQ(CodeOf(rows().Touch("missing")), kNotFound);
  Put("key", "value", Lifetime::For(5ms));
  EXPECT_EQ(CodeOf(rows().Expire("key", Lifetime::Keep())), kInvalid);
  EXPECT_EQ(CodeOf(rows().Touch("key", Lifetime::Keep())), kInvalid);
  EXPECT_EQ(rows().Ttl("key").value(), 5ms);
}

TEST_P(Rows, PersistTakesADeadlineAwayAndTellsWhetherThereWasOne) {
  Put("key", "value", Lifetime::For(5ms));
  EXPECT_TRUE(rows().Persist("key").value());
  EXPECT_EQ(rows().Ttl("key").value(), kForever);
  EXPECT_FALSE(rows().Persist("key").value());
  clock().Advance(1h);
  EXPECT_EQ(rows().Get("key").value(), "value");
  EXPECT_EQ(StatisticsOf(database()).mortal_rows, 0u);
}

TEST_P(Rows, ATouchReadsAndRenewsAsOneStep) {
  Put("key", "value", Lifetime::For(10ms));
  clock().Advance(9ms);
  const Row touched = rows().Touch("key", Lifetime::For(10ms)).value();
  EXPECT_EQ(touched.value, "value");
  EXPECT_EQ(touched.deadline, kStart + 19ms);
  EXPECT_EQ(rows().Ttl("key").value(), 10ms);
  EXPECT_EQ(rows().Touch("key").value().deadline, std::nullopt) << "the default is for ever here";
}

TEST_P(Rows, ASlidingSessionHasOneEntryHoweverOftenItIsTouched) {
  Put("session", "alice", Lifetime::For(10ms));
  for (int i = 0; i < 100; ++i) {
    clock().Advance(1ms);
    ASSERT_EQ(CodeOf(rows().Touch("session", Lifetime::For(10ms))), kOk);
  }
  const CheckReport report = database().Check().value();
  EXPECT_EQ(report.entries, 1u);
  EXPECT_EQ(report.rows, 1u);
}

std::vector<std::string> KeysOf(const std::vector<DeadlineEntry>& entries) {
  std::vector<std::string> keys;
  for (const DeadlineEntry& entry : entries) keys.push_back(entry.key);
  return keys;
}

TEST_P(Rows, AScanByDeadlineShowsWhoDiesWhenInThatOrder) {
  Put("c", "", Lifetime::For(10ms));
  Put("b", "", Lifetime::For(20ms));
  Put("a", "", Lifetime::For(20ms));
  Put("d", "", Lifetime::For(30ms));
  Put("immortal", "");
  using Keys = std::vector<std::string>;
  EXPECT_EQ(KeysOf(rows().ScanDeadlines({}).value()), (Keys{"c", "a", "b", "d"}));
  // Half open: from begin on, before end.
  const DeadlineWindow window{.begin = kStart + 10ms, .end = kStart + 30ms};
  EXPECT_EQ(KeysOf(rows().ScanDeadlines(window).value()), (Keys{"c", "a", "b"}));
  EXPECT_TRUE(rows().ScanDeadlines({.begin = kStart + 31ms}).value().empty());
  clock().Advance(10ms);
  EXPECT_EQ(KeysOf(rows().ScanDeadlines({}).value()), (Keys{"a", "b", "d"})) << "the dead are gone";
}

TEST_P(Rows, AScanByDeadlineGoesOnPageByPage) {
  for (int i = 0; i < 25; ++i) {
    Put("key " + std::to_string(100 + i), "", Lifetime::For(Millis(1 + i / 5)));
  }
  std::vector<std::string> seen;
  DeadlineWindow window{.rows_max = 7};
  for (;;) {
    const auto page = rows().ScanDeadlines(window).value();
    EXPECT_LE(page.size(), 7u);
    if (page.empty()) break;
    for (const auto& key : KeysOf(page)) seen.push_back(key);
    window.after = page.back();
  }
  ASSERT_EQ(seen.size(), 25u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST_P(Rows, AScanByDeadlineRefusesWindowsThatMakeNoSense) {
  EXPECT_EQ(CodeOf(rows().ScanDeadlines({.rows_max = 0})), kInvalid);
  EXPECT_EQ(CodeOf(rows().ScanDeadlines({.rows_max = 1'000'001})), kInvalid);
  EXPECT_EQ(CodeOf(rows().ScanDeadlines({.begin = kStart + 1ms, .end = kStart})), kInvalid);
  EXPECT_TRUE(rows().ScanDeadlines({.begin = kStart, .end = kStart}).value().empty());
}

TEST_P(Rows, AForecastTellsRowsAndBytesPerBucket) {
  Put("1", "four", Lifetime::For(1ms));
  Put("22", "four", Lifetime::For(9ms));
  Put("333", "four", Lifetime::For(10ms));
  Put("4", "four", Lifetime::For(29ms));
  Put("beyond", "four", Lifetime::For(30ms));
  Put("immortal", "four");
  const auto forecast = rows().Forecast({.bucket = 10ms, .buckets = 3}).value();
  ASSERT_EQ(forecast.size(), 3u);
  EXPECT_EQ(forecast[0].begin, kStart);
  EXPECT_EQ(forecast[0].end, kStart + 10ms);
  EXPECT_EQ(forecast[0].rows, 2u);
  EXPECT_EQ(forecast[0].bytes, 5u + 6u);
  EXPECT_EQ(forecast[1].rows, 1u);
  EXPECT_EQ(forecast[1].bytes, 7u);
  EXPECT_EQ(forecast[2].rows, 1u);
  EXPECT_EQ(forecast[2].end, kStart + 30ms);
  const auto rows_only =
      rows().Forecast({.bucket = 10ms, .buckets = 3, .with_bytes = false}).value();
  EXPECT_EQ(rows_only[0].rows, 2u);
  EXPECT_EQ(rows_only[0].bytes, 0u);
}

TEST_P(Rows, AForecastInPartsAddsUpToTheWhole) {
  for (int i = 0; i < 25; ++i) Put(std::to_string(i), "four", Lifetime::For(Millis(1 + i / 3 * 4)));
  const auto whole = rows().Forecast({.bucket = 10ms, .buckets = 3}).value();
  for (const std::size_t rows_max : {1u, 4u, 24u, 25u, 26u}) {
    ForecastPart part{.rows_max = rows_max};
    std::vector<ForecastBucket> sum = whole;
    for (ForecastBucket& bucket : sum) bucket.rows = bucket.bytes = 0;
    std::size_t calls = 0;
    do {
      const auto more = rows().Forecast({.bucket = 10ms, .buckets = 3, .part = &part}).value();
      std::uint64_t read = 0;
      for (std::size_t i = 0; i < sum.size(); ++i) {
        EXPECT_EQ(more[i].begin, whole[i].begin);
        sum[i].rows += more[i].rows;
        sum[i].bytes += more[i].bytes;
        read += more[i].rows;
      }
      EXPECT_LE(read, rows_max);
      ++calls;
    } while (part.after && calls < 100);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      EXPECT_EQ(sum[i].rows, whole[i].rows) << rows_max;
      EXPECT_EQ(sum[i].bytes, whole[i].bytes) << rows_max;
    }
  }
  ForecastPart none{.rows_max = 0};
  EXPECT_EQ(CodeOf(rows().Forecast({.part = &none})), kInvalid);
  ForecastPart before_time{.begin = WallTimeFromMs(-1)};
  EXPECT_EQ(CodeOf(rows().Forecast({.part = &before_time})), kInvalid);
}

TEST_P(Rows, PartsOfAForecastKeepTheirBucketsWhileTimePasses) {
  Put("a", "four", Lifetime::For(5ms));
  Put("b", "four", Lifetime::For(15ms));
  Put("c", "four", Lifetime::For(25ms));
  ForecastPart part{.rows_max = 1};
  const ForecastOptions options{.bucket = 10ms, .buckets = 3, .part = &part};
  EXPECT_EQ(rows().Forecast(options).value()[0].rows, 1u);
  clock().Advance(16ms);
  const auto rest = rows().Forecast(options).value();
  EXPECT_EQ(rest[0].begin, kStart);
  EXPECT_EQ(rest[1].rows, 0u) << "it has died since";
  EXPECT_EQ(rest[2].rows, 1u);
}

TEST_P(Rows, AForecastRefusesBucketsThatMakeNoSense) {
  EXPECT_EQ(CodeOf(rows().Forecast({.bucket = 0ms})), kInvalid);
  EXPECT_EQ(CodeOf(rows().Forecast({.bucket = -1ms})), kInvalid);
  EXPECT_EQ(CodeOf(rows().Forecast({.buckets = 0})), kInvalid);
  EXPECT_EQ(CodeOf(rows().Forecast({.buckets = 10'001})), kInvalid);
  EXPECT_EQ(CodeOf(rows().Forecast({.bucket = Millis::max(), .buckets = 2})), kInvalid);
  EXPECT_EQ(CodeOf(rows().Forecast({.bucket = Millis::max()})), kInvalid);
}

INSTANTIATE_TEST_SUITE_P(On, Rows, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
