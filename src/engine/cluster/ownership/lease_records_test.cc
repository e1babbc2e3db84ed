// Goal: records come back as they were, equal ones have equal bytes, and damage is found.
// Method: random records, every prefix of their bytes, and every byte changed.
#include "engine/cluster/ownership/lease_records.h"

#include <gtest/gtest.h>

#include <iostream>

#include "base/random.h"

namespace mayfly::engine::cluster {
namespace {

ServerRecord RandomServer(Random& random) {
  ServerRecord record{.server = random.Next(),
                      .state = static_cast<ServerState>(random.Between(1, 5)),
                      .incarnation = random.Next(),
                      .nonce = random.Next(),
                      .beat = random.Below(1'000'000),
                      .revision = random.Below(1000),
                      .steady_ns = static_cast<std::int64_t>(random.Next() >> 1),
                      .address = random.Bytes(random.Below(40))};
  for (std::uint64_t group = 0; group < 16384; group += 1 + random.Below(3000)) {
    record.groups.push_back(static_cast<GroupId>(group));
  }
  return record;
}

TEST(LeaseRecords, ComeBackAsTheyWere) {
  const std::uint64_t seed = FreshSeed();
  std::cout << "MAYFLY_SEED=" << seed << "\n";
  Random random(seed);
  for (int i = 0; i < 1000; ++i) {
    const ServerRecord server = RandomServer(random);
    ASSERT_EQ(DecodeServerRecord(Encode(server)).value(), server);
    const OwnerRecord owner{
        .server = random.Next(), .incarnation = random.Next(), .epoch = random.Next()};
    ASSERT_EQ(DecodeOwnerRecord(Encode(owner)).value(), owner);
  }
}

TEST(LeaseRecords, AreRefusedInPartAndWithMore) {
  Random random(1);
  const std::string server = Encode(RandomServer(random));
  for (std::size_t size = 0; size < server.size(); ++size) {
    ASSERT_EQ(DecodeServerRecord(server.substr(0, size)).error().code(), StatusCode::kCorruption);
  }
  EXPECT_EQ(DecodeServerRecord(server + "x").error().code(), StatusCode::kCorruption);
  const std::string owner = Encode(OwnerRecord{.server = 1, .incarnation = 2, .epoch = 3});
  for (std::size_t size = 0; size < owner.size(); ++size) {
    ASSERT_EQ(DecodeOwnerRecord(owner.substr(0, size)).error().code(), StatusCode::kCorruption);
  }
  EXPECT_EQ(DecodeOwnerRecord(owner + "x").error().code(), StatusCode::kCorruption);
}

TEST(LeaseRecords, OfALaterVersionAreRefusedByName) {
  std::string owner = Encode(OwnerRecord{});
  owner[0] = 2;
  EXPECT_EQ(DecodeOwnerRecord(owner).error().code(), StatusCode::kUnsupported);
}

TEST(LeaseRecords, WithAnUnknownStateAreRefused) {
  std::string server = Encode(ServerRecord{.server = 1});
  for (const char state : {char{0}, char{6}}) {
    server[1] = state;
    EXPECT_EQ(DecodeServerRecord(server).error().code(), StatusCode::kCorruption);
  }
}

TEST(LeaseRecords, WithBytesChangedNeverListAGroupTwice) {
  Random random(7);
  const std::string whole = Encode(RandomServer(random));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(random.Next());
    const Result<ServerRecord> read = DecodeServerRecord(changed);
    if (!read.has_value()) continue;
    for (std::size_t i = 1; i < read->groups.size(); ++i) {
      ASSERT_LT(read->groups[i - 1], read->groups[i]);
      ASSERT_LT(read->groups[i], 16384);
    }
  }
}

}  // namespace
}  // namespace mayfly::engine::cluster
