// Goal: purge_within is kept for collections: that long after a member, or its collection, is over
// no byte of it is in any file. Method: names and values of random bytes, and a grep over every
// file of the database; each search that must find nothing found the same bytes before. MAYFLY_SEED
// repeats a run.
#include <gtest/gtest.h>

#include "core/latched_fixture.h"
#include "core/proof_fixture.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::MemberLifetime;
using core::TransactionKeyspace;

class ProvableCollections : public ProvableDeletion {
 protected:
  Planted PlantMember(Bytes key, MemberLifetime lifetime = MemberLifetime::Forever()) {
    Planted member = planter_.New();
    InLatched(database(), promised(), {key}, [&](TransactionKeyspace& space) {
      Fill(space, key, {});
      EXPECT_TRUE(space.PutMember(key, member.key, member.value, lifetime).value());
    });
    return member;
  }

  // One member for every way to end. All of it has ended when kTtl has passed.
  std::vector<Planted> PlantAll() {
    const MemberLifetime dies = MemberLifetime::Until(clock().Now() + kTtl);
    std::vector<Planted> gone = {PlantMember("living", dies), PlantMember("all mortal", dies),
                                 PlantMember("expired"),      PlantMember("expired", dies),
                                 PlantMember("deleted"),      PlantMember("replaced"),
                                 PlantMember("living")};
    Planted side = planter_.New();
    InLatched(database(), promised(), {"deleted"}, [&](TransactionKeyspace& space) {
      ASSERT_EQ(CodeOf(space.PutSide("deleted", side.key, side.value)), kOk);
    });
    for (const Planted& member : gone) ExpectThere(member, "a member before its end");
    ExpectThere(side, "a side before its end");
    InLatched(database(), promised(), {"living"}, [&](TransactionKeyspace& space) {
      EXPECT_TRUE(space.RemoveMember("living", gone.back().key).value());
    });
    EXPECT_TRUE(promised().Expire("expired", Lifetime::For(kTtl)).value());
    EXPECT_TRUE(promised().Delete("deleted").value());
    EXPECT_EQ(CodeOf(promised().Put("replaced", "plain")), kOk);
    gone.push_back(side);
    return gone;
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, ProvableCollections, EnginesWithFiles(), NameOfEngine);

TEST_P(ProvableCollections, LeaveNothingBehindAReaperInTime) {
  const Planted living = PlantMember("living");
  const std::vector<Planted> gone = PlantAll();
  const auto reaper = *database().StartReaper();
  Live(*reaper, kTtl - 1s);
  ExpectThere(gone.front(), "a mortal member before its end");
  Live(*reaper, 1s + kPromise);
  for (std::size_t i = 0; i < gone.size(); ++i) ExpectGone(gone[i], std::to_string(i));
  EXPECT_TRUE(Prove().kept());
  EXPECT_EQ(Look(database(), promised(), "living").names, std::vector<std::string>{living.key});
}

TEST_P(ProvableCollections, LeaveNothingBehindAReclaimOfEverything) {
  const Planted living = PlantMember("living");
  const std::vector<Planted> gone = PlantAll();
  clock().Advance(kTtl + kPromise);
  EXPECT_FALSE(Prove().kept()) << "nobody has removed anything";
  EXPECT_FALSE(ReclaimAll().held_up);
  for (std::size_t i = 0; i < gone.size(); ++i) ExpectGone(gone[i], std::to_string(i));
  EXPECT_TRUE(Prove().kept());
  EXPECT_EQ(Look(database(), promised(), "living").members, 1u);
}

// An eviction is a delete: so the promise holds for what it removes, and for the event that tells it.
TEST_P(ProvableCollections, WhatIsEvictedIsDeleted) {
  KeyspacePolicy policy = promised().policy();
  policy.events = EventDetail::kKeyAndValue;
  ASSERT_EQ(CodeOf(promised().SetPolicy(policy)), kOk);
  const Planted row = Plant(promised(), Lifetime::Forever());
  const Planted member = PlantMember("evicted");
  ExpectThere(row, "a row before its end");
  ExpectThere(member, "a member before its end");
  InLatched(database(), promised(), {row.key, "evicted"}, [&](TransactionKeyspace& space) {
    EXPECT_TRUE(space.Evict(row.key).value());
    EXPECT_TRUE(space.Evict("evicted").value());
  });
  EXPECT_EQ(database().ReadEvents(0, 10)->size(), 2u);
  const auto reaper = *database().StartReaper();
  Live(*reaper, kPromise);
  ExpectGone(row, "an evicted row");
  ExpectGone(member, "a member of an evicted collection");
  EXPECT_TRUE(Prove().kept());
}

// The records that lead from a collection to its members must not keep its key.
TEST_P(ProvableCollections, LeaveNotEvenTheirKeysBehind) {
  const MemberLifetime dies = MemberLifetime::Until(clock().Now() + kTtl);
  std::vector<std::string> keys;
  for (int i = 0; i < 6; ++i) {
    keys.push_back(planter_.New().key);
    PlantMember(keys.back());
    if (i % 2 == 1) PlantMember(keys.back(), dies);
  }
  const auto move_to = [&](const std::string& from, const std::string& to) {
    InLatched(database(), promised(), {from, to}, [&](TransactionKeyspace& space) {
      ASSERT_EQ(CodeOf(space.Move(from, space, to)), kOk);
    });
  };
  ReclaimAll();
  for (const std::string& key : keys) {
    EXPECT_FALSE(Prove(Bytes(key).substr(8)).traces.empty()) << "a key before its end";
  }
  EXPECT_TRUE(promised().Delete(keys[0]).value());
  EXPECT_TRUE(promised().Delete(keys[1]).value());
  EXPECT_TRUE(promised().Expire(keys[2], Lifetime::For(kTtl)).value());
  EXPECT_TRUE(promised().Expire(keys[3], Lifetime::For(kTtl)).value());
  move_to(keys[4], "renamed");
  move_to(keys[5], "renamed mortal");
  const auto reaper = *database().StartReaper();
  Live(*reaper, kTtl + kPromise);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_TRUE(Prove(Bytes(keys[i]).substr(8)).traces.empty()) << i;
  }
  EXPECT_TRUE(Prove().kept());
  EXPECT_EQ(Look(database(), promised(), "renamed").members, 1u);
  EXPECT_EQ(Look(database(), promised(), "renamed mortal").members, 1u);
}

TEST_P(ProvableCollections, ADeadMemberThatNobodyPurgedBreaksThePromise) {
  PlantMember("living");
  const Planted dead = PlantMember("living", MemberLifetime::Until(clock().Now() + kTtl));
  ReclaimAll();
  clock().Advance(kTtl + kPromise - 1ms);
  EXPECT_TRUE(Prove().kept());
  clock().Advance(1ms);
  EXPECT_FALSE(Prove().kept());
  EXPECT_TRUE(Names(Prove(), ProofHolder::Kind::kBacklog, "1 dead members"));
  ReclaimAll();
  ExpectGone(dead, "a dead member");
  EXPECT_TRUE(Prove().kept());
}

}  // namespace
}  // namespace mayfly
