// Goal: a large value lies in objects of its own, whole or not at all, and leaves none behind.
// Method: values beyond the bound, writes that fail at each step, reopening, and a look at the
// objects.
#include "engine/cluster/shard/large_values.h"

#include "engine/cluster/objects/await.h"
#include "engine/cluster/objects/limits.h"
#include "engine/cluster/shard/limits.h"
#include "engine/cluster/shard/testing/shard_rig.h"

namespace mayfly::engine::cluster {
namespace {

class LargeValuesTest : public ShardRig {
 protected:
  LargeValuesTest() { OpenEngine(); }

  static std::string Large(char fill, std::size_t size = kLargeValueBytes + 1) {
    return std::string(size, fill);
  }
  std::size_t Objects() { return objects_->NamesOfPlainObjects().size(); }

  // Removal goes on in the background, in the order of requests.
  void AwaitRemovals() { ASSERT_TRUE(AwaitWriteObject(*store_, "last", "x").ok()); }
};

TEST_F(LargeValuesTest, OnlyValuesBeyondTheBoundLieInObjects) {
  ASSERT_TRUE(Put("inline", Large('a', kLargeValueBytes)).ok());
  EXPECT_EQ(Objects(), 0u);
  ASSERT_TRUE(Put("large", Large('b')).ok());
  EXPECT_EQ(Objects(), 1u);
  EXPECT_LT(Stored("large").size(), 64u);
  EXPECT_EQ(Get("large"), Large('b'));
  OpenEngine();
  EXPECT_EQ(Get("large"), Large('b'));
  EXPECT_EQ(Get("inline"), Large('a', kLargeValueBytes));
}

TEST_F(LargeValuesTest, AVeryLargeOneIsInParts) {
  const std::string value = Large('a', kPlainObjectBytesMax) + "b";
  ASSERT_TRUE(Put("key", value).ok());
  EXPECT_EQ(Objects(), 2u);
  OpenEngine();
  EXPECT_TRUE(Get("key") == value);
  ASSERT_TRUE(Delete("key").ok());
  AwaitRemovals();
  EXPECT_EQ(Objects(), 1u);  // The one of AwaitRemovals().
}

TEST_F(LargeValuesTest, AReplacedOneIsRemovedAfterTheRow) {
  ASSERT_TRUE(Put("key", Large('a')).ok());
  ASSERT_TRUE(Put("key", Large('b')).ok());
  AwaitRemovals();
  EXPECT_EQ(Objects(), 2u);
  ASSERT_TRUE(Put("key", "small").ok());
  AwaitRemovals();
  EXPECT_EQ(Objects(), 1u);
  ASSERT_TRUE(Put("other", "x").ok());             // Takes the announcements away.
  EXPECT_EQ(objects_->MapOf(kObject).size(), 4u);  // Owner, sequence, two rows.
}

TEST_F(LargeValuesTest, ARangeDeleteRemovesThem) {
  ASSERT_TRUE(Put("a", Large('a')).ok());
  ASSERT_TRUE(Put("b", Large('b')).ok());
  Batch batch;
  batch.DeleteRange(kAt, "a", "c");
  ASSERT_TRUE(engine_->Commit(batch).ok());
  AwaitRemovals();
  EXPECT_EQ(Objects(), 1u);
}

TEST_F(LargeValuesTest, WhatACrashBetweenObjectAndRowLeavesIsRemovedAtTheNextOpening) {
  store_->SetFate([this](Request request, const std::string& object) {
    // The server dies when the object is there: nothing of it arrives any more.
    const bool dead =
        Objects() > 0 && (request == Request::kWriteMap || request == Request::kRemoveObject);
    if (dead) clock_.Advance(options_.patience + Millis(1));
    static_cast<void>(object);
    return dead ? Fate::kRequestIsLost : Fate::kHappens;
  });
  EXPECT_EQ(Put("key", Large('a')).code(), StatusCode::kIoError);
  EXPECT_EQ(Objects(), 1u);
  store_->SetFate({});
  OpenEngine();
  AwaitRemovals();
  EXPECT_EQ(Objects(), 1u);
  EXPECT_EQ(Get("key"), std::nullopt);
  ASSERT_TRUE(Put("key", "x").ok());
  EXPECT_EQ(objects_->MapOf(kObject).size(), 3u);
}

TEST_F(LargeValuesTest, WhatCouldNotBeRemovedIsRemovedAtTheNextOpening) {
  ASSERT_TRUE(Put("key", Large('a')).ok());
  store_->SetFate([](Request request, const std::string&) {
    return request == Request::kRemoveObject ? Fate::kRequestIsLost : Fate::kHappens;
  });
  ASSERT_TRUE(Delete("key").ok());
  AwaitRemovals();
  EXPECT_EQ(Objects(), 2u);
  store_->SetFate({});
  OpenEngine();
  AwaitRemovals();
  EXPECT_EQ(Objects(), 1u);
}

TEST_F(LargeValuesTest, AnObjectThatCannotBeWrittenIsAnErrorAndNoRow) {
  for (const Fate fate : {Fate::kRefused, Fate::kRequestIsLost}) {
    store_->SetFate([fate](Request request, const std::string& object) {
      return request == Request::kWriteObject && object != "last" ? fate : Fate::kHappens;
    });
    EXPECT_EQ(Put("key", Large('a')).code(),
              fate == Fate::kRefused ? StatusCode::kIoError : StatusCode::kBusy);
    EXPECT_EQ(Get("key"), std::nullopt);
    EXPECT_EQ(Stored("key"), "");
    EXPECT_TRUE(Put("other", "value").ok());
  }
}

// As after an unknown outcome: the owner record stays, and with it the epoch of new ids.
TEST_F(LargeValuesTest, NewOnesOfTheSameOwnerNeverTakeTheObjectsOfOlderOnes) {
  ASSERT_TRUE(Put("first", Large('a')).ok());
  const OwnerRecord same = shard_->writer().place().record;
  for (const char fill : {'b', 'c'}) {
    engine_.reset();
    shard_ = Open(same);
    engine_ = NewShardEngine(shard_);
    ASSERT_TRUE(Put(std::string(1, fill), Large(fill)).ok());
  }
  OpenEngine();
  EXPECT_EQ(Get("first"), Large('a'));
  EXPECT_EQ(Get("b"), Large('b'));
  EXPECT_EQ(Get("c"), Large('c'));
}

TEST_F(LargeValuesTest, OneThatIsMissingOrCutShortIsCorruption) {
  ASSERT_TRUE(Put("key", Large('a')).ok());
  const std::string name = objects_->NamesOfPlainObjects().front();
  objects_->WritePlain(name, "short");
  EXPECT_EQ(TryOpen(Claim(1)).status().code(), StatusCode::kCorruption);
  objects_->RemovePlain(name);
  EXPECT_EQ(TryOpen(Claim(1)).status().code(), StatusCode::kCorruption);
}

}  // namespace
}  // namespace mayfly::engine::cluster
