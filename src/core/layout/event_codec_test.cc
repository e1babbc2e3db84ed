// Goal: an event comes back as it was written, and damaged ones are refused.
// Method: round trips with and without a value; every truncation, and bytes behind the end.
#include "core/layout/event_codec.h"

#include <gtest/gtest.h>

namespace mayfly::core {
namespace {

Event Sample(std::optional<std::string> value) {
  return {.sequence = 9,
          .keyspace = 3,
          .keyspace_name = "sessions",
          .key = std::string("k\0y", 3),
          .deadline = WallTimeFromMs(1'700'000'000'000),
          .purged_at = WallTimeFromMs(1'700'000'000'123),
          .cause = EventCause::kReplaced,
          .value = std::move(value)};
}

TEST(EventCodec, GivesBackWhatWasWritten) {
  for (const auto& value : {std::optional<std::string>(), std::optional<std::string>(""),
                            std::optional<std::string>(std::string(300, '\0'))}) {
    for (const EventCause cause : {EventCause::kPurged, EventCause::kRead, EventCause::kReplaced,
                                   EventCause::kBornDead, EventCause::kEvicted}) {
      Event event = Sample(value);
      event.cause = cause;
      const auto decoded = DecodeEvent(EncodeEvent(event));
      ASSERT_TRUE(decoded.has_value()) << decoded.status().ToString();
      EXPECT_EQ(decoded->keyspace, event.keyspace);
      EXPECT_EQ(decoded->key, event.key);
      EXPECT_EQ(decoded->deadline, event.deadline);
      EXPECT_EQ(decoded->purged_at, event.purged_at);
      EXPECT_EQ(decoded->cause, cause);
      EXPECT_EQ(decoded->value, value);
    }
  }
}

TEST(EventCodec, NamesTheMemberInASecondVersionAndLeavesTheFirstAsItWas) {
  EXPECT_EQ(EncodeEvent(Sample("value")).front(), '\x01');
  for (const std::string& member : {std::string(), std::string("m\0", 2)}) {
    Event event = Sample("value");
    event.member = member;
    const std::string bytes = EncodeEvent(event);
    EXPECT_EQ(bytes.front(), '\x02');
    const auto decoded = DecodeEvent(bytes);
    ASSERT_TRUE(decoded.has_value()) << decoded.status().ToString();
    EXPECT_EQ(decoded->member, member);
    EXPECT_EQ(decoded->value, "value");
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_EQ(DecodeEvent(Bytes(bytes).substr(0, size)).status().code(), StatusCode::kCorruption);
    }
  }
}

TEST(EventCodec, TellsAnEvictionInAVersionThatOlderBuildsRefuse) {
  Event event = Sample("value");
  event.cause = EventCause::kEvicted;
  EXPECT_EQ(EncodeEvent(event).front(), '\x03');
  EXPECT_EQ(DecodeEvent(EncodeEvent(event))->cause, EventCause::kEvicted);
}

TEST(EventCodec, RefusesEveryTruncationAndAnythingBehindTheEnd) {
  const std::string bytes = EncodeEvent(Sample("value"));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(DecodeEvent(Bytes(bytes).substr(0, size)).status().code(), StatusCode::kCorruption);
  }
  EXPECT_EQ(DecodeEvent(bytes + '\0').status().code(), StatusCode::kCorruption);
}

TEST(EventCodec, RefusesUnknownVersionsCausesAndFlags) {
  std::string bytes = EncodeEvent(Sample("value"));
  bytes[0] = 4;
  EXPECT_EQ(DecodeEvent(bytes).status().code(), StatusCode::kUnsupported);
  for (const int cause : {5, 127, 128, 255}) {
    bytes = EncodeEvent(Sample("value"));
    bytes[1] = static_cast<char>(cause);
    EXPECT_EQ(DecodeEvent(bytes).status().code(), StatusCode::kCorruption);
  }
  constexpr std::size_t kFlag = 2 + 4 + 8 + 8;
  for (const int flag : {0, 2, 127, 128, 255}) {
    bytes = EncodeEvent(Sample("value"));
    bytes[kFlag] = static_cast<char>(flag);
    EXPECT_EQ(DecodeEvent(bytes).status().code(), StatusCode::kCorruption) << flag;
  }
}

TEST(EventKey, OrdersBySequence) {
  std::string before;
  for (const std::uint64_t sequence : {1ull, 2ull, 255ull, 256ull, 1ull << 40, ~0ull}) {
    const std::string key = EventKey(sequence);
    EXPECT_LT(before, key);
    std::uint64_t decoded = 0;
    EXPECT_TRUE(DecodeEventKey(key, decoded));
    EXPECT_EQ(decoded, sequence);
    before = key;
  }
  std::uint64_t decoded = 0;
  EXPECT_FALSE(DecodeEventKey("1234567", decoded));
  EXPECT_FALSE(DecodeEventKey("123456789", decoded));
}

}  // namespace
}  // namespace mayfly::core
