// Goal: a write counts once, whatever becomes of its requests and replies, and a server that was
// replaced writes nothing.
// Method: objects in memory whose requests get lost, come late or are refused, on a clock that
// stands still; then a look into the objects.
#include "engine/cluster/shard/shard_writer.h"

#include "engine/cluster/objects/limits.h"
#include "engine/cluster/shard/limits.h"
#include "engine/cluster/shard/testing/shard_rig.h"

namespace mayfly::engine::cluster {
namespace {

class ShardWriterTest : public ShardRig {
 protected:
  ShardWriterTest() { OpenEngine(); }

  std::uint64_t Sequence() {
    return DecodeSequence(objects_->MapOf(kObject)[SequenceKey()]).value();
  }
};

TEST_F(ShardWriterTest, AWriteWhoseReplyIsLostCountsOnce) {
  const std::uint64_t before = Sequence();
  FatesOfWrites({Fate::kReplyIsLost});
  EXPECT_TRUE(Put("key", "value").ok());
  EXPECT_EQ(Stored("key"), EncodeInline("value"));
  EXPECT_EQ(Sequence(), before + 1);
  EXPECT_GE(shard_->writer().counts().resends.load(), 1u);
  EXPECT_TRUE(Put("key", "next").ok());
  EXPECT_EQ(Sequence(), before + 2);
}

TEST_F(ShardWriterTest, AWriteWhoseRequestIsLostIsSentAgain) {
  FatesOfWrites({Fate::kRequestIsLost, Fate::kRequestIsLost});
  EXPECT_TRUE(Put("key", "value").ok());
  EXPECT_EQ(Stored("key"), EncodeInline("value"));
}

TEST_F(ShardWriterTest, ALateArrivalChangesNothing) {
  FatesOfWrites({Fate::kComesLate});
  EXPECT_TRUE(Put("key", "first").ok());
  EXPECT_TRUE(Put("key", "second").ok());
  store_->LandLate();
  EXPECT_EQ(Stored("key"), EncodeInline("second"));
}

TEST_F(ShardWriterTest, ARefusalIsAnErrorThatLeavesTheShardUsable) {
  FatesOfWrites({Fate::kRefused});
  EXPECT_EQ(Put("key", "value").code(), StatusCode::kIoError);
  EXPECT_EQ(Get("key"), std::nullopt);
  EXPECT_TRUE(Put("key", "value").ok());
}

TEST_F(ShardWriterTest, ARefusalAfterALostReplyStillCountsTheWrite) {
  FatesOfWrites({Fate::kReplyIsLost, Fate::kRefused});
  EXPECT_TRUE(Put("key", "value").ok());
  EXPECT_EQ(Stored("key"), EncodeInline("value"));
}

TEST_F(ShardWriterTest, AServerThatWasReplacedWritesNothing) {
  ASSERT_TRUE(Put("key", "ours").ok());
  Claim(2);
  const Status refused = Put("key", "late");
  EXPECT_EQ(refused.code(), StatusCode::kBusy);
  EXPECT_NE(refused.message().find("owned by another server"), std::string::npos);
  EXPECT_EQ(Stored("key"), EncodeInline("ours"));
  EXPECT_EQ(broken_.load(), 1);
  EXPECT_EQ(Put("key", "again").code(), StatusCode::kBusy);
  EXPECT_EQ(CodeOfGet("key"), StatusCode::kBusy);
  EXPECT_EQ(broken_.load(), 1);
}

TEST_F(ShardWriterTest, ALostReplyAndAReplacementLeaveTheOutcomeUnknown) {
  const auto first = std::make_shared<bool>(true);
  store_->SetFate([this, first](Request request, const std::string&) {
    if (request != Request::kWriteMap || !std::exchange(*first, false)) return Fate::kHappens;
    Claim(2);
    return Fate::kRequestIsLost;
  });
  const Status unknown = Put("key", "value");
  EXPECT_EQ(unknown.code(), StatusCode::kIoError);
  EXPECT_NE(unknown.message().find("outcome is unknown"), std::string::npos);
  EXPECT_EQ(broken_.load(), 1);
}

// Patience is over with the first lost reply, since the clock goes on with each request.
TEST_F(ShardWriterTest, AfterAnUnknownOutcomeNothingOfItCanHappenOnceTheShardIsOpenedAgain) {
  store_->SetFate([this](Request request, const std::string&) {
    clock_.Advance(options_.patience + Millis(1));
    return request == Request::kWriteMap ? Fate::kComesLate : Fate::kHappens;
  });
  const Status unknown = Put("key", "late");
  EXPECT_EQ(unknown.code(), StatusCode::kIoError);
  EXPECT_NE(unknown.message().find("outcome is unknown"), std::string::npos);
  EXPECT_EQ(CodeOfGet("key"), StatusCode::kIoError);
  EXPECT_EQ(broken_.load(), 1);
  store_->SetFate({});
  const OwnerRecord same = shard_->writer().place().record;
  engine_.reset();
  shard_ = Open(same);
  engine_ = NewShardEngine(shard_);
  store_->LandLate();
  EXPECT_EQ(Stored("key"), "");
  EXPECT_EQ(Get("key"), std::nullopt);
  EXPECT_TRUE(Put("key", "new").ok());
}

TEST_F(ShardWriterTest, OnlyTheOwnerOpensAShard) {
  const OwnerRecord ours = shard_->writer().place().record;
  Claim(2);
  EXPECT_EQ(TryOpen(ours).status().code(), StatusCode::kBusy);
}

TEST_F(ShardWriterTest, AStoreThatDoesNotAnswerTheOpeningIsBusy) {
  const OwnerRecord record = Claim(1);
  store_->SetFate([this](Request, const std::string&) {
    clock_.Advance(options_.patience + Millis(1));
    return Fate::kRequestIsLost;
  });
  EXPECT_EQ(TryOpen(record).status().code(), StatusCode::kBusy);
}

TEST_F(ShardWriterTest, ABatchThatIsTooLargeForOneWriteIsRefused) {
  Batch batch;
  const std::string value(kLargeValueBytes, 'x');
  for (std::size_t i = 0; i * kLargeValueBytes <= kMapWriteBytesMax; ++i) {
    batch.Put(kAt, std::to_string(i), value);
  }
  EXPECT_EQ(engine_->Commit(batch).code(), StatusCode::kInvalid);
  EXPECT_EQ(Get("0"), std::nullopt);
  EXPECT_TRUE(Put("key", "value").ok());
}

}  // namespace
}  // namespace mayfly::engine::cluster
