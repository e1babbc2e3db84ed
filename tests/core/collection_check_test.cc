// Goal: a check finds every inconsistency of a collection, names it, and repairs it from the
// members. Method: damage is planted through the engine, beneath an open database.
#include <gtest/gtest.h>

#include "core/latched_fixture.h"
#include "core/layout/collection_codec.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::EntryKey;
using core::MemberLifetime;
using core::MembersOf;
using core::PartKeys;
using core::PartKind;
using core::TransactionKeyspace;

constexpr engine::Address kRowsMap{engine::Role::kRows};
constexpr engine::Address kMembers{engine::Role::kMembers};
constexpr engine::Address kExpiryMap{engine::Role::kExpiry};
constexpr engine::Address kMetaMap{engine::Role::kMeta};
constexpr core::KeyspaceId kDefaultKeyspace = 1;  // The first keyspace.
constexpr std::uint64_t kVersion = 1;             // The first collection id.
constexpr WallTime kDeadline = kStart + 10ms;

class CollectionDamage : public ::testing::Test {
 protected:
  CollectionDamage() {
    auto engine = engine::NewMemoryEngine();
    engine_ = engine.get();
    database_ = *core::NewDatabase(std::move(engine), {.clock = &clock_});
    InLatched(*database_, rows(), {"set"}, [](TransactionKeyspace& space) {
      Fill(space, "set", {"a", "b"});
      Fill(space, "set", {"m"}, MemberLifetime::Until(kDeadline));
    });
    EXPECT_TRUE(database_->Check()->clean());
  }

  void Plant(const std::function<void(engine::Batch&)>& damage) {
    engine::Batch batch;
    damage(batch);
    ASSERT_EQ(CodeOf(engine_->Commit(batch)), kOk);
  }

  // One finding, which names `word`; a repair mends it, and the collection is whole again.
  void ExpectFoundAndMended(const std::string& word, std::uint64_t members = 3) {
    const CheckReport found = *database_->Check();
    EXPECT_FALSE(found.clean());
    ASSERT_FALSE(found.findings.empty());
    EXPECT_NE(found.findings.front().find(word), std::string::npos) << found.findings.front();
    const CheckReport repaired = *database_->Check({.repair = true});
    EXPECT_GT(repaired.repaired, 0u);
    const CheckReport after = *database_->Check();
    EXPECT_TRUE(after.clean()) << (after.findings.empty() ? "" : after.findings.front());
    EXPECT_EQ(Look(*database_, rows(), "set").members, members);
    // And the law holds again: the mortal member dies when it should, and is purged.
    clock_.Advance(10ms);
    ASSERT_EQ(CodeOf(database_->Purge({})), kOk);
    EXPECT_TRUE(database_->Check()->clean());
  }

  Keyspace& rows() { return database_->default_keyspace(); }

  ManualClock clock_{kStart};
  engine::Engine* engine_ = nullptr;
  std::unique_ptr<Database> database_;
  const PartKeys keys_{kDefaultKeyspace, kVersion};
};

TEST_F(CollectionDamage, ALostMember) {
  Plant([&](auto& batch) { batch.Delete(kMembers, keys_.Of(PartKind::kMember, "a")); });
  ExpectFoundAndMended("does not fit its members", 2);
}

TEST_F(CollectionDamage, ALostEntryOfAMember) {
  const std::string member(Bytes(keys_.Of(PartKind::kMember, "m")));
  Plant([&](auto& batch) {
    batch.Delete(kExpiryMap,
                 EntryKey(MembersOf(kDefaultKeyspace), kDeadline, core::UserKeyOf(member)));
  });
  ExpectFoundAndMended("not in the index");
}

TEST_F(CollectionDamage, ALostPlaceInTheOrder) {
  Plant([&](auto& batch) { batch.Delete(kMembers, keys_.OfOrder(kDeadline, "m")); });
  ExpectFoundAndMended("not in its collection's order");
}

TEST_F(CollectionDamage, APlaceInTheOrderThatIsNobodys) {
  Plant([&](auto& batch) { batch.Put(kMembers, keys_.OfOrder(kDeadline, "a"), {}); });
  ExpectFoundAndMended("order without its member");
}

TEST_F(CollectionDamage, AnEntryThatIsNobodys) {
  Plant([&](auto& batch) {
    batch.Put(kExpiryMap, EntryKey(MembersOf(kDefaultKeyspace), kDeadline, "whatever"), {});
  });
  ExpectFoundAndMended("without its member");
}

TEST_F(CollectionDamage, MembersOfNoCollectionAreQueuedToGo) {
  Plant([&](auto& batch) {
    batch.Put(kMembers, PartKeys(kDefaultKeyspace, 77).Of(PartKind::kMember, "a"),
              std::string(1, '\0'));
  });
  ExpectFoundAndMended("a collection that is not there");
  EXPECT_EQ(database_->Check()->members, 2u);
}

TEST_F(CollectionDamage, ARecordOfAnOrphanThatIsNone) {
  Plant([&](auto& batch) {
    batch.Put(kMetaMap, core::OrphanKey(kDefaultKeyspace, kVersion), core::EncodeOrphan(kStart));
  });
  ExpectFoundAndMended("an orphan that is none");
}

TEST_F(CollectionDamage, ACollectionWithoutMembersGoes) {
  Plant([&](auto& batch) {
    for (const char* member : {"a", "b"}) {
      batch.Delete(kMembers, keys_.Of(PartKind::kMember, member));
    }
    const std::string member(Bytes(keys_.Of(PartKind::kMember, "m")));
    batch.Delete(kMembers, member);
    batch.Delete(kMembers, keys_.OfOrder(kDeadline, "m"));
    batch.Delete(kExpiryMap,
                 EntryKey(MembersOf(kDefaultKeyspace), kDeadline, core::UserKeyOf(member)));
  });
  ExpectFoundAndMended("does not fit its members", 0);
  EXPECT_EQ(rows().Count().value(), 0u);
}

TEST_F(CollectionDamage, ALostName) {
  Plant([&](auto& batch) { batch.Delete(kMembers, keys_.OfName()); });
  ExpectFoundAndMended("does not fit its members");
}

TEST_F(CollectionDamage, ANameThatIsAnotherKeys) {
  Plant([&](auto& batch) {
    std::string name;
    core::AppendRow(name, {.deadline = {}, .payload = "elsewhere"});
    batch.Put(kMembers, keys_.OfName(), name);
  });
  ExpectFoundAndMended("does not fit its members");
}

TEST_F(CollectionDamage, ARowThatHasTheMembersOfAnotherGoes) {
  PinnedBytes row;
  ASSERT_EQ(CodeOf(engine_->Get(kRowsMap, core::RowKey(kDefaultKeyspace, "set"), row)), kOk);
  Plant([&](auto& batch) {
    batch.Put(kRowsMap, core::RowKey(kDefaultKeyspace, "twin"), row.view());
  });
  ExpectFoundAndMended("members are another's");
  EXPECT_EQ(rows().Count().value(), 1u);
}

TEST_F(CollectionDamage, AnUnreadableRowIsNamedAndLeftAlone) {
  Plant([&](auto& batch) {
    std::string row;
    core::AppendRow(row, {.deadline = {}, .payload = "\x7f", .collection_id = kVersion});
    batch.Put(kRowsMap, core::RowKey(kDefaultKeyspace, "set"), row);
  });
  EXPECT_EQ(database_->Check({.repair = true})->unreadable_rows, 1u);
  auto transaction = core::BeginLatched(*database_, {.keys = {{&rows(), "set"}}});
  core::FoundRow row;
  EXPECT_EQ(CodeOf((*transaction)->In(rows()).Find("set", row)), kUnsupported);
}

}  // namespace
}  // namespace mayfly
