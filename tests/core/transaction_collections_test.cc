// Goal: collections in an optimistic transaction are committed whole, at the commit's instant, and
// only if nobody changed what the transaction relied on. Method: a transaction and latched writes
// beside it, interleaved by hand, on every engine.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "core/each_engine.h"
#include "core/latched_fixture.h"
#include "mayfly/transaction.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::FoundMember;
using core::FoundRow;
using core::MemberLifetime;
using core::Part;
using core::TransactionKeyspace;

class CollectionsInTransactions : public EachEngine {
 protected:
  std::unique_ptr<Transaction> Begin() { return *database().Begin(); }
  TransactionKeyspace& SpaceOf(Transaction& transaction) {
    return core::SpaceOf(transaction, rows());
  }

  void Latched(const std::function<void(TransactionKeyspace&)>& something) {
    InLatched(database(), rows(), {"set", "other"}, something);
  }
  void Make(const std::vector<std::string>& members,
            MemberLifetime lifetime = MemberLifetime::Forever()) {
    Latched([&](TransactionKeyspace& space) { Fill(space, "set", members, lifetime); });
  }
  void Remove() {
    Latched([](TransactionKeyspace& space) { ASSERT_TRUE(space.Delete("set").has_value()); });
  }
  std::string ValueOf(Bytes member) {
    std::string value = "(none)";
    Latched([&](TransactionKeyspace& space) {
      FoundMember found;
      const Status read = space.FindMember("set", member, found);
      if (read.ok() && found.exists) value = found.value;
    });
    return value;
  }
};

TEST_P(CollectionsInTransactions, AreSeenByNobodyUntilTheCommitAndByAllAfterIt) {
  Make({"a", "b"});
  const auto transaction = Begin();
  TransactionKeyspace& space = SpaceOf(*transaction);
  Fill(space, "set", {"c"});
  Fill(space, "other", {"x", "y"});
  ASSERT_TRUE(space.RemoveMember("set", "a").value());
  ASSERT_EQ(CodeOf(space.PutSide("set", "side", "s")), kOk);
  EXPECT_EQ(Look(database(), rows(), "set").names, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(Look(database(), rows(), "other").exists);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(Look(database(), rows(), "set").names, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(Look(database(), rows(), "set").members, 2u);
  EXPECT_EQ(Look(database(), rows(), "other").members, 2u);
  home_.ExpectClean();
}

TEST_P(CollectionsInTransactions, LeaveNothingWhenTheyRollBack) {
  {
    const auto transaction = Begin();
    Fill(SpaceOf(*transaction), "set", {"a"});
    Fill(SpaceOf(*transaction), "set", {"b"});
    transaction->Rollback();
    EXPECT_EQ(CodeOf(SpaceOf(*transaction).Delete("set")), kInvalid);
  }
  EXPECT_FALSE(Look(database(), rows(), "set").exists);
  EXPECT_EQ(database().Check().value().members, 0u);
}

TEST_P(CollectionsInTransactions, GoBackToASavepoint) {
  Make({"a"});
  const auto transaction = Begin();
  TransactionKeyspace& space = SpaceOf(*transaction);
  Fill(space, "set", {"b"});
  ASSERT_EQ(CodeOf(transaction->SetSavepoint()), kOk);
  Fill(space, "set", {"c"});
  ASSERT_TRUE(space.RemoveMember("set", "a").value());
  ASSERT_EQ(CodeOf(transaction->In(rows()).Put("set", "a plain row")), kOk);
  ASSERT_EQ(CodeOf(transaction->RollbackToSavepoint()), kOk);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(Look(database(), rows(), "set").names, (std::vector<std::string>{"a", "b"}));
  home_.ExpectClean();
}

TEST_P(CollectionsInTransactions, ShowInThePublicCallsOfTheSameTransaction) {
  const auto transaction = Begin();
  TransactionKeyspace& space = SpaceOf(*transaction);
  KeyspaceWriter& writer = transaction->In(rows());
  ASSERT_EQ(CodeOf(writer.Put("plain", "v")), kOk);
  Fill(space, "set", {"a"});
  EXPECT_EQ(CodeOf(writer.Get("set")), kWrongType);
  EXPECT_TRUE(writer.Exists("set").value());
  EXPECT_EQ(writer.Count().value(), 2u);
  EXPECT_EQ(space.Count().value(), 2u);
  ASSERT_TRUE(writer.Expire("set", Lifetime::For(7ms)).value());
  EXPECT_EQ(writer.Ttl("set").value(), 7ms);
  const auto cursor = writer.NewCursor();
  (*cursor)->SeekToLast();
  ASSERT_TRUE((*cursor)->Valid());
  EXPECT_EQ((*cursor)->key(), "set");
  EXPECT_TRUE((*cursor)->is_collection());
  EXPECT_TRUE(writer.Delete("set").value());
  FoundRow row;
  ASSERT_EQ(CodeOf(space.Find("set", row)), kOk);
  EXPECT_FALSE(row.exists);
}

TEST_P(CollectionsInTransactions, ConflictWithAChangeOfWhatTheyRead) {
  const auto read_a = [](TransactionKeyspace& space) {
    FoundMember found;
    ASSERT_EQ(CodeOf(space.FindMember("set", "a", found)), kOk);
  };
  const auto walk = [](TransactionKeyspace& space) {
    const auto cursor = *space.NewMemberCursor("set", Part::kMembers);
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    }
  };
  const auto walk_sides_back = [](TransactionKeyspace& space) {
    const auto cursor = *space.NewMemberCursor("set", Part::kSides);
    cursor->SeekAtOrBefore("z");
  };
  const auto find_row = [](TransactionKeyspace& space) {
    FoundRow row;
    ASSERT_EQ(CodeOf(space.Find("set", row)), kOk);
  };
  const auto put = [](Bytes member) {
    return [member](TransactionKeyspace& space) {
      ASSERT_EQ(CodeOf(space.PutMember("set", member, "changed")), kOk);
    };
  };
  const auto put_side = [](Bytes side) {
    return [side](TransactionKeyspace& space) {
      ASSERT_EQ(CodeOf(space.PutSide("set", side, "changed")), kOk);
    };
  };
  const auto set_head = [](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.SetHead("set", "another")), kOk);
  };
  const auto expire = [](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.Expire("set", Lifetime::For(1h))), kOk);
  };
  struct Case {
    const char* name;
    std::function<void(TransactionKeyspace&)> read;
    std::function<void(TransactionKeyspace&)> change;
    bool conflict;
  };
  const Case cases[] = {
      {"another value of the member read", read_a, put("a"), true},
      {"another value of another member", read_a, put("b"), false},
      {"a new member, which changes the count", read_a, put("new"), true},
      {"a value within the range walked", walk, put("b"), true},
      {"a side below the one looked for", walk_sides_back, put_side("y"), true},
      {"a side above it", walk_sides_back, put_side("zz"), false},
      {"a side of a set whose members were walked", walk, put_side("y"), false},
      {"another head", find_row, set_head, true},
      {"another deadline", find_row, expire, true},
      {"a value of a member, for a reader of the row", find_row, put("a"), false},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    Make({"a", "b", "c"});
    const auto transaction = Begin();
    one.read(SpaceOf(*transaction));
    ASSERT_EQ(CodeOf(transaction->In(rows()).Put("plain", one.name)), kOk);
    Latched(one.change);
    EXPECT_EQ(CodeOf(transaction->Commit()), one.conflict ? kConflict : kOk);
    EXPECT_EQ(rows().Exists("plain").value(), !one.conflict);
    ASSERT_TRUE(rows().Delete("plain").has_value());
    Remove();
  }
  home_.ExpectClean();
}

TEST_P(CollectionsInTransactions, ConflictWithAnotherDeadlineOfTheLastMember) {
  Make({"a"}, MemberLifetime::Until(clock().Now() + 50ms));
  const auto transaction = Begin();
  EXPECT_EQ(transaction->In(rows()).Ttl("set").value(), 50ms);
  ASSERT_EQ(CodeOf(transaction->In(rows()).Put("plain", "dies in 50 ms")), kOk);
  Latched([&](TransactionKeyspace& space) {
    Fill(space, "set", {"a"}, MemberLifetime::Until(clock().Now() + 90ms));
  });
  EXPECT_EQ(CodeOf(transaction->Commit()), kConflict);
}

TEST_P(CollectionsInTransactions, AddToWhatOthersWroteWithoutReadingIt) {
  Make({"a", "b"});
  const auto transaction = Begin();
  ASSERT_FALSE(SpaceOf(*transaction).PutMember("set", "a", "mine").value());
  Latched([](TransactionKeyspace& space) {
    ASSERT_FALSE(space.PutMember("set", "b", "theirs").value());
  });
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(ValueOf("a"), "mine");
  EXPECT_EQ(ValueOf("b"), "theirs");
  home_.ExpectClean();
}

TEST_P(CollectionsInTransactions, DoNotConflictWithMembersThatDieOrArePurged) {
  for (const bool purge : {false, true}) {
    SCOPED_TRACE(purge);
    Make({"stays"});
    Latched([&](TransactionKeyspace& space) {
      Fill(space, "set", {"dies", "dies too"}, MemberLifetime::Until(clock().Now() + 5ms));
    });
    const auto transaction = Begin();
    TransactionKeyspace& space = SpaceOf(*transaction);
    FoundMember found;
    ASSERT_EQ(CodeOf(space.FindMember("set", "dies", found)), kOk);
    EXPECT_TRUE(found.exists);
    Fill(space, "set", {"new"});
    ASSERT_TRUE(space.RemoveMember("set", "dies too").value());
    clock().Advance(5ms);
    if (purge) {
      ASSERT_EQ(CodeOf(database().Purge()), kOk);
    }
    EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
    EXPECT_EQ(Look(database(), rows(), "set").names, (std::vector<std::string>{"new", "stays"}));
    EXPECT_EQ(Look(database(), rows(), "set").members, 2u);
    home_.ExpectClean();
    Remove();
  }
  EXPECT_EQ(database().GetStatistics().value().conflicts, 0u);
}

TEST_P(CollectionsInTransactions, AreNotChangedOnceTheyHaveDied) {
  for (const bool purge : {false, true}) {
    SCOPED_TRACE(purge);
    Make({"a"}, MemberLifetime::Until(clock().Now() + 5ms));
    const auto transaction = Begin();
    Fill(SpaceOf(*transaction), "set", {"b"});
    clock().Advance(5ms);
    if (purge) {
      ASSERT_EQ(CodeOf(database().Purge()), kOk);
    }
    EXPECT_EQ(CodeOf(transaction->Commit()), kConflict);
    EXPECT_FALSE(Look(database(), rows(), "set").exists);
  }
  ASSERT_EQ(CodeOf(database().Purge()), kOk);
  EXPECT_EQ(database().Check().value().members, 0u);
}

TEST_P(CollectionsInTransactions, LetReadersOfACollectionThatDiedCommit) {
  Make({"a"}, MemberLifetime::Until(clock().Now() + 5ms));
  const auto transaction = Begin();
  FoundMember found;
  ASSERT_EQ(CodeOf(SpaceOf(*transaction).FindMember("set", "a", found)), kOk);
  ASSERT_EQ(CodeOf(transaction->In(rows()).Put("plain", "v")), kOk);
  clock().Advance(5ms);
  ASSERT_EQ(CodeOf(database().Purge()), kOk);
  EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
}

TEST_P(CollectionsInTransactions, CountTtlsFromTheCommit) {
  const auto transaction = Begin();
  TransactionKeyspace& space = SpaceOf(*transaction);
  ASSERT_EQ(CodeOf(space.MakeCollection("set", "head", Lifetime::For(100ms))), kOk);
  ASSERT_EQ(CodeOf(space.PutMember("set", "a", "v", MemberLifetime::For(10ms))), kOk);
  ASSERT_EQ(CodeOf(space.PutMember("set", "b", "v")), kOk);
  clock().Advance(50ms);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(rows().Ttl("set").value(), 100ms);
  clock().Advance(9ms);
  EXPECT_EQ(Look(database(), rows(), "set").members, 2u);
  clock().Advance(1ms);
  EXPECT_EQ(Look(database(), rows(), "set").members, 1u);
  home_.ExpectClean();
}

TEST_P(CollectionsInTransactions, OfWhichAllMembersDiedBeforeTheCommitAreNotWritten) {
  const auto transaction = Begin();
  Fill(SpaceOf(*transaction), "set", {"a"}, MemberLifetime::Until(clock().Now() + 5ms));
  clock().Advance(5ms);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_FALSE(Look(database(), rows(), "set").exists);
  EXPECT_EQ(database().Check().value().members, 0u);
}

TEST_P(CollectionsInTransactions, DieWithTheLastMemberAsTheTransactionShowsThem) {
  Make({"a"}, MemberLifetime::Until(clock().Now() + 50ms));
  const auto transaction = Begin();
  TransactionKeyspace& space = SpaceOf(*transaction);
  Fill(space, "set", {"b"}, MemberLifetime::Until(clock().Now() + 90ms));
  EXPECT_EQ(transaction->In(rows()).Ttl("set").value(), 90ms);
  ASSERT_TRUE(transaction->In(rows()).Expire("set", Lifetime::For(60ms)).value());
  EXPECT_EQ(transaction->In(rows()).Ttl("set").value(), 60ms);
  Fill(space, "set", {"for ever"});
  ASSERT_TRUE(transaction->In(rows()).Persist("set").value());
  EXPECT_EQ(transaction->In(rows()).Ttl("set").value(), kForever);
}

INSTANTIATE_TEST_SUITE_P(Engines, CollectionsInTransactions, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly
