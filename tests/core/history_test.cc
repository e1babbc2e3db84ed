// Goal: the past can be read as far back as the history goes, and no further.
// Method: every instant a millisecond before, at and after its edge; cursors both ways; versions
// and markers are counted to see them leave.
#include <array>
#include <vector>

#include "core/timestamped.h"

namespace mayfly {
namespace {

class History : public Timestamped {
 protected:
  History() { Make({.history = Millis(100)}); }

  // The keys an as_of cursor shows, first to last, walked both ways.
  std::vector<std::string> Keys(CursorOptions options, std::int64_t as_of) {
    options.as_of = At(as_of);
    const auto cursor = stamped().NewCursor(options).value();
    std::vector<std::string> keys;
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) keys.emplace_back(cursor->key());
    EXPECT_TRUE(cursor->status().ok());
    std::vector<std::string> back;
    for (cursor->SeekToLast(); cursor->Valid(); cursor->Prev()) back.emplace_back(cursor->key());
    EXPECT_TRUE(cursor->status().ok());
    EXPECT_EQ(std::vector(back.rbegin(), back.rend()), keys);
    return keys;
  }
};

TEST_P(History, ShowsTheLargestTimestampUpToTheInstant) {
  EXPECT_TRUE(PutAt("key", "a", -50));
  EXPECT_TRUE(PutAt("key", "b", -20));
  EXPECT_TRUE(DeleteAt("key", -10));
  EXPECT_TRUE(PutAt("key", "d", 0));
  EXPECT_EQ(AsOf("key", -51), "(gone)");
  EXPECT_EQ(AsOf("key", -50), "a");
  EXPECT_EQ(AsOf("key", -21), "a");
  EXPECT_EQ(AsOf("key", -20), "b");
  EXPECT_EQ(AsOf("key", -11), "b");
  EXPECT_EQ(AsOf("key", -10), "(gone)");
  EXPECT_EQ(AsOf("key", -1), "(gone)");
  EXPECT_EQ(AsOf("key", 0), "d");
  EXPECT_EQ(AsOf("key", 1), "d");
  const Row row = stamped().GetAsOf("key", At(-15)).value();
  EXPECT_EQ(row.timestamp, At(-20));
  EXPECT_EQ(row.deadline, std::nullopt);
}

TEST_P(History, BeginsAsLongAgoAsItIsLong) {
  EXPECT_TRUE(PutAt("key", "value", -1000));
  EXPECT_EQ(CodeOf(stamped().GetAsOf("key", At(-101))), kInvalid);
  EXPECT_EQ(AsOf("key", -100), "value");
  EXPECT_EQ(AsOf("key", -99), "value");
  EXPECT_EQ(CodeOf(stamped().NewCursor({.as_of = At(-101)})), kInvalid);
  EXPECT_EQ(Keys({}, -100), std::vector<std::string>{"key"});
  EXPECT_EQ(CodeOf(stamped().GetAsOf("key", WallTime::min())), kInvalid);
  const auto refused = stamped().GetAsOf("key", At(-101));
  EXPECT_NE(refused.error().ToString().find("100 ms ago"), std::string::npos);
}

TEST_P(History, MayBeLongerThanTime) {
  Make({.history = Millis::max()});
  EXPECT_TRUE(PutAt("key", "value", 0));
  EXPECT_EQ(AsOf("key", -1'000'000), "(gone)");
  EXPECT_EQ(AsOf("key", 0), "value");
}

TEST_P(History, KeepsWhatWasOvertakenForAsLongAsItCanBeAskedFor) {
  EXPECT_TRUE(PutAt("key", "old", -30));
  EXPECT_TRUE(PutAt("key", "new", 0));
  for (const std::int64_t now : {98, 99, 100, 101}) {
    GoTo(now);
    Purge();
    const std::int64_t first = now - 100;
    EXPECT_EQ(AsOf("key", first), first < 0 ? "old" : "new") << now;
    EXPECT_EQ(CodeOf(stamped().GetAsOf("key", At(first - 1))), kInvalid);
    EXPECT_EQ(Versions(), now < 100 ? 1u : 0u) << now;
  }
}

TEST_P(History, WithoutOneStillTellsThePresentFromWhatIsToCome) {
  Make();
  EXPECT_TRUE(PutAt("key", "present", -5));
  EXPECT_TRUE(PutAt("key", "to come", 10));
  EXPECT_FALSE(PutAt("key", "sooner", 5));
  EXPECT_EQ(Get("key"), "to come");
  EXPECT_EQ(AsOf("key", 0), "present");
  EXPECT_EQ(AsOf("key", 4), "present");
  EXPECT_EQ(AsOf("key", 5), "sooner");
  EXPECT_EQ(AsOf("key", 10), "to come");
  EXPECT_EQ(CodeOf(stamped().GetAsOf("key", At(-1))), kInvalid);
  GoTo(10);
  Purge();
  EXPECT_EQ(Versions(), 0u);
  ASSERT_EQ(CodeOf(stamped().Put("key", "now")), kOk);
  GoTo(11);
  ASSERT_EQ(CodeOf(stamped().Put("key", "now again")), kOk);
  EXPECT_EQ(Versions(), 0u) << "the past costs nothing";
}

TEST_P(History, DoesNotShowWhatIsDeadByNow) {
  EXPECT_TRUE(PutAt("key", "oldest", -40));
  EXPECT_TRUE(PutAt("key", "old", -20, For(30)));
  EXPECT_TRUE(PutAt("key", "new", 0, For(20)));
  for (const bool purged : {false, true}) {
    for (const std::int64_t now : {9, 10, 11}) {
      if (purged) continue;
      GoTo(now);
      EXPECT_EQ(AsOf("key", -10), now < 10 ? "old" : "(gone)") << "the older one stays covered";
      EXPECT_EQ(AsOf("key", -21), "oldest");
    }
    Purge();
    EXPECT_EQ(AsOf("key", -10), "(gone)");
    EXPECT_EQ(AsOf("key", -20), "(gone)");
    EXPECT_EQ(AsOf("key", -21), "oldest");
    EXPECT_EQ(AsOf("key", 0), "new");
  }
  for (const std::int64_t now : {19, 20, 21}) {
    GoTo(now);
    EXPECT_EQ(AsOf("key", 5), now < 20 ? "new" : "(gone)");
  }
  Purge();
  EXPECT_EQ(AsOf("key", 5), "(gone)");
  EXPECT_EQ(AsOf("key", 21), "(gone)");
  EXPECT_EQ(AsOf("key", -21), "oldest");
  EXPECT_FALSE(PutAt("key", "late", -1));
  EXPECT_EQ(AsOf("key", -1), "late");
  EXPECT_EQ(AsOf("key", 0), "(gone)");
}

TEST_P(History, InTheFutureHidesWhatWillBeDeadByThen) {
  EXPECT_TRUE(PutAt("key", "value", 0, For(50)));
  EXPECT_EQ(AsOf("key", 49), "value");
  EXPECT_EQ(AsOf("key", 50), "(gone)");
  EXPECT_EQ(AsOf("key", 51), "(gone)");
}

TEST_P(History, TakesLateOnesIn) {
  EXPECT_TRUE(PutAt("key", "new", 0));
  EXPECT_FALSE(PutAt("key", "late", -50));
  EXPECT_FALSE(DeleteAt("key", -40));
  EXPECT_FALSE(PutAt("key", "later", -30, For(40)));
  EXPECT_FALSE(PutAt("key", "again", -50));
  EXPECT_EQ(AsOf("key", -51), "(gone)");
  EXPECT_EQ(AsOf("key", -50), "again") << "of two with one timestamp the later arrival";
  EXPECT_EQ(AsOf("key", -40), "(gone)");
  EXPECT_EQ(AsOf("key", -30), "later");
  EXPECT_EQ(AsOf("key", 0), "new");
  EXPECT_EQ(Versions(), 3u);
  GoTo(9);
  EXPECT_EQ(AsOf("key", -30), "later");
  GoTo(10);
  EXPECT_EQ(AsOf("key", -30), "(gone)");
  EXPECT_EQ(AsOf("key", -45), "again");
  GoTo(100);
  Purge();
  EXPECT_EQ(Versions(), 0u);
}

TEST_P(History, OneThatIsBornDeadInThePastStillCoversWhatIsOlder) {
  EXPECT_TRUE(PutAt("key", "old", -50));
  EXPECT_TRUE(PutAt("key", "new", 0));
  EXPECT_FALSE(PutAt("key", "dead", -30, For(30)));
  EXPECT_EQ(AsOf("key", -31), "old");
  EXPECT_EQ(AsOf("key", -30), "(gone)");
  EXPECT_EQ(AsOf("key", -1), "(gone)");
}

TEST_P(History, MarkersLeaveWhenNothingTheyHoldBackMayCome) {
  struct Case {
    Millis history;
    std::optional<Millis> late_max;
    std::int64_t leaves_at;  // 0: never.
  };
  for (const auto& [history, late_max, leaves_at] : {
           Case{Millis(0), Millis(50), 50},
           Case{Millis(100), Millis(50), 100},
           Case{Millis(50), Millis(100), 100},
           Case{Millis(50), std::nullopt, 0},
       }) {
    Make({.history = history, .late_max = late_max});
    const std::int64_t start = (clock().Now() - kStart).count();
    EXPECT_TRUE(PutAt("deleted", "value", start - 10));
    EXPECT_TRUE(PutAt("died", "value", start, For(5)));
    EXPECT_TRUE(DeleteAt("deleted", start));
    for (const std::int64_t after : {49, 50, 51, 99, 100, 101, 1'000'000}) {
      GoTo(start + after);
      Purge();
      const bool kept = leaves_at == 0 || after < leaves_at;
      const bool past = after < history.count();
      EXPECT_EQ(Versions(), (kept ? 2u : 0u) + (past ? 1u : 0u)) << after;
      if (late_max && after > late_max->count()) {
        EXPECT_EQ(CodeOf(stamped().PutAt("deleted", "x", At(start))), kInvalid);
        EXPECT_EQ(CodeOf(stamped().PutAt("died", "x", At(start))), kInvalid);
      } else if (past && !late_max) {
        EXPECT_FALSE(PutAt("deleted", "", start - 10)) << "as it was";
        EXPECT_EQ(Get("deleted"), "(gone)");
      }
    }
  }
}

TEST_P(History, WalksShowTheSameAsGets) {
  EXPECT_TRUE(PutAt("overtaken", "a", -50));
  EXPECT_TRUE(PutAt("overtaken", "b", -10));
  EXPECT_TRUE(PutAt("deleted", "a", -50));
  EXPECT_TRUE(DeleteAt("deleted", -10));
  EXPECT_TRUE(PutAt("young", "a", -10));
  EXPECT_TRUE(PutAt("mortal", "a", -50, For(60)));
  EXPECT_EQ(Keys({}, -51), std::vector<std::string>{});
  EXPECT_EQ(Keys({}, -50), (std::vector<std::string>{"deleted", "mortal", "overtaken"}));
  EXPECT_EQ(Keys({}, -11), (std::vector<std::string>{"deleted", "mortal", "overtaken"}));
  EXPECT_EQ(Keys({}, -10), (std::vector<std::string>{"mortal", "overtaken", "young"}));
  EXPECT_EQ(Keys({.filter = RowFilter::kMortal}, -20), std::vector<std::string>{"mortal"});
  EXPECT_EQ(Keys({.filter = RowFilter::kImmortal}, -20),
            (std::vector<std::string>{"deleted", "overtaken"}));
  const auto cursor = stamped().NewCursor({.as_of = At(-20)}).value();
  cursor->SeekAtOrAfter("n");
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->key(), "overtaken");
  EXPECT_EQ(cursor->value(), "a");
  EXPECT_EQ(cursor->timestamp(), At(-50));
  EXPECT_EQ(cursor->deadline(), std::nullopt);
  cursor->Prev();
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->deadline(), At(10));
}

TEST_P(History, WalksKeepTheOrderOfKeysWithZerosAndCommonPrefixes) {
  using std::string_literals::operator""s;
  const std::vector<std::string> keys{"\0"s, "\0\0"s, "\0\1"s,   "\0\xff"s,  "\1"s,
                                      "a"s,  "a\0"s,  "a\0\0"s,  "a\0b"s,    "a\1"s,
                                      "ab"s, "b"s,    "\xff\0"s, "\xff\xff"s};
  // Some are rows, some only versions, some both.
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_TRUE(PutAt(keys[i], "old", -50));
    if (i % 3 == 0) continue;
    EXPECT_TRUE(i % 3 == 1 ? DeleteAt(keys[i], -10) : PutAt(keys[i], "new", -10));
  }
  EXPECT_EQ(Keys({}, -20), keys);
  const auto within = [&](Bytes prefix, Bytes begin, Bytes end) {
    std::vector<std::string> some;
    for (const std::string& key : keys) {
      if (key.starts_with(prefix) && key >= begin && (end.empty() || key < end)) {
        some.push_back(key);
      }
    }
    return some;
  };
  for (const std::string& bound : keys) {
    EXPECT_EQ(Keys({.prefix = bound}, -20), within(bound, "", ""));
    EXPECT_EQ(Keys({.begin = bound}, -20), within("", bound, ""));
    EXPECT_EQ(Keys({.end = bound}, -20), within("", "", bound));
    EXPECT_EQ(Keys({.prefix = "a", .begin = bound}, -20), within("a", bound, ""));
    EXPECT_EQ(Keys({.prefix = "a", .end = bound}, -20), within("a", "", bound));
    // From every position to every other.
    const auto cursor = stamped().NewCursor({.end = bound, .as_of = At(-20)}).value();
    const auto some = within("", "", bound);
    for (const std::string& target : keys) {
      const auto after = std::lower_bound(some.begin(), some.end(), target);
      cursor->SeekAtOrAfter(target);
      EXPECT_EQ(cursor->Valid() ? std::string(cursor->key()) : "(end)",
                after != some.end() ? *after : "(end)");
      const auto behind = std::upper_bound(some.begin(), some.end(), target);
      cursor->SeekAtOrBefore(target);
      EXPECT_EQ(cursor->Valid() ? std::string(cursor->key()) : "(end)",
                behind != some.begin() ? *std::prev(behind) : "(end)");
    }
  }
}

TEST_P(History, AKeyMayBeAsLongAsAnywhere) {
  for (const char byte : {'\0', 'a', '\xff'}) {
    const std::string key(65'536, byte);
    EXPECT_TRUE(PutAt(key, "old", -10, For(50)));
    EXPECT_TRUE(PutAt(key, "new", 0, For(50)));
    EXPECT_EQ(AsOf(key, -1), "old");
    EXPECT_TRUE(Keys({.begin = key}, -1) == std::vector{key});
    EXPECT_TRUE(DeleteAt(key, 0));
    EXPECT_EQ(Get(key), "(gone)");
  }
}

// Ids of keyspaces end in every possible byte.
TEST_P(History, WalksEndWithTheirKeyspaceWhateverItsNumber) {
  for (int i = 0; i < 260; ++i) {
    Make({.history = Millis(100)});
    const auto next =
        database().CreateKeyspace("next", {.order = RowOrder::kTimestamp, .history = Millis(100)});
    ASSERT_EQ(CodeOf((*next)->PutAt("a", "of the next", At(-50))), kOk);
    EXPECT_TRUE(PutAt("key", "value", -50));
    EXPECT_TRUE(DeleteAt("key", 0));
    EXPECT_EQ(Keys({}, -10), std::vector<std::string>{"key"});
    EXPECT_EQ(Keys({.prefix = "\xff"}, -10), std::vector<std::string>{});
    ASSERT_EQ(CodeOf(database().DropKeyspace("next")), kOk);
  }
}

TEST_P(History, AWalkStaysAsItIs) {
  EXPECT_TRUE(PutAt("a", "old", -50, For(60)));
  EXPECT_TRUE(PutAt("a", "new", -10));
  EXPECT_TRUE(PutAt("b", "old", -50));
  const auto cursor = stamped().NewCursor({.as_of = At(-20)}).value();
  cursor->SeekToFirst();
  ASSERT_TRUE(cursor->Valid());
  EXPECT_FALSE(PutAt("a", "changed", -50));
  EXPECT_TRUE(DeleteAt("b", -50));
  GoTo(1000);
  Purge();
  ASSERT_EQ(CodeOf(database().Reclaim({.everything = true})), kOk);
  EXPECT_EQ(cursor->value(), "old");
  cursor->Next();
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->value(), "old");
  cursor->Prev();
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->key(), "a");
}

TEST_P(History, AWalkOutlivesItsKeyspace) {
  EXPECT_TRUE(PutAt("a", "old", -50));
  EXPECT_TRUE(DeleteAt("a", -10));
  EXPECT_TRUE(PutAt("b", "old", -50));
  const auto cursor = stamped().NewCursor({.as_of = At(-20)}).value();
  ASSERT_EQ(CodeOf(database().DropKeyspace("stamped")), kOk);
  stamped_.reset();
  Make();
  cursor->SeekToLast();
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->key(), "b");
  cursor->Prev();
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->value(), "old");
  cursor->Prev();
  EXPECT_FALSE(cursor->Valid());
}

INSTANTIATE_TEST_SUITE_P(Engines, History, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
