// Expiry events: one per row that dies, in order, kept until they are trimmed.
// Method: rows die by every means; events are read by cursor and by callback and compared.
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "core/each_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class Events : public EachEngine {
 protected:
  Events() { EXPECT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKey})), kOk); }

  void Put(const std::string& key, Millis ttl) {
    ASSERT_EQ(CodeOf(rows().Put(key, "value of " + key, Lifetime::For(ttl))), kOk);
  }

  // Rows 1 to `count` die and are purged, a millisecond apart.
  void Die(int count) {
    for (int i = 1; i <= count; ++i) {
      Put(std::to_string(i), 1ms);
      clock().Advance(1ms);
      ASSERT_EQ(database().Purge().value().rows, 1u);
    }
  }

  std::vector<Event> Read(std::uint64_t after = 0, std::size_t max = 1000) {
    const auto events = database().ReadEvents(after, max);
    EXPECT_TRUE(events.has_value()) << events.status().ToString();
    return events.value_or(std::vector<Event>{});
  }

  std::vector<std::uint64_t> Sequences() {
    std::vector<std::uint64_t> sequences;
    for (const Event& event : Read()) sequences.push_back(event.sequence);
    return sequences;
  }

  Statistics Stats() { return database().GetStatistics().value(); }
};

using Sequence = std::vector<std::uint64_t>;

TEST_P(Events, TellWhatDiedWhenAndWhyWhoeverRemovedIt) {
  const std::array<Bytes, 1> keys{"many"};
  for (const char* key : {"purged", "read", "many", "replaced", "deleted", "alive"}) Put(key, 5ms);
  Put("alive", 1h);
  clock().Advance(7ms);
  EXPECT_EQ(CodeOf(rows().Get("read")), kNotFound);
  EXPECT_EQ(CodeOf(rows().MultiGet(keys)), kOk);
  Put("replaced", 1h);
  EXPECT_FALSE(rows().Delete("deleted").value());
  EXPECT_EQ(database().Purge().value().rows, 1u);
  ASSERT_EQ(CodeOf(rows().Put("born dead", "value", Lifetime::Until(kStart))), kOk);
  EXPECT_TRUE(rows().Delete("alive").value()) << "which leaves no event";

  const auto events = Read();
  // clang-format off
  const std::pair<const char*, EventCause> expected[] = {
      {"read",      EventCause::kRead},
      {"many",      EventCause::kRead},
      {"replaced",  EventCause::kReplaced},
      {"deleted",   EventCause::kReplaced},
      {"purged",    EventCause::kPurged},
      {"born dead", EventCause::kBornDead},
  };
  // clang-format on
  ASSERT_EQ(events.size(), std::size(expected));
  for (std::size_t i = 0; i < events.size(); ++i) {
    SCOPED_TRACE(expected[i].first);
    EXPECT_EQ(events[i].sequence, i + 1);
    EXPECT_EQ(events[i].key, expected[i].first);
    EXPECT_EQ(events[i].cause, expected[i].second);
    EXPECT_EQ(events[i].keyspace_name, "default");
    EXPECT_EQ(events[i].purged_at, kStart + 7ms);
    EXPECT_EQ(events[i].deadline, i == 5 ? kStart : kStart + 5ms);
    EXPECT_EQ(events[i].value, std::nullopt);
  }
}

TEST_P(Events, CarryTheValueWhenThePolicyAsksForIt) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKeyAndValue})), kOk);
  std::vector<std::optional<std::string>> called;
  const auto subscription =
      *database().Subscribe([&](const Event& event) { called.push_back(event.value); });
  Put("a", 1ms);
  clock().Advance(1ms);
  EXPECT_EQ(database().Purge().value().rows, 1u);
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKey})), kOk);
  Put("b", 1ms);
  clock().Advance(1ms);
  EXPECT_EQ(database().Purge().value().rows, 1u);
  EXPECT_EQ(called, (std::vector<std::optional<std::string>>{"value of a", std::nullopt}));
  EXPECT_EQ(Read()[0].value, "value of a");
  EXPECT_EQ(Read()[1].value, std::nullopt);
}

TEST_P(Events, AreNotWrittenWhereNobodyAskedForThem) {
  const auto quiet = *database().CreateKeyspace("quiet");
  ASSERT_EQ(CodeOf(quiet->Put("key", "value", Lifetime::For(1ms))), kOk);
  clock().Advance(1ms);
  EXPECT_EQ(database().Purge().value().rows, 1u);
  EXPECT_TRUE(Read().empty());
}

TEST_P(Events, AreReadOnFromTheLastOneDealtWith) {
  Die(10);
  Sequence seen;
  std::uint64_t after = 0;
  for (;;) {
    const auto page = Read(after, 3);
    if (page.empty()) break;
    EXPECT_LE(page.size(), 3u);
    for (const Event& event : page) seen.push_back(event.sequence);
    after = page.back().sequence;
  }
  EXPECT_EQ(seen, (Sequence{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_TRUE(Read(0, 0).empty());
  EXPECT_TRUE(Read(10).empty());
  EXPECT_TRUE(Read(UINT64_MAX).empty());
}

TEST_P(Events, OfADroppedKeyspaceStayWithoutItsName) {
  auto gone = *database().CreateKeyspace("gone", {.events = EventDetail::kKey});
  ASSERT_EQ(CodeOf(gone->Put("key", "value", Lifetime::For(1ms))), kOk);
  clock().Advance(1ms);
  EXPECT_EQ(database().Purge().value().rows, 1u);
  EXPECT_EQ(Read()[0].keyspace_name, "gone");
  ASSERT_EQ(CodeOf(database().DropKeyspace("gone")), kOk);
  EXPECT_EQ(Read()[0].keyspace_name, "");
  const auto again = *database().CreateKeyspace("gone", {.events = EventDetail::kKey});
  ASSERT_EQ(CodeOf(again->Put("key", "value", Lifetime::For(1ms))), kOk);
  clock().Advance(1ms);
  EXPECT_EQ(database().Purge().value().rows, 1u);
  EXPECT_EQ(Read()[0].keyspace_name, "") << "the name is another's now";
  EXPECT_EQ(Read()[1].keyspace_name, "gone");
  EXPECT_NE(Read()[0].keyspace, Read()[1].keyspace);
}

TEST_P(Events, AreTrimmedBySequence) {
  Die(10);
  EXPECT_EQ(database().TrimEvents({.through_sequence = 3}).value(), 3u);
  EXPECT_EQ(Sequences(), (Sequence{4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(database().TrimEvents({.through_sequence = 3}).value(), 0u);
  EXPECT_EQ(Stats().events_first, 4u);
  EXPECT_EQ(Stats().events_last, 10u);
  EXPECT_EQ(database().TrimEvents({.through_sequence = 1000}).value(), 7u);
  EXPECT_TRUE(Read().empty());
  EXPECT_EQ(Stats().events_first, 0u);
}

TEST_P(Events, AreTrimmedByNumber) {
  Die(10);
  EXPECT_EQ(database().TrimEvents({.keep_newest = 11}).value(), 0u);
  EXPECT_EQ(database().TrimEvents({.keep_newest = 10}).value(), 0u);
  EXPECT_EQ(database().TrimEvents({.keep_newest = 4}).value(), 6u);
  EXPECT_EQ(Sequences(), (Sequence{7, 8, 9, 10}));
  EXPECT_EQ(database().TrimEvents({.keep_newest = 0}).value(), 4u);
  EXPECT_TRUE(Read().empty());
}

TEST_P(Events, AreTrimmedByAge) {
  Die(10);  // Now the first is 9 ms old, the last 0.
  EXPECT_EQ(database().TrimEvents({.older_than = 9ms}).value(), 0u);
  EXPECT_EQ(database().TrimEvents({.older_than = 7ms}).value(), 2u);
  EXPECT_EQ(Sequences(), (Sequence{3, 4, 5, 6, 7, 8, 9, 10}));
  clock().Advance(1h);
  EXPECT_EQ(database().TrimEvents({.older_than = 1h}).value(), 7u);
  EXPECT_EQ(Sequences(), Sequence{10});
}

TEST_P(Events, AreTrimmedByWhicheverTakesMost) {
  Die(10);
  EXPECT_EQ(database().TrimEvents({}).value(), 0u);
  const EventTrim trim{.through_sequence = 2, .older_than = 5ms, .keep_newest = 9};
  EXPECT_EQ(database().TrimEvents(trim).value(), 4u);
  EXPECT_EQ(Sequences(), (Sequence{5, 6, 7, 8, 9, 10}));
}

TEST_P(Events, AreTrimmedInStepsFromTheOldestOn) {
  Die(10);
  const EventTrim trim{.older_than = 5ms, .keep_newest = 7, .events_max = 2};
  EXPECT_EQ(database().TrimEvents(trim).value(), 2u);
  EXPECT_EQ(Sequences(), (Sequence{3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(database().TrimEvents(trim).value(), 2u);
  EXPECT_EQ(database().TrimEvents(trim).value(), 0u) << "the fifth is exactly 5 ms old";
  EXPECT_EQ(Sequences(), (Sequence{5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(database().TrimEvents({.keep_newest = 0, .events_max = 0}).value(), 0u);
}

TEST_P(Events, TheLastSequenceOutlivesTheEvent) {
  EXPECT_EQ(database().LastEventSequence(), 0u);
  Die(3);
  EXPECT_EQ(database().LastEventSequence(), 3u);
  EXPECT_EQ(database().TrimEvents({.keep_newest = 0}).value(), 3u);
  EXPECT_EQ(database().LastEventSequence(), 3u);
}

TEST_P(Events, NumbersGoOnAfterATrimAndAReopen) {
  Die(3);
  EXPECT_EQ(database().TrimEvents({.keep_newest = 0}).value(), 3u);
  Die(1);
  EXPECT_EQ(Sequences(), Sequence{4});
  if (!home_.persistent()) return;
  home_.Reopen();
  EXPECT_EQ(Sequences(), Sequence{4});
  Die(1);
  EXPECT_EQ(Sequences(), (Sequence{4, 5}));
  EXPECT_EQ(database().TrimEvents({.keep_newest = 0}).value(), 2u);
  home_.Reopen();
  Die(1);
  EXPECT_EQ(Sequences(), Sequence{6}) << "no number is given out twice";
}

TEST_P(Events, TellHowFarTheyWereTrimmed) {
  Die(10);
  EXPECT_EQ(database().EventsTrimmedThrough(), 0u);
  EXPECT_EQ(database().TrimEvents({.through_sequence = 6}).value(), 6u);
  EXPECT_EQ(database().EventsTrimmedThrough(), 6u);
  EXPECT_EQ(database().TrimEvents({.through_sequence = 2}).value(), 0u);
  EXPECT_EQ(database().EventsTrimmedThrough(), 6u);
  // A promise trims events from the middle, which must not count.
  ASSERT_TRUE(rows().SetPolicy({.events = EventDetail::kKey, .purge_within = 4s}).ok());
  clock().Advance(2s);
  ASSERT_TRUE(database().Reclaim({.everything = true}).has_value());
  ASSERT_TRUE(Sequences().empty());
  EXPECT_EQ(database().EventsTrimmedThrough(), 6u);
  if (!home_.persistent()) return;
  home_.Reopen();
  EXPECT_EQ(database().EventsTrimmedThrough(), 6u);
  EXPECT_EQ(database().LastEventSequence(), 10u);
}

TEST_P(Events, ReachSubscribersInOrderAfterTheCommit) {
  Sequence called;
  const auto subscription = *database().Subscribe([&](const Event& event) {
    called.push_back(event.sequence);
    EXPECT_FALSE(Read(event.sequence - 1, 1).empty()) << "a callback may call into the database";
    EXPECT_FALSE(rows().Exists(event.key).value());
  });
  for (int i = 0; i < 200; ++i) Put(std::to_string(i), Millis(1 + i % 7));
  clock().Advance(7ms);
  EXPECT_EQ(database().Purge().value().rows, 200u);
  EXPECT_EQ(called, Sequences());
  EXPECT_EQ(called.size(), 200u);
}

TEST_P(Events, OfATransactionReachSubscribersOnlyWhenItCommits) {
  int calls = 0;
  const auto subscription = *database().Subscribe([&](const Event&) { ++calls; });
  Put("key", 1ms);
  clock().Advance(1ms);
  for (const bool commit : {false, true}) {
    const auto transaction = *database().Begin();
    ASSERT_EQ(CodeOf(transaction->In(rows()).Put("key", "new", Lifetime::For(1h))), kOk);
    EXPECT_EQ(calls, 0);
    if (commit) {
      ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
    }
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(Read()[0].cause, EventCause::kReplaced);
}

TEST_P(Events, ACallbackMayWriteAndSoCauseMore) {
  int calls = 0;
  const auto subscription = *database().Subscribe([&](const Event& event) {
    if (++calls < 5) {
      ASSERT_EQ(CodeOf(rows().Put(event.key, "again", Lifetime::Until(kStart))), kOk);
    }
  });
  Die(1);
  EXPECT_EQ(calls, 5);
}

TEST_P(Events, ASubscriptionEndsWithItsHandle) {
  int one = 0;
  int other = 0;
  auto subscription = *database().Subscribe([&](const Event&) { ++one; });
  const auto stays = *database().Subscribe([&](const Event&) { ++other; });
  Die(2);
  subscription.reset();
  Die(2);
  EXPECT_EQ(one, 2);
  EXPECT_EQ(other, 4);
}

TEST_P(Events, ACallbackMayEndItsOwnSubscription) {
  std::unique_ptr<EventSubscription> subscription;
  int calls = 0;
  // A capture too large to live inside a std::function: it must outlive the call it is in.
  const std::array<std::string, 4> captured{"a long string that lives on the heap, really", "b",
                                            "c", "d"};
  subscription = *database().Subscribe([&calls, &subscription, captured](const Event&) {
    subscription.reset();
    calls += captured[0].size() > 20 && captured[3] == "d" ? 1 : 100;
  });
  for (int i = 0; i < 10; ++i) Put(std::to_string(i), 1ms);
  clock().Advance(1ms);
  EXPECT_EQ(database().Purge().value().rows, 10u);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(subscription, nullptr);
}

TEST_P(Events, WhatACallbackThrowsHurtsNobody) {
  int calls = 0;
  const auto throws_error = *database().Subscribe([&](const Event&) {
    ++calls;
    throw std::runtime_error("as it happens");
  });
  const auto throws_number = *database().Subscribe([&](const Event&) {
    ++calls;
    throw 7;
  });
  int later = 0;
  const auto listens = *database().Subscribe([&](const Event&) { ++later; });
  Die(2);
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(later, 2);
  EXPECT_EQ(Sequences(), (Sequence{1, 2}));
}

TEST_P(Events, ASubscriptionNeedsACallback) {
  EXPECT_EQ(CodeOf(database().Subscribe(nullptr)), kInvalid);
}

INSTANTIATE_TEST_SUITE_P(On, Events, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
