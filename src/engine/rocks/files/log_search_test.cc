// Goal: bytes are found wherever a stream, a block or a record is cut, and never where they are
// not. Method: the cut at every place around the needle; logs framed here as RocksDB frames them.
#include "engine/rocks/files/log_search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace mayfly::engine {
namespace {

constexpr Bytes kNeedle = "needle!";

TEST(ByteSearch, FindsItAcrossEveryCut) {
  const std::string stream = "neneedneedle!needle";
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    for (std::size_t second = first; second <= stream.size(); ++second) {
      ByteSearch search(kNeedle);
      bool found = search.Feed(stream.substr(0, first));
      found |= search.Feed(stream.substr(first, second - first));
      found |= search.Feed(stream.substr(second));
      EXPECT_TRUE(found) << first << ", " << second;
    }
  }
}

TEST(ByteSearch, FindsItByteByByte) {
  ByteSearch search(kNeedle);
  int found = 0;
  for (const char byte : std::string("needneedle!needle!")) found += search.Feed({&byte, 1});
  EXPECT_EQ(found, 2);
}

TEST(ByteSearch, FindsASingleByteAndNothingAcrossAReset) {
  ByteSearch one("x");
  EXPECT_FALSE(one.Feed("abc"));
  EXPECT_TRUE(one.Feed("xyz"));
  ByteSearch search(kNeedle);
  EXPECT_FALSE(search.Feed("need"));
  search.Reset();
  EXPECT_FALSE(search.Feed("le!"));
  EXPECT_FALSE(search.Feed("needle"));
}

// Appends a record in fragments, as RocksDB's log format lays them out.
void AppendRecord(std::string& log, Bytes record, bool recyclable) {
  const std::size_t header = recyclable ? 11 : 7;
  bool first = true;
  do {
    const std::size_t room = kLogBlockBytes - log.size() % kLogBlockBytes;
    if (room < header) {
      log.append(room, '\0');
      continue;
    }
    const std::size_t length = std::min(record.size(), room - header);
    const bool last = length == record.size();
    const int type = (first ? (last ? 1 : 2) : (last ? 4 : 3)) + (recyclable ? 4 : 0);
    log.append("\xAA\xBB\xCC\xDD");
    log.push_back(static_cast<char>(length & 0xff));
    log.push_back(static_cast<char>(length >> 8));
    log.push_back(static_cast<char>(type));
    if (recyclable) log.append("\x01\x02\x03\x04");
    log.append(record.substr(0, length));
    record.remove_prefix(length);
    first = false;
    if (last) return;
  } while (true);
}

bool FindIn(const std::string& log, std::size_t piece_bytes) {
  LogSearch search(kNeedle);
  bool found = false;
  for (std::size_t i = 0; i < log.size(); i += piece_bytes) {
    found |= search.Feed(Bytes(log).substr(i, piece_bytes));
  }
  return search.Finish() || found;
}

TEST(LogSearch, FindsItAcrossEveryBlockBoundary) {
  for (const bool recyclable : {false, true}) {
    // Past the first boundary and past one with a whole block of middle fragment before it.
    for (const std::size_t boundary : {kLogBlockBytes, 3 * kLogBlockBytes}) {
      for (std::size_t before = 0; before <= 60; ++before) {
        std::string record(boundary - before, '.');
        record.append(kNeedle).append(100, '.');
        std::string log;
        AppendRecord(log, "an earlier record", recyclable);
        AppendRecord(log, record, recyclable);
        for (const std::size_t piece : {std::size_t{4096}, std::size_t{40000}, log.size()}) {
          EXPECT_TRUE(FindIn(log, piece)) << boundary << " - " << before << " by " << piece;
        }
      }
    }
  }
}

TEST(LogSearch, DoesNotJoinRecords) {
  std::string log;
  AppendRecord(log, "need", false);
  AppendRecord(log, "le!", false);
  EXPECT_FALSE(FindIn(log, log.size()));
}

TEST(LogSearch, FindsItInWhatIsNoRecord) {
  std::string log;
  AppendRecord(log, "a record", false);
  log.append(100, '\0');
  log.append(kNeedle);
  EXPECT_TRUE(FindIn(log, log.size()));
  EXPECT_TRUE(FindIn(log, 10));
}

TEST(LogSearch, SurvivesAnyBytes) {
  Random random(20261115);
  for (int i = 0; i < 200; ++i) {
    const std::string bytes = random.Bytes(random.Below(3 * kLogBlockBytes));
    FindIn(bytes, 1 + random.Below(50'000));
  }
}

}  // namespace
}  // namespace mayfly::engine
