// Goal: a latched transaction holds the keys it was begun with, sees its own writes, happens whole
// or not at all, and follows the law of TTL. Method: the calls of latched_transaction.h on each
// engine, on a clock that stands still.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/latched_fixture.h"
#include "core/transactions/latched_transaction.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::BeginLatched;
using core::FoundMember;
using core::FoundRow;
using core::MemberLifetime;
using core::TransactionKeyspace;

class Works : public EachEngine {
 protected:
  void In(const std::vector<Bytes>& keys,
          const std::function<void(TransactionKeyspace&)>& something) {
    InLatched(database(), rows(), keys, something);
  }
  bool Exists(Bytes key) { return Look(database(), rows(), key).exists; }
};

TEST_P(Works, WhatIsNotCommittedNeverWas) {
  {
    auto transaction = BeginLatched(database(), {.keys = {{&rows(), "key"}, {&rows(), "set"}}});
    TransactionKeyspace& space = (*transaction)->In(rows());
    ASSERT_EQ(CodeOf(space.Put("key", "value", Lifetime::Forever())), kOk);
    Fill(space, "set", {"a", "b"});
    FoundRow row;
    ASSERT_EQ(CodeOf(space.Find("key", row)), kOk);
    EXPECT_EQ(row.value, "value");
  }
  EXPECT_FALSE(Exists("key"));
  EXPECT_FALSE(Exists("set"));
}

TEST_P(Works, ARowIsSeenByTheLibraryAndTheReverse) {
  In({"key"}, [](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.Put("key", "value", Lifetime::For(10ms))), kOk);
  });
  EXPECT_EQ(rows().Get("key").value(), "value");
  EXPECT_EQ(rows().Ttl("key").value(), 10ms);
  ASSERT_EQ(CodeOf(rows().Put("key", "library")), kOk);
  In({"key"}, [](TransactionKeyspace& space) {
    FoundRow row;
    ASSERT_EQ(CodeOf(space.Find("key", row)), kOk);
    EXPECT_EQ(row.value, "library");
    EXPECT_FALSE(row.deadline.has_value());
  });
}

TEST_P(Works, AsManyLooksAreCountedAsAreAskedFor) {
  ASSERT_EQ(CodeOf(rows().Put("stored", "value")), kOk);
  ASSERT_EQ(CodeOf(rows().Put("mortal", "value", Lifetime::For(1ms))), kOk);
  clock().Advance(1ms);
  auto transaction = BeginLatched(database(), {.everything = true});
  TransactionKeyspace& space = (*transaction)->In(rows());
  ASSERT_EQ(CodeOf(space.Put("own", "value", Lifetime::Forever())), kOk);
  Fill(space, "set", {"a"});
  const auto look = [&](std::initializer_list<Bytes> keys) {
    FoundRow row;
    for (const Bytes key : keys) ASSERT_EQ(CodeOf(space.Find(key, row)), kOk);
  };
  const core::ReadCounts& looks = (*transaction)->read_counts();
  look({"stored", "nothing"});
  EXPECT_EQ(looks.found + looks.missed, 0u) << "nobody asked";
  (*transaction)->read_counts() = {.left = 6};
  look({"stored", "own", "set", "nothing", "mortal"});
  EXPECT_EQ(looks.found, 3u);
  EXPECT_EQ(looks.missed, 2u);
  look({"stored", "stored", "nothing"});
  EXPECT_EQ(looks.found, 4u);
  EXPECT_EQ(looks.missed, 2u);
}

TEST_P(Works, ARowLivesUpToItsDeadlineAndNotLonger) {
  In({"key"}, [](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.Put("key", "value", Lifetime::For(10ms))), kOk);
  });
  clock().Advance(9ms);
  EXPECT_TRUE(Exists("key"));
  clock().Advance(1ms);
  EXPECT_FALSE(Exists("key"));
  clock().Advance(1ms);
  EXPECT_FALSE(Exists("key"));
}

TEST_P(Works, AMemberLivesUpToItsDeadlineAndNotLonger) {
  In({"set"}, [&](TransactionKeyspace& space) {
    Fill(space, "set", {"stays"});
    Fill(space, "set", {"dies"}, MemberLifetime::Until(clock().Now() + 10ms));
  });
  clock().Advance(9ms);
  EXPECT_EQ(Look(database(), rows(), "set").members, 2u);
  clock().Advance(1ms);
  const Seen at = Look(database(), rows(), "set");
  EXPECT_EQ(at.members, 1u);
  EXPECT_EQ(at.names, std::vector<std::string>{"stays"});
  clock().Advance(1ms);
  EXPECT_EQ(Look(database(), rows(), "set").members, 1u);
  EXPECT_EQ(database().Purge({})->members, 1u);
  EXPECT_EQ(Look(database(), rows(), "set").members, 1u);
}

TEST_P(Works, ACollectionOfMortalsDiesWithTheLastOfThem) {
  In({"set"}, [&](TransactionKeyspace& space) {
    Fill(space, "set", {"first"}, MemberLifetime::Until(clock().Now() + 5ms));
    Fill(space, "set", {"last"}, MemberLifetime::Until(clock().Now() + 10ms));
  });
  EXPECT_EQ(rows().Ttl("set").value(), 10ms);
  clock().Advance(9ms);
  EXPECT_TRUE(rows().Exists("set").value());
  EXPECT_EQ(rows().Count().value(), 1u);
  clock().Advance(1ms);
  EXPECT_FALSE(rows().Exists("set").value());
  EXPECT_EQ(rows().Count().value(), 0u);
  EXPECT_FALSE(Exists("set"));
}

TEST_P(Works, AnImmortalMemberKeepsItsCollectionAlive) {
  In({"set"}, [&](TransactionKeyspace& space) {
    Fill(space, "set", {"dies"}, MemberLifetime::Until(clock().Now() + 5ms));
  });
  In({"set"}, [&](TransactionKeyspace& space) { Fill(space, "set", {"stays"}); });
  EXPECT_EQ(rows().Ttl("set").value(), kForever);
  In({"set"},
     [](TransactionKeyspace& space) { EXPECT_TRUE(space.RemoveMember("set", "stays").value()); });
  EXPECT_EQ(rows().Ttl("set").value(), 5ms);
}

TEST_P(Works, TheDeadlineOfAWorkIsTheCallersAndNotTheMembers) {
  In({"set"}, [&](TransactionKeyspace& space) {
    Fill(space, "set", {"dies"}, MemberLifetime::Until(clock().Now() + 5ms));
    EXPECT_TRUE(space.Expire("set", Lifetime::For(100ms)).value());
  });
  In({"set"}, [&](TransactionKeyspace& space) {
    FoundRow row;
    ASSERT_EQ(CodeOf(space.Find("set", row)), kOk);
    EXPECT_EQ(row.deadline, clock().Now() + 100ms);
  });
  EXPECT_EQ(rows().Ttl("set").value(), 5ms);
}

TEST_P(Works, TheLibraryChangesTheDeadlineOfACollectionAndNothingElse) {
  In({"set"}, [](TransactionKeyspace& space) { Fill(space, "set", {"a", "b"}); });
  EXPECT_FALSE(rows().Persist("set").value());
  EXPECT_TRUE(rows().Expire("set", Lifetime::For(10ms)).value());
  EXPECT_FALSE(rows().Expire("set", Lifetime::For(5ms), DeadlineIf::kLater).value());
  EXPECT_EQ(Look(database(), rows(), "set").members, 2u);
  auto transaction = database().Begin();
  EXPECT_TRUE((*transaction)->In(rows()).Expire("set", Lifetime::For(20ms)).value());
  EXPECT_TRUE(
      (*transaction)->In(rows()).Expire("set", Lifetime::For(30ms), DeadlineIf::kLater).value());
  ASSERT_EQ(CodeOf((*transaction)->Commit()), kOk);
  EXPECT_EQ(rows().Ttl("set").value(), 30ms);
  clock().Advance(30ms);
  EXPECT_FALSE(rows().Exists("set").value());
}

TEST_P(Works, TheLibraryReadsNoValueOfACollection) {
  In({"set"}, [](TransactionKeyspace& space) { Fill(space, "set", {"a"}); });
  EXPECT_EQ(CodeOf(rows().Get("set")), kWrongType);
  EXPECT_EQ(CodeOf(rows().GetRow("set")), kWrongType);
  EXPECT_EQ(CodeOf(rows().Touch("set")), kWrongType);
  EXPECT_EQ(CodeOf(rows().PutIf("set", "v", PutCondition::Equals("head"))), kWrongType);
  EXPECT_EQ(CodeOf(rows().Update("set", [](auto) { return std::optional<std::string>("v"); })),
            kWrongType);
  const Bytes keys[] = {"set"};
  EXPECT_EQ(CodeOf(rows().MultiGet(keys)->front()), kWrongType);
  const auto cursor = *rows().NewCursor();
  cursor->SeekToFirst();
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->key(), "set");
  EXPECT_TRUE(cursor->is_collection());
  EXPECT_EQ(cursor->value(), "");
  EXPECT_FALSE(rows().PutIf("set", "v", PutCondition::Absent()).value());
  EXPECT_TRUE(rows().Delete("set").value());
  EXPECT_FALSE(Exists("set"));
}

TEST_P(Works, APlainPutReplacesACollection) {
  In({"set"}, [](TransactionKeyspace& space) { Fill(space, "set", {"a"}); });
  ASSERT_EQ(CodeOf(rows().Put("set", "plain")), kOk);
  In({"set"}, [](TransactionKeyspace& space) {
    FoundMember found;
    EXPECT_EQ(CodeOf(space.FindMember("set", "a", found)), kWrongType);
    ASSERT_EQ(CodeOf(space.MakeCollection("set", "new", Lifetime::Default())), kOk);
    ASSERT_EQ(CodeOf(space.FindMember("set", "a", found)), kOk);
    EXPECT_FALSE(found.exists) << "a member of the collection that was there before";
    ASSERT_TRUE(space.PutMember("set", "b", "v").value());
  });
  EXPECT_EQ(Look(database(), rows(), "set").names, std::vector<std::string>{"b"});
}

TEST_P(Works, ACollectionThatGotNoMemberIsNotThere) {
  ASSERT_EQ(CodeOf(rows().Put("key", "value")), kOk);
  In({"key"}, [](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.MakeCollection("key", "head", Lifetime::Default())), kOk);
    FoundRow row;
    ASSERT_EQ(CodeOf(space.Find("key", row)), kOk);
    EXPECT_FALSE(row.exists);
  });
  EXPECT_FALSE(rows().Exists("key").value());
}

TEST_P(Works, AnEmptyKeyIsAKey) {
  In({""}, [](TransactionKeyspace& space) { Fill(space, "", {""}, MemberLifetime::Forever()); });
  EXPECT_EQ(Look(database(), rows(), "").members, 1u);
  In({""},
     [](TransactionKeyspace& space) { EXPECT_TRUE(space.Expire("", Lifetime::For(5ms)).value()); });
  clock().Advance(5ms);
  EXPECT_EQ(database().Purge({})->rows, 1u);
  EXPECT_EQ(rows().Count().value(), 0u);
}

TEST_P(Works, AKeyOutsideOfItsScopeIsRefused) {
  auto transaction = BeginLatched(database(), {.keys = {{&rows(), "mine"}}});
  FoundRow row;
  std::size_t refused = 0;
  for (int i = 0; i < 20; ++i) {
    refused +=
        CodeOf((*transaction)->In(rows()).Find("other" + std::to_string(i), row)) == kInternal;
  }
  EXPECT_GE(refused, 18u);  // Some keys may share the latch of "mine".
  EXPECT_EQ(CodeOf((*transaction)->In(rows()).Find("mine", row)), kOk);
}

TEST_P(Works, WhatTwoWorksNeedTheyDoOneAfterTheOther) {
  constexpr int kTimes = 200;
  const auto add = [&] {
    for (int i = 0; i < kTimes; ++i) {
      InLatched(database(), rows(), {"a", "b"}, [](TransactionKeyspace& space) {
        FoundRow row;
        ASSERT_EQ(CodeOf(space.Find("a", row)), kOk);
        const int before = row.exists ? std::stoi(std::string(row.value)) : 0;
        ASSERT_EQ(CodeOf(space.Put("a", std::to_string(before + 1), Lifetime::Forever())), kOk);
        Fill(space, "b", {std::to_string(before)});
      });
    }
  };
  std::thread other(add);
  add();
  other.join();
  EXPECT_EQ(rows().Get("a").value(), std::to_string(2 * kTimes));
  EXPECT_EQ(Look(database(), rows(), "b").members, 2u * kTimes);
}

TEST_P(Works, KeysOfAnotherLatchAreFreeMeanwhile) {
  auto transaction = BeginLatched(database(), {.keys = {{&rows(), "held"}}});
  std::atomic<int> written{0};
  std::thread other([&] {
    // Some of these lie on the latch that is held; the first of the others proves the point.
    for (int i = 0; i < 3; ++i) {
      const std::string key = "free" + std::to_string(i);
      ASSERT_EQ(CodeOf(rows().Put(key, "v")), kOk);
      ++written;
    }
  });
  while (written == 0) std::this_thread::yield();
  transaction->reset();
  other.join();
  EXPECT_EQ(written, 3);
}

TEST_P(Works, ThatReadTheSameKeysAreHeldAtOnce) {
  ASSERT_EQ(CodeOf(rows().Put("a", "1")), kOk);
  const core::KeySet reads{.keys = {{&rows(), "a", false}, {&rows(), "b", false}}};
  auto transaction = BeginLatched(database(), reads);
  std::thread other([&] {
    auto also = BeginLatched(database(), reads);  // Would wait for ever, were the first one alone.
    FoundRow row;
    ASSERT_EQ(CodeOf((*also)->In(rows()).Find("a", row)), kOk);
    EXPECT_EQ(row.value, "1");
    ASSERT_EQ(CodeOf((*also)->Commit()), kOk);
  });
  other.join();
  FoundRow row;
  ASSERT_EQ(CodeOf((*transaction)->In(rows()).Find("a", row)), kOk);
  EXPECT_EQ(row.value, "1");
}

TEST_P(Works, AKeyThatIsOnlyReadIsNotChanged) {
  auto transaction =
      BeginLatched(database(), {.keys = {{&rows(), "read", false}, {&rows(), "written"}}});
  TransactionKeyspace& space = (*transaction)->In(rows());
  EXPECT_EQ(CodeOf(space.Put("read", "v", Lifetime::Forever())), kInternal);
  EXPECT_EQ(CodeOf(space.Delete("read")), kInternal);
  EXPECT_EQ(CodeOf(space.MakeCollection("read", "head")), kInternal);
  EXPECT_EQ(CodeOf(space.Put("written", "v", Lifetime::Forever())), kOk);
  EXPECT_EQ(CodeOf((*transaction)->Commit()), kOk);
  EXPECT_TRUE(Exists("written"));
  EXPECT_FALSE(Exists("read"));
}

TEST_P(Works, SayAboutHowMuchMemoryTheirWritesTake) {
  auto transaction = BeginLatched(database(), {.everything = true});
  TransactionKeyspace& space = (*transaction)->In(rows());
  EXPECT_EQ((*transaction)->buffered_bytes(), 0u);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(CodeOf(space.Put("k" + std::to_string(i), "v", Lifetime::Forever())), kOk);
  }
  const std::size_t small = (*transaction)->buffered_bytes();
  EXPECT_GT(small, 100u * 100);
  EXPECT_LT(small, 100u * 1000);
  ASSERT_EQ(CodeOf(space.Put("large", std::string(100'000, 'x'), Lifetime::Forever())), kOk);
  EXPECT_GT((*transaction)->buffered_bytes(), small + 100'000);
  Fill(space, "set", {std::string(50'000, 'm')});
  EXPECT_GT((*transaction)->buffered_bytes(), small + 200'000);
}

TEST_P(Works, MarksTakeBackRowsMembersAndSides) {
  In({"set"}, [](TransactionKeyspace& space) {
    Fill(space, "set", {"a"});
    ASSERT_EQ(CodeOf(space.PutSide("set", "side", "old")), kOk);
  });
  auto transaction = BeginLatched(database(), {.keys = {{&rows(), "set"}, {&rows(), "key"}}});
  TransactionKeyspace& space = (*transaction)->In(rows());
  ASSERT_TRUE(space.PutMember("set", "kept", "v").value());
  const core::LatchedTransaction::Mark mark = (*transaction)->SetMark();
  ASSERT_EQ(CodeOf(space.Put("key", "v", Lifetime::Forever())), kOk);
  ASSERT_TRUE(space.RemoveMember("set", "a").value());
  ASSERT_EQ(CodeOf(space.PutSide("set", "side", "new")), kOk);
  ASSERT_TRUE(space.Delete("set").value());
  EXPECT_EQ((*transaction)->changed().size(), 2u);
  (*transaction)->RollBack(mark);
  ASSERT_EQ((*transaction)->changed().size(), 1u);
  EXPECT_EQ((*transaction)->changed().front().key, "set");
  FoundMember side;
  ASSERT_EQ(CodeOf(space.FindSide("set", "side", side)), kOk);
  EXPECT_EQ(side.value, "old");
  ASSERT_EQ(CodeOf((*transaction)->Commit()), kOk);
  EXPECT_FALSE(rows().Exists("key").value());
  EXPECT_EQ(Look(database(), rows(), "set").names, (std::vector<std::string>{"a", "kept"}));
}

TEST_P(Works, WhatWasReadIsStoredAgainAfterARollback) {
  In({"key", "plain"}, [](TransactionKeyspace& space) {
    Fill(space, "key", {"other"});
    ASSERT_TRUE(space.PutMember("key", "member", "stored").value());
    ASSERT_EQ(CodeOf(space.PutSide("key", "side", "stored")), kOk);
    ASSERT_EQ(CodeOf(space.Put("plain", "stored", Lifetime::Forever())), kOk);
  });
  auto transaction = BeginLatched(database(), {.keys = {{&rows(), "key"}, {&rows(), "plain"}}});
  core::LatchedTransaction& work = **transaction;
  TransactionKeyspace& space = work.In(rows());
  const auto expect = [&](const std::string& value, bool has_new) {
    FoundRow row;
    FoundMember part;
    ASSERT_EQ(CodeOf(space.Find("plain", row)), kOk);
    EXPECT_EQ(row.value, value);
    ASSERT_EQ(CodeOf(space.FindMember("key", "member", part)), kOk);
    EXPECT_EQ(part.value, value);
    ASSERT_EQ(CodeOf(space.FindSide("key", "side", part)), kOk);
    EXPECT_EQ(part.value, value);
    ASSERT_EQ(CodeOf(space.FindMember("key", "new", part)), kOk);
    EXPECT_EQ(part.exists, has_new);
    ASSERT_EQ(CodeOf(space.FindSide("key", "new", part)), kOk);
    EXPECT_EQ(part.exists, has_new);
  };
  const auto change = [&] {
    ASSERT_EQ(CodeOf(space.Put("plain", "changed", Lifetime::Forever())), kOk);
    ASSERT_EQ(CodeOf(space.PutMember("key", "member", "changed").status()), kOk);
    ASSERT_EQ(CodeOf(space.PutMember("key", "new", "changed").status()), kOk);
    ASSERT_EQ(CodeOf(space.PutSide("key", "side", "changed")), kOk);
    ASSERT_EQ(CodeOf(space.PutSide("key", "new", "changed")), kOk);
  };
  expect("stored", false);
  const auto mark = work.SetMark();
  change();
  expect("changed", true);
  work.RollBack(mark);
  work.Release(mark);
  expect("stored", false);
  change();
  ASSERT_EQ(CodeOf(work.Commit()), kOk);
  EXPECT_EQ(rows().Get("plain").value(), "changed");
}

TEST_P(Works, ClearTakesAllAndWhatIsWrittenAfterItStays) {
  In({}, [](TransactionKeyspace& space) {
    Fill(space, "old", {"a"}, MemberLifetime::Forever());
    ASSERT_EQ(CodeOf(space.Put("plain", "v", Lifetime::For(10ms))), kOk);
  });
  In({}, [&](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.Clear()), kOk);
    EXPECT_EQ(space.Count().value(), 0u);
    Fill(space, "new", {"b"}, MemberLifetime::Until(clock().Now() + 5ms));
    EXPECT_EQ(space.Count().value(), 1u);
  });
  EXPECT_EQ(rows().Count().value(), 1u);
  EXPECT_FALSE(rows().Exists("old").value());
  EXPECT_TRUE(rows().Exists("new").value());
  EXPECT_EQ(StatisticsOf(database()).orphans, 0u);
}

TEST_P(Works, FollowThePolicyOfTheKeyspace) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.default_ttl = 10ms, .max_ttl = 20ms})), kOk);
  In({"key", "set"}, [&](TransactionKeyspace& space) {
    EXPECT_EQ(CodeOf(space.Put("key", "v", Lifetime::For(21ms))), kInvalid);
    EXPECT_EQ(CodeOf(space.Put("key", "v", Lifetime::Forever())), kInvalid);
    ASSERT_EQ(CodeOf(space.Put("key", "v", Lifetime::Default())), kOk);
    Fill(space, "set", {"a"});
    EXPECT_EQ(CodeOf(space.Expire("set", Lifetime::For(21ms))), kInvalid);
  });
  EXPECT_EQ(rows().Ttl("key").value(), 10ms);
  EXPECT_EQ(rows().Ttl("set").value(), 10ms);
}

TEST_P(Works, WriteByTimestampWhereThatIsTheOrder) {
  const auto timed = *database().CreateKeyspace(
      "timed", {.order = RowOrder::kTimestamp, .history = 1h, .late_max = 1h});
  ASSERT_TRUE(timed->PutAt("key", "old", kStart - 9ms).value());
  {
    auto transaction =
        BeginLatched(database(), {.keys = {{timed.get(), "key"}, {timed.get(), "b"}}});
    TransactionKeyspace& space = (*transaction)->In(*timed);
    EXPECT_TRUE(space.PutAt("key", "new", kStart - 5ms, Lifetime::Forever()).value());
    const auto mark = (*transaction)->SetMark();
    EXPECT_FALSE(space.PutAt("key", "late", kStart - 7ms, Lifetime::Forever()).value());
    EXPECT_FALSE(space.PutAt("key", "undone", kStart - 6ms, Lifetime::Forever()).value());
    EXPECT_TRUE(space.DeleteAt("key", kStart - 4ms).value());
    (*transaction)->RollBack(mark);
    EXPECT_FALSE(space.PutAt("key", "late", kStart - 7ms, Lifetime::Forever()).value());
    ASSERT_EQ(CodeOf(space.Put("b", "at the clock's instant", Lifetime::Default())), kOk);
    FoundRow row;
    ASSERT_EQ(CodeOf(space.Find("key", row)), kOk);
    EXPECT_EQ(row.value, "new");
    EXPECT_EQ(CodeOf(space.MakeCollection("b", "head", Lifetime::Default())), kUnsupported);
    ASSERT_EQ(CodeOf((*transaction)->Commit()), kOk);
  }
  EXPECT_EQ(timed->GetRow("key").value().timestamp, kStart - 5ms);
  EXPECT_EQ(timed->GetAsOf("key", kStart - 6ms).value().value, "late");
  EXPECT_EQ(timed->GetAsOf("key", kStart - 8ms).value().value, "old");
  EXPECT_EQ(timed->GetRow("b").value().timestamp, kStart);
  home_.ExpectClean();
}

TEST_P(Works, NamesAndHeadsPastTheLimitsAreInvalid) {
  In({"set"}, [](TransactionKeyspace& space) {
    EXPECT_EQ(CodeOf(space.MakeCollection("set", std::string(161, 'h'), Lifetime::Default())),
              kInvalid);
    ASSERT_EQ(CodeOf(space.MakeCollection("set", std::string(64, 'h'), Lifetime::Default())), kOk);
    const std::string longest(65'536, 'm');
    EXPECT_TRUE(space.PutMember("set", longest, "v").value());
    EXPECT_EQ(CodeOf(space.PutMember("set", longest + "m", "v")), kInvalid);
    EXPECT_EQ(CodeOf(space.PutSide("set", longest + "m", "v")), kInvalid);
  });
  EXPECT_EQ(Look(database(), rows(), "set").members, 1u);
}

TEST_P(Works, AreNotBegunOnADroppedKeyspace) {
  const auto other = *database().CreateKeyspace("other");
  ASSERT_EQ(CodeOf(database().DropKeyspace("other")), kOk);
  EXPECT_EQ(CodeOf(BeginLatched(database(), {.keys = {{other.get(), "key"}}})), kInvalid);
  EXPECT_EQ(CodeOf(BeginLatched(database(), {.everything = true})), kOk);
}

INSTANTIATE_TEST_SUITE_P(Engines, Works, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
