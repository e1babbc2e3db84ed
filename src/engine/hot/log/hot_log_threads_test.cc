// Threads and real files: the order of sequences is the order of the log, callers share writes and
// syncs, and a killed process loses nothing it acknowledged.
// Method: threads append numbered payloads; the log is opened again, after a SIGKILL in between in
// the tests of kills. MAYFLY_SEED repeats a run as far as threads allow.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "base/testing/environment.h"
#include "engine/hot/log/hot_log.h"
#include "engine/hot/log/testing/faulty_log_disk.h"

namespace mayfly::engine::hot {
namespace {

constexpr std::size_t kThreads = 4;

std::string PayloadOf(std::size_t thread, std::uint64_t number, std::size_t bytes) {
  std::string payload = std::to_string(thread) + "/" + std::to_string(number) + "/";
  payload.append(bytes, static_cast<char>('a' + number % 26));
  return payload;
}

class LogThreadsTest : public ::testing::TestWithParam<bool> {
 protected:
  using Records = std::map<std::uint64_t, std::string>;

  Result<std::unique_ptr<HotLog>> TryOpen(std::uint64_t segment_bytes) {
    replayed_.clear();
    return HotLog::Open({.files = files_.get(),
                         .segment_bytes = segment_bytes,
                         .mapped = GetParam(),
                         .replay_from = 1,
                         .key = nullptr},
                        [this](const LogRecord& record) {
                          if (!record.payload.empty()) {
                            replayed_[record.sequence] = record.payload;
                          }
                          return Status();
                        });
  }
  std::unique_ptr<HotLog> Open(std::uint64_t segment_bytes = 256 << 10) {
    auto log = TryOpen(segment_bytes);
    EXPECT_TRUE(log.has_value()) << log.error().ToString();
    return log.has_value() ? *std::move(log) : nullptr;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<LogFiles> files_ = NewLogFiles(directory_.Inside("log"));
  Records replayed_;
};
INSTANTIATE_TEST_SUITE_P(Modes, LogThreadsTest, ::testing::Bool(), [](const auto& mode) {
  return std::string(mode.param ? "Mapped" : "Written");
});

TEST_P(LogThreadsTest, TheOrderOfSequencesIsTheOrderOfTheLog) {
  constexpr std::uint64_t kAppends = 2000;
  auto log = Open();
  ASSERT_NE(log, nullptr);
  ASSERT_EQ(log->report().is_mapped, GetParam());
  std::array<std::vector<std::uint64_t>, kThreads> sequences;
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        Random random(thread);
        for (std::uint64_t i = 0; i < kAppends; ++i) {
          const auto appended = log->Append(PayloadOf(thread, i, i % 300));
          ASSERT_TRUE(appended.has_value());
          ASSERT_GE(log->last_sequence(), *appended);
          sequences[thread].push_back(*appended);
          if (random.OneIn(200)) {
            ASSERT_TRUE(log->Sync(*appended).ok());
            ASSERT_GE(log->durable_sequence(), *appended);
          }
          if (random.OneIn(500)) {
            ASSERT_TRUE(log->Rotate().ok());
          }
          if (random.OneIn(100)) {
            ASSERT_TRUE(log->Prepare().ok());
          }
        }
      });
    }
  }
  EXPECT_EQ(log->last_sequence(), kThreads * kAppends);
  log.reset();
  log = Open();
  ASSERT_EQ(replayed_.size(), kThreads * kAppends);
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    for (std::uint64_t i = 0; i < kAppends; ++i) {
      ASSERT_EQ(replayed_[sequences[thread][i]], PayloadOf(thread, i, i % 300));
      if (i > 0) {
        ASSERT_LT(sequences[thread][i - 1], sequences[thread][i]);
      }
    }
  }
}

TEST_P(LogThreadsTest, SegmentsAreRemovedBesideWriters) {
  auto log = Open(64 << 10);
  ASSERT_NE(log, nullptr);
  std::atomic<bool> stop{false};
  std::jthread folder([&] {
    while (!stop) {
      const std::uint64_t last = log->last_sequence();
      ASSERT_TRUE(log->Sync(last).ok());
      ASSERT_TRUE(log->Rotate().ok());
      ASSERT_TRUE(log->Remove(last).ok());
      ASSERT_GT(log->Segments().front().last_sequence + 1, 0U);
    }
  });
  {
    std::vector<std::jthread> writers;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      writers.emplace_back([&, thread] {
        for (std::uint64_t i = 0; i < 3000; ++i) {
          ASSERT_TRUE(log->Append(PayloadOf(thread, i, 100)).has_value());
        }
      });
    }
  }
  stop = true;
  folder.join();
  EXPECT_EQ(log->last_sequence(), kThreads * 3000);
  ASSERT_TRUE(log->Rotate().ok());
  ASSERT_TRUE(log->Remove(log->last_sequence()).ok());
  EXPECT_EQ(log->Segments().size(), 1U);
}

// What a process that is killed has acknowledged, in memory that its parent shares.
struct Acknowledged {
  static constexpr std::size_t kMax = 100000;

  std::atomic<std::uint64_t> total;
  std::array<std::atomic<std::uint64_t>, kThreads> counts;
  std::array<std::array<std::uint64_t, kMax>, kThreads> sequences;
};

class SharedAcknowledged {
 public:
  SharedAcknowledged()
      : memory_(
            static_cast<Acknowledged*>(::mmap(nullptr, sizeof(Acknowledged), PROT_READ | PROT_WRITE,
                                              MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~SharedAcknowledged() { ::munmap(memory_, sizeof(Acknowledged)); }
  SharedAcknowledged(const SharedAcknowledged&) = delete;
  SharedAcknowledged& operator=(const SharedAcknowledged&) = delete;
  Acknowledged* operator->() const { return memory_; }

 private:
  Acknowledged* const memory_;
};

// The first thread's records take long to copy, so that others come to lie behind a hole.
std::size_t BytesOf(std::size_t thread, std::uint64_t number) {
  return thread == 0 ? std::size_t{256} << 10 : number % 200;
}

[[noreturn]] void AppendUntilKilled(HotLog& log, const SharedAcknowledged& acknowledged) {
  std::vector<std::jthread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint64_t i = 0; i < Acknowledged::kMax; ++i) {
        const auto appended = log.Append(PayloadOf(thread, i, BytesOf(thread, i)));
        if (!appended.has_value()) ::_exit(1);
        acknowledged->sequences[thread][i] = *appended;
        acknowledged->counts[thread].store(i + 1, std::memory_order_release);
        acknowledged->total.fetch_add(1);
      }
    });
  }
  threads.clear();
  ::_exit(2);
}

// Catches the mutant "wrong order of publication".
TEST_P(LogThreadsTest, AKilledProcessLosesNothingItAcknowledged) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed() % 1000000);
  std::printf("MAYFLY_SEED=%llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  const std::uint64_t rounds = NumberFromEnvironment("MAYFLY_ROUNDS", 15);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    const std::string path = directory_.Inside("log" + std::to_string(round));
    files_ = NewLogFiles(path);
    const SharedAcknowledged acknowledged;
    const std::uint64_t until = random.Between(1, 1500);
    const pid_t child = ::fork();
    if (child == 0) {
      auto log = TryOpen(1 << 20);
      if (!log.has_value()) ::_exit(3);
      AppendUntilKilled(**log, acknowledged);
    }
    int status = 0;
    while (acknowledged->total < until && ::waitpid(child, &status, WNOHANG) == 0) {
      std::this_thread::yield();
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    const auto log = Open();
    ASSERT_NE(log, nullptr);
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      const std::uint64_t count = acknowledged->counts[thread].load(std::memory_order_acquire);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t sequence = acknowledged->sequences[thread][i];
        ASSERT_TRUE(replayed_[sequence] == PayloadOf(thread, i, BytesOf(thread, i)))
            << "record " << sequence << " of thread " << thread << " was acknowledged";
      }
    }
  }
}

// Writes of threads that come while one is under way are one write.
TEST(LogGroups, CallersThatArriveTogetherShareWritesAndSyncs) {
  FaultyLogDisk disk;
  auto log = HotLog::Open(
      {.files = &disk, .segment_bytes = 1 << 20, .mapped = false, .replay_from = 1, .key = nullptr},
      [](const LogRecord&) { return Status(); });
  ASSERT_TRUE(log.has_value());
  constexpr std::uint64_t kRounds = 40;
  std::atomic<std::uint64_t> arrived{0};
  // Each write, and each sync, waits until all threads of its round have come.
  disk.OnWriteOrSync([&] {
    const std::uint64_t round_end = (arrived.load() + kThreads - 1) / kThreads * kThreads;
    while (arrived.load() < round_end) std::this_thread::yield();
    for (int i = 0; i < 10; ++i) std::this_thread::yield();
  });
  std::atomic<std::uint64_t> done{0};
  const std::uint64_t writes = disk.writes();
  const std::uint64_t syncs = disk.syncs();
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        for (std::uint64_t round = 0; round < kRounds; ++round) {
          ++arrived;
          const auto appended = (*log)->Append("x");
          ASSERT_TRUE(appended.has_value());
          ASSERT_TRUE((*log)->Sync(*appended).ok());
          ++done;
          while (done.load() < (round + 1) * kThreads) std::this_thread::yield();
        }
      });
    }
  }
  disk.OnWriteOrSync(nullptr);
  EXPECT_LT(disk.writes() - writes, 3 * kRounds) << "of " << kRounds * kThreads << " appends";
  EXPECT_LT(disk.syncs() - syncs, 3 * kRounds);
}

}  // namespace
}  // namespace mayfly::engine::hot
