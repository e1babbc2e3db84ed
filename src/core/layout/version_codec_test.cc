// Goal: versions come back as they were written, and their keys lie in the order that reads rely
// on. Method: round trips, every truncation and tag, and keys with zeros and common beginnings
// sorted.
#include "core/layout/version_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace mayfly::core {
namespace {

const std::vector<std::string> kVersionKeys = {std::string(1, '\0'),
                                               std::string(2, '\0'),
                                               std::string("\0\x01", 2),
                                               std::string("\0\xff", 2),
                                               "\x01",
                                               "a",
                                               std::string("a\0", 2),
                                               std::string("a\0b", 3),
                                               "a\x01",
                                               "ab",
                                               "\xff",
                                               "\xff\xff"};

const std::vector<WallTime> kTimestamps = {
    WallTimeFromMs(std::numeric_limits<std::int64_t>::min()),
    WallTimeFromMs(-1),
    WallTimeFromMs(0),
    WallTimeFromMs(1),
    WallTimeFromMs(1'700'000'000'000),
    WallTimeFromMs(std::numeric_limits<std::int64_t>::max())};

std::string Encoded(const VersionView& version) {
  std::string out;
  AppendVersion(out, version);
  return out;
}

VersionView Sample() {
  return {
      .row = {.deadline = WallTimeFromMs(200), .payload = "v", .timestamp = WallTimeFromMs(100)},
      .deleted = false,
      .kept_until = WallTimeFromMs(300)};
}

TEST(VersionCodec, GivesBackWhatWasWritten) {
  for (const bool deleted : {false, true}) {
    for (const bool kept : {false, true}) {
      VersionView version = deleted ? Bare(Sample()) : Sample();
      if (!kept) version.kept_until.reset();
      const std::string bytes = Encoded(version);
      const auto decoded = DecodeVersion(bytes);
      ASSERT_TRUE(decoded.has_value()) << decoded.status().ToString();
      EXPECT_EQ(decoded->deleted, deleted);
      EXPECT_EQ(decoded->kept_until, version.kept_until);
      EXPECT_EQ(decoded->row.deadline, version.row.deadline);
      EXPECT_EQ(decoded->row.timestamp, version.row.timestamp);
      EXPECT_EQ(decoded->row.payload, version.row.payload);
    }
  }
}

TEST(VersionCodec, RefusesWhatCannotHaveBeenWritten) {
  const std::string bytes = Encoded(Bare(Sample()));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(DecodeVersion(Bytes(bytes).substr(0, size)).status().code(), StatusCode::kCorruption)
        << size;
  }
  EXPECT_EQ(DecodeVersion(bytes + "payload of a deleted one").status().code(),
            StatusCode::kCorruption);
  std::string unknown = bytes;
  unknown.front() = 4;
  EXPECT_EQ(DecodeVersion(unknown).status().code(), StatusCode::kUnsupported);
  std::string timeless(1, '\0');
  AppendRow(timeless, {.deadline = {}, .payload = "v"});
  EXPECT_EQ(DecodeVersion(timeless).status().code(), StatusCode::kCorruption);
}

TEST(VersionCodec, LeavesWhenTheFirstOfItsEndsComes) {
  VersionView version = Sample();
  EXPECT_EQ(LeavesAt(version), WallTimeFromMs(200));
  version.kept_until = WallTimeFromMs(150);
  EXPECT_EQ(LeavesAt(version), WallTimeFromMs(150));
  version.row.deadline.reset();
  EXPECT_EQ(LeavesAt(version), WallTimeFromMs(150));
  version.kept_until.reset();
  EXPECT_EQ(LeavesAt(version), std::nullopt);
}

TEST(VersionKeys, LieInTheOrderOfUserKeysThenLatestFirst) {
  std::vector<std::string> expected;
  for (const std::string& key : kVersionKeys) {
    expected.push_back(MarkerKey(key));
    for (auto timestamp = kTimestamps.rbegin(); timestamp != kTimestamps.rend(); ++timestamp) {
      expected.push_back(VersionKey(key, *timestamp));
    }
  }
  ASSERT_TRUE(std::is_sorted(kVersionKeys.begin(), kVersionKeys.end()));
  EXPECT_TRUE(std::is_sorted(expected.begin(), expected.end()));
}

TEST(VersionKeys, NameTheirUserKeyAndLieWithinItsRange) {
  for (const std::string& key : kVersionKeys) {
    for (const std::string& member : {MarkerKey(key), VersionKey(key, kTimestamps.front()),
                                      VersionKey(key, kTimestamps.back())}) {
      EXPECT_EQ(UserKeyOfMember(member), key);
      EXPECT_LT(VersionKeysBegin(key), member);
      EXPECT_LT(member, VersionKeysEnd(key));
    }
  }
}

TEST(VersionKeys, OfNoKeyAreRefused) {
  for (const std::string& bytes :
       {std::string(), std::string("a"), std::string("a\0", 2), std::string("a\0\x02", 3)}) {
    EXPECT_EQ(UserKeyOfMember(bytes), std::nullopt);
  }
}

}  // namespace
}  // namespace mayfly::core
