// The bytes of segments and records: what was encoded is read back, and nothing else passes.
// Method: every bit of a record is flipped once, and records are read with another segment's seed.
#include "engine/hot/log/log_format.h"

#include <gtest/gtest.h>

#include <array>

#include "base/random.h"

namespace mayfly::engine::hot {
namespace {

SegmentHeader ExampleHeader() {
  return {.number = 7,
          .salt = 0x1234567890abcdef,
          .first_sequence = 1000,
          .previous_end = 16000,
          .durable = 990,
          .cipher = {}};
}

std::string RecordOf(Bytes payload, std::uint32_t number, const SegmentHeader& segment) {
  std::string record(RecordBytes(payload.size()), '\0');
  payload.copy(record.data() + kRecordHeaderBytes, payload.size());
  const RecordHeader header = {.bytes = static_cast<std::uint32_t>(payload.size()),
                               .is_void = false,
                               .number = number,
                               .unsynced = 3};
  StoreCheck(EncodeRecordHeader(header, payload, segment.seed(), record.data()), record.data());
  return record;
}

TEST(LogFormat, NamesOfSegmentsAreReadBackAndOthersAreNot) {
  EXPECT_EQ(SegmentName(7), "segment-000000000007");
  EXPECT_EQ(SegmentNumber("segment-000000000007"), 7U);
  EXPECT_EQ(SegmentNumber(SegmentName(1234567890123456)), 1234567890123456U);
  for (const char* name : {"segment-7", "segment-000000000000", "segment-00000000000x", "LOCK",
                           "segment-0000000000070", "segment-", "xegment-000000000007"}) {
    EXPECT_EQ(SegmentNumber(name), std::nullopt) << name;
  }
}

TEST(LogFormat, ASegmentWithoutTheSecondCopyWasNeverBegun) {
  const std::string block = EncodeSegmentHeader(ExampleHeader());
  for (const std::size_t written : {std::size_t{1}, std::size_t{60}, std::size_t{127}}) {
    std::string bytes(kSegmentHeaderBytes, '\0');
    block.copy(bytes.data(), written);
    const auto read = DecodeSegmentHeader(bytes);
    ASSERT_TRUE(read.has_value()) << written;
    EXPECT_FALSE(read->has_value()) << written;
  }
}

TEST(LogFormat, AHeaderIsReadBackFromEitherCopy) {
  SegmentHeader header = ExampleHeader();
  header.cipher = Random(1).Bytes(64);
  const std::string block = EncodeSegmentHeader(header);
  ASSERT_EQ(block.size(), kSegmentHeaderBytes);
  for (const std::size_t damaged : {std::size_t{8000}, std::size_t{20}, std::size_t{4096 + 20}}) {
    std::string bytes = block;
    bytes[damaged] = static_cast<char>(bytes[damaged] ^ 1);
    const auto read = DecodeSegmentHeader(bytes);
    ASSERT_TRUE(read.has_value());
    ASSERT_TRUE(read->has_value());
    EXPECT_EQ((*read)->number, 7U);
    EXPECT_EQ((*read)->first_sequence, 1000U);
    EXPECT_EQ((*read)->previous_end, 16000U);
    EXPECT_EQ((*read)->durable, 990U);
    EXPECT_EQ((*read)->cipher, header.cipher);
    EXPECT_EQ((*read)->seed(), header.seed());
  }
}

TEST(LogFormat, ZerosAreASegmentThatNeverBeganAndOtherBytesAreDamage) {
  const auto blank = DecodeSegmentHeader(std::string(kSegmentHeaderBytes, '\0'));
  ASSERT_TRUE(blank.has_value());
  EXPECT_FALSE(blank->has_value());
  const auto cut_short = DecodeSegmentHeader("");
  ASSERT_TRUE(cut_short.has_value());
  EXPECT_FALSE(cut_short->has_value());

  std::string damaged = EncodeSegmentHeader(ExampleHeader());
  damaged[20] = static_cast<char>(damaged[20] ^ 1);
  damaged[4096 + 20] = static_cast<char>(damaged[4096 + 20] ^ 1);
  EXPECT_EQ(DecodeSegmentHeader(damaged).error().code(), StatusCode::kCorruption);
}

TEST(LogFormat, EveryFlippedBitOfARecordIsNoticed) {
  const SegmentHeader segment = ExampleHeader();
  const std::string record = RecordOf("a payload of some bytes", 5, segment);
  StoredRecord read;
  ASSERT_TRUE(ReadRecord(record, segment.seed(), read));
  EXPECT_EQ(read.payload, "a payload of some bytes");
  EXPECT_EQ(read.header.number, 5U);
  EXPECT_EQ(read.header.unsynced, 3U);
  const std::size_t meaningful = kRecordHeaderBytes + read.payload.size();
  for (std::size_t bit = 0; bit < meaningful * 8; ++bit) {
    std::string flipped = record;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(ReadRecord(flipped, segment.seed(), read)) << bit;
  }
  for (std::size_t size = 0; size < record.size(); ++size) {
    EXPECT_FALSE(ReadRecord(Bytes(record).substr(0, size), segment.seed(), read)) << size;
  }
}

TEST(LogFormat, ARecordOfAnotherSegmentDoesNotPass) {
  const SegmentHeader segment = ExampleHeader();
  const std::string record = RecordOf("payload", 0, segment);
  StoredRecord read;
  SegmentHeader other = segment;
  other.number = 8;
  EXPECT_FALSE(ReadRecord(record, other.seed(), read));
  other = segment;
  other.salt += 1;
  EXPECT_FALSE(ReadRecord(record, other.seed(), read));
}

TEST(LogFormat, ZerosAreNoRecord) {
  StoredRecord read;
  EXPECT_FALSE(ReadRecord(std::string(64, '\0'), ExampleHeader().seed(), read));
}

TEST(LogFormat, TheCountOfUnsyncedRecordsSaturates) {
  EXPECT_EQ(UnsyncedCount(10, 9), 1U);
  EXPECT_EQ(UnsyncedCount(std::uint64_t{1} << 40, 0), RecordHeader::kUnsyncedMax);
}

}  // namespace
}  // namespace mayfly::engine::hot
