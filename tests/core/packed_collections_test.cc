// Goal: a small collection lies in one row, whatever is done to it, until it is too large or has a
// mortal member; then its parts have rows of their own, and nobody sees the difference. Method: the
// stored pairs of each role are counted after each step; damage is planted through the engine.
#include <gtest/gtest.h>

#include "core/latched_fixture.h"
#include "core/layout/packed_parts.h"
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::FoundMember;
using core::MemberLifetime;
using core::Part;
using core::PartKeys;
using core::PartKind;
using core::TransactionKeyspace;
using engine::Role;
using MemberNames = std::vector<std::string>;

constexpr core::KeyspaceId kFirstKeyspace = 1;  // The first keyspace.
constexpr std::size_t kRoomInRow = 200;

class PackedCollections : public ::testing::Test {
 protected:
  PackedCollections() {
    auto engine = engine::NewMemoryEngine();
    engine_ = engine.get();
    database_ = *core::NewDatabase(std::move(engine), {.clock = &clock_});
    core::StoreOf(*database_).draft_bounds().packed_bytes_max = kRoomInRow;
  }
  ~PackedCollections() override {
    const auto report = database_->Check();
    EXPECT_TRUE(report->clean()) << (report->findings.empty() ? "" : report->findings.front());
  }

  void In(const std::function<void(TransactionKeyspace&)>& something) {
    InLatched(*database_, rows(), {}, something);
  }
  void Make(Bytes key, const MemberNames& names) {
    In([&](TransactionKeyspace& space) { Fill(space, key, names); });
  }

  std::size_t Stored(Role role) {
    const auto cursor = engine_->NewCursor({role}, {});
    std::size_t pairs = 0;
    for ((*cursor)->SeekToFirst(); (*cursor)->Valid(); (*cursor)->Next()) ++pairs;
    return pairs;
  }
  std::size_t Orphans() { return StatisticsOf(*database_).orphans; }
  Seen Shown(Bytes key) { return Look(*database_, rows(), key); }

  std::string ValueOf(Bytes key, Part part, Bytes name) {
    std::string value = "(none)";
    In([&](TransactionKeyspace& space) {
      FoundMember found;
      const Status read = part == Part::kMembers ? space.FindMember(key, name, found)
                                                 : space.FindSide(key, name, found);
      ASSERT_EQ(CodeOf(read), kOk);
      if (found.exists) value = found.value;
    });
    return value;
  }

  Keyspace& rows() { return database_->default_keyspace(); }

  ManualClock clock_{kStart};
  engine::Engine* engine_ = nullptr;
  std::unique_ptr<Database> database_;
};

TEST_F(PackedCollections, AreOneRowAndLeaveNothingBehind) {
  Make("set", {"b", "a"});
  In([](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.PutSide("set", "beside", "s")), kOk);
    ASSERT_TRUE(space.RemoveMember("set", "b").value());
    ASSERT_EQ(CodeOf(space.PutMember("set", "c", "of c")), kOk);
    ASSERT_EQ(CodeOf(space.SetHead("set", "another head")), kOk);
  });
  EXPECT_EQ(Stored(Role::kRows), 1u);
  EXPECT_EQ(Stored(Role::kMembers), 0u);
  EXPECT_EQ(Shown("set").names, (MemberNames{"a", "c"}));
  EXPECT_EQ(Shown("set").members, 2u);
  EXPECT_EQ(ValueOf("set", Part::kMembers, "c"), "of c");
  EXPECT_EQ(ValueOf("set", Part::kMembers, "b"), "(none)");
  EXPECT_EQ(ValueOf("set", Part::kSides, "beside"), "s");
  EXPECT_EQ(database_->Check()->members, 3u);
  for (const char* how : {"deleted", "replaced", "emptied", "expired"}) {
    if (Bytes(how) == "deleted") {
      EXPECT_TRUE(rows().Delete("set").value());
    } else if (Bytes(how) == "replaced") {
      EXPECT_EQ(CodeOf(rows().Put("set", "plain")), kOk);
      EXPECT_TRUE(rows().Delete("set").value());
    } else if (Bytes(how) == "emptied") {
      In([](TransactionKeyspace& space) {
        for (const Bytes name : {"a", "b"}) ASSERT_TRUE(space.RemoveMember("set", name).value());
      });
    } else {
      ASSERT_TRUE(rows().Expire("set", Lifetime::For(5ms)).value());
      clock_.Advance(4ms);
      EXPECT_EQ(Shown("set").names, (MemberNames{"a", "b"}));
      clock_.Advance(1ms);
      EXPECT_FALSE(Shown("set").exists);
      ASSERT_EQ(CodeOf(database_->Purge({})), kOk);
    }
    EXPECT_EQ(Stored(Role::kRows) + Stored(Role::kMembers) + Stored(Role::kExpiry), 0u) << how;
    EXPECT_EQ(Orphans(), 0u) << how;
    Make("set", {"a", "b"});
  }
}

// A change that puts a long value has a bound of its own. Short ones may join it in the row.
TEST_F(PackedCollections, WithLongValuesMoveOutEarlier) {
  core::StoreOf(*database_).draft_bounds().packed_bytes_max = core::kPackedBytesMax;
  const std::string at_most(core::kPackedValueBytesMax, 'v');
  const std::string longer = at_most + "v";
  const auto put = [&](Bytes key, Bytes member, Bytes value) {
    In([&](TransactionKeyspace& space) {
      ASSERT_EQ(CodeOf(space.PutMember(key, member, value)), kOk);
    });
  };
  Make("short", {"a"});
  for (const Bytes member : {"b", "c", "d", "e", "f"}) put("short", member, at_most);
  EXPECT_EQ(Stored(Role::kMembers), 0u) << "values of the last length that is short";

  Make("long", {"a"});
  for (const Bytes member : {"b", "c", "d"}) put("long", member, longer);
  EXPECT_EQ(Stored(Role::kMembers), 0u) << "the bound is not reached";
  put("long", "e", "short");
  EXPECT_EQ(Stored(Role::kMembers), 0u) << "a short value joins long ones";
  put("long", "f", longer);
  EXPECT_EQ(Stored(Role::kMembers), 6u);
  EXPECT_EQ(Shown("long").names, (MemberNames{"a", "b", "c", "d", "e", "f"}));
  EXPECT_EQ(ValueOf("long", Part::kMembers, "c"), longer);
}

TEST_F(PackedCollections, MoveOutOfTheRowPastTheBoundAndStayOut) {
  // A part's bytes: its name, its value of nine bytes more, and three.
  Make("set", {"a", "b"});
  In([](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.PutSide("set", "beside", "s")), kOk);
  });
  std::size_t used = 2 * (1 + 10 + 3) + 6 + 1 + 3;
  std::string at_bound(kRoomInRow - used - 4, 'v');  // The size of its row takes two bytes.
  In([&](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.PutMember("set", "", at_bound)), kOk);
  });
  EXPECT_EQ(Stored(Role::kMembers), 0u);
  In([&](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.PutMember("set", "b", "longer than before")), kOk);
    ASSERT_TRUE(space.RemoveMember("set", "a").value());
    ASSERT_EQ(CodeOf(space.PutMember("set", "c", "over it")), kOk);
  });
  EXPECT_EQ(Stored(Role::kMembers), 4u);
  EXPECT_EQ(Shown("set").names, (MemberNames{"", "b", "c"}));
  EXPECT_EQ(ValueOf("set", Part::kMembers, ""), at_bound);
  EXPECT_EQ(ValueOf("set", Part::kMembers, "b"), "longer than before");
  EXPECT_EQ(ValueOf("set", Part::kSides, "beside"), "s");
  In([](TransactionKeyspace& space) {
    for (const Bytes name : {"", "c"}) ASSERT_TRUE(space.RemoveMember("set", name).value());
    ASSERT_EQ(CodeOf(space.RemoveSide("set", "beside")), kOk);
  });
  EXPECT_EQ(Stored(Role::kMembers), 1u);
  EXPECT_TRUE(rows().Delete("set").value());
  EXPECT_EQ(Orphans(), 1u);
  ASSERT_EQ(CodeOf(database_->Purge({})), kOk);
  EXPECT_EQ(Stored(Role::kMembers), 0u);
}

TEST_F(PackedCollections, MoveOutOfTheRowWithTheirFirstMortalMember) {
  Make("set", {"a", "b"});
  In([&](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.PutMember("set", "m", "v", MemberLifetime::For(5ms))), kOk);
  });
  EXPECT_EQ(Stored(Role::kMembers), 5u);  // Three members, a place in the order, and the name.
  clock_.Advance(4ms);
  EXPECT_EQ(Shown("set").names, (MemberNames{"a", "b", "m"}));
  clock_.Advance(1ms);
  EXPECT_EQ(Shown("set").names, (MemberNames{"a", "b"}));
  ASSERT_EQ(CodeOf(database_->Purge({})), kOk);
  EXPECT_EQ(Shown("set").members, 2u);
}

TEST_F(PackedCollections, AreCopiedAndMovedWithTheirMembers) {
  Make("set", {"a", "b"});
  In([](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.PutSide("set", "beside", "s")), kOk);
    ASSERT_TRUE(space.Expire("set", Lifetime::For(9ms)).value());
    ASSERT_EQ(CodeOf(space.Copy("set", space, "copy")), kOk);
    ASSERT_EQ(CodeOf(space.PutMember("set", "c", "v")), kOk);
    ASSERT_EQ(CodeOf(space.Move("set", space, "moved")), kOk);
  });
  EXPECT_EQ(Shown("copy").names, (MemberNames{"a", "b"}));
  EXPECT_EQ(Shown("moved").names, (MemberNames{"a", "b", "c"}));
  EXPECT_EQ(ValueOf("moved", Part::kSides, "beside"), "s");
  EXPECT_FALSE(Shown("set").exists);
  EXPECT_EQ(Stored(Role::kMembers), 0u);
  EXPECT_EQ(Orphans(), 0u);
  clock_.Advance(9ms);
  EXPECT_FALSE(Shown("moved").exists);
  EXPECT_FALSE(Shown("copy").exists);
}

TEST_F(PackedCollections, KeepTheirMembersWhenTheLibraryChangesTheirDeadline) {
  Make("set", {"a", "b"});
  ASSERT_TRUE(rows().Expire("set", Lifetime::For(5ms)).value());
  EXPECT_EQ(Shown("set").names, (MemberNames{"a", "b"}));
  ASSERT_TRUE(rows().Expire("set", Lifetime::Forever()).value());
  clock_.Advance(5ms);
  EXPECT_EQ(Shown("set").names, (MemberNames{"a", "b"}));
}

TEST_F(PackedCollections, GoBackToAMark) {
  Make("set", {"a"});
  core::KeySet scope;
  scope.everything = true;
  auto transaction = *core::BeginLatched(*database_, scope);
  TransactionKeyspace& space = transaction->In(rows());
  ASSERT_EQ(CodeOf(space.PutMember("set", "b", "v")), kOk);
  const auto mark = transaction->SetMark();
  ASSERT_TRUE(space.RemoveMember("set", "a").value());
  ASSERT_EQ(CodeOf(space.PutMember("set", "c", "v")), kOk);
  transaction->RollBack(mark);
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(Shown("set").names, (MemberNames{"a", "b"}));
}

// Two optimistic transactions meet in one row, and conflict as if each member had its own.
TEST_F(PackedCollections, ConflictByMember) {
  for (const bool unpacks : {false, true}) {
    Make("set", {"a", "b", "c"});
    const auto one = *database_->Begin();
    const auto reader = *database_->Begin();
    FoundMember found;
    ASSERT_EQ(CodeOf(core::SpaceOf(*one, rows()).PutMember("set", "a", "of one")), kOk);
    ASSERT_EQ(CodeOf(core::SpaceOf(*reader, rows()).FindMember("set", "b", found)), kOk);
    ASSERT_EQ(CodeOf(core::SpaceOf(*reader, rows()).PutMember("set", "c", "of reader")), kOk);
    In([&](TransactionKeyspace& space) {
      const std::string value(unpacks ? kRoomInRow : 1, 'v');
      ASSERT_EQ(CodeOf(space.PutMember("set", "b", value)), kOk);
    });
    EXPECT_EQ(CodeOf(one->Commit()), kOk);
    EXPECT_EQ(CodeOf(reader->Commit()), kConflict);
    EXPECT_EQ(ValueOf("set", Part::kMembers, "a"), "of one");
    EXPECT_EQ(ValueOf("set", Part::kMembers, "b").size(), unpacks ? kRoomInRow : 1);
    EXPECT_EQ(ValueOf("set", Part::kMembers, "c"), "value of c");
    EXPECT_EQ(Stored(Role::kMembers), unpacks ? 3u : 0u);
    EXPECT_TRUE(rows().Delete("set").value());
  }
}

TEST_F(PackedCollections, AreWholeInABackup) {
  const TemporaryDirectory files;
  Make("set", {"a", "b"});
  In([](TransactionKeyspace& space) {
    ASSERT_EQ(CodeOf(space.PutSide("set", "beside", "s")), kOk);
  });
  ASSERT_EQ(CodeOf(database_->Backup(files.Inside("backup"))), kOk);
  EXPECT_TRUE(rows().Delete("set").value());
  DatabaseHome home(EngineKind::kMemory);
  ASSERT_EQ(CodeOf(home.database().Restore(files.Inside("backup"), {})), kOk);
  EXPECT_EQ(Look(home.database(), home.keyspace(), "set").names, (MemberNames{"a", "b"}));
  home.ExpectClean();
}

TEST_F(PackedCollections, AreCheckedAndMended) {
  Make("set", {"a", "b"});
  Make("other", {"x"});
  const auto plant = [&](Role role, Bytes key, Bytes value) {
    engine::Batch batch;
    batch.Put({role}, key, value);
    ASSERT_EQ(CodeOf(engine_->Commit(batch)), kOk);
  };
  const auto expect_mended = [&](const std::string& word) {
    const auto found = database_->Check();
    ASSERT_FALSE(found->findings.empty());
    EXPECT_NE(found->findings.front().find(word), std::string::npos) << found->findings.front();
    EXPECT_GT(database_->Check({.repair = true})->repaired, 0u);
    EXPECT_TRUE(database_->Check()->clean());
    EXPECT_EQ(Shown("set").names, (MemberNames{"a", "b"}));
    EXPECT_EQ(Shown("set").members, 2u);
  };
  // A member of its own beside those in the row.
  plant(Role::kMembers, PartKeys(kFirstKeyspace, 1).Of(PartKind::kMember, "c"),
        std::string(1, '\0'));
  expect_mended("beside a collection");
  // A count that is wrong.
  PinnedBytes pin;
  const core::RowKey key(kFirstKeyspace, "set");
  ASSERT_EQ(CodeOf(engine_->Get({Role::kRows}, key, pin)), kOk);
  const auto row = core::DecodeRow(pin.view());
  auto collection = core::DecodeCollection(row->payload);
  collection->members = 5;
  std::string payload;
  core::AppendCollection(payload, *collection);
  std::string stored;
  core::AppendRow(stored, {.deadline = {}, .payload = payload, .collection_id = 1});
  plant(Role::kRows, key, stored);
  expect_mended("does not fit its members");
}

TEST_F(PackedCollections, ThatAreDamagedAreReportedByEveryCall) {
  Make("set", {"a", "b"});
  PinnedBytes pin;
  const core::RowKey key(kFirstKeyspace, "set");
  ASSERT_EQ(CodeOf(engine_->Get({Role::kRows}, key, pin)), kOk);
  const std::string whole(pin.view());
  engine::Batch batch;
  batch.Put({Role::kRows}, key, Bytes(whole).substr(0, whole.size() - 1));
  ASSERT_EQ(CodeOf(engine_->Commit(batch)), kOk);
  In([](TransactionKeyspace& space) {
    FoundMember found;
    EXPECT_EQ(CodeOf(space.FindMember("set", "z", found)), kCorruption);
    const auto cursor = space.NewMemberCursor("set", Part::kMembers);
    (*cursor)->SeekToFirst();
    EXPECT_EQ(CodeOf((*cursor)->status()), kCorruption);
  });
  EXPECT_EQ(database_->Check()->unreadable_rows, 1u);
  EXPECT_TRUE(rows().Delete("set").value());
}

}  // namespace
}  // namespace mayfly
