// Seed 000's test plan, case by case and under its names, on kvstore.h; tests/core/seed_000_test.cc
// has it on the C++ API and checks more. Where seed 003 differs, seed 003 holds. Method: a manual
// clock, in memory and in a file; statistics and the integrity check where the plan inspects its
// trees.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "base/random.h"
#include "capi/testing/kvstore_home.h"

namespace mayfly::kvstore {
namespace {

constexpr std::int64_t kMinute = 60'000;

class KvstoreSeed000 : public ::testing::TestWithParam<Place> {
 protected:
  KvstoreSeed000() : home_(GetParam()) {}

  void Advance(std::int64_t ms) { home_.clock().Advance(Millis(ms)); }

  // Code and time left, as "code:left".
  std::string Remaining(const std::string& key) {
    std::int64_t left = 77;
    const int code = kvstore_ttl_remaining(home_.kv(), key.data(), KvstoreHome::Size(key), &left);
    return std::to_string(code) + ":" + std::to_string(left);
  }

  KvstoreHome home_;
};

TEST_P(KvstoreSeed000, basic_put_get_expiry) {
  ASSERT_EQ(home_.Put("key", home_.In(kMinute)), KVSTORE_OK);
  EXPECT_TRUE(home_.Get("key"));
  Advance(kMinute - 1);
  EXPECT_TRUE(home_.Get("key"));
  Advance(1);
  EXPECT_FALSE(home_.Get("key"));
  Advance(1);
  EXPECT_FALSE(home_.Get("key"));
}

TEST_P(KvstoreSeed000, lazy_delete_on_get) {
  ASSERT_EQ(home_.Put("key", home_.In(kMinute)), KVSTORE_OK);
  Advance(kMinute);
  EXPECT_FALSE(home_.Get("key"));
  EXPECT_EQ(home_.Stats().nTtlExpired, 1U);
  // The read removed it, with its entry: nothing is left for a purge.
  EXPECT_EQ(home_.Purge(), 0);
  home_.ExpectClean();
}

TEST_P(KvstoreSeed000, put_overwrites_ttl) {
  ASSERT_EQ(home_.Put("key", home_.In(kMinute)), KVSTORE_OK);
  ASSERT_EQ(kvstore_put(home_.kv(), "key", 3, "permanent", 9), KVSTORE_OK);
  EXPECT_EQ(Remaining("key"), "0:-1");
  Advance(10 * kMinute);
  EXPECT_EQ(home_.Purge(), 0);
  EXPECT_EQ(home_.Get("key"), "permanent");
}

TEST_P(KvstoreSeed000, put_ttl_overwrites_put) {
  ASSERT_EQ(home_.Put("key"), KVSTORE_OK);
  ASSERT_EQ(home_.Put("key", home_.In(kMinute)), KVSTORE_OK);
  EXPECT_EQ(Remaining("key"), "0:60000");
  Advance(kMinute);
  EXPECT_FALSE(home_.Get("key"));
}

TEST_P(KvstoreSeed000, put_ttl_change) {
  ASSERT_EQ(home_.Put("key", home_.In(kMinute)), KVSTORE_OK);
  ASSERT_EQ(home_.Put("key", home_.In(2 * kMinute)), KVSTORE_OK);
  Advance(kMinute);
  EXPECT_EQ(home_.Purge(), 0);
  EXPECT_TRUE(home_.Get("key"));
  Advance(kMinute);
  EXPECT_FALSE(home_.Get("key"));
}

TEST_P(KvstoreSeed000, delete_ttl_key) {
  ASSERT_EQ(home_.Put("key", home_.In(kMinute)), KVSTORE_OK);
  EXPECT_EQ(kvstore_delete(home_.kv(), "key", 3), KVSTORE_OK);
  EXPECT_EQ(kvstore_delete(home_.kv(), "key", 3), KVSTORE_NOTFOUND);
  Advance(kMinute);
  EXPECT_EQ(home_.Purge(), 0);
  home_.ExpectClean();
}

TEST_P(KvstoreSeed000, purge_empty) {
  ASSERT_EQ(home_.Put("key"), KVSTORE_OK);
  EXPECT_EQ(home_.Purge(), 0);
  EXPECT_EQ(kvstore_purge_expired(home_.kv(), nullptr), KVSTORE_OK);
}

TEST_P(KvstoreSeed000, purge_some_expired) {
  for (int i = 0; i < 5; ++i) home_.Put("dead" + std::to_string(i), home_.In(kMinute));
  for (int i = 0; i < 3; ++i) home_.Put("live" + std::to_string(i), home_.In(2 * kMinute));
  Advance(kMinute);
  EXPECT_EQ(home_.Count(), 3);
  EXPECT_EQ(home_.Purge(), 5);
  EXPECT_EQ(home_.Stats().nTtlPurged, 5U);
  EXPECT_EQ(home_.Count(), 3);
  EXPECT_TRUE(home_.Get("live2"));
}

TEST_P(KvstoreSeed000, purge_all_expired) {
  for (int i = 0; i < 300; ++i) home_.Put("dead" + std::to_string(i), home_.In(kMinute));
  Advance(kMinute);
  EXPECT_EQ(home_.Purge(), 300);
  EXPECT_EQ(home_.Purge(), 0);
  EXPECT_EQ(home_.Count(), 0);
  home_.ExpectClean();
}

// That the scan ends at the first living entry is counted in tests/core; here: order does not
// matter.
TEST_P(KvstoreSeed000, purge_order) {
  home_.Put("c", home_.In(3 * kMinute));
  home_.Put("a", home_.In(kMinute));
  home_.Put("b", home_.In(2 * kMinute));
  for (const int left : {2, 1, 0}) {
    Advance(kMinute);
    EXPECT_EQ(home_.Purge(), 1);
    EXPECT_EQ(home_.Count(), left);
  }
}

TEST_P(KvstoreSeed000, ttl_remaining) {
  home_.Put("key", home_.In(kMinute));
  EXPECT_EQ(Remaining("key"), "0:60000");
  Advance(kMinute - 1);
  EXPECT_EQ(Remaining("key"), "0:1");
  std::int64_t seconds = 0;
  EXPECT_EQ(kvstore_ttl(home_.kv(), "key", 3, &seconds), KVSTORE_OK);
  EXPECT_EQ(seconds, 1);
}

TEST_P(KvstoreSeed000, ttl_no_ttl_key) {
  home_.Put("key");
  EXPECT_EQ(Remaining("key"), "0:-1");
  std::int64_t seconds = 0;
  EXPECT_EQ(kvstore_ttl(home_.kv(), "key", 3, &seconds), KVSTORE_OK);
  EXPECT_EQ(seconds, KVSTORE_NO_TTL);
}

TEST_P(KvstoreSeed000, ttl_expired_key) {
  home_.Put("key", home_.In(kMinute));
  Advance(kMinute);
  EXPECT_EQ(Remaining("key"), "12:0");
  EXPECT_EQ(Remaining("key"), "12:0");
}

TEST_P(KvstoreSeed000, ttl_nonexistent) { EXPECT_EQ(Remaining("missing"), "12:0"); }

TEST_P(KvstoreSeed000, transaction_put_ttl) {
  ASSERT_EQ(kvstore_begin(home_.kv(), 1), KVSTORE_OK);
  home_.Put("a", home_.In(kMinute));
  home_.Put("b", home_.In(kMinute));
  EXPECT_TRUE(home_.Get("a"));
  ASSERT_EQ(kvstore_commit(home_.kv()), KVSTORE_OK);
  EXPECT_EQ(Remaining("a"), "0:60000");
  Advance(kMinute);
  EXPECT_FALSE(home_.Get("a"));
  EXPECT_EQ(home_.Purge(), 1);
}

TEST_P(KvstoreSeed000, transaction_rollback) {
  ASSERT_EQ(kvstore_begin(home_.kv(), 1), KVSTORE_OK);
  home_.Put("a", home_.In(kMinute));
  home_.Put("past", home_.In(-1));
  ASSERT_EQ(kvstore_rollback(home_.kv()), KVSTORE_OK);
  EXPECT_FALSE(home_.Get("a"));
  EXPECT_EQ(Remaining("a"), "12:0");
  Advance(kMinute);
  EXPECT_EQ(home_.Purge(), 0);
  home_.ExpectClean();
}

TEST_P(KvstoreSeed000, cf_ttl) {
  KVColumnFamily* family = nullptr;
  ASSERT_EQ(kvstore_cf_create(home_.kv(), "sessions", &family), KVSTORE_OK);
  ASSERT_EQ(kvstore_cf_put_ttl(family, "key", 3, "v", 1, home_.In(kMinute)), KVSTORE_OK);
  home_.Put("key", home_.In(kMinute));
  int exists = 0;
  EXPECT_EQ(kvstore_cf_exists(family, "key", 3, &exists), KVSTORE_OK);
  EXPECT_EQ(exists, 1);
  Advance(kMinute);
  int deleted = -1;
  EXPECT_EQ(kvstore_cf_purge_expired(family, &deleted), KVSTORE_OK);
  EXPECT_EQ(deleted, 1);
  EXPECT_EQ(kvstore_cf_purge_expired(family, &deleted), KVSTORE_OK);
  EXPECT_EQ(deleted, 0);
  EXPECT_EQ(home_.Purge(), 1);
  kvstore_cf_close(family);
}

TEST_P(KvstoreSeed000, cf_drop_cleans_ttl) {
  KVColumnFamily* family = nullptr;
  ASSERT_EQ(kvstore_cf_create(home_.kv(), "sessions", &family), KVSTORE_OK);
  ASSERT_EQ(kvstore_cf_put_ttl(family, "key", 3, "v", 1, home_.In(kMinute)), KVSTORE_OK);
  ASSERT_EQ(kvstore_cf_drop(home_.kv(), "sessions"), KVSTORE_OK);
  EXPECT_EQ(kvstore_cf_put(family, "key", 3, "v", 1), KVSTORE_ERROR);
  kvstore_cf_close(family);
  home_.ExpectClean();
  // One of the same name begins empty.
  ASSERT_EQ(kvstore_cf_create(home_.kv(), "sessions", &family), KVSTORE_OK);
  std::int64_t count = -1;
  EXPECT_EQ(kvstore_cf_count(family, &count), KVSTORE_OK);
  EXPECT_EQ(count, 0);
  kvstore_cf_close(family);
}

// Seed 003 gives 0 a meaning: no ttl, and away with one that was there.
TEST_P(KvstoreSeed000, error_zero_ttl) {
  home_.Put("key", home_.In(kMinute));
  EXPECT_EQ(home_.Put("key", 0), KVSTORE_OK);
  EXPECT_EQ(Remaining("key"), "0:-1");
  EXPECT_EQ(home_.Put("key", -1, "new"), KVSTORE_ERROR);
  EXPECT_STRNE(kvstore_errmsg(home_.kv()), "");
  EXPECT_EQ(home_.Get("key"), "v");
}

TEST_P(KvstoreSeed000, reopen_persistence) {
  home_.Put("key", home_.In(kMinute));
  home_.Reopen();
  if (!home_.persistent()) {
    EXPECT_FALSE(home_.Get("key"));
    return;
  }
  EXPECT_EQ(Remaining("key"), "0:60000");
  Advance(kMinute - 1);
  home_.Reopen();
  EXPECT_TRUE(home_.Get("key"));
  Advance(1);
  home_.Reopen();
  EXPECT_FALSE(home_.Get("key"));
}

// A store that never had a ttl neither expires nor purges anything. Engine calls are counted in
// tests/core.
TEST_P(KvstoreSeed000, no_overhead_non_ttl_cf) {
  home_.Put("key");
  Advance(100 * kMinute);
  EXPECT_TRUE(home_.Get("key"));
  EXPECT_EQ(home_.Purge(), 0);
  EXPECT_EQ(home_.Stats().nTtlExpired, 0U);
  EXPECT_EQ(home_.Stats().nTtlPurged, 0U);
}

TEST_P(KvstoreSeed000, mixed_workload) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      Random random(static_cast<std::uint64_t>(t) + 1);
      for (int i = 0; i < 400; ++i) {
        const std::string key = "key" + std::to_string(random.Below(50));
        switch (random.Below(6)) {
          case 0: EXPECT_EQ(home_.Put(key), KVSTORE_OK); break;
          case 1:
          case 2:
            EXPECT_EQ(home_.Put(key, home_.In(static_cast<std::int64_t>(random.Below(100)))),
                      KVSTORE_OK);
            break;
          case 3: Advance(1); break;
          case 4: home_.Purge(); break;
          default: home_.Get(key);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  home_.ExpectClean();
}

TEST_P(KvstoreSeed000, large_dataset) {
  constexpr int kRows = 100'000;
  ASSERT_EQ(kvstore_begin(home_.kv(), 1), KVSTORE_OK);
  for (int i = 0; i < kRows; ++i) {
    ASSERT_EQ(home_.Put("key" + std::to_string(i), home_.In(i % 4 == 0 ? 2 * kMinute : kMinute)),
              KVSTORE_OK);
  }
  ASSERT_EQ(kvstore_commit(home_.kv()), KVSTORE_OK);
  EXPECT_EQ(home_.Count(), kRows);
  Advance(kMinute);
  EXPECT_EQ(home_.Purge(), 75'000);
  EXPECT_EQ(home_.Count(), 25'000);
  EXPECT_TRUE(home_.Get("key0"));
  EXPECT_FALSE(home_.Get("key1"));
  home_.ExpectClean();
}

// The seeds' own implementation commits, and so ends, the transaction in these moments.
TEST_P(KvstoreSeed000, ReadOrPurgeOfADeadRowInsideBeginCommitNeverCommitsOrBreaksTheTransaction) {
  for (const bool purge : {false, true}) {
    for (const bool commit : {false, true}) {
      SCOPED_TRACE(std::string(purge ? "purge" : "read") + (commit ? " commit" : " rollback"));
      ASSERT_EQ(kvstore_clear(home_.kv()), KVSTORE_OK);
      home_.Put("dead", home_.In(kMinute));
      Advance(kMinute);
      ASSERT_EQ(kvstore_begin(home_.kv(), 1), KVSTORE_OK);
      ASSERT_EQ(home_.Put("mine"), KVSTORE_OK);
      if (purge) {
        EXPECT_EQ(home_.Purge(), 1);
      } else {
        int exists = 1;
        EXPECT_FALSE(home_.Get("dead"));
        EXPECT_EQ(kvstore_exists(home_.kv(), "dead", 4, &exists), KVSTORE_OK);
        EXPECT_EQ(exists, 0);
        EXPECT_EQ(Remaining("dead"), "12:0");
        KVIterator* walk = nullptr;
        ASSERT_EQ(kvstore_iterator_create(home_.kv(), &walk), KVSTORE_OK);
        EXPECT_EQ(kvstore_iterator_next(walk), KVSTORE_OK);
        EXPECT_EQ(kvstore_iterator_eof(walk), 1);
        kvstore_iterator_close(walk);
      }
      // It is still the same transaction: its end decides about the row.
      EXPECT_EQ(kvstore_begin(home_.kv(), 1), KVSTORE_ERROR);
      ASSERT_EQ(home_.Put("mine too"), KVSTORE_OK);
      EXPECT_EQ((commit ? kvstore_commit : kvstore_rollback)(home_.kv()), KVSTORE_OK)
          << kvstore_errmsg(home_.kv());
      EXPECT_EQ(home_.Get("mine").has_value(), commit);
      EXPECT_EQ(home_.Get("mine too").has_value(), commit);
      EXPECT_FALSE(home_.Get("dead"));
      home_.ExpectClean();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, KvstoreSeed000, ::testing::Values(Place::kMemory, Place::kFile),
                         [](const auto& place) {
                           return place.param == Place::kMemory ? "Memory" : "File";
                         });

constexpr const char* kCrashFlag = "--crash";

// The process that dies: it puts a row in a transaction, with or without the commit, and is killed.
int DieAround(const char* path, bool committed) {
  const ManualClock clock(WallTimeFromMs(kStartMs));
  SetClockForTests(&clock);
  KVStore* kv = nullptr;
  if (kvstore_open(path, &kv, KVSTORE_JOURNAL_WAL) != KVSTORE_OK) return 1;
  if (kvstore_begin(kv, 1) != KVSTORE_OK) return 1;
  if (kvstore_put_ttl(kv, "key", 3, "v", 1, kStartMs + kMinute) != KVSTORE_OK) return 1;
  if (committed && kvstore_commit(kv) != KVSTORE_OK) return 1;
  ::kill(::getpid(), SIGKILL);
  return 1;
}

// Runs this program again to do so: a fork alone would not have the engine's threads.
void KillAround(const std::string& path, bool committed) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::execl("/proc/self/exe", "kvstore_seed_test", kCrashFlag, path.c_str(), committed ? "1" : "0",
            nullptr);
    ::_exit(2);
  }
  int outcome = 0;
  ASSERT_EQ(::waitpid(child, &outcome, 0), child);
  ASSERT_TRUE(WIFSIGNALED(outcome) && WTERMSIG(outcome) == SIGKILL) << outcome;
}

class KvstoreSeed000Crash : public ::testing::TestWithParam<bool> {};

TEST_P(KvstoreSeed000Crash, crash_recovery) {
  KvstoreHome home(Place::kFile);
  home.Close();
  KillAround(home.path(), GetParam());
  home.Open();
  EXPECT_EQ(home.Get("key").has_value(), GetParam());
  home.ExpectClean();
  home.clock().Advance(Millis(kMinute));
  EXPECT_FALSE(home.Get("key"));
}

INSTANTIATE_TEST_SUITE_P(Every, KvstoreSeed000Crash, ::testing::Bool(), [](const auto& committed) {
  return committed.param ? "AfterCommit" : "BeforeCommit";
});

}  // namespace
}  // namespace mayfly::kvstore

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == mayfly::kvstore::kCrashFlag) {
    return mayfly::kvstore::DieAround(argv[2], argv[3][0] == '1');
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
