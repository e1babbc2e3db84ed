// Goal: a hit equals the stored pair. Method: keys cached by hand, and a seeded play of reads,
// commits, failures and clears beside a plain map, in little room.
#include "core/keyspaces/stored_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/random.h"
#include "core/keyspaces/catalog.h"

namespace mayfly::core {
namespace {

using engine::Role;
using Answer = StoredCache::Answer;

constexpr std::size_t kPlenty = std::size_t{1} << 20;

std::string KeyOf(KeyspaceId keyspace, const std::string& key) {
  return std::string(Bytes(RowKey(keyspace, key)));
}

// The value, "absent", or "unknown".
std::string Ask(StoredCache& cache, Role role, const std::string& key) {
  PinnedBytes value;
  switch (cache.Find(role, key, value)) {
    case Answer::kPresent: return "=" + std::string(value.view());
    case Answer::kAbsent: return "absent";
    case Answer::kUnknown: break;
  }
  return "unknown";
}

TEST(StoredCache, KnowsWhatItWasToldAndNothingElse) {
  StoredCache cache(kPlenty);
  cache.KeepPresent(Role::kRows, KeyOf(1, "a"), "row");
  cache.KeepAbsent(Role::kRows, KeyOf(1, "b"));
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(1, "a")), "=row");
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(1, "b")), "absent");
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(1, "c")), "unknown");
  EXPECT_EQ(Ask(cache, Role::kMembers, KeyOf(1, "a")), "unknown");
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(2, "a")), "unknown");
}

TEST(StoredCache, FollowsABatchThatWasCommitted) {
  StoredCache cache(kPlenty);
  for (const char* const key : {"short", "long", "gone"}) {
    cache.KeepPresent(Role::kRows, KeyOf(1, key), "before");
  }
  cache.KeepAbsent(Role::kMembers, KeyOf(1, "new"));
  engine::Batch batch;
  batch.Put({Role::kRows}, KeyOf(1, "short"), "");
  batch.Put({Role::kRows}, KeyOf(1, "long"), std::string(500, 'x'));
  batch.Delete({Role::kRows}, KeyOf(1, "gone"));
  batch.Put({Role::kMembers}, KeyOf(1, "new"), "there");
  batch.Put({Role::kRows}, KeyOf(1, "never asked for"), "value");
  batch.Put({Role::kMeta}, KeyOf(1, "short"), "another role's");
  cache.Applied(batch);
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(1, "short")), "=");
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(1, "long")), "=" + std::string(500, 'x'));
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(1, "gone")), "absent");
  EXPECT_EQ(Ask(cache, Role::kMembers, KeyOf(1, "new")), "=there");
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(1, "never asked for")), "unknown");
}

TEST(StoredCache, ForgetsTheKeysOfABatchThatFailed) {
  StoredCache cache(kPlenty);
  cache.KeepPresent(Role::kRows, KeyOf(1, "a"), "before");
  cache.KeepPresent(Role::kRows, KeyOf(1, "b"), "before");
  engine::Batch batch;
  batch.Put({Role::kRows}, KeyOf(1, "a"), "after");
  cache.Failed(batch);
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(1, "a")), "unknown");
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(1, "b")), "=before");
}

TEST(StoredCache, ForgetsAKeyspaceThatWasClearedAndNoOther) {
  StoredCache cache(kPlenty);
  for (const KeyspaceId keyspace : {1u, 2u}) {
    cache.KeepPresent(Role::kRows, KeyOf(keyspace, "a"), "row");
    cache.KeepPresent(Role::kMembers, KeyOf(keyspace, "a"), "member");
  }
  engine::Batch batch;
  DeleteRowsOf(batch, 1);
  cache.Applied(batch);
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(1, "a")), "unknown");
  EXPECT_EQ(Ask(cache, Role::kMembers, KeyOf(1, "a")), "unknown");
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(2, "a")), "=row");
  EXPECT_EQ(Ask(cache, Role::kMembers, KeyOf(2, "a")), "=member");
}

TEST(StoredCache, StaysWithinItsBytesAndKeepsWhatIsAskedFor) {
  constexpr std::size_t kBytes = std::size_t{256} << 10;
  StoredCache cache(kBytes);
  const std::string favourite = KeyOf(1, "favourite");
  cache.KeepPresent(Role::kRows, favourite, "row");
  int known = 0;
  for (int i = 0; i < 20'000; ++i) {
    cache.KeepPresent(Role::kRows, KeyOf(1, std::to_string(i)), std::string(100, 'x'));
    ASSERT_LE(cache.bytes(), kBytes);
    ASSERT_EQ(Ask(cache, Role::kRows, favourite), "=row");
  }
  for (int i = 0; i < 20'000; ++i) {
    known += Ask(cache, Role::kRows, KeyOf(1, std::to_string(i))) != "unknown" ? 1 : 0;
  }
  EXPECT_GT(known, 500);  // Most keys are hits.
}

// The nodes that order a large sorted set have some 20 KiB.
TEST(StoredCache, KeepsLargerPairsTheLargerItIs) {
  const std::string node(std::size_t{20} << 10, 'x');
  StoredCache small(std::size_t{1} << 20);
  small.KeepPresent(Role::kMembers, KeyOf(1, "a"), node);
  EXPECT_EQ(Ask(small, Role::kMembers, KeyOf(1, "a")), "unknown");
  StoredCache large(std::size_t{128} << 20);
  large.KeepPresent(Role::kMembers, KeyOf(1, "a"), node);
  EXPECT_EQ(Ask(large, Role::kMembers, KeyOf(1, "a")), "=" + node);
}

TEST(StoredCache, LeavesLargePairsOut) {
  StoredCache cache(std::size_t{1} << 20);
  const std::string large(kCachedPairBytesMax, 'x');
  cache.KeepPresent(Role::kRows, KeyOf(1, "a"), large);
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(1, "a")), "unknown");
  cache.KeepPresent(Role::kRows, KeyOf(1, "a"), "small");
  engine::Batch batch;
  batch.Put({Role::kRows}, KeyOf(1, "a"), large);
  cache.Applied(batch);
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(1, "a")), "unknown");
}

TEST(StoredCache, WithoutBytesItKnowsNothing) {
  StoredCache cache(0);
  EXPECT_FALSE(cache.on());
  cache.KeepPresent(Role::kRows, KeyOf(1, "a"), "row");
  EXPECT_EQ(Ask(cache, Role::kRows, KeyOf(1, "a")), "unknown");
}

// As a store uses it: every hit equals the map's value.
TEST(StoredCache, NeverSaysWhatIsNotStored) {
  const std::uint64_t seed = 20'240'611;
  SCOPED_TRACE(seed);
  Random random(seed);
  StoredCache cache(std::size_t{64} << 10);
  std::map<std::pair<Role, std::string>, std::string> stored;
  int hits = 0;
  for (int step = 0; step < 200'000; ++step) {
    const Role role = random.Below(2) == 0 ? Role::kRows : Role::kMembers;
    const auto keyspace = static_cast<KeyspaceId>(1 + random.Below(2));
    const std::string key = KeyOf(keyspace, std::to_string(random.Below(300)));
    const auto at = stored.find({role, key});
    const std::uint64_t what = random.Below(1000);
    if (what < 600) {
      const std::string truth = at == stored.end() ? "absent" : "=" + at->second;
      const std::string answer = Ask(cache, role, key);
      if (answer == "unknown") {
        if (at == stored.end()) {
          cache.KeepAbsent(role, key);
        } else {
          cache.KeepPresent(role, key, at->second);
        }
      } else {
        ASSERT_EQ(answer, truth) << "step " << step;
        ++hits;
      }
      continue;
    }
    engine::Batch batch;
    if (what == 999) {
      DeleteRowsOf(batch, keyspace);
      std::erase_if(stored, [&](const auto& pair) {
        return KeyspaceOf(Bytes(pair.first.second)) == keyspace;
      });
    } else if (what < 700) {
      batch.Delete({role}, key);
      if (at != stored.end()) stored.erase(at);
    } else {
      const std::string value(random.Below(400), static_cast<char>('a' + random.Below(26)));
      batch.Put({role}, key, value);
      stored[{role, key}] = value;
    }
    if (random.Below(10) == 0) {
      cache.Failed(batch);  // It was applied, but reported as failed.
    } else {
      cache.Applied(batch);
    }
  }
  EXPECT_GT(hits, 1000);
}

}  // namespace
}  // namespace mayfly::core
