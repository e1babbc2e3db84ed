// Goal: what the memory engine promises beyond the contract: bounded memory, exact snapshots.
// Method: the public interface; the contract itself is tested by tests/engine.
#include "engine/memory/memory_engine.h"

#include <gtest/gtest.h>

#include <string>

namespace mayfly::engine {
namespace {

constexpr Address kRows = {.role = Role::kRows};

void Put(Engine& engine, Bytes key, Bytes value) {
  Batch batch;
  batch.Put(kRows, key, value);
  ASSERT_TRUE(engine.Commit(batch).ok());
}

std::string Get(Engine& engine, Bytes key, const Snapshot* snapshot = nullptr) {
  PinnedBytes value;
  const Status status = engine.Get(kRows, key, value, snapshot);
  return status.ok() ? std::string(value.view()) : status.ToString();
}

std::uint64_t MemoryBytes(Engine& engine) { return engine.Stats()->memory_bytes; }

// Calls everything dead.
class DropAll final : public DropPolicy {
 public:
  std::unique_ptr<Judge> NewJudge(Role) const override {
    struct AllDead final : Judge {
      bool IsDead(Bytes, Bytes) override { return true; }
    };
    return std::make_unique<AllDead>();
  }
  std::optional<WallTime> DeadlineOf(Role, Bytes, Bytes) const override { return std::nullopt; }
};

TEST(MemoryEngine, SaysThatItIsNotPersistent) {
  const auto engine = NewMemoryEngine();
  EXPECT_FALSE(engine->capabilities().persistent);
  EXPECT_TRUE(engine->capabilities().atomic_across_slots);
  EXPECT_TRUE(engine->capabilities().writable);
  EXPECT_EQ(engine->name(), "memory");
}

TEST(MemoryEngine, HasNoFiles) {
  const auto engine = NewMemoryEngine();
  Put(*engine, "key", "value");
  const auto files = engine->Files(Role::kRows);
  ASSERT_TRUE(files.has_value());
  EXPECT_TRUE(files->empty());
}

TEST(MemoryEngine, TakesNoMoreMemoryHoweverOftenAKeyIsRewritten) {
  const auto engine = NewMemoryEngine();
  Put(*engine, "key", std::string(1000, 'x'));
  const std::uint64_t once = MemoryBytes(*engine);
  for (int i = 0; i < 1000; ++i) Put(*engine, "key", std::string(1000, 'y'));
  EXPECT_EQ(MemoryBytes(*engine), once);
}

TEST(MemoryEngine, KeepsMemoryBoundedWhileASnapshotIsOpen) {
  const auto engine = NewMemoryEngine();
  Put(*engine, "key", std::string(1000, 'x'));
  const std::uint64_t once = MemoryBytes(*engine);
  const auto snapshot = *engine->NewSnapshot();
  for (int i = 0; i < 1000; ++i) Put(*engine, "key", std::string(1000, 'y'));
  EXPECT_LT(MemoryBytes(*engine), 3 * once);
  EXPECT_EQ(Get(*engine, "key", snapshot.get()), std::string(1000, 'x'));
}

TEST(MemoryEngine, GivesMemoryBackWhenSnapshotsFollowEachOtherForever) {
  const auto engine = NewMemoryEngine();
  Put(*engine, "key", std::string(1000, 'x'));
  const std::uint64_t once = MemoryBytes(*engine);
  auto previous = *engine->NewSnapshot();
  for (int i = 0; i < 1000; ++i) {
    Put(*engine, "key", std::string(1000, 'y'));
    auto next = *engine->NewSnapshot();
    previous = std::move(next);
    ASSERT_LT(MemoryBytes(*engine), 4 * once);
  }
  Put(*engine, "key", std::string(1000, 'x'));
  previous.reset();
  EXPECT_EQ(MemoryBytes(*engine), once);
}

TEST(MemoryEngine, CompactionDropsInTheNewestStateAndLeavesSnapshotsAlone) {
  const auto engine = NewMemoryEngine({.drop_policy = std::make_shared<DropAll>()});
  constexpr int kKeys = 5000;  // Several steps of a compaction.
  for (int i = 0; i < kKeys; ++i) Put(*engine, std::to_string(i), "value");
  auto snapshot = *engine->NewSnapshot();
  ASSERT_TRUE(engine->Compact(Role::kRows).ok());

  const auto count = [&](const Snapshot* seen) {
    const auto cursor = *engine->NewCursor(kRows, {.snapshot = seen});
    int keys = 0;
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++keys;
    return keys;
  };
  EXPECT_EQ(count(snapshot.get()), kKeys);
  EXPECT_EQ(count(nullptr), 0);
  snapshot.reset();
  EXPECT_EQ(MemoryBytes(*engine), 0u);
}

TEST(MemoryEngine, ACursorStandsOnAKeyThatIsDeletedUnderIt) {
  const auto engine = NewMemoryEngine();
  Put(*engine, "a", "1");
  Put(*engine, "b", "2");
  auto cursor = *engine->NewCursor(kRows);
  cursor->SeekToFirst();
  Batch batch;
  batch.DeleteRange(kRows, "a", "c");
  ASSERT_TRUE(engine->Commit(batch).ok());
  EXPECT_EQ(cursor->key(), "a");
  EXPECT_EQ(cursor->value(), "1");
  cursor->Next();
  ASSERT_TRUE(cursor->Valid());
  EXPECT_EQ(cursor->key(), "b");
  cursor.reset();
  EXPECT_EQ(MemoryBytes(*engine), 0u);
}

}  // namespace
}  // namespace mayfly::engine
