// What programs of kvstore.h rely on beyond the seeds' plan: rows born dead, iterators that outlive
// transactions and stores, families, statistics, limits. Method: small programs on a clock that
// stands still.
#include <gtest/gtest.h>

#include <cstring>

#include "capi/testing/kvstore_home.h"

namespace mayfly::kvstore {
namespace {

class Kvstore : public ::testing::Test {
 protected:
  KVStore* kv() const { return home_.kv(); }

  // All keys from here on in the iterator's direction.
  static std::string Walk(KVIterator* walk, int (*step)(KVIterator*)) {
    std::string keys;
    while (kvstore_iterator_eof(walk) == 0) {
      void* key = nullptr;
      int size = 0;
      EXPECT_EQ(kvstore_iterator_key(walk, &key, &size), KVSTORE_OK);
      keys.append(static_cast<char*>(key), static_cast<std::size_t>(size)) += ' ';
      EXPECT_EQ(step(walk), KVSTORE_OK);
    }
    return keys;
  }

  KVIterator* NewIterator() {
    KVIterator* walk = nullptr;
    EXPECT_EQ(kvstore_iterator_create(kv(), &walk), KVSTORE_OK);
    return walk;
  }

  KvstoreHome home_;
};

TEST_F(Kvstore, ARowBornDeadIsInvisibleAndCountedByThePurge) {
  for (const std::string key : {"a", "b", "c"}) {
    ASSERT_EQ(home_.Put(key, home_.In(-1000)), KVSTORE_OK);
  }
  ASSERT_EQ(home_.Put("now", home_.In(0)), KVSTORE_OK);
  ASSERT_EQ(home_.Put("live", home_.In(1)), KVSTORE_OK);
  EXPECT_EQ(home_.Count(), 1);
  EXPECT_FALSE(home_.Get("a"));  // Met by a read, so no longer there for the purge.
  EXPECT_EQ(home_.Stats().nTtlExpired, 1U);
  EXPECT_EQ(home_.Purge(), 3);
  EXPECT_EQ(home_.Purge(), 0);
  EXPECT_EQ(home_.Stats().nTtlPurged, 3U);
}

TEST_F(Kvstore, ARowBornDeadReplacesALivingOne) {
  home_.Put("key");
  ASSERT_EQ(home_.Put("key", home_.In(-1)), KVSTORE_OK);
  EXPECT_FALSE(home_.Get("key"));
}

TEST_F(Kvstore, WhatWasBornDeadAndWrittenAgainIsNotPurged) {
  home_.Put("again", home_.In(-1));
  home_.Put("deleted", home_.In(-1));
  home_.Put("cleared", home_.In(-1));
  home_.Put("again");
  EXPECT_EQ(kvstore_delete(kv(), "deleted", 7), KVSTORE_NOTFOUND);
  EXPECT_EQ(home_.Purge(), 1);
  EXPECT_TRUE(home_.Get("again"));
  home_.Put("cleared", home_.In(-1));
  EXPECT_EQ(kvstore_clear(kv()), KVSTORE_OK);
  EXPECT_EQ(home_.Purge(), 0);
}

TEST_F(Kvstore, BirthsInATransactionCountFromItsCommitOn) {
  kvstore_begin(kv(), 1);
  for (int i = 0; i < 300; ++i) home_.Put(std::to_string(i), home_.In(-1));
  home_.Put("7");
  EXPECT_EQ(home_.Purge(), 0);
  EXPECT_EQ(kvstore_commit(kv()), KVSTORE_OK);
  EXPECT_EQ(home_.Purge(), 299);
  EXPECT_TRUE(home_.Get("7"));
}

TEST_F(Kvstore, PutIfAbsentTakesTheDeadForAbsent) {
  int inserted = -1;
  home_.Put("key", home_.In(10));
  EXPECT_EQ(kvstore_put_if_absent(kv(), "key", 3, "new", 3, 0, &inserted), KVSTORE_OK);
  EXPECT_EQ(inserted, 0);
  home_.clock().Advance(Millis(10));
  EXPECT_EQ(kvstore_put_if_absent(kv(), "key", 3, "new", 3, home_.In(5), &inserted), KVSTORE_OK);
  EXPECT_EQ(inserted, 1);
  EXPECT_EQ(home_.Get("key"), "new");
  home_.clock().Advance(Millis(5));
  EXPECT_FALSE(home_.Get("key"));
  EXPECT_EQ(kvstore_put_if_absent(kv(), "key", 3, "v", 1, 0, nullptr), KVSTORE_OK);
}

TEST_F(Kvstore, GetTtlGivesValueAndTimeLeft) {
  home_.Put("key", home_.In(10), "value");
  void* value = nullptr;
  int size = 0;
  std::int64_t left = 0;
  ASSERT_EQ(kvstore_get_ttl(kv(), "key", 3, &value, &size, &left), KVSTORE_OK);
  EXPECT_EQ(std::string(static_cast<char*>(value)), "value");  // A zero byte is behind it.
  EXPECT_EQ(size, 5);
  EXPECT_EQ(left, 10);
  snkv_free(value);
  ASSERT_EQ(kvstore_get_ttl(kv(), "key", 3, &value, &size, nullptr), KVSTORE_OK);
  sqlite3_free(value);
  home_.clock().Advance(Millis(10));
  left = 99;
  EXPECT_EQ(kvstore_get_ttl(kv(), "key", 3, &value, &size, &left), KVSTORE_NOTFOUND);
  EXPECT_EQ(value, nullptr);
  EXPECT_EQ(size, 0);
  EXPECT_EQ(left, 0);
}

TEST_F(Kvstore, IteratorsKeepTheirDirectionAndPrefix) {
  for (const std::string key : {"a", "p1", "p2", "p3", "z"}) home_.Put(key);
  KVIterator* walk = NewIterator();
  EXPECT_EQ(Walk(walk, kvstore_iterator_next), "a p1 p2 p3 z ");
  EXPECT_EQ(kvstore_iterator_next(walk), KVSTORE_OK);
  EXPECT_EQ(kvstore_iterator_eof(walk), 1);
  EXPECT_EQ(kvstore_iterator_last(walk), KVSTORE_ERROR);
  EXPECT_EQ(kvstore_iterator_prev(walk), KVSTORE_ERROR);
  void* key = &home_;
  int size = 7;
  EXPECT_EQ(kvstore_iterator_key(walk, &key, &size), KVSTORE_ERROR);
  EXPECT_EQ(key, nullptr);
  EXPECT_EQ(kvstore_iterator_first(walk), KVSTORE_OK);
  EXPECT_EQ(kvstore_iterator_seek(walk, "p2a", 3), KVSTORE_OK);
  EXPECT_EQ(Walk(walk, kvstore_iterator_next), "p3 z ");
  kvstore_iterator_close(walk);

  ASSERT_EQ(kvstore_reverse_iterator_create(kv(), &walk), KVSTORE_OK);
  EXPECT_EQ(kvstore_iterator_last(walk), KVSTORE_OK);
  EXPECT_EQ(Walk(walk, kvstore_iterator_prev), "z p3 p2 p1 a ");
  EXPECT_EQ(kvstore_iterator_seek(walk, "p2a", 3), KVSTORE_OK);
  EXPECT_EQ(Walk(walk, kvstore_iterator_prev), "p2 p1 a ");
  kvstore_iterator_close(walk);

  ASSERT_EQ(kvstore_prefix_iterator_create(kv(), "p", 1, &walk), KVSTORE_OK);
  EXPECT_EQ(Walk(walk, kvstore_iterator_next), "p1 p2 p3 ");
  EXPECT_EQ(kvstore_iterator_seek(walk, "a", 1), KVSTORE_OK);
  EXPECT_EQ(Walk(walk, kvstore_iterator_next), "p1 p2 p3 ");
  EXPECT_EQ(kvstore_iterator_seek(walk, "q", 1), KVSTORE_OK);
  EXPECT_EQ(kvstore_iterator_eof(walk), 1);
  kvstore_iterator_close(walk);

  ASSERT_EQ(kvstore_reverse_prefix_iterator_create(kv(), "p", 1, &walk), KVSTORE_OK);
  EXPECT_EQ(Walk(walk, kvstore_iterator_prev), "p3 p2 p1 ");
  EXPECT_EQ(kvstore_iterator_seek(walk, "zz", 2), KVSTORE_OK);
  EXPECT_EQ(Walk(walk, kvstore_iterator_prev), "p3 p2 p1 ");
  kvstore_iterator_close(walk);
}

TEST_F(Kvstore, IteratorsStepOverTheDead) {
  home_.Put("a");
  home_.Put("b", home_.In(5));
  home_.Put("c");
  home_.clock().Advance(Millis(5));
  KVIterator* walk = NewIterator();
  EXPECT_EQ(Walk(walk, kvstore_iterator_next), "a c ");
  kvstore_iterator_close(walk);
}

TEST_F(Kvstore, AnIteratorKeepsTheInstantOfItsLastFirstOrSeek) {
  home_.Put("a");
  home_.Put("b", home_.In(5));
  home_.Put("c");
  KVIterator* walk = NewIterator();
  home_.clock().Advance(Millis(5));
  EXPECT_EQ(Walk(walk, kvstore_iterator_next), "a b c ");
  EXPECT_EQ(kvstore_iterator_seek(walk, "b", 1), KVSTORE_OK);
  EXPECT_EQ(Walk(walk, kvstore_iterator_next), "c ");
  EXPECT_EQ(kvstore_iterator_first(walk), KVSTORE_OK);
  EXPECT_EQ(Walk(walk, kvstore_iterator_next), "a c ");
  kvstore_iterator_close(walk);
}

TEST_F(Kvstore, APurgeInATransactionRemovesWhatTheTransactionStillShows) {
  home_.Put("a", home_.In(5));
  for (const int write : {1, 0}) {
    ASSERT_EQ(kvstore_begin(kv(), write), KVSTORE_OK);
    home_.clock().Advance(Millis(5));
    EXPECT_EQ(home_.Purge(), write);
    EXPECT_EQ(home_.Get("a").has_value(), write == 1) << "it was alive at begin";
    ASSERT_EQ(kvstore_rollback(kv()), KVSTORE_OK);
    EXPECT_FALSE(home_.Get("a"));
  }
}

TEST_F(Kvstore, AnIteratorGoesOnAfterTheTransactionItWasMadeIn) {
  home_.Put("a");
  for (const bool commit : {false, true}) {
    ASSERT_EQ(kvstore_begin(kv(), 1), KVSTORE_OK);
    home_.Put("b", 0, "mine");
    home_.Put("c");
    KVIterator* walk = NewIterator();
    EXPECT_EQ(kvstore_iterator_next(walk), KVSTORE_OK);  // On b.
    void* value = nullptr;
    int size = 0;
    ASSERT_EQ(kvstore_iterator_value(walk, &value, &size), KVSTORE_OK);
    ASSERT_EQ((commit ? kvstore_commit : kvstore_rollback)(kv()), KVSTORE_OK);
    // What was handed out stays until the iterator moves.
    EXPECT_EQ(std::string(static_cast<char*>(value), static_cast<std::size_t>(size)), "mine");
    EXPECT_EQ(Walk(walk, kvstore_iterator_next), commit ? "b c " : "b ");
    kvstore_iterator_close(walk);
  }
}

TEST_F(Kvstore, IteratorsAndFamiliesMayBeClosedAfterTheStore) {
  KvstoreHome other(Place::kFile);
  KVIterator* walk = nullptr;
  KVColumnFamily* family = nullptr;
  ASSERT_EQ(kvstore_cf_create(other.kv(), "cf", &family), KVSTORE_OK);
  ASSERT_EQ(kvstore_cf_put(family, "k", 1, "v", 1), KVSTORE_OK);
  ASSERT_EQ(kvstore_cf_iterator_create(family, &walk), KVSTORE_OK);
  ASSERT_EQ(kvstore_begin(other.kv(), 1), KVSTORE_OK);
  other.Put("uncommitted");
  other.Close();
  EXPECT_EQ(kvstore_iterator_eof(walk), 1);
  EXPECT_EQ(kvstore_iterator_first(walk), KVSTORE_ERROR);
  EXPECT_EQ(kvstore_cf_put(family, "k", 1, "v", 1), KVSTORE_ERROR);
  kvstore_iterator_close(walk);
  kvstore_cf_close(family);
  other.Open();
  EXPECT_FALSE(other.Get("uncommitted"));
}

TEST_F(Kvstore, FirstSeesWhatWasWrittenSinceTheIteratorWasMade) {
  KVIterator* walk = NewIterator();
  EXPECT_EQ(kvstore_iterator_eof(walk), 1);
  home_.Put("a");
  EXPECT_EQ(kvstore_iterator_first(walk), KVSTORE_OK);
  EXPECT_EQ(Walk(walk, kvstore_iterator_next), "a ");
  kvstore_iterator_close(walk);
}

TEST_F(Kvstore, AReadTransactionIsOneFrozenState) {
  home_.Put("a", home_.In(10));
  ASSERT_EQ(kvstore_begin(kv(), 0), KVSTORE_OK);
  EXPECT_EQ(home_.Put("b"), KVSTORE_READONLY);
  EXPECT_EQ(kvstore_delete(kv(), "a", 1), KVSTORE_READONLY);
  home_.clock().Advance(Millis(10));
  EXPECT_TRUE(home_.Get("a"));
  EXPECT_EQ(home_.Purge(), 1);
  EXPECT_TRUE(home_.Get("a"));  // What it saw alive stays alive for it.
  EXPECT_EQ(kvstore_checkpoint(kv(), KVSTORE_CHECKPOINT_FULL, nullptr, nullptr), KVSTORE_OK);
  ASSERT_EQ(kvstore_rollback(kv()), KVSTORE_OK);
  EXPECT_FALSE(home_.Get("a"));
}

TEST_F(Kvstore, ClearInATransactionIsPartOfIt) {
  home_.Put("a");
  for (const bool commit : {false, true}) {
    ASSERT_EQ(kvstore_begin(kv(), 1), KVSTORE_OK);
    home_.Put("b");
    ASSERT_EQ(kvstore_clear(kv()), KVSTORE_OK);
    EXPECT_EQ(home_.Count(), 0);
    ASSERT_EQ((commit ? kvstore_commit : kvstore_rollback)(kv()), KVSTORE_OK);
    EXPECT_EQ(home_.Count(), commit ? 0 : 1);
  }
}

TEST_F(Kvstore, TransactionsSpanFamiliesAndAreOneAtATime) {
  KVColumnFamily* family = nullptr;
  ASSERT_EQ(kvstore_cf_create(kv(), "cf", &family), KVSTORE_OK);
  EXPECT_EQ(kvstore_commit(kv()), KVSTORE_ERROR);
  EXPECT_EQ(kvstore_rollback(kv()), KVSTORE_ERROR);
  ASSERT_EQ(kvstore_begin(kv(), 1), KVSTORE_OK);
  EXPECT_EQ(kvstore_begin(kv(), 0), KVSTORE_ERROR);
  kvstore_cf_put(family, "k", 1, "v", 1);
  home_.Put("k");
  EXPECT_EQ(kvstore_cf_drop(kv(), "cf"), KVSTORE_LOCKED);
  EXPECT_EQ(kvstore_checkpoint(kv(), KVSTORE_CHECKPOINT_PASSIVE, nullptr, nullptr), KVSTORE_BUSY);
  EXPECT_EQ(kvstore_rollback(kv()), KVSTORE_OK);
  std::int64_t count = -1;
  EXPECT_EQ(kvstore_cf_count(family, &count), KVSTORE_OK);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(home_.Count(), 0);
  kvstore_cf_close(family);
}

TEST_F(Kvstore, FamiliesAreFoundListedAndRefusedByName) {
  KVColumnFamily* family = nullptr;
  EXPECT_EQ(kvstore_cf_open(kv(), "cf", &family), KVSTORE_NOTFOUND);
  EXPECT_EQ(family, nullptr);
  ASSERT_EQ(kvstore_cf_create(kv(), "cf", &family), KVSTORE_OK);
  kvstore_cf_close(family);
  EXPECT_EQ(kvstore_cf_create(kv(), "cf", &family), KVSTORE_ERROR);
  for (const std::string& name : {std::string("__x"), std::string("_snkv_x"), std::string(),
                                  std::string("default"), std::string(256, 'x')}) {
    EXPECT_EQ(kvstore_cf_create(kv(), name.c_str(), &family), KVSTORE_ERROR) << name;
    EXPECT_EQ(family, nullptr);
  }
  EXPECT_EQ(kvstore_cf_drop(kv(), "default"), KVSTORE_ERROR);
  EXPECT_EQ(kvstore_cf_drop(kv(), "__x"), KVSTORE_ERROR);
  EXPECT_EQ(kvstore_cf_drop(kv(), "none"), KVSTORE_NOTFOUND);
  ASSERT_EQ(kvstore_cf_create(kv(), std::string(255, 'x').c_str(), &family), KVSTORE_OK);
  kvstore_cf_close(family);
  char** names = nullptr;
  int count = 0;
  ASSERT_EQ(kvstore_cf_list(kv(), &names, &count), KVSTORE_OK);
  ASSERT_EQ(count, 2);
  EXPECT_STREQ(names[0], "cf");
  for (int i = 0; i < count; ++i) snkv_free(names[i]);
  snkv_free(names);
  ASSERT_EQ(kvstore_cf_get_default(kv(), &family), KVSTORE_OK);
  ASSERT_EQ(kvstore_cf_put(family, "k", 1, "v", 1), KVSTORE_OK);
  kvstore_cf_close(family);
  EXPECT_TRUE(home_.Get("k"));
}

TEST_F(Kvstore, StatisticsCountAndReset) {
  home_.Put("a");
  home_.Put("b");
  home_.Get("a");
  home_.Get("missing");
  kvstore_delete(kv(), "b", 1);
  kvstore_iterator_close(NewIterator());
  EXPECT_EQ(kvstore_put(kv(), nullptr, 0, "v", 1), KVSTORE_ERROR);
  EXPECT_EQ(kvstore_checkpoint(kv(), KVSTORE_CHECKPOINT_TRUNCATE, nullptr, nullptr), KVSTORE_OK);
  const KVStoreStats stats = home_.Stats();
  EXPECT_EQ(stats.nPuts, 2U);
  EXPECT_EQ(stats.nGets, 2U);
  EXPECT_EQ(stats.nDeletes, 1U);
  EXPECT_EQ(stats.nIterations, 1U);
  EXPECT_EQ(stats.nErrors, 1U);
  EXPECT_EQ(stats.nBytesWritten, 4U);
  EXPECT_EQ(stats.nBytesRead, 1U) << "of values alone";
  EXPECT_EQ(stats.nWalCommits, 3U);
  EXPECT_EQ(stats.nCheckpoints, 1U);
  EXPECT_GT(stats.nDbPages, 0U);
  ASSERT_EQ(kvstore_stats_reset(kv()), KVSTORE_OK);
  EXPECT_EQ(home_.Stats().nPuts, 0U);
  EXPECT_EQ(home_.Stats().nTtlExpired, 0U);
}

TEST_F(Kvstore, LimitsAreExact) {
  const std::string key(std::size_t{64} << 10, 'k');
  const std::string value(std::size_t{10} << 20, 'v');
  EXPECT_EQ(home_.Put(key, 0, value), KVSTORE_OK);
  EXPECT_EQ(home_.Get(key), value);
  EXPECT_EQ(home_.Put(key + "k"), KVSTORE_ERROR);
  EXPECT_EQ(home_.Put("key", 0, value + "v"), KVSTORE_ERROR);
  EXPECT_EQ(kvstore_put(kv(), "empty", 5, nullptr, 0), KVSTORE_OK);
  EXPECT_EQ(home_.Get("empty"), "");
  EXPECT_EQ(home_.Count(), 2);
}

}  // namespace
}  // namespace mayfly::kvstore
