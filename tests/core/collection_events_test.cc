// Goal: a member that dies leaves one event, however it is removed, and so does a collection.
// Method: each way a dead member can leave, on each engine, and the log of events afterwards.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/latched_fixture.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::MemberLifetime;
using core::TransactionKeyspace;

class CollectionEvents : public EachEngine {
 protected:
  CollectionEvents() {
    EXPECT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKeyAndValue})), kOk);
  }

  void In(const std::function<void(TransactionKeyspace&)>& something) {
    InLatched(database(), rows(), {"set"}, something);
  }
  void FillMortal(const std::vector<std::string>& members, Millis ttl) {
    In([&](TransactionKeyspace& space) {
      Fill(space, "set", members, MemberLifetime::Until(clock().Now() + ttl));
    });
  }

  // "key" or "key/member=value cause", in the order of events.
  std::vector<std::string> Told() {
    std::vector<std::string> told;
    const auto events = database().ReadEvents(0, 1000);
    EXPECT_TRUE(events.has_value()) << events.status().ToString();
    for (const Event& event : *events) {
      std::string line = event.key;
      if (event.member) line += "/" + *event.member + "=" + event.value.value_or("?");
      told.push_back(line + " " + std::to_string(static_cast<int>(event.cause)));
    }
    std::sort(told.begin(), told.end());
    return told;
  }
  using Lines = std::vector<std::string>;
};

TEST_P(CollectionEvents, OfAPurgedMemberNamesKeyAndMember) {
  FillMortal({"dies"}, 5ms);
  In([](TransactionKeyspace& space) { Fill(space, "set", {"stays"}); });
  clock().Advance(4ms);
  ASSERT_EQ(CodeOf(database().Purge({})), kOk);
  EXPECT_EQ(Told(), Lines{});
  clock().Advance(1ms);
  ASSERT_EQ(CodeOf(database().Purge({})), kOk);
  EXPECT_EQ(Told(), Lines{"set/dies=value of dies 0"});
  ASSERT_EQ(CodeOf(database().Purge({})), kOk);
  EXPECT_EQ(Told().size(), 1u);
}

TEST_P(CollectionEvents, OfAMovedCollectionNameItsNewKey) {
  FillMortal({"early"}, 5ms);
  FillMortal({"late"}, 8ms);
  In([](TransactionKeyspace& space) { Fill(space, "set", {"stays"}); });
  InLatched(database(), rows(), {"set", "moved"}, [](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.Move("set", space, "moved")), kOk);
    Fill(space, "set", {"another's"});
  });
  clock().Advance(5ms);
  ASSERT_EQ(CodeOf(database().Purge({})), kOk);
  EXPECT_EQ(Told(), Lines{"moved/early=value of early 0"});
  // A member that is dead when its collection is removed gets its event from the orphan's purge.
  clock().Advance(3ms);
  EXPECT_TRUE(rows().Delete("moved").value());
  ASSERT_EQ(CodeOf(database().Purge({})), kOk);
  EXPECT_EQ(Told(), (Lines{"moved/early=value of early 0", "moved/late=value of late 0"}));
  EXPECT_EQ(Look(database(), rows(), "set").members, 1u);
}

TEST_P(CollectionEvents, OfADeadMemberThatIsReplacedIsToldByTheWrite) {
  FillMortal({"dies"}, 5ms);
  In([](TransactionKeyspace& space) { Fill(space, "set", {"stays"}); });
  clock().Advance(5ms);
  In([](TransactionKeyspace& space) {
    // It was read as absent; the dead member is still stored.
    EXPECT_TRUE(
        space.PutMember("set", "dies", "again", MemberLifetime::Forever(), /*known_new=*/true)
            .value());
  });
  EXPECT_EQ(Told(), Lines{"set/dies=value of dies 2"});
  ASSERT_EQ(CodeOf(database().Purge({})), kOk);
  EXPECT_EQ(Told().size(), 1u);
  EXPECT_EQ(Look(database(), rows(), "set").members, 2u);
}

TEST_P(CollectionEvents, OfAMemberThatWasBornDead) {
  In([&](TransactionKeyspace& space) {
    Fill(space, "set", {"stays", "goes"});
    EXPECT_FALSE(space.PutMember("set", "goes", "v", MemberLifetime::Until(clock().Now())).value());
  });
  EXPECT_EQ(Told(), Lines{"set/goes=v 3"});
  EXPECT_EQ(Look(database(), rows(), "set").members, 1u);
}

TEST_P(CollectionEvents, OfACollectionThatDiesAreItsOwnAndThoseOfMembersThatDiedBefore) {
  In([](TransactionKeyspace& space) { Fill(space, "set", {"immortal"}); });
  FillMortal({"before"}, 5ms);
  FillMortal({"with"}, 10ms);
  FillMortal({"later"}, 20ms);
  In([](TransactionKeyspace& space) {
    EXPECT_TRUE(space.Expire("set", Lifetime::For(10ms)).value());
  });
  clock().Advance(30ms);
  ASSERT_EQ(CodeOf(database().Purge({})), kOk);
  EXPECT_EQ(Told(), (Lines{"set 0", "set/before=value of before 0", "set/with=value of with 0"}));
  EXPECT_EQ(StatisticsOf(database()).orphans, 0u);
}

TEST_P(CollectionEvents, OfADeletedCollectionAreThoseOfMembersThatHadDied) {
  In([](TransactionKeyspace& space) { Fill(space, "set", {"immortal"}); });
  FillMortal({"dead"}, 5ms);
  FillMortal({"alive"}, 20ms);
  clock().Advance(5ms);
  EXPECT_TRUE(rows().Delete("set").value());
  EXPECT_EQ(Told(), Lines{});
  clock().Advance(100ms);
  ASSERT_EQ(CodeOf(database().Purge({})), kOk);
  EXPECT_EQ(Told(), Lines{"set/dead=value of dead 0"});
}

TEST_P(CollectionEvents, AreDeliveredWhenTheLatchesAreFree) {
  int told = 0;
  const auto subscription = database().Subscribe([&](const Event& event) {
    ++told;
    EXPECT_EQ(CodeOf(rows().Put(event.key, "from the callback")), kOk);
  });
  In([&](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.Put("set", "v", Lifetime::Until(clock().Now()))), kOk);
  });
  EXPECT_EQ(told, 1);
  EXPECT_EQ(rows().Get("set").value(), "from the callback");
}

INSTANTIATE_TEST_SUITE_P(Engines, CollectionEvents, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
