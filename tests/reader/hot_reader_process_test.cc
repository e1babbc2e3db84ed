// Goal: a process that reads a memory-first directory beside the one that writes it sees whole
// commits in their order, and all that were acknowledged before its read, also when writers are
// killed. Method: a writer in a process of its own with tiny segments, which folds by a seed and
// publishes its acknowledged commits in shared memory.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/hot/hot_engine.h"
#include "engine/hot/reader/hot_reader_engine.h"
#include "fork/forked.h"

namespace mayfly::engine {
namespace {

constexpr Address kRows = {.role = Role::kRows};
constexpr int kKeys = 6;

// In shared memory.
struct HotBoard {
  std::atomic<std::uint64_t> acknowledged{0};
};

// Commits until it is killed: each batch puts its number to all keys. Ends only with an error.
void WriteForEver(const std::string& directory, HotBoard& board, std::uint64_t seed) {
  Random random(seed);
  auto opened = OpenHotEngine({.directory = directory, .profile = Profile::kTiny},
                              {.segment_bytes = hot::kSegmentBytesMin,
                               .log_bytes_max = 2 * hot::kSegmentBytesMin,
                               .map_log = random.OneIn(2),
                               .reserved_bytes = std::size_t{1} << 30,
                               .huge_pages = false});
  if (!opened) return;
  for (std::uint64_t number = board.acknowledged + 1;; ++number) {
    Batch batch;
    if (random.OneIn(5)) batch.DeleteRange(kRows, "k", "l");
    for (int i = 0; i < kKeys; ++i) {
      batch.Put(kRows, "k" + std::to_string(i), std::to_string(number));
    }
    batch.Put(kRows, "filler " + std::to_string(random.Below(50)),
              std::string(random.OneIn(8) ? 20'000 : 100, 'f'));
    if (!(*opened)->Commit(batch).ok()) return;
    board.acknowledged = number;
    if (random.OneIn(60) && !(*opened)->Flush().ok()) return;
  }
}

// At least what was acknowledged, whole, never back.
std::string Look(const Engine& reader, const HotBoard& board, std::uint64_t& seen) {
  const std::uint64_t acknowledged = board.acknowledged;
  if (const auto refreshed = reader.Refresh(); !refreshed) return refreshed.error().ToString();
  auto frozen = reader.NewSnapshot();
  if (!frozen) return frozen.error().ToString();
  const auto snapshot = *std::move(frozen);
  auto walk = reader.NewCursor(kRows, {.range = {"k", "l"}, .snapshot = snapshot.get()});
  if (!walk) return walk.error().ToString();
  const auto cursor = *std::move(walk);
  std::string first;
  int count = 0;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next(), ++count) {
    if (count == 0) first = cursor->value();
    if (cursor->value() != first) return "torn: " + first;
  }
  if (!cursor->status().ok()) return cursor->status().ToString();
  if (count != kKeys) return "rows are missing";
  PinnedBytes value;
  if (const Status read = reader.Get(kRows, "k3", value, snapshot.get()); !read.ok()) {
    return read.ToString();
  }
  if (value.view() != first) return "a get shows another state than a cursor";
  const std::uint64_t number = std::stoull(first);
  if (number < acknowledged) return "late: " + first + " of " + std::to_string(acknowledged);
  if (number < seen) return "back: " + first + " after " + std::to_string(seen);
  seen = number;
  return {};
}

TEST(HotReaderProcess, OutlivesWritersThatAreKilled) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const TemporaryDirectory home;
  const std::string directory = home.Inside("db");
  void* const shared =
      ::mmap(nullptr, sizeof(HotBoard), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  HotBoard& board = *new (shared) HotBoard;
  WaitingChildren<6> writers(
      [&](std::uint64_t life) { WriteForEver(directory, board, seed + life); });
  std::unique_ptr<Engine> reader;
  std::uint64_t seen = 0;
  for (std::uint64_t life = 0; life < writers.size(); ++life) {
    const std::uint64_t wanted = board.acknowledged + 100;
    const pid_t child = writers.Begin(life);
    // The first writer may be ahead before the reader is open.
    while ((reader == nullptr || board.acknowledged < wanted) &&
           ::waitpid(child, nullptr, WNOHANG) == 0) {
      // It may still be opening: the reader waits for the first commit.
      if (reader == nullptr) {
        if (board.acknowledged < 3) {
          std::this_thread::yield();
          continue;
        }
        auto opened = OpenHotReaderEngine(
            {.reader = {.rocks = {.directory = directory, .profile = Profile::kTiny}},
             .folded_bytes_max = 0,
             .reserved_bytes = std::size_t{1} << 30});
        ASSERT_TRUE(opened.has_value()) << opened.error().ToString();
        reader = *std::move(opened);
      }
      ASSERT_EQ(Look(*reader, board, seen), "") << "life " << life;
    }
    ASSERT_GE(board.acknowledged, wanted) << "the writer ended";
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ASSERT_EQ(Look(*reader, board, seen), "") << "without a writer, life " << life;
    board.acknowledged = seen;  // It may have committed one more than it published.
  }
  reader.reset();
  ::munmap(shared, sizeof(HotBoard));
}

}  // namespace
}  // namespace mayfly::engine
