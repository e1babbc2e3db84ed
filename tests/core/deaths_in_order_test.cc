// Goal: a listener hears of every death before a later write of the same key is told of, and a
// frozen state shows one moment, whatever is written and purged meanwhile.
// Method: rows and members at one before, on and one after their deadline; a witness of commits
// beside the listener, on every engine.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/latched_fixture.h"
#include "core/transactions/frozen_state.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::MemberLifetime;
using core::TransactionKeyspace;

class DeathsInOrder : public EachEngine, private core::DeathListener, private core::CommitWitness {
 protected:
  void SetUp() override {
    EachEngine::SetUp();
    core::ListenToDeaths(database(), this);
  }
  void TearDown() override {
    core::ListenToDeaths(database(), nullptr);
    EachEngine::TearDown();
  }

  // A transaction whose commit is told as well, behind what it has found dead.
  void Write(const std::vector<std::string>& keys,
             const std::function<void(TransactionKeyspace&)>& something) {
    core::KeySet scope;
    for (const std::string& key : keys) scope.keys.push_back({&rows(), key});
    auto transaction = core::BeginLatched(database(), scope);
    ASSERT_TRUE(transaction.has_value()) << transaction.status().ToString();
    (*transaction)->set_witness(this);
    const auto mark = (*transaction)->SetMark();
    something((*transaction)->In(rows()));
    changed_ = (*transaction)->ChangedSince(mark);
    (*transaction)->Release(mark);
    Died((*transaction)->TakeMetDead());
    ASSERT_EQ(CodeOf((*transaction)->Commit()), kOk);
  }

  std::string told_;  // "-key" or "-key/member" for a death, "!" for a commit.
  bool changed_ = false;

 private:
  void Died(std::span<const core::Death> deaths) override {
    for (const core::Death& death : deaths) {
      EXPECT_EQ(death.keyspace, rows().name());
      told_ += "-" + death.key + (death.member ? "/" + *death.member : "") + " ";
    }
  }
  void Committed() override { told_ += "! "; }
};

TEST_P(DeathsInOrder, APurgeTellsOfRowsAndMembers) {
  ASSERT_EQ(CodeOf(rows().Put("k", "v", Lifetime::Until(kStart + 10ms))), kOk);
  InLatched(database(), rows(), {"c"}, [](TransactionKeyspace& space) {
    Fill(space, "c", {"forever"});
    Fill(space, "c", {"mortal"}, MemberLifetime::Until(kStart + 10ms));
  });
  clock().Advance(9ms);
  EXPECT_EQ(database().Purge()->rows, 0u);
  EXPECT_EQ(told_, "");
  clock().Advance(1ms);
  EXPECT_EQ(database().Purge()->rows, 1u);
  EXPECT_EQ(told_, "-k -c/mortal ");
  EXPECT_EQ(database().Purge()->rows, 0u);
  EXPECT_EQ(told_, "-k -c/mortal ");
}

TEST_P(DeathsInOrder, AWriteThatMeetsADeadRowFindsItFirst) {
  ASSERT_EQ(CodeOf(rows().Put("k", "v", Lifetime::Until(kStart + 10ms))), kOk);
  clock().Advance(9ms);
  Write({"k"}, [](TransactionKeyspace& space) {
    EXPECT_EQ(CodeOf(space.Put("k", "w", Lifetime::Keep())), kOk);
  });
  EXPECT_EQ(told_, "! ");
  clock().Advance(1ms);
  Write({"k"}, [](TransactionKeyspace& space) {
    core::FoundRow row;
    EXPECT_EQ(CodeOf(space.Find("k", row)), kOk);
    EXPECT_FALSE(row.exists);
  });
  EXPECT_FALSE(changed_);
  EXPECT_EQ(told_, "! -k ! ");
  Write({"k"}, [](TransactionKeyspace& space) {
    EXPECT_EQ(CodeOf(space.Put("k", "x", Lifetime::Forever())), kOk);
  });
  EXPECT_TRUE(changed_);
  EXPECT_EQ(told_, "! -k ! -k ! ");
  // It lives: nothing is told of it any more.
  EXPECT_EQ(database().Purge()->rows, 0u);
  EXPECT_EQ(told_, "! -k ! -k ! ");
}

TEST_P(DeathsInOrder, AWriteThatMeetsADeadMemberFindsItFirst) {
  InLatched(database(), rows(), {"c"}, [](TransactionKeyspace& space) {
    Fill(space, "c", {"forever"});
    Fill(space, "c", {"mortal"}, MemberLifetime::Until(kStart + 10ms));
  });
  clock().Advance(10ms);
  Write({"c"}, [](TransactionKeyspace& space) {
    EXPECT_EQ(*space.PutMember("c", "mortal", "again"), true);
  });
  EXPECT_EQ(told_, "-c/mortal ! ");
}

// A purge that is bounded may remove the row between two of its members.
TEST_P(DeathsInOrder, ARowThatGoesWithMembersLeftIsToldOf) {
  ASSERT_EQ(CodeOf(rows().Put("first", "v", Lifetime::Until(kStart + 1ms))), kOk);
  InLatched(database(), rows(), {"c"}, [](TransactionKeyspace& space) {
    Fill(space, "c", {"a"}, MemberLifetime::Until(kStart + 10ms));
    Fill(space, "c", {"b"}, MemberLifetime::Until(kStart + 11ms));
  });
  clock().Advance(11ms);
  PurgeOptions one;
  one.rows_max = 1;
  for (int step = 0; step < 5; ++step) ASSERT_TRUE(database().Purge(one).has_value());
  EXPECT_EQ(told_, "-first -c/a -c ");
}

TEST_P(DeathsInOrder, SoIsARowWhoseLastLivingMemberIsRemoved) {
  InLatched(database(), rows(), {"c"}, [](TransactionKeyspace& space) {
    Fill(space, "c", {"living"});
    Fill(space, "c", {"dead"}, MemberLifetime::Until(kStart + 10ms));
  });
  clock().Advance(10ms);
  Write({"c"},
        [](TransactionKeyspace& space) { EXPECT_EQ(*space.RemoveMember("c", "living"), true); });
  EXPECT_EQ(told_, "-c ! ");
}

TEST_P(DeathsInOrder, ACopyFindsDeadMembersFirst) {
  InLatched(database(), rows(), {"c"}, [](TransactionKeyspace& space) {
    Fill(space, "c", {"living"});
    Fill(space, "c", {"dead", "revived"}, MemberLifetime::Until(kStart + 10ms));
  });
  clock().Advance(10ms);
  Write({"c", "copy"}, [](TransactionKeyspace& space) {
    EXPECT_EQ(*space.PutMember("c", "revived", "again"), true);
    EXPECT_EQ(CodeOf(space.Copy("c", space, "copy")), kOk);
  });
  EXPECT_EQ(told_, "-c/revived -c/dead ! ");
}

TEST_P(DeathsInOrder, NobodyIsToldWithoutAListener) {
  core::ListenToDeaths(database(), nullptr);
  ASSERT_EQ(CodeOf(rows().Put("k", "v", Lifetime::Until(kStart + 10ms))), kOk);
  clock().Advance(10ms);
  Write({"k"}, [](TransactionKeyspace& space) {
    EXPECT_EQ(CodeOf(space.Put("k", "x", Lifetime::Until(kStart + 20ms))), kOk);
  });
  clock().Advance(10ms);
  EXPECT_EQ(database().Purge()->rows, 1u);
  EXPECT_EQ(told_, "! ");
}

TEST_P(DeathsInOrder, AFrozenStateShowsItsMoment) {
  ASSERT_EQ(CodeOf(rows().Put("dead", "v", Lifetime::Until(kStart + 10ms))), kOk);
  ASSERT_EQ(CodeOf(rows().Put("dying", "v", Lifetime::Until(kStart + 11ms))), kOk);
  InLatched(database(), rows(), {"c"}, [](TransactionKeyspace& space) {
    Fill(space, "c", {"a", "b"});
    Fill(space, "c", {"mortal"}, MemberLifetime::Until(kStart + 10ms));
  });
  clock().Advance(10ms);
  auto frozen = core::FreezeState(database());
  ASSERT_TRUE(frozen.has_value()) << frozen.status().ToString();
  EXPECT_EQ((*frozen)->now(), kStart + 10ms);
  clock().Advance(1ms);
  EXPECT_GT(database().Purge()->rows, 0u);
  ASSERT_EQ(CodeOf(rows().Put("new", "v")), kOk);
  Write({"c"}, [](TransactionKeyspace& space) { EXPECT_EQ(*space.RemoveMember("c", "a"), true); });
  const auto reader = (*frozen)->NewReader();
  for (int round = 0; round < 2; ++round) {
    TransactionKeyspace& space = reader->In(rows());
    std::string keys;
    {
      const auto cursor = *space.NewCursor();
      for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
        keys += std::string(cursor->key()) + " ";
      }
      EXPECT_TRUE(cursor->status().ok());
    }
    EXPECT_EQ(keys, "c dying ");
    core::FoundRow row;
    EXPECT_EQ(CodeOf(space.Find("c", row)), kOk);
    EXPECT_EQ(row.members, 2u);
    core::FoundMember member;
    EXPECT_EQ(CodeOf(space.FindMember("c", "a", member)), kOk);
    EXPECT_TRUE(member.exists);
    EXPECT_EQ(CodeOf(space.FindMember("c", "mortal", member)), kOk);
    EXPECT_FALSE(member.exists);
    EXPECT_NE(CodeOf(space.Put("k", "v", Lifetime::Forever())), kOk);
    reader->Forget();
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, DeathsInOrder, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
