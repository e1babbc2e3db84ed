// Goal: an engine counts its open handles, closes when there are none, and then refuses every call.
// Method: open and release handles around Stats() and Close(); call everything on a closed engine.
#include <gtest/gtest.h>

#include "tests/engine/cases.h"

namespace mayfly::engine::suite {
namespace {

void ExpectHandles(Rig& rig, std::uint64_t snapshots, std::uint64_t cursors) {
  const auto stats = rig.engine().Stats();
  ASSERT_TRUE(stats.has_value()) << stats.status().ToString();
  EXPECT_EQ(stats->open_snapshots, snapshots);
  EXPECT_EQ(stats->open_cursors, cursors);
}

void StatsCountOpenHandles(Rig& rig) {
  ExpectHandles(rig, 0, 0);
  auto first = rig.NewSnapshot();
  auto second = rig.NewSnapshot();
  ExpectHandles(rig, 2, 0);
  auto cursor = rig.NewCursor(kRows, {.snapshot = first.get()});
  ExpectHandles(rig, 2, 1);
  second.reset();
  ExpectHandles(rig, 1, 1);
  cursor.reset();
  first.reset();
  ExpectHandles(rig, 0, 0);
}

void ARefusedHandleIsNotCounted(Rig& rig) {
  EXPECT_FALSE(rig.engine().NewCursor(kRows, {.range = {.begin = "b", .end = "a"}}).has_value());
  ExpectHandles(rig, 0, 0);
}

void StatsTellBytes(Rig& rig) {
  for (std::size_t i = 0; i < 1000; ++i) rig.Put(kRows, NumberedKey(i), std::string(100, 'x'));
  ASSERT_TRUE(rig.engine().Sync(Durability::kDisk).ok());
  const auto stats = rig.engine().Stats();
  ASSERT_TRUE(stats.has_value()) << stats.status().ToString();
  EXPECT_GT(stats->memory_bytes, 0u);
  EXPECT_EQ(stats->disk_bytes > 0, rig.engine().capabilities().persistent);
}

void CloseIsBusyWhileHandlesAreOpenAndNamesTheirNumber(Rig& rig) {
  rig.Put(kRows, "key", "value");
  auto first = rig.NewSnapshot();
  auto second = rig.NewSnapshot();
  auto cursor = rig.NewCursor(kRows);
  const Status busy = rig.engine().Close();
  EXPECT_EQ(busy.code(), StatusCode::kBusy);
  EXPECT_NE(busy.message().find("2 snapshots"), Bytes::npos) << busy.message();
  EXPECT_NE(busy.message().find("1 cursors"), Bytes::npos) << busy.message();
  EXPECT_NE(busy.message().find(rig.engine().name()), Bytes::npos) << busy.message();

  // Nothing was closed.
  EXPECT_EQ(rig.Get(kRows, "key", first.get()), "value");
  cursor->SeekToFirst();
  EXPECT_EQ(KeyAt(*cursor), "key");
  rig.Put(kRows, "key", "new");
  cursor.reset();
  first.reset();
  EXPECT_EQ(rig.engine().Close().code(), StatusCode::kBusy);
  second.reset();
  EXPECT_TRUE(rig.engine().Close().ok());
}

void ClosingAgainIsOk(Rig& rig) {
  rig.Put(kRows, "key", "value");
  EXPECT_TRUE(rig.engine().Close().ok());
  EXPECT_TRUE(rig.engine().Close().ok());
}

void EveryCallAfterCloseIsInvalidAndNamesTheEngine(Rig& rig) {
  Engine& engine = rig.engine();
  ASSERT_TRUE(engine.Close().ok());
  Batch batch;
  batch.Put(kRows, "key", "value");
  PinnedBytes value;
  std::vector<Lookup> lookups(1);
  lookups[0].key = "key";
  const auto expect_closed = [&engine](const char* call, const Status& status) {
    EXPECT_EQ(status.code(), StatusCode::kInvalid) << call;
    EXPECT_NE(status.message().find(engine.name()), Bytes::npos)
        << call << ": " << status.message();
  };
  expect_closed("Get", engine.Get(kRows, "key", value));
  expect_closed("MultiGet", engine.MultiGet(lookups));
  expect_closed("NewCursor", engine.NewCursor(kRows).status());
  expect_closed("NewSnapshot", engine.NewSnapshot().status());
  expect_closed("Commit", engine.Commit(batch));
  expect_closed("Commit", engine.Commit(Batch()));
  expect_closed("Persist", engine.Sync(Durability::kDisk));
  expect_closed("Compact", engine.Compact(Role::kRows));
  expect_closed("CompactFile", engine.CompactFile(Role::kRows, "name").status());
  expect_closed("DropFile", engine.DropFile(Role::kRows, "name").status());
  expect_closed("Flush", engine.Flush());
  expect_closed("Find", engine.Find("needle").status());
  expect_closed("Files", engine.Files(Role::kRows).status());
  expect_closed("Stats", engine.Stats().status());
}

void TheDestructorCloses(Rig& rig) {
  rig.Put(kRows, "key", "value");
  const bool persistent = rig.engine().capabilities().persistent;
  rig.Wrap([&rig](std::unique_ptr<Engine> engine) {
    engine.reset();  // Without Close().
    return rig.home().Open(nullptr);
  });
  EXPECT_EQ(rig.Get(kRows, "key").has_value(), persistent);
}

void HandlesGoWhereTheyAreNotNeededAnyMoreInAnyOrder(Rig& rig) {
  rig.Put(kRows, "key", "value");
  auto older = rig.NewSnapshot();
  auto cursor = rig.NewCursor(kRows);
  rig.Put(kRows, "key", "new");
  auto newer = rig.NewSnapshot();
  older.reset();
  cursor->SeekToFirst();
  EXPECT_EQ(ValueAt(*cursor), "value");
  newer.reset();
  cursor->SeekToFirst();
  EXPECT_EQ(ValueAt(*cursor), "value");
  cursor.reset();
  EXPECT_TRUE(rig.engine().Close().ok());
}

}  // namespace

Cases LifecycleCases() {
  return {
      MAYFLY_CASE(StatsCountOpenHandles),
      MAYFLY_CASE(ARefusedHandleIsNotCounted),
      MAYFLY_CASE(StatsTellBytes),
      MAYFLY_CASE(CloseIsBusyWhileHandlesAreOpenAndNamesTheirNumber),
      MAYFLY_CASE(ClosingAgainIsOk),
      MAYFLY_CASE(EveryCallAfterCloseIsInvalidAndNamesTheEngine),
      MAYFLY_CASE(TheDestructorCloses),
      MAYFLY_CASE(HandlesGoWhereTheyAreNotNeededAnyMoreInAnyOrder),
  };
}

}  // namespace mayfly::engine::suite
