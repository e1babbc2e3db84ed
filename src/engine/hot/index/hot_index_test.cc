// Goal: versions, flags and memory of single rows, and the bounds on memory.
// Method: one index, commits and states by hand.
#include "engine/hot/index/hot_index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "base/random.h"
#include "engine/hot/index/hot_cursor.h"
#include "engine/hot/index/test_writer.h"

namespace mayfly::engine::hot {
namespace {

class HotIndexTest : public testing::Test {
 protected:
  std::string Get(Bytes key) { return Text(index_.Get(Role::kRows, key, value_)); }
  std::string Get(Bytes key, Sequence state) {
    return Text(index_.Get(Role::kRows, key, state, value_));
  }
  std::string Text(Presence presence) {
    if (presence == Presence::kValue) return value_;
    return presence == Presence::kDeleted ? "(deleted)" : "(nothing)";
  }
  void ReclaimAll() {
    while (index_.Reclaim(1000) > 0) {
    }
  }

  // True when the bytes are anywhere in the arena's memory.
  bool HasBytes(Bytes needle) {
    const char* base = reinterpret_cast<const char*>(index_.arena().At(0));
    const Bytes all(base, kSearchedBytes);
    return all.find(needle) != Bytes::npos;
  }
  static constexpr std::size_t kSearchedBytes = std::size_t{3} << 20;

  HotIndex index_{TestOptions()};
  TestWriter writer_{index_};
  std::string value_;
};

TEST_F(HotIndexTest, ASnapshotSeesNoLaterWrite) {
  writer_.Put("key", "one");
  const Sequence first = index_.OpenState();
  writer_.Put("key", "two, and longer than its block has room for");
  const Sequence second = index_.OpenState();
  writer_.Delete("key");
  const Sequence third = index_.OpenState();
  writer_.Put("key", std::string(10000, 'x'));
  writer_.Put("new", "new");
  EXPECT_EQ(Get("key", first), "one");
  EXPECT_EQ(Get("key", second), "two, and longer than its block has room for");
  EXPECT_EQ(Get("key", third), "(deleted)");
  EXPECT_EQ(Get("key"), std::string(10000, 'x'));
  EXPECT_EQ(Get("new", third), "(nothing)");
  for (const Sequence state : {first, second, third}) index_.CloseState(state);
}

TEST_F(HotIndexTest, AVersionIsFreedWhenItsLastStateClosesAndNotBefore) {
  writer_.Put("key", std::string(50, 'a'));
  const std::size_t start = index_.memory().used_bytes;
  const Sequence older = index_.OpenState();
  writer_.Put("key", std::string(50, 'b'));
  const Sequence newer = index_.OpenState();
  writer_.Put("key", std::string(50, 'c'));
  index_.CloseState(newer);
  ReclaimAll();
  // New blocks of the same size take the place of whatever was freed.
  for (int i = 0; i < 100; ++i) writer_.Put("fill" + std::to_string(i), std::string(50, 'z'));
  EXPECT_EQ(Get("key", older), std::string(50, 'a'));
  for (int i = 0; i < 100; ++i) writer_.Delete("fill" + std::to_string(i));
  index_.CloseState(older);
  ReclaimAll();
  EXPECT_EQ(Get("key"), std::string(50, 'c'));
  // At most the room for the link to older versions stays.
  EXPECT_LE(index_.memory().used_bytes, start + kUnitBytesMax);
  EXPECT_EQ(index_.memory().retired, 0u);
}

TEST_F(HotIndexTest, OneStateKeepsOneVersionHoweverManyCommitsFollow) {
  writer_.Put("key", "seen");
  const Sequence state = index_.OpenState();
  writer_.Put("key", "0");
  const std::size_t start = index_.memory().used_bytes;
  for (int i = 0; i < 1000; ++i) writer_.Put("key", std::to_string(i));
  EXPECT_EQ(index_.memory().used_bytes, start);
  EXPECT_EQ(Get("key", state), "seen");
  index_.CloseState(state);
}

TEST_F(HotIndexTest, ACommitThatIsNotPublishedIsNotSeen) {
  writer_.Put("a", "old");
  writer_.Put("b", "old");
  const HotIndex::Touch touches[] = {{.key = "a"}, {.key = "b"}, {.key = "c"}};
  HotIndex::Commit commit(index_, touches);
  const Sequence sequence = writer_.Take();
  const HotChange changes[] = {{.kind = HotChange::Kind::kDelete, .key = "a", .value = {}},
                               {.key = "c", .value = "new"}};
  commit.Apply(sequence, changes);
  EXPECT_EQ(Get("a"), "old");
  EXPECT_EQ(Get("c"), "(nothing)");
  EXPECT_EQ(commit.Current(Role::kRows, "a").presence, Presence::kDeleted);
  EXPECT_EQ(commit.Current(Role::kRows, "c").value, "new");
  commit.Publish(sequence);
  EXPECT_EQ(Get("a"), "(nothing)");
  EXPECT_EQ(Get("c"), "new");
}

TEST_F(HotIndexTest, CommitsBecomeVisibleInTheirOrder) {
  const HotIndex::Touch first_touch{.key = "first"};
  const HotIndex::Touch second_touch{.key = "second"};
  HotIndex::Commit first(index_, {&first_touch, 1});
  const Sequence one = writer_.Take();
  std::atomic<bool> applied{false};
  std::thread later([&] {
    HotIndex::Commit second(index_, {&second_touch, 1});
    const HotChange change{.key = "second", .value = "2"};
    const Sequence two = writer_.Take();
    second.Apply(two, {&change, 1});
    applied = true;
    second.Publish(two);  // Waits.
  });
  while (!applied) std::this_thread::yield();
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(Get("second"), "(nothing)");
    ASSERT_EQ(index_.visible(), 0u);
    std::this_thread::yield();
  }
  const HotChange change{.key = "first", .value = "1"};
  first.Apply(one, {&change, 1});
  first.Publish(one);
  later.join();
  EXPECT_EQ(Get("first"), "1");
  EXPECT_EQ(Get("second"), "2");
}

TEST_F(HotIndexTest, TombstonesStayOverColdRowsUntilTheyAreClean) {
  writer_.Put("cold", "v", kDirty | kOverCold);
  const Sequence gone = writer_.Delete("cold");
  const Sequence unknown = writer_.Delete("only in the cold store", kDirty | kOverCold);
  ReclaimAll();
  EXPECT_EQ(Get("cold"), "(deleted)");
  EXPECT_EQ(Get("only in the cold store"), "(deleted)");
  EXPECT_TRUE(index_.MarkClean(Role::kRows, "cold", gone));
  EXPECT_FALSE(index_.MarkClean(Role::kRows, "cold", gone + 100));
  EXPECT_TRUE(index_.MarkClean(Role::kRows, "only in the cold store", unknown));
  ReclaimAll();
  EXPECT_EQ(Get("cold"), "(nothing)");
  EXPECT_EQ(Get("only in the cold store"), "(nothing)");
  EXPECT_EQ(index_.memory().rows, 0u);
}

TEST_F(HotIndexTest, OnlyCleanRowsAreEvicted) {
  const Sequence sequence = writer_.Put("key", "value");
  EXPECT_FALSE(index_.Evict(Role::kRows, "key")) << "dirty";
  EXPECT_TRUE(index_.MarkClean(Role::kRows, "key", sequence));
  const Sequence state = index_.OpenState();
  writer_.Put("key", "newer");
  EXPECT_FALSE(index_.MarkClean(Role::kRows, "key", sequence)) << "another version";
  EXPECT_TRUE(index_.MarkClean(Role::kRows, "key", sequence + 1));
  EXPECT_FALSE(index_.Evict(Role::kRows, "key")) << "a state needs the version before";
  index_.CloseState(state);
  ReclaimAll();
  EXPECT_TRUE(index_.Evict(Role::kRows, "key"));
  EXPECT_EQ(Get("key"), "(nothing)");
  EXPECT_TRUE(index_.Admit(Role::kRows, "key", "newer", sequence + 1));
  EXPECT_FALSE(index_.Admit(Role::kRows, "key", "newer", sequence + 1));
  EXPECT_EQ(Get("key"), "newer");
  EXPECT_EQ(index_.UseOf(Role::kRows, "key"), 1u);
  index_.ClearUse(Role::kRows, "key");
  EXPECT_EQ(index_.UseOf(Role::kRows, "key"), 0u);
}

// Overwritten in place, moved, kept for a state, in blocks of their own, deleted: no way leaves
// bytes behind, nor do separators and heads of keys.
// Rows of which some are dirty, some deleted over a cold store, and some have older versions.
TEST_F(HotIndexTest, RowsOfAnEmptiedSlabLeaveOrMove) {
  constexpr int kRows = 4000;
  const auto key = [](int i) { return "key " + std::to_string(10'000 + i); };
  const auto value = [](int i) { return std::string(90, 'v') + std::to_string(10'000 + i); };
  std::vector<Sequence> written;
  for (int i = 0; i < kRows; ++i) {
    if (i % 64 == 1) {
      written.push_back(writer_.Put(key(i), value(i), kDirty | kPromised));
    } else {
      written.push_back(writer_.Put(key(i), value(i)));
      EXPECT_TRUE(index_.MarkClean(Role::kRows, key(i), written.back()));
    }
  }
  for (int i = 0; i < kRows; ++i) {
    if (i % 16 > 2) {
      EXPECT_TRUE(index_.Evict(Role::kRows, key(i)));
    }
  }
  const Sequence state = index_.OpenState();
  for (int i = 0; i < kRows; i += 16) {
    if (i % 64 == 0) writer_.Put(key(i), "newer" + value(i));
    if (i % 64 == 16) writer_.Delete(key(i), kDirty | kOverCold);
  }
  EXPECT_EQ(Get(key(2)), value(2)) << "and it is in use";
  const std::size_t held = index_.memory().held_bytes;
  std::size_t left = 0;
  while (index_.EmptySlab({}, [&] { ++left; })) {
  }
  EXPECT_LT(index_.memory().held_bytes, held);
  EXPECT_GT(left, 0U);
  for (int i = 0; i < kRows; ++i) {
    std::string shown;
    const Presence presence = index_.Get(Role::kRows, key(i), shown);
    if (i % 64 == 0) {
      EXPECT_EQ(shown, "newer" + value(i));
      EXPECT_EQ(index_.Get(Role::kRows, key(i), state, shown), Presence::kValue);
      EXPECT_EQ(shown, value(i));
    } else if (i % 64 == 16) {
      EXPECT_EQ(presence, Presence::kDeleted);
    } else if (i % 64 == 1 || i == 2) {
      EXPECT_EQ(shown, value(i)) << "dirty or in use";
    } else if (presence == Presence::kValue) {
      EXPECT_EQ(shown, value(i));
    }
  }
  index_.CloseState(state);
}

TEST_F(HotIndexTest, PromisedBytesAreOverwrittenWhenTheyAreGivenBack) {
  constexpr Flags kFlags = kDirty | kPromised;
  const std::string secret = "SECRETSECRET";
  writer_.Put("short", secret + secret, kFlags);
  writer_.Put("short", "now shorter", kFlags);
  writer_.Put("grows", secret, kFlags);
  writer_.Put("grows", std::string(300, 'x'), kFlags);
  writer_.Put("long", std::string(5000, 'y') + secret, kFlags);
  writer_.Put("long", "z", kFlags);
  writer_.Put("deleted", secret, kFlags);
  writer_.Delete("deleted", kFlags);
  writer_.Put("kept", secret, kFlags);
  const Sequence state = index_.OpenState();
  writer_.Put("kept", "other", kFlags);
  writer_.Put("kept", "another", kFlags);
  EXPECT_TRUE(HasBytes(secret)) << "the state needs it";
  index_.CloseState(state);
  for (int i = 0; i < 400; ++i) writer_.Put("KEYSECRET" + std::to_string(i * 7919), "v", kFlags);
  for (int i = 0; i < 400; ++i) writer_.Delete("KEYSECRET" + std::to_string(i * 7919), kFlags);
  ReclaimAll();
  EXPECT_FALSE(HasBytes(secret));
  EXPECT_FALSE(HasBytes("KEYSECRET"));
  EXPECT_TRUE(HasBytes("now shorter")) << "the search looks at the right memory";
}

TEST_F(HotIndexTest, ARowCostsAtMost48BytesBesideKeyAndValue) {
  Random random(3);
  constexpr std::size_t kRows = 200000;
  std::size_t raw = 0;
  const std::size_t start = index_.memory().held_bytes;
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::string key = std::string("\0\0\0\1", 4) + random.Bytes(random.Between(16, 36));
    const std::string value(random.Between(50, 150), 'v');
    writer_.Put(key, value);
    raw += key.size() + value.size();
  }
  const HotMemory memory = index_.memory();
  ASSERT_EQ(memory.rows, kRows);
  // Held, not used: also the room that slabs and nodes leave free.
  const double overhead = static_cast<double>(memory.held_bytes - start - raw) / kRows;
  RecordProperty("overhead_bytes", std::to_string(overhead));
  EXPECT_LE(overhead, 48.0);
}

TEST_F(HotIndexTest, MemoryReturnsToTheStartAfterChurn) {
  const HotMemory start = index_.memory();
  Random random(4);
  for (int round = 0; round < 4; ++round) {
    const Sequence state = index_.OpenState();
    for (int i = 0; i < 20000; ++i) {
      writer_.Put("k" + std::to_string(random.Below(8000)), std::string(random.Below(300), 'v'));
    }
    index_.CloseState(state);
    for (int i = 0; i < 8000; ++i) writer_.Delete("k" + std::to_string(i));
    ReclaimAll();
    const HotMemory memory = index_.memory();
    EXPECT_EQ(memory.rows, 0u);
    EXPECT_EQ(memory.used_bytes, start.used_bytes);
    EXPECT_EQ(memory.held_bytes, start.held_bytes);
  }
}

// A hundred thousand rows, deleted by one change: a leaf at a time, and readers see all or none.
TEST_F(HotIndexTest, ARangeDeleteIsOneCommitWalkedInSteps) {
  constexpr int kRows = 100000;
  const auto key = [](int i) { return "r" + std::to_string(1000000 + i); };
  for (int i = 0; i < kRows; ++i) writer_.Put(key(i), "v");
  const Sequence state = index_.OpenState();
  writer_.DeleteRange(key(10), key(kRows - 10));
  const auto count = [&](Sequence at) {
    HotCursor cursor(index_, Role::kRows, at);
    int rows = 0;
    for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) ++rows;
    return rows;
  };
  EXPECT_EQ(count(state), kRows);
  index_.CloseState(state);
  const Sequence after = index_.OpenState();
  EXPECT_EQ(count(after), 20);
  index_.CloseState(after);
  EXPECT_EQ(Get(key(9)), "v");
  EXPECT_NE(Get(key(10)), "v");
  // Removing takes steps of a bounded number of rows.
  std::size_t before = index_.memory().retired;
  while (before > 0) {
    EXPECT_LE(index_.Reclaim(500), 500u);
    const std::size_t now = index_.memory().retired;
    ASSERT_LT(now, before);
    before = now;
  }
  EXPECT_EQ(index_.memory().rows, 20u);
}

// No state is open, so all rows could go at once; the caller of one commit must not wait for that.
TEST_F(HotIndexTest, ACommitReclaimsABoundedNumberOfRows) {
  constexpr int kRows = 5000;
  for (int i = 0; i < kRows; ++i) writer_.Put("r" + std::to_string(1000000 + i), "v");
  writer_.DeleteRange("r", "s");
  EXPECT_EQ(index_.memory().retired, kRows - kReclaimStepMax);
}

TEST_F(HotIndexTest, ACursorShowsTombstonesToThoseWhoMergeAColdStore) {
  writer_.Put("a", "1");
  writer_.Put("b", "2", kDirty | kOverCold);
  const Sequence deleted = writer_.Delete("b");
  const Sequence state = index_.OpenState();
  {
    HotCursor cursor(index_, Role::kRows, state, {}, HotCursor::Show::kTombstonesToo);
    cursor.SeekToLast();
    ASSERT_TRUE(cursor.Valid());
    EXPECT_EQ(cursor.key(), "b");
    EXPECT_TRUE(cursor.is_tombstone());
    EXPECT_TRUE(cursor.flags() & kDirty);
    EXPECT_EQ(cursor.sequence(), deleted);
    EXPECT_EQ(cursor.value(), "");
  }
  index_.CloseState(state);
}

TEST(HotIndexRoom, IsRefusedBeforeItIsUsedUp) {
  HotIndex index(TestOptions(std::size_t{64} << 20));
  TestWriter writer(index);
  const std::string value(1000, 'v');
  int rows = 0;
  for (; index.HasRoomFor(1, 1100); ++rows) writer.Put("k" + std::to_string(rows), value);
  EXPECT_GT(rows, 40000);
  EXPECT_FALSE(index.HasRoomFor(1, 1100));
}

}  // namespace
}  // namespace mayfly::engine::hot
