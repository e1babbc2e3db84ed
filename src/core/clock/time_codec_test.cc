// Goal: the record of the time comes back as it was written, and other bytes are refused.
// Method: round trips, an old record, every truncation.
#include "core/clock/time_codec.h"

#include <gtest/gtest.h>

namespace mayfly::core {
namespace {

StoredTime Full() {
  return {.trusted = WallTimeFromMs(1'700'000'000'123),
          .passed = SteadyTime(std::chrono::nanoseconds(77'000)),
          .boot_id = "c0ffee",
          .orderly_stop = true,
          .explained = WallTimeFromMs(1'600'000'000'000),
          .may_be_downtime = true};
}

void ExpectSame(const StoredTime& found, const StoredTime& expected) {
  EXPECT_EQ(found.trusted, expected.trusted);
  EXPECT_EQ(found.passed, expected.passed);
  EXPECT_EQ(found.boot_id, expected.boot_id);
  EXPECT_EQ(found.orderly_stop, expected.orderly_stop);
  EXPECT_EQ(found.explained, expected.explained);
  EXPECT_EQ(found.may_be_downtime, expected.may_be_downtime);
}

TEST(TimeCodec, GivesBackWhatItWasGiven) {
  for (const StoredTime& time : {Full(), StoredTime{.trusted = WallTimeFromMs(5)}, StoredTime{}}) {
    const auto read = DecodeTime(EncodeTime(time));
    ASSERT_TRUE(read.has_value());
    ExpectSame(*read, time);
  }
}

TEST(TimeCodec, ReadsRecordsOfVersion1) {
  std::string record(8, '\0');
  record[0] = 7;
  ExpectSame(DecodeTime(record + '\0').value(), {.trusted = WallTimeFromMs(7)});
  ExpectSame(DecodeTime(record + '\1').value(),
             {.trusted = WallTimeFromMs(7), .explained = WallTimeFromMs(0)});
}

TEST(TimeCodec, RefusesWhatIsNoRecord) {
  const std::string whole = EncodeTime(Full());
  constexpr std::size_t kFixed = 26;  // From here on a truncation only shortens the boot id.
  for (std::size_t size = 0; size < kFixed; ++size) {
    if (size == 9) continue;  // The size of version 1.
    EXPECT_EQ(DecodeTime(Bytes(whole).substr(0, size)).status().code(), StatusCode::kCorruption)
        << size;
  }
  std::string strange = whole;
  strange[1] = 8;
  EXPECT_EQ(DecodeTime(strange).status().code(), StatusCode::kCorruption);
  EXPECT_EQ(DecodeTime(whole + std::string(64, 'x')).status().code(), StatusCode::kCorruption);
}

}  // namespace
}  // namespace mayfly::core
