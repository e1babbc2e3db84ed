// Goal: old versions are kept exactly as long as an open state sees them.
// Method: apply commits and open states on one map by hand, and check what it keeps.
#include "engine/memory/memory_map.h"

#include <gtest/gtest.h>

namespace mayfly::engine {
namespace {

Value Make(Bytes bytes) { return std::make_shared<const std::string>(bytes); }

std::string Read(const MemoryMap& map, Bytes key, Sequence state) {
  const Value value = map.Find(key, state);
  return value ? *value : "(absent)";
}

TEST(MemoryMap, KeepsOneVersionWhenNobodyLooks) {
  MemoryMap map;
  for (Sequence commit = 1; commit <= 100; ++commit) {
    map.Write("key", Make(std::to_string(commit)), {.commit = commit, .newest_open = 0});
  }
  EXPECT_EQ(Read(map, "key", kNewest), "100");
  EXPECT_EQ(map.chains().find("key")->second.size(), 1u);
  EXPECT_EQ(map.obsolete_versions(), 0u);
}

TEST(MemoryMap, ForgetsADeletedKeyAtOnceWhenNobodyLooks) {
  MemoryMap map;
  map.Write("key", Make("value"), {.commit = 1, .newest_open = 0});
  map.Write("key", nullptr, {.commit = 2, .newest_open = 0});
  EXPECT_TRUE(map.chains().empty());
  EXPECT_EQ(map.memory_bytes(), 0u);
}

TEST(MemoryMap, ShowsEachOpenStateItsOwnVersion) {
  MemoryMap map;
  map.Write("key", Make("one"), {.commit = 1, .newest_open = 0});
  map.Write("key", Make("two"), {.commit = 2, .newest_open = 1});
  map.Write("key", nullptr, {.commit = 3, .newest_open = 2});
  map.Write("key", Make("four"), {.commit = 4, .newest_open = 3});
  EXPECT_EQ(Read(map, "key", 0), "(absent)");
  EXPECT_EQ(Read(map, "key", 1), "one");
  EXPECT_EQ(Read(map, "key", 2), "two");
  EXPECT_EQ(Read(map, "key", 3), "(absent)");
  EXPECT_EQ(Read(map, "key", 4), "four");
  EXPECT_EQ(Read(map, "key", kNewest), "four");
}

TEST(MemoryMap, KeepsOneOldVersionForOneStateHoweverManyCommitsFollow) {
  MemoryMap map;
  map.Write("key", Make("seen"), {.commit = 1, .newest_open = 0});
  for (Sequence commit = 2; commit <= 100; ++commit) {
    map.Write("key", commit % 3 == 0 ? nullptr : Make("later"),
              {.commit = commit, .newest_open = 1});
  }
  EXPECT_EQ(Read(map, "key", 1), "seen");
  EXPECT_EQ(map.chains().find("key")->second.size(), 2u);
  EXPECT_EQ(map.obsolete_versions(), 1u);
}

TEST(MemoryMap, PrunesOnlyWhatTheOldestStateNoLongerSees) {
  MemoryMap map;
  map.Write("key", Make("one"), {.commit = 1, .newest_open = 0});
  map.Write("key", Make("two"), {.commit = 2, .newest_open = 1});
  map.Write("key", Make("three"), {.commit = 3, .newest_open = 2});
  map.Prune(2);
  EXPECT_EQ(map.obsolete_versions(), 1u);
  EXPECT_EQ(Read(map, "key", 1), "(absent)");
  EXPECT_EQ(Read(map, "key", 2), "two");
  map.Prune(kNewest);
  EXPECT_EQ(map.obsolete_versions(), 0u);
  EXPECT_EQ(Read(map, "key", kNewest), "three");
}

TEST(MemoryMap, ForgetsADeletedKeyWhenTheLastStateThatSeesItGoes) {
  MemoryMap map;
  map.Write("a", Make("value"), {.commit = 1, .newest_open = 0});
  map.Write("b", Make("value"), {.commit = 1, .newest_open = 0});
  map.DeleteRange("a", "c", {.commit = 2, .newest_open = 1});
  EXPECT_EQ(map.chains().size(), 2u);
  map.Prune(1);
  EXPECT_EQ(map.chains().size(), 2u);
  map.Prune(kNewest);
  EXPECT_TRUE(map.chains().empty());
  EXPECT_EQ(map.memory_bytes(), 0u);
}

// The node of a key outlives its queue entries, whatever happens to the key meanwhile.
TEST(MemoryMap, DeletesAndWritesAgainUnderOpenStates) {
  MemoryMap map;
  map.Write("key", Make("one"), {.commit = 1, .newest_open = 0});
  map.Write("key", nullptr, {.commit = 2, .newest_open = 1});
  map.Write("key", Make("three"), {.commit = 3, .newest_open = 2});
  map.Prune(2);
  EXPECT_EQ(Read(map, "key", 2), "(absent)");
  map.Write("key", nullptr, {.commit = 4, .newest_open = 2});
  EXPECT_EQ(Read(map, "key", kNewest), "(absent)");
  map.Prune(kNewest);
  EXPECT_TRUE(map.chains().empty());
  EXPECT_EQ(map.obsolete_versions(), 0u);
  EXPECT_EQ(map.memory_bytes(), 0u);
}

}  // namespace
}  // namespace mayfly::engine
