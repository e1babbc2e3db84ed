// Goal: byte order is keyspace order, then time order, then key order, and what is built can be
// taken apart. Method: sorted lists of keyspaces, deadlines and keys, each neighbour compared as
// bytes.
#include "core/layout/keys.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace mayfly::core {
namespace {

const std::vector<KeyspaceId> kKeyspaces{1, 2, 255, 256, 65'536, 0xfffffffe};
const std::vector<std::int64_t> kDeadlines{
    0, 1, 255, 256, 1'700'000'000'000, std::numeric_limits<std::int64_t>::max()};
const std::vector<std::string> kKeys{
    std::string(1, '\0'), std::string(2, '\0'), "a", "aa", "b", "\xff", "\xff\xff"};

TEST(RowKey, OrdersByKeyspaceThenKey) {
  std::string before;
  for (const KeyspaceId keyspace : kKeyspaces) {
    for (const std::string& key : kKeys) {
      const std::string row_key(Bytes(RowKey(keyspace, key)));
      EXPECT_LT(before, row_key);
      EXPECT_EQ(UserKeyOf(row_key), key);
      EXPECT_LT(KeyspaceBegin(keyspace), row_key);
      EXPECT_GT(KeyspaceEnd(keyspace), row_key);
      before = row_key;
    }
  }
}

TEST(RowKey, HoldsKeysOfAnyLength) {
  for (const int size : {1, 119, 120, 121, 122, 65'536}) {
    const std::string key(static_cast<std::size_t>(size), 'k');
    const RowKey row_key(7, key);
    EXPECT_EQ(Bytes(row_key).size(), key.size() + 4);
    EXPECT_EQ(UserKeyOf(row_key), key);
  }
}

TEST(EntryKey, OrdersByKeyspaceThenDeadlineThenKey) {
  std::string before;
  for (const KeyspaceId keyspace : kKeyspaces) {
    for (const std::int64_t deadline : kDeadlines) {
      for (const std::string& key : kKeys) {
        const std::string entry = EntryKey(keyspace, WallTimeFromMs(deadline), key);
        EXPECT_LT(before, entry);
        EXPECT_LT(EntryBegin(keyspace, WallTimeFromMs(deadline)), entry);
        EXPECT_GT(KeyspaceEnd(keyspace), entry);
        before = entry;
      }
    }
  }
}

TEST(EntryKey, CanBeTakenApart) {
  for (const std::int64_t deadline : kDeadlines) {
    const std::string bytes = EntryKey(3, WallTimeFromMs(deadline), "key");
    const auto entry = DecodeEntry(bytes);
    ASSERT_TRUE(entry.has_value());
    EXPECT_EQ(ToMs(entry->deadline), deadline);
    EXPECT_EQ(entry->key, "key");
  }
}

TEST(EntryKey, IsNotReadFromOtherBytes) {
  const std::string entry = EntryKey(3, WallTimeFromMs(5), "k");
  // Without its last byte it is the entry of the empty key.
  for (std::size_t size = 0; size + 1 < entry.size(); ++size) {
    EXPECT_FALSE(DecodeEntry(Bytes(entry).substr(0, size)).has_value()) << size;
  }
  std::string negative = entry;
  negative[4] = '\x80';
  EXPECT_FALSE(DecodeEntry(negative).has_value());
}

TEST(EntryBegin, OfATimeBefore1970IsTheBeginOfTheKeyspacesEntries) {
  EXPECT_EQ(EntryBegin(3, WallTime::min()), EntryBegin(3, WallTimeFromMs(0)));
}

TEST(MetaKey, KeepsKindsAndKeyspacesApart) {
  EXPECT_LT(MetaKey(kMetaCounters, 1), CounterKey(1, 0));
  EXPECT_LT(CounterKey(1, 0), CounterKey(1, 255));
  EXPECT_LT(CounterKey(1, 255), MetaKey(kMetaCounters, 2));
  EXPECT_LT(MetaKey(kMetaCounters, 0xffffffff), MetaKey(kMetaCounters + 1));
}

}  // namespace
}  // namespace mayfly::core
