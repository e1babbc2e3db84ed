// Goal: the record of a keyspace comes back as it was written, and damaged ones are refused.
// Method: round trips of policies at their edges; every truncation, and bytes changed by hand.
#include "core/keyspaces/catalog.h"

#include <gtest/gtest.h>

#include <limits>

namespace mayfly::core {
namespace {

const KeyspacePolicy kFull{.default_ttl = Millis(60'000),
                           .min_ttl = Millis(1),
                           .max_ttl = Millis::max(),
                           .require_ttl = true,
                           .breach = PolicyBreach::kClamp,
                           .jitter_permille = 900,
                           .events = EventDetail::kKeyAndValue,
                           .purge_within = Millis(80'000),
                           .order = RowOrder::kTimestamp,
                           .history = Millis(1000),
                           .late_max = Millis(2000)};

StatusCode Decoded(Bytes bytes) {
  std::string name;
  KeyspacePolicy policy;
  return DecodeKeyspace(bytes, name, policy).code();
}

TEST(KeyspaceRecord, GivesBackWhatWasWritten) {
  for (const KeyspacePolicy& policy : {KeyspacePolicy(), kFull}) {
    for (const std::string& name : {std::string("a"), std::string(255, '\xff')}) {
      std::string decoded_name;
      KeyspacePolicy decoded;
      ASSERT_TRUE(DecodeKeyspace(EncodeKeyspace(name, policy), decoded_name, decoded).ok());
      EXPECT_EQ(decoded_name, name);
      EXPECT_EQ(decoded, policy);
    }
  }
}

TEST(KeyspaceRecord, RefusesEveryTruncationAndAnythingBehindTheEnd) {
  const std::string bytes = EncodeKeyspace("name", kFull);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(Decoded(Bytes(bytes).substr(0, size)), StatusCode::kCorruption) << size;
  }
  EXPECT_EQ(Decoded(bytes + '\0'), StatusCode::kCorruption);
}

TEST(KeyspaceRecord, RefusesANewerVersionAsUnsupported) {
  std::string bytes = EncodeKeyspace("name", {});
  for (const char version : {'\x00', '\x03', '\x7f'}) {
    bytes[0] = version;
    EXPECT_EQ(Decoded(bytes), StatusCode::kUnsupported);
  }
}

TEST(KeyspaceRecord, ReadsTheFirstVersionWhichHadNeitherPromiseNorOrder) {
  const std::string first("\x01\x04name\x00\x00\x00\x00\x00\x00\x02", 13);
  std::string name;
  KeyspacePolicy policy;
  ASSERT_TRUE(DecodeKeyspace(first, name, policy).ok());
  EXPECT_EQ(name, "name");
  EXPECT_EQ(policy, KeyspacePolicy{.events = EventDetail::kKeyAndValue});
}

TEST(KeyspaceRecord, RefusesAPolicyThatMakesNoSense) {
  EXPECT_EQ(Decoded(EncodeKeyspace("name", {.jitter_permille = 901})), StatusCode::kCorruption);
  std::string bytes = EncodeKeyspace("name", {});
  bytes.back() = 3;  // Events.
  EXPECT_EQ(Decoded(bytes), StatusCode::kCorruption);
}

// CheckNewPolicy() refuses it today; a database that has one must open.
TEST(KeyspaceRecord, TakesATtlThatIsTooLongForANewPolicy) {
  EXPECT_EQ(Decoded(EncodeKeyspace("name", {.default_ttl = Millis::max()})), StatusCode::kOk);
}

TEST(KeyspaceName, HasItsLimits) {
  for (const std::string& name :
       {std::string("a"), std::string(255, 'a'), std::string("_a"), std::string("\0", 1)}) {
    EXPECT_TRUE(CheckKeyspaceName(name).ok());
  }
  for (const std::string& name : {std::string(), std::string(256, 'a'), std::string("__a")}) {
    EXPECT_EQ(CheckKeyspaceName(name).code(), StatusCode::kInvalid);
  }
}

TEST(CounterRecord, GivesBackWhatWasWrittenAndNothingElse) {
  const Counters cases[] = {
      {},
      {.rows = 1},
      {.rows = 1'000'000'000'000, .mortal = -1'000'000'000'000},
      {.rows = 3, .with_mortal_members = -2},
      {.rows = 3, .due = {1, -1}},
      {.rows = 3, .mortal = 2, .with_mortal_members = 1, .due = {0, 1}},
  };
  for (const Counters& counters : cases) {
    Counters decoded;
    ASSERT_TRUE(DecodeCounters(EncodeCounters(counters), decoded).ok());
    EXPECT_EQ(decoded, counters);
  }
  Counters decoded;
  for (const std::string& bytes :
       {std::string(), std::string("\x01"), std::string("\x02\x01\x01"),
        std::string("\x80\x00\x01", 3), std::string("\x02\x01\0\0", 4),
        std::string("\x02\x01\0\0\0", 5), std::string("\x02\x01\0\0\2\2", 6)}) {
    EXPECT_EQ(DecodeCounters(bytes, decoded).code(), StatusCode::kCorruption);
  }
}

TEST(KeyspaceState, MovesItsWatermarkTheWayItIsTold) {
  KeyspaceState keyspace(1, "name", {});
  keyspace.RaiseWatermark(WallTimeFromMs(10));
  keyspace.RaiseWatermark(WallTimeFromMs(5));
  EXPECT_EQ(keyspace.watermark(), WallTimeFromMs(10));
  keyspace.LowerWatermarks(WallTimeFromMs(20));
  EXPECT_EQ(keyspace.watermark(), WallTimeFromMs(10));
  keyspace.LowerWatermarks(WallTimeFromMs(7));
  EXPECT_EQ(keyspace.watermark(), WallTimeFromMs(7));
}

}  // namespace
}  // namespace mayfly::core
