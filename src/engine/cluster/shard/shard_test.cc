// Goal: a shard answers from memory only what is the newest, and commits together what waits
// together.
// Method: objects in memory that stall while threads commit; leases that end; other owners;
// reopening.
#include "engine/cluster/shard/shard.h"

#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "engine/cluster/objects/limits.h"
#include "engine/cluster/shard/limits.h"
#include "engine/cluster/shard/testing/shard_rig.h"

namespace mayfly::engine::cluster {
namespace {

class ShardTest : public ShardRig {
 protected:
  ShardTest() { OpenEngine(); }

  // Commits each batch from a thread of its own, all in one group behind a first one.
  std::vector<Status> CommitTogether(const std::vector<Batch>& batches) {
    store_->Stall();
    std::thread first([this] { EXPECT_TRUE(Put("first", "value").ok()); });
    AwaitWaiting(1);
    std::vector<Status> statuses(batches.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      threads.emplace_back([&, i] { statuses[i] = engine_->Commit(batches[i]); });
      AwaitWaiting(i + 2);
    }
    store_->Resume();
    first.join();
    for (std::thread& thread : threads) thread.join();
    return statuses;
  }

  void AwaitWaiting(std::size_t count) {
    while (shard_->waiting() < count || store_->waiting() == 0) std::this_thread::yield();
  }
};

TEST_F(ShardTest, ACommitIsInTheStoreAndFoundByTheNextOwner) {
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    ASSERT_TRUE(Put("key", "value", {.role = static_cast<Role>(role), .slot = 5}).ok());
  }
  ASSERT_TRUE(Put("gone", "value").ok());
  ASSERT_TRUE(Delete("gone").ok());
  EXPECT_EQ(Stored("key"), EncodeInline("value"));
  EXPECT_EQ(Stored("gone"), "");
  OpenEngine();
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    EXPECT_EQ(Get("key", {.role = static_cast<Role>(role), .slot = 9}), "value");
  }
  EXPECT_EQ(Get("gone"), std::nullopt);
}

TEST_F(ShardTest, AShardOfManyPagesIsReadWhole) {
  constexpr int kRows = 3 * static_cast<int>(kMapPageMax) + 7;
  Batch batch;
  for (int i = 0; i < kRows; ++i) batch.Put(kAt, std::to_string(i), "v" + std::to_string(i));
  ASSERT_TRUE(engine_->Commit(batch).ok());
  OpenEngine();
  for (int i = 0; i < kRows; ++i) ASSERT_EQ(Get(std::to_string(i)), "v" + std::to_string(i));
}

TEST_F(ShardTest, WhatWaitsTogetherIsOneWrite) {
  std::vector<Batch> batches(20);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    batches[i].Put(kAt, std::to_string(i), "value");
  }
  const std::uint64_t writes = objects_->writes();
  for (const Status& status : CommitTogether(batches)) EXPECT_TRUE(status.ok());
  EXPECT_EQ(objects_->writes(), writes + 2);
  EXPECT_EQ(shard_->counts().batches.load(), batches.size() + 1);
  EXPECT_EQ(shard_->counts().groups.load(), 2u);
  OpenEngine();
  for (std::size_t i = 0; i < batches.size(); ++i) EXPECT_EQ(Get(std::to_string(i)), "value");
}

TEST_F(ShardTest, ConditionsSeeTheBatchesBeforeThemInTheGroup) {
  ASSERT_TRUE(Put("old", "1").ok());
  std::vector<Batch> batches(6);
  batches[0].RequireAbsent(kAt, "new");
  batches[0].Put(kAt, "new", "first");
  batches[1].RequireAbsent(kAt, "new");
  batches[1].Put(kAt, "new", "second");
  batches[1].Put(kAt, "trace", "second");
  batches[2].Require(kAt, "new", "first");
  batches[2].DeleteRange(kAt, "a", "z");
  batches[3].Require(kAt, "old", "1");
  batches[3].Put(kAt, "old", "3");
  batches[4].RequireAbsent(kAt, "old");
  batches[4].RequireAbsent(kAt, "first");
  batches[4].Put(kAt, "old", "4");
  batches[5].Delete(kAt, "absent");
  const auto statuses = CommitTogether(batches);
  EXPECT_TRUE(statuses[0].ok());
  EXPECT_EQ(statuses[1].code(), StatusCode::kConflict);
  EXPECT_NE(statuses[1].message().find("'new'"), std::string::npos) << statuses[1].ToString();
  EXPECT_TRUE(statuses[2].ok());
  EXPECT_EQ(statuses[3].code(), StatusCode::kConflict);
  EXPECT_TRUE(statuses[4].ok());
  EXPECT_TRUE(statuses[5].ok());
  for (int opened = 0; opened < 2; ++opened, OpenEngine()) {
    EXPECT_EQ(Get("new"), std::nullopt);
    EXPECT_EQ(Get("trace"), std::nullopt);
    EXPECT_EQ(Get("first"), std::nullopt);
    EXPECT_EQ(Get("old"), "4");
  }
}

TEST_F(ShardTest, AGroupStaysWithinItsBounds) {
  std::vector<Batch> batches(4);
  const std::string value(kLargeValueBytes, 'x');
  for (std::size_t i = 0; i < batches.size(); ++i) {
    for (std::size_t row = 0; row < kGroupBytesMax / kLargeValueBytes / 2; ++row) {
      batches[i].Put(kAt, std::to_string(i) + "." + std::to_string(row), value);
    }
  }
  const std::uint64_t writes = objects_->writes();
  for (const Status& status : CommitTogether(batches)) EXPECT_TRUE(status.ok());
  EXPECT_EQ(objects_->writes(), writes + 1 + batches.size());
}

TEST_F(ShardTest, NobodySeesACommitThatTheStoreHasNotAcknowledged) {
  ASSERT_TRUE(Put("key", "old").ok());
  store_->Stall();
  std::thread writer([this] { EXPECT_TRUE(Put("key", "new").ok()); });
  AwaitWaiting(1);
  EXPECT_EQ(Get("key"), "old");
  store_->Resume();
  writer.join();
  EXPECT_EQ(Get("key"), "new");
}

TEST_F(ShardTest, AReadAfterTheLeaseAsksTheShard) {
  ASSERT_TRUE(Put("key", "value").ok());
  EXPECT_EQ(Get("key"), "value");
  EXPECT_EQ(shard_->counts().confirmed.load(), 0u);
  lease_->SetUntil(clock_.Passed());
  EXPECT_EQ(Get("key"), "value");
  EXPECT_EQ(shard_->counts().confirmed.load(), 1u);
  EXPECT_TRUE(Put("key", "new").ok());
  Claim(2);
  EXPECT_EQ(CodeOfGet("key"), StatusCode::kBusy);
  EXPECT_EQ(broken_.load(), 1);
}

TEST_F(ShardTest, AConditionThatDoesNotHoldIsAnAnswerOnlyOfTheOwner) {
  ASSERT_TRUE(Put("key", "value").ok());
  Batch batch;
  batch.RequireAbsent(kAt, "key");
  batch.Put(kAt, "key", "new");
  EXPECT_EQ(engine_->Commit(batch).code(), StatusCode::kConflict);
  lease_->SetUntil(clock_.Passed());
  EXPECT_EQ(engine_->Commit(batch).code(), StatusCode::kConflict);
  EXPECT_EQ(shard_->counts().confirmed.load(), 1u);
  Claim(2);
  EXPECT_EQ(engine_->Commit(batch).code(), StatusCode::kBusy);
}

TEST_F(ShardTest, ALeaseEndsAtItsInstant) {
  lease_->SetUntil(clock_.Passed() + Millis(10));
  clock_.Advance(Millis(9));
  EXPECT_EQ(Get("key"), std::nullopt);
  EXPECT_EQ(shard_->counts().confirmed.load(), 0u);
  clock_.Advance(Millis(1));
  EXPECT_EQ(Get("key"), std::nullopt);
  EXPECT_EQ(shard_->counts().confirmed.load(), 1u);
}

TEST_F(ShardTest, WhenTheShardDoesNotAnswerAReadAfterTheLeaseIsBusy) {
  ASSERT_TRUE(Put("key", "value").ok());
  lease_->SetUntil(clock_.Passed());
  store_->SetFate([](Request, const std::string&) { return Fate::kRequestIsLost; });
  EXPECT_EQ(CodeOfGet("key"), StatusCode::kBusy);
  EXPECT_EQ(engine_->NewSnapshot().status().code(), StatusCode::kBusy);
  EXPECT_EQ(engine_->NewCursor(kAt).status().code(), StatusCode::kBusy);
  store_->SetFate({});
  EXPECT_EQ(Get("key"), "value");
}

TEST_F(ShardTest, WhatASnapshotShowsStaysReadableWhenTheShardIsLost) {
  ASSERT_TRUE(Put("key", "value").ok());
  const auto snapshot = engine_->NewSnapshot().value();
  const auto cursor = engine_->NewCursor(kAt).value();
  shard_->Stop(shard_->writer().NotOurs());
  EXPECT_EQ(CodeOfGet("key"), StatusCode::kBusy);
  EXPECT_EQ(Put("key", "new").code(), StatusCode::kBusy);
  EXPECT_EQ(engine_->NewSnapshot().status().code(), StatusCode::kBusy);
  PinnedBytes value;
  ASSERT_TRUE(engine_->Get(kAt, "key", value, snapshot.get()).ok());
  EXPECT_EQ(value.view(), "value");
  cursor->SeekToFirst();
  EXPECT_TRUE(cursor->Valid());
  EXPECT_EQ(broken_.load(), 0);  // Its node knows: it stopped the shard.
}

TEST_F(ShardTest, SlotsAreKeptApartWhereThatIsAskedFor) {
  options_.by_slot = true;
  OpenEngine();
  EXPECT_FALSE(engine_->capabilities().atomic_across_slots);
  const Address at3{.role = Role::kRows, .slot = 3};
  const Address at4{.role = Role::kRows, .slot = 4};
  ASSERT_TRUE(Put("key", "3", at3).ok());
  auto snapshot = engine_->NewSnapshot().value();
  ASSERT_TRUE(Put("key", "4", at4).ok());
  Batch both;
  both.Put(at3, "a", "1");
  both.Put(at4, "a", "1");
  EXPECT_EQ(engine_->Commit(both).code(), StatusCode::kCrossSlot);
  PinnedBytes value;
  EXPECT_TRUE(engine_->Get(at4, "key", value, snapshot.get()).IsNotFound());
  snapshot.reset();
  for (int opened = 0; opened < 2; ++opened, OpenEngine()) {
    EXPECT_EQ(Get("key", at3), "3");
    EXPECT_EQ(Get("key", at4), "4");
    EXPECT_EQ(Get("key", kAt), std::nullopt);
    const auto cursor = engine_->NewCursor(at4).value();
    cursor->SeekToFirst();
    ASSERT_TRUE(cursor->Valid());
    EXPECT_EQ(cursor->value(), "4");
    cursor->Next();
    EXPECT_FALSE(cursor->Valid());
  }
}

TEST_F(ShardTest, AKeyThatIsNoneOfOursIsCorruption) {
  ASSERT_TRUE(objects_->Write(kObject, {.sets = {{"\x7f", "?"}}}).ok());
  EXPECT_EQ(TryOpen(Claim(1)).status().code(), StatusCode::kCorruption);
}

// A thread that serves clients does so while the store is silent, whether it leads a group or waits for
// one that does.
TEST_F(ShardTest, AThreadThatWaitsForASilentStoreIsLent) {
  std::mutex mutex;
  std::set<std::thread::id> lent;
  options_.while_waiting = [&] {
    const std::lock_guard lock(mutex);
    lent.insert(std::this_thread::get_id());
  };
  OpenEngine();
  ASSERT_TRUE(Put("quick", "1").ok());
  EXPECT_TRUE(lent.empty());
  store_->Stall();
  std::thread first([&] { EXPECT_TRUE(Put("a", "1").ok()); });
  std::thread second([&] { EXPECT_TRUE(Put("b", "2").ok()); });
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return lent.size();
  };
  while (count() < 2) std::this_thread::yield();
  store_->Resume();
  first.join();
  second.join();
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(Get("b"), "2");
}

TEST_F(ShardTest, AWaitThatIsGivenUpEndsWithAnUnknownOutcome) {
  OpenEngine();
  store_->Stall();
  Status first;
  Status second;
  std::thread leads([&] { first = Put("a", "1"); });
  while (store_->waiting() == 0) std::this_thread::yield();
  std::thread follows([&] { second = Put("b", "2"); });
  while (shard_->waiting() < 2) std::this_thread::yield();
  shard_->GiveUp(Status::Busy("the server stops"));
  leads.join();
  follows.join();
  EXPECT_EQ(first.code(), StatusCode::kIoError) << first.ToString();
  EXPECT_NE(first.message().find("outcome is unknown"), std::string::npos);
  // It was never sent.
  EXPECT_FALSE(second.ok());
  store_->Resume();
}

}  // namespace
}  // namespace mayfly::engine::cluster
