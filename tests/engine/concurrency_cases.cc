// Goal: batches stay whole, conditions stay true and states stay frozen while many threads work.
// Method: writers that keep a simple law (all equal, sum constant), readers that check it all the
// time. A reader stops at its first failure; loops are bounded by the writers' counts.
#include <gtest/gtest.h>

#include <atomic>
#include <charconv>

#include "tests/engine/cases.h"
#include "tests/engine/deadline_policy.h"
#include "tests/engine/together.h"

namespace mayfly::engine::suite {
namespace {

constexpr std::size_t kThreads = 4;
constexpr std::size_t kCommits = 500;  // Of each writer, at least.

// Lets a writer continue until the concurrent readers have had their turn, however busy the
// machine.
class Progress {
 public:
  void CountRead() { ++reads_; }
  bool done() const { return done_; }

  // Calls `commit` with 0, 1, 2, ...
  void Write(const std::function<void(int number)>& commit) {
    constexpr std::size_t kReadsMin = 100;
    constexpr std::size_t kCommitsMax = 100 * kCommits;
    for (std::size_t i = 0; i < kCommits || (reads_ < kReadsMin && i < kCommitsMax); ++i) {
      commit(static_cast<int>(i));
    }
    done_ = true;
  }

 private:
  std::atomic<std::size_t> reads_{0};
  std::atomic<bool> done_{false};
};

int NumberIn(Bytes text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

int NumberAt(Rig& rig, Address at, Bytes key, const Snapshot* snapshot = nullptr) {
  return NumberIn(rig.Get(at, key, snapshot).value_or("-1"));
}

// Reads, computes and commits under conditions until there is no conflict. Every conflict is
// another thread's success, so the attempts are bounded by what all threads commit together.
void Retry(Rig& rig, const std::function<void(Batch& batch)>& fill) {
  constexpr std::size_t kAttemptsMax = 20 * kThreads * kCommits;
  Batch batch;
  for (std::size_t attempt = 0; attempt < kAttemptsMax; ++attempt) {
    batch.Clear();
    fill(batch);
    const Status status = rig.engine().Commit(batch);
    if (status.ok()) return;
    ASSERT_EQ(status.code(), StatusCode::kConflict) << status.ToString();
  }
  ADD_FAILURE() << "conflicts without end";
}

void RacingIncrementsUnderConditionsLoseNothing(Rig& rig) {
  rig.Put(kRows, "counter", "0");
  RunTogether(kThreads, [&rig](std::size_t) {
    for (std::size_t i = 0; i < kCommits; ++i) {
      Retry(rig, [&rig](Batch& batch) {
        const std::string seen = rig.Get(kRows, "counter").value_or("-1");
        batch.Require(kRows, "counter", seen);
        batch.Put(kRows, "counter", std::to_string(NumberIn(seen) + 1));
      });
    }
  });
  EXPECT_EQ(NumberAt(rig, kRows, "counter"), static_cast<int>(kThreads * kCommits));
}

void OfManyThreadsThatRequireAbsenceExactlyOneWins(Rig& rig) {
  std::atomic<std::size_t> wins = 0;
  RunTogether(kThreads, [&](std::size_t thread) {
    for (std::size_t i = 0; i < kCommits; ++i) {
      Batch batch;
      batch.RequireAbsent(kRows, NumberedKey(i));
      batch.Put(kRows, NumberedKey(i), std::to_string(thread));
      const Status status = rig.engine().Commit(batch);
      EXPECT_TRUE(status.ok() || status.code() == StatusCode::kConflict) << status.ToString();
      if (status.ok()) ++wins;
    }
  });
  EXPECT_EQ(wins, kCommits);
  EXPECT_EQ(rig.Scan(kRows).size(), kCommits);
}

// Plain commits set both sides to a new number. Conditional ones set the right side to the number
// they require on the left: a commit that slips in between condition and change leaves them
// unequal.
void PlainCommitsDoNotSlipBetweenConditionAndChange(Rig& rig) {
  const auto set_both = [&rig](int number) {
    Batch batch;
    batch.Put(kRows, "left", std::to_string(number));
    batch.Put(kMembers, "right", std::to_string(number));
    rig.Commit(batch);
  };
  set_both(0);
  Progress progress;
  const auto copy_left_to_right = [&] {
    while (!progress.done()) {
      const std::string seen = rig.Get(kRows, "left").value_or("-1");
      Batch batch;
      batch.Require(kRows, "left", seen);
      batch.Put(kMembers, "right", seen);
      const Status status = rig.engine().Commit(batch);
      EXPECT_TRUE(status.ok() || status.code() == StatusCode::kConflict) << status.ToString();
    }
  };
  const auto compare = [&] {
    for (; !progress.done(); progress.CountRead()) {
      const auto snapshot = rig.NewSnapshot();
      const int left = NumberAt(rig, kRows, "left", snapshot.get());
      const int right = NumberAt(rig, kMembers, "right", snapshot.get());
      EXPECT_EQ(left, right);
      if (left != right) return;
    }
  };
  const auto write = [&] { progress.Write(set_both); };
  RunTogether({write, copy_left_to_right, copy_left_to_right, compare});
  EXPECT_EQ(NumberAt(rig, kRows, "left"), NumberAt(rig, kMembers, "right"));
}

constexpr std::size_t kEqualKeys = 16;

// Sets many keys in two roles to one number, again and again, while `read` runs beside it.
void WriteEqualNumbersBeside(Rig& rig, const std::function<bool()>& read) {
  Progress progress;
  const auto write = [&] {
    progress.Write([&rig](int number) {
      Batch batch;
      for (std::size_t key = 0; key < kEqualKeys; ++key) {
        batch.Put(key % 2 == 0 ? kRows : kExpiry, NumberedKey(key), std::to_string(number));
      }
      rig.Commit(batch);
    });
  };
  const auto read_on = [&] {
    for (; !progress.done(); progress.CountRead()) {
      if (!read()) return;
    }
  };
  RunTogether({write, read_on, read_on});
}

void MultiGetNeverSeesHalfABatch(Rig& rig) {
  WriteEqualNumbersBeside(rig, [&rig] {
    Keys keys;
    for (std::size_t i = 0; i < kEqualKeys; ++i) keys.push_back(NumberedKey(i));
    std::vector<Lookup> lookups(kEqualKeys);
    for (std::size_t i = 0; i < kEqualKeys; ++i) {
      lookups[i].at = i % 2 == 0 ? kRows : kExpiry;
      lookups[i].key = keys[i];
    }
    EXPECT_TRUE(rig.engine().MultiGet(lookups).ok());
    for (const Lookup& lookup : lookups) {
      const bool equal =
          lookup.status == lookups[0].status && lookup.value.view() == lookups[0].value.view();
      EXPECT_TRUE(equal) << lookup.value.view() << " beside " << lookups[0].value.view();
      if (!equal) return false;
    }
    return true;
  });
}

void SnapshotsNeverShowHalfABatch(Rig& rig) {
  WriteEqualNumbersBeside(rig, [&rig] {
    const auto snapshot = rig.NewSnapshot();
    const int first = NumberAt(rig, kRows, NumberedKey(0), snapshot.get());
    for (std::size_t i = 1; i < kEqualKeys; ++i) {
      const Address at = i % 2 == 0 ? kRows : kExpiry;
      const int number = NumberAt(rig, at, NumberedKey(i), snapshot.get());
      EXPECT_EQ(number, first);
      if (number != first) return false;
    }
    return true;
  });
}

void CursorsNeverShowHalfABatch(Rig& rig) {
  WriteEqualNumbersBeside(rig, [&rig] {
    Pairs pairs = rig.Scan(kRows);
    for (const auto& pair : rig.ScanBack(kExpiry)) EXPECT_GE(NumberIn(pair.second), 0);
    for (const auto& [key, value] : pairs) {
      EXPECT_EQ(value, pairs.front().second);
      if (value != pairs.front().second) return false;
    }
    const bool whole = pairs.empty() || pairs.size() == kEqualKeys / 2;
    EXPECT_TRUE(whole) << pairs.size() << " keys";
    return whole;
  });
}

// Money moves between accounts in two roles; no snapshot ever counts another sum.
void TransfersKeepTheirSumInEverySnapshot(Rig& rig) {
  constexpr std::size_t kAccounts = 8;
  constexpr int kStart = 100;
  const auto role_of = [](std::size_t i) { return i % 2 == 0 ? kRows : kMembers; };
  for (std::size_t i = 0; i < kAccounts; ++i) {
    rig.Put(role_of(i), NumberedKey(i), std::to_string(kStart));
  }
  std::atomic<std::size_t> running = 2;
  const auto transfer = [&] {
    for (std::size_t i = 0; i < kCommits; ++i) {
      const std::size_t from = i % kAccounts;
      const std::size_t to = (i * 3 + 1) % kAccounts;
      if (from == to) continue;
      Retry(rig, [&](Batch& batch) {
        for (const auto& [account, change] : {std::pair(from, -1), std::pair(to, 1)}) {
          const std::string seen = rig.Get(role_of(account), NumberedKey(account)).value_or("0");
          batch.Require(role_of(account), NumberedKey(account), seen);
          batch.Put(role_of(account), NumberedKey(account),
                    std::to_string(NumberIn(seen) + change));
        }
      });
    }
    --running;
  };
  const auto count = [&] {
    while (running > 0) {
      const auto snapshot = rig.NewSnapshot();
      int sum = 0;
      for (const Address at : {kRows, kMembers}) {
        for (const auto& pair : rig.Scan(at, {.snapshot = snapshot.get()})) {
          sum += NumberIn(pair.second);
        }
      }
      EXPECT_EQ(sum, kStart * static_cast<int>(kAccounts));
      if (sum != kStart * static_cast<int>(kAccounts)) return;
    }
  };
  RunTogether({transfer, transfer, count});
}

void CommitsOfManyThreadsAreAllThere(Rig& rig) {
  RunTogether(kThreads, [&rig](std::size_t thread) {
    for (std::size_t i = 0; i < kCommits; ++i) {
      Batch batch;
      batch.Put(kRows, NumberedKey(thread * kCommits + i), "value");
      batch.Put(kEvents, NumberedKey(thread * kCommits + i), "value");
      rig.Commit(batch, i % 16 == 0 ? Durability::kDisk : Durability::kProcess);
    }
  });
  EXPECT_EQ(rig.Scan(kRows).size(), kThreads * kCommits);
  EXPECT_EQ(rig.Scan(kEvents).size(), kThreads * kCommits);
}

void ACommitIsSeenByTheNextReadOfAnotherThread(Rig& rig) {
  std::atomic<int> committed = -1;
  const auto write = [&] {
    for (std::size_t i = 0; i < kCommits; ++i) {
      rig.Put(kRows, "key", std::to_string(i));
      committed = static_cast<int>(i);
    }
  };
  const auto read = [&] {
    int before = 0;
    while (before < static_cast<int>(kCommits) - 1) {
      before = committed;
      const int seen = NumberAt(rig, kRows, "key");
      EXPECT_GE(seen, before);
      if (seen < before) return;
    }
  };
  RunTogether({write, read, read});
}

void OneSnapshotServesManyThreads(Rig& rig) {
  for (std::size_t i = 0; i < 100; ++i) rig.Put(kRows, NumberedKey(i), "old");
  const auto snapshot = rig.NewSnapshot();
  const auto write = [&] {
    for (std::size_t i = 0; i < kCommits; ++i) rig.Put(kRows, NumberedKey(i % 100), "new");
    rig.DeleteRange(kRows, NumberedKey(0), NumberedKey(50));
    rig.Compact(Role::kRows);
  };
  const auto read = [&] {
    for (std::size_t i = 0; i < kCommits; ++i) {
      EXPECT_EQ(rig.Get(kRows, NumberedKey(i % 100), snapshot.get()), "old");
    }
    EXPECT_EQ(rig.Scan(kRows, {.snapshot = snapshot.get()}).size(), 100u);
  };
  RunTogether({write, read, read});
}

void CompactionDisturbsNobody(Rig& rig) {
  const auto policy = std::make_shared<DeadlinePolicy>(std::vector{Role::kRows});
  policy->SetNow(WallTimeFromMs(1000));
  rig.Reopen(policy);
  rig.Put(kRows, "living", Immortal("0"));
  std::atomic<bool> done = false;
  const auto write = [&] {
    for (std::size_t i = 0; i < kCommits; ++i) {
      rig.Put(kRows, NumberedKey(i), Mortal(1000, "dead on arrival"));
      rig.Put(kRows, "living", Immortal(std::to_string(i)));
    }
    done = true;
  };
  const auto compact = [&] {
    do {
      rig.Compact(Role::kRows);
    } while (!done);
  };
  const auto read = [&] {
    while (!done) {
      const bool there = rig.Get(kRows, "living").has_value();
      EXPECT_TRUE(there);
      if (!there) return;
    }
  };
  RunTogether({write, compact, compact, read});
  rig.Compact(Role::kRows);
  EXPECT_EQ(rig.Scan(kRows), (Pairs{{"living", Immortal(std::to_string(kCommits - 1))}}));
}

void HandlesComeAndGoOnManyThreads(Rig& rig) {
  RunTogether(kThreads, [&rig](std::size_t thread) {
    for (std::size_t i = 0; i < 50; ++i) {
      rig.Put(kRows, NumberedKey(i), std::to_string(thread));
      const auto snapshot = rig.NewSnapshot();
      const auto frozen = rig.NewCursor(kRows, {.snapshot = snapshot.get()});
      const auto present = rig.NewCursor(kRows);
      rig.Delete(kRows, NumberedKey(i / 2));
      frozen->SeekToFirst();
      present->SeekToLast();
      EXPECT_TRUE(frozen->status().ok());
      EXPECT_TRUE(present->status().ok());
    }
  });
  const auto stats = rig.engine().Stats();
  ASSERT_TRUE(stats.has_value());
  EXPECT_EQ(stats->open_snapshots, 0u);
  EXPECT_EQ(stats->open_cursors, 0u);
  EXPECT_TRUE(rig.engine().Close().ok());
}

}  // namespace

Cases ConcurrencyCases() {
  return {
      MAYFLY_CASE(RacingIncrementsUnderConditionsLoseNothing),
      MAYFLY_CASE(OfManyThreadsThatRequireAbsenceExactlyOneWins),
      MAYFLY_CASE(PlainCommitsDoNotSlipBetweenConditionAndChange),
      MAYFLY_CASE(MultiGetNeverSeesHalfABatch),
      MAYFLY_CASE(SnapshotsNeverShowHalfABatch),
      MAYFLY_CASE(CursorsNeverShowHalfABatch),
      MAYFLY_CASE(TransfersKeepTheirSumInEverySnapshot),
      MAYFLY_CASE(CommitsOfManyThreadsAreAllThere),
      MAYFLY_CASE(ACommitIsSeenByTheNextReadOfAnotherThread),
      MAYFLY_CASE(OneSnapshotServesManyThreads),
      MAYFLY_CASE(CompactionDisturbsNobody),
      MAYFLY_CASE(HandlesComeAndGoOnManyThreads),
  };
}

}  // namespace mayfly::engine::suite
