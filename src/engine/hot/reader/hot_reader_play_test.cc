// Goal: whatever a memory-first writer folds, evicts and removes, a reader beside it shows what was
// committed. Method: seeded random steps of a writer with tiny bounds and of a reader; the reader is
// compared with a plain map.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/hot/reader/hot_reader_fixture.h"

namespace mayfly::engine {
namespace {

class HotReaderPlay {
 public:
  explicit HotReaderPlay(std::uint64_t seed) : random_(seed) {
    options_.map_log = random_.OneIn(2);
    options_.has_thread = random_.OneIn(2);
    options_.memory_bytes_max = random_.OneIn(2) ? std::uint64_t{1} << 20 : 0;
    OpenWriter();
    OpenReader();
  }
  ~HotReaderPlay() { snapshot_.reset(); }

  void Step() {
    switch (Below(30)) {
      case 0:
      case 1: EXPECT_TRUE(writer_->Flush().ok()); break;
      case 2: EXPECT_TRUE(writer_->Compact(RandomRole()).ok()); break;
      case 3: Reopen(); break;
      case 4:
      case 5: TakeSnapshot(); break;
      case 6:
      case 7: CheckSnapshot(); break;
      case 8: OpenReader(); break;
      case 9: EXPECT_TRUE(reader_->Refresh().has_value()); break;
      default: Commit(); break;
    }
    if (Below(3) == 0) Compare();
  }

  void Compare() {
    const auto refreshed = reader_->Refresh();
    ASSERT_TRUE(refreshed.has_value()) << refreshed.error().ToString();
    for (std::size_t i = 0; i < kRoleCount; ++i) {
      const Role role = static_cast<Role>(i);
      const Pairs expected(model_[i].begin(), model_[i].end());
      ASSERT_EQ(Walk(*reader_, role), expected) << RoleName(role);
      ASSERT_EQ(WalkBack(*reader_, role), expected) << RoleName(role);
      for (int probe = 0; probe < 5; ++probe) CompareKey(role, RandomKey());
    }
  }

 private:
  std::uint64_t Below(std::uint64_t bound) { return random_.Below(bound); }
  Role RandomRole() { return static_cast<Role>(Below(kRoleCount)); }
  std::string RandomKey() {
    return std::string(1, static_cast<char>('a' + Below(4))) + std::to_string(Below(30));
  }

  void OpenWriter() {
    auto opened = OpenHotEngine(ColdOptions(home_.Inside("db")), options_);
    ASSERT_TRUE(opened.has_value()) << opened.error().ToString();
    writer_ = *std::move(opened);
  }
  void OpenReader() {
    snapshot_.reset();
    HotReaderOptions options = ReaderOptionsAt(home_.Inside("db"));
    options.reader.let_go_after = std::chrono::milliseconds(Below(2) * 1'000'000);
    options.folded_bytes_max = Below(2) << 18;
    auto opened = OpenHotReaderEngine(options);
    ASSERT_TRUE(opened.has_value()) << opened.error().ToString();
    reader_ = *std::move(opened);
  }
  void Reopen() {
    ASSERT_TRUE(writer_->Close().ok());
    if (Below(2) == 0) Compare();  // With no writer there.
    OpenWriter();
  }

  void Commit() {
    Batch batch;
    const std::uint64_t changes = 1 + Below(20);
    for (std::uint64_t i = 0; i < changes; ++i) {
      const Role role = RandomRole();
      auto& rows = model_[static_cast<std::size_t>(role)];
      const std::string key = RandomKey();
      switch (Below(10)) {
        case 0: {
          std::string begin = key;
          std::string end = RandomKey();
          if (end < begin) std::swap(begin, end);
          batch.DeleteRange({role}, begin, end);
          rows.erase(rows.lower_bound(begin), rows.lower_bound(end));
          break;
        }
        case 1:
        case 2:
          batch.Delete({role}, key);
          rows.erase(key);
          break;
        default: {
          const std::string value =
              std::string(Below(20) == 0 ? 20'000 : Below(200), 'x') + std::to_string(++count_);
          batch.Put({role}, key, value);
          rows[key] = value;
          break;
        }
      }
    }
    const Status committed =
        writer_->Commit(batch, Below(5) == 0 ? Durability::kDisk : Durability::kProcess);
    ASSERT_TRUE(committed.ok()) << committed.ToString();
  }

  void TakeSnapshot() {
    snapshot_.reset();
    Compare();
    snapshot_ = *reader_->NewSnapshot();
    frozen_ = model_;
  }
  void CheckSnapshot() {
    if (snapshot_ == nullptr) return;
    for (std::size_t i = 0; i < kRoleCount; ++i) {
      const Role role = static_cast<Role>(i);
      const Pairs expected(frozen_[i].begin(), frozen_[i].end());
      ASSERT_EQ(Walk(*reader_, role, snapshot_.get()), expected);
      for (const auto& [key, value] : expected) {
        PinnedBytes seen;
        ASSERT_TRUE(reader_->Get({role}, key, seen, snapshot_.get()).ok());
        ASSERT_EQ(seen.view(), value);
      }
    }
  }
  void CompareKey(Role role, const std::string& key) {
    const auto& rows = model_[static_cast<std::size_t>(role)];
    const auto row = rows.find(key);
    PinnedBytes seen;
    const Status read = reader_->Get({role}, key, seen);
    ASSERT_EQ(read.code(), row == rows.end() ? StatusCode::kNotFound : StatusCode::kOk) << key;
    ASSERT_EQ(seen.view(), row == rows.end() ? Bytes() : Bytes(row->second)) << key;
  }

  using Model = std::array<std::map<std::string, std::string>, kRoleCount>;

  const TemporaryDirectory home_;
  Random random_;
  HotOptions options_ = SmallOptions();
  std::unique_ptr<Engine> writer_;
  std::unique_ptr<Engine> reader_;
  std::unique_ptr<Snapshot> snapshot_;  // Of the reader, which goes after it.
  Model model_;
  Model frozen_;
  std::uint64_t count_ = 0;
};

TEST(HotReaderPlay, ShowsWhatTheWriterHasCommittedWhateverItFoldsEvictsAndRemoves) {
  const std::uint64_t first = FreshSeed();
  for (std::uint64_t seed = first; seed < first + 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    HotReaderPlay play(seed);
    for (int step = 0; step < 200; ++step) {
      play.Step();
      if (testing::Test::HasFailure()) return;
    }
    play.Compare();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace mayfly::engine
