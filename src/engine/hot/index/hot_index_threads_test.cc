// Goal: readers see commits whole, and states and cursors see one state, while writers go on.
// Method: threads that keep an invariant in every commit, and readers that check it. Seeds printed.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "engine/hot/index/hot_cursor.h"
#include "engine/hot/index/hot_index.h"
#include "engine/hot/index/test_writer.h"

namespace mayfly::engine::hot {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kRounds = 1;
#else
constexpr int kRounds = 5;
#endif

std::string Numbered(const char* prefix, std::uint64_t number) {
  std::string digits = std::to_string(number);
  return prefix + std::string(8 - digits.size(), '0') + digits;
}

// Runs the writers to their end, the readers meanwhile.
void RunThreads(std::vector<std::function<void()>> writers,
                std::vector<std::function<void(const std::atomic<bool>&)>> readers) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> reading;
  for (auto& reader : readers) reading.emplace_back([&] { reader(stop); });
  std::vector<std::thread> writing;
  for (auto& writer : writers) writing.emplace_back(writer);
  for (std::thread& thread : writing) thread.join();
  stop = true;
  for (std::thread& thread : reading) thread.join();
}

constexpr int kAccounts = 400;
constexpr std::int64_t kStart = 1000;

std::int64_t SumByCursor(HotIndex& index, Sequence state) {
  HotCursor cursor(index, Role::kRows, state);
  std::int64_t sum = 0;
  int rows = 0;
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next(), ++rows) {
    sum += std::stoll(std::string(cursor.value()));
  }
  EXPECT_EQ(rows, kAccounts);
  return sum;
}

// Values have many lengths, so rows change in place and move.
std::string Amount(std::int64_t amount, Random& random) {
  return std::to_string(amount) + std::string(random.Below(random.OneIn(50) ? 6000 : 60), ' ');
}

void Transfer(HotIndex& index, TestWriter& writer, Random& random) {
  const std::string a = Numbered("acct", random.Below(kAccounts));
  const std::string b = Numbered("acct", random.Below(kAccounts));
  if (a == b) return;
  const HotIndex::Touch touches[] = {{.key = a}, {.key = b}};
  HotIndex::Commit commit(index, touches);
  const auto amount = static_cast<std::int64_t>(random.Below(10));
  const std::string from =
      Amount(std::stoll(std::string(commit.Current(Role::kRows, a).value)) - amount, random);
  const std::string to =
      Amount(std::stoll(std::string(commit.Current(Role::kRows, b).value)) + amount, random);
  const HotChange changes[] = {{.key = a, .value = from}, {.key = b, .value = to}};
  const Sequence sequence = writer.Take();
  commit.Apply(sequence, changes);
  commit.Publish(sequence);
}

TEST(HotIndexThreads, EveryStateShowsTransfersWhole) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  HotIndex index(TestOptions());
  TestWriter writer(index);
  for (int i = 0; i < kAccounts; ++i)
    writer.Put(Numbered("acct", static_cast<std::uint64_t>(i)), std::to_string(kStart));
  const auto transfers = [&](std::uint64_t own) {
    return [&, own] {
      Random random(seed + own);
      for (int i = 0; i < 8000 * kRounds; ++i) Transfer(index, writer, random);
    };
  };
  std::atomic<int> states{0};
  const auto sums = [&](const std::atomic<bool>& stop) {
    std::string value;
    do {
      const Sequence state = index.OpenState();
      EXPECT_EQ(SumByCursor(index, state), kAccounts * kStart);
      std::int64_t sum = 0;
      for (int i = 0; i < kAccounts; ++i) {
        ASSERT_EQ(
            index.Get(Role::kRows, Numbered("acct", static_cast<std::uint64_t>(i)), state, value),
            Presence::kValue);
        sum += std::stoll(value);
      }
      EXPECT_EQ(sum, kAccounts * kStart);
      index.CloseState(state);
      index.Reclaim(100);
      ++states;
    } while (!stop && !testing::Test::HasFailure());
  };
  RunThreads({transfers(1), transfers(2)}, {sums, sums});
  EXPECT_GT(states, 0);
  while (index.Reclaim(1000) > 0) {
  }
  EXPECT_EQ(index.memory().retired, 0u);
  EXPECT_EQ(index.memory().rows, static_cast<std::size_t>(kAccounts));
}

// Each commit sets `clock` to its number k; `twin` exists unless k is a multiple of 3, and says k.
TEST(HotIndexThreads, TheNewestStateShowsACommitWholeOrNotAtAll) {
  struct Play {
    std::size_t changes_of_a_commit;
    int commits;
  };
  for (const auto& [changes_of_a_commit, commits] :
       {Play{2, 15000}, Play{2 * kSmallBatchChangesMax, 1000}}) {
    HotIndex index(TestOptions());
    TestWriter writer(index);
    writer.Put("clock", "0");
    const auto write = [&, changes_of_a_commit = changes_of_a_commit, commits = commits] {
      for (int k = 1; k < commits * kRounds; ++k) {
        const std::string text =
            std::to_string(k) + std::string(static_cast<std::size_t>(k % 97), ' ');
        std::vector<std::string> others;
        for (std::size_t i = 2; i < changes_of_a_commit; ++i)
          others.push_back(Numbered("other", i));
        std::vector<HotChange> changes;
        changes.push_back({.kind = k % 3 == 0 ? HotChange::Kind::kDelete : HotChange::Kind::kPut,
                           .key = "twin",
                           .value = text});
        for (const std::string& other : others) changes.push_back({.key = other, .value = text});
        changes.push_back({.key = "clock", .value = text});
        writer.Write(changes);
      }
    };
    std::atomic<std::uint64_t> compared{0};
    const auto read = [&](const std::atomic<bool>& stop) {
      std::string first;
      std::string twin;
      std::string second;
      do {
        index.Get(Role::kRows, "clock", first);
        const bool is_there = index.Get(Role::kRows, "twin", twin) == Presence::kValue;
        index.Get(Role::kRows, "clock", second);
        const int from = std::stoi(first);
        const int to = std::stoi(second);
        ASSERT_LE(from, to);
        if (is_there) {
          ASSERT_LE(from, std::stoi(twin));
          ASSERT_LE(std::stoi(twin), to);
        }
        if (from == to) {
          ASSERT_EQ(is_there, from % 3 != 0) << from;
        }
        ++compared;
      } while (!stop);
    };
    RunThreads({write}, {read, read});
    EXPECT_GT(compared, 0u);
  }
}

// Pillars are never changed. Between them rows come and go, so leaves split and merge all the time.
TEST(HotIndexThreads, ACursorMissesNoRowThatIsSplitAway) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  constexpr std::uint64_t kPillars = 500;
  HotIndex index(TestOptions());
  TestWriter writer(index);
  for (std::uint64_t i = 0; i < kPillars; ++i) writer.Put(Numbered("p", i * 100), "pillar");
  const auto churn = [&](std::uint64_t own) {
    return [&, own] {
      Random random(seed + own);
      for (int wave = 0; wave < 4 * kRounds; ++wave) {
        const std::uint64_t from = random.Below(kPillars - 40);
        for (int i = 0; i < 3000; ++i) {
          const std::uint64_t number = from * 100 + random.Below(4000);
          if (number % 100 == 0) continue;
          if (wave % 2 == 0 || random.OneIn(3)) {
            writer.Put(Numbered("p", number), std::string(random.Below(40), 'x'));
          } else {
            writer.Delete(Numbered("p", number));
          }
        }
      }
    };
  };
  const auto walk = [&](const std::atomic<bool>& stop) {
    do {
      const Sequence state = index.OpenState();
      {
        HotCursor cursor(index, Role::kRows, state);
        std::vector<std::string> forward;
        for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next())
          forward.emplace_back(cursor.key());
        std::uint64_t pillars = 0;
        for (std::size_t i = 0; i < forward.size(); ++i) {
          if (i > 0) {
            ASSERT_LT(forward[i - 1], forward[i]);
          }
          if (forward[i] == Numbered("p", pillars * 100)) ++pillars;
        }
        ASSERT_EQ(pillars, kPillars);
        std::size_t back = forward.size();
        for (cursor.SeekToLast(); cursor.Valid(); cursor.Prev()) {
          ASSERT_GT(back, 0u);
          ASSERT_EQ(cursor.key(), forward[--back]) << "the state changed";
        }
        ASSERT_EQ(back, 0u);
      }
      index.CloseState(state);
    } while (!stop);
  };
  RunThreads({churn(1), churn(2)}, {walk});
}

// Each new bucket takes rows from another one, and each that goes gives them back.
TEST(HotIndexThreads, ARowIsFoundWhileTheTableGrowsAndShrinks) {
  constexpr std::uint64_t kFixed = 100;
  constexpr std::uint64_t kMore = 400;  // Few buckets, so that each is split often.
  HotIndex index(TestOptions());
  TestWriter writer(index);
  for (std::uint64_t i = 0; i < kFixed; ++i) writer.Put(Numbered("fixed", i), "here");
  const auto resize = [&] {
    for (int round = 0; round < 200 * kRounds; ++round) {
      for (std::uint64_t i = 0; i < kMore; ++i) writer.Put(Numbered("more", i), "v");
      for (std::uint64_t i = 0; i < kMore; ++i) writer.Delete(Numbered("more", i));
    }
  };
  const auto find = [&](const std::atomic<bool>& stop) {
    std::string value;
    std::uint64_t i = 0;
    do {
      const std::string key = Numbered("fixed", ++i % kFixed);
      for (int times = 0; times < 50; ++times) {
        ASSERT_EQ(index.Get(Role::kRows, key, value), Presence::kValue) << key;
      }
    } while (!stop);
  };
  RunThreads({resize}, {find, find});
}

// Writers of the same few rows, with conditions: no increment is lost.
TEST(HotIndexThreads, LocksOfRowsKeepReadAndWriteTogether) {
  HotIndex index(TestOptions());
  TestWriter writer(index);
  constexpr int kCounts = 6000 * kRounds;
  const auto count = [&] {
    for (int i = 0; i < kCounts; ++i) {
      const HotIndex::Touch touches[] = {{.key = "absent"}, {.key = "count"}};
      HotIndex::Commit commit(index, touches);
      const auto current = commit.Current(Role::kRows, "count");
      const int before =
          current.presence == Presence::kValue ? std::stoi(std::string(current.value)) : 0;
      EXPECT_EQ(commit.Current(Role::kRows, "absent").presence, Presence::kNothing);
      const std::string after = std::to_string(before + 1);
      const HotChange change{.key = "count", .value = after};
      const Sequence sequence = writer.Take();
      commit.Apply(sequence, {&change, 1});
      commit.Publish(sequence);
    }
  };
  RunThreads({count, count, count}, {});
  std::string value;
  index.Get(Role::kRows, "count", value);
  EXPECT_EQ(value, std::to_string(3 * kCounts));
}

}  // namespace
}  // namespace mayfly::engine::hot
