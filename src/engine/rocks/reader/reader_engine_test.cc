// Goal: a reader shows what its writer has committed, exactly, whatever the writer does to its
// files. Method: seeded random steps of a writer in this process; after some steps the reader
// refreshes, and everything it shows is compared with the writer's state at that moment.
#include "engine/rocks/reader/reader_engine.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"

namespace mayfly::engine {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs Walk(const Engine& engine, Role role, const Snapshot* snapshot = nullptr) {
  Pairs pairs;
  auto cursor = *engine.NewCursor({role}, {.snapshot = snapshot});
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    pairs.emplace_back(cursor->key(), cursor->value());
  }
  EXPECT_TRUE(cursor->status().ok()) << cursor->status().ToString();
  return pairs;
}

Pairs WalkBack(const Engine& engine, Role role) {
  Pairs pairs;
  auto cursor = *engine.NewCursor({role});
  for (cursor->SeekToLast(); cursor->Valid(); cursor->Prev()) {
    pairs.emplace(pairs.begin(), cursor->key(), cursor->value());
  }
  EXPECT_TRUE(cursor->status().ok()) << cursor->status().ToString();
  return pairs;
}

testing::AssertionResult Same(const Pairs& seen, const Pairs& expected) {
  const auto text = [](const Pairs& pairs, Pairs::const_iterator at) {
    return at == pairs.end()
               ? "the end"
               : at->first + " -> ..." +
                     at->second.substr(at->second.size() > 9 ? at->second.size() - 9 : 0);
  };
  const auto differs = std::mismatch(seen.begin(), seen.end(), expected.begin(), expected.end());
  if (seen == expected) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "shown: " << text(seen, differs.first)
                                     << ", committed: " << text(expected, differs.second);
}

class ReaderPlay {
 public:
  explicit ReaderPlay(std::uint64_t seed) : random_(seed) {
    OpenWriter();
    OpenReader();
  }

  void Step() {
    switch (Below(24)) {
      case 0: Flush(); break;
      case 1: EXPECT_TRUE(writer_->Compact(RandomRole()).ok()); break;
      case 2: DropOrRewrite(); break;
      case 3: Reopen(); break;
      case 4: TakeSnapshot(); break;
      case 5: CheckSnapshot(); break;
      case 6: OpenReader(); break;
      case 7:
        Flush();
        Flush();
        break;
      default: Commit(); break;
    }
    if (Below(3) == 0) Compare();
  }

  void Compare() {
    const auto refreshed = reader_->Refresh();
    ASSERT_TRUE(refreshed.has_value()) << refreshed.error().ToString();
    for (std::size_t i = 0; i < kRoleCount; ++i) {
      const Role role = static_cast<Role>(i);
      const Pairs expected = Walk(*writer_, role);
      ASSERT_TRUE(Same(Walk(*reader_, role), expected)) << RoleName(role);
      ASSERT_TRUE(Same(WalkBack(*reader_, role), expected)) << RoleName(role);
      for (int probe = 0; probe < 5; ++probe) CompareKey(role, RandomKey());
    }
    CompareTurns();
  }

 private:
  std::uint64_t Below(std::uint64_t bound) { return random_.Below(bound); }
  Role RandomRole() { return static_cast<Role>(Below(kRoleCount)); }
  std::string RandomKey() {
    return std::string(1, static_cast<char>('a' + Below(4))) + std::to_string(Below(60));
  }

  void OpenWriter() {
    auto opened = OpenRocksEngine({.directory = home_.Inside("db"),
                                   .profile = Profile::kTiny,
                                   .write_buffer_bytes = 64 << 10});
    ASSERT_TRUE(opened.has_value()) << opened.error().ToString();
    writer_ = *std::move(opened);
  }

  void Flush() {
    for (std::size_t i = 0; i < kRoleCount; ++i) {
      ASSERT_TRUE(writer_->Compact(static_cast<Role>(i)).ok());
    }
  }

  void OpenReader() {
    snapshot_.reset();
    auto opened =
        OpenReaderEngine({.rocks = {.directory = home_.Inside("db"), .profile = Profile::kTiny},
                          .let_go_after = std::chrono::milliseconds(Below(2) * 1'000'000),
                          .has_thread = false});
    ASSERT_TRUE(opened.has_value()) << opened.error().ToString();
    reader_ = *std::move(opened);
  }

  void Reopen() {
    ASSERT_TRUE(writer_->Close().ok());
    if (Below(2) == 0) {
      const auto refreshed = reader_->Refresh();  // With no writer there.
      ASSERT_TRUE(refreshed.has_value()) << refreshed.error().ToString();
    }
    OpenWriter();
  }

  void Commit() {
    Batch batch;
    const std::uint64_t changes = 1 + Below(20);
    for (std::uint64_t i = 0; i < changes; ++i) {
      const Role role = RandomRole();
      const std::string key = RandomKey();
      switch (Below(10)) {
        case 0: batch.DeleteRange({role}, std::min(key, end_), std::max(key, end_)); break;
        case 1:
        case 2:
        case 3: batch.Delete({role}, key); break;
        default:
          batch.Put(
              {role}, key,
              std::string(Below(4) == 0 ? 40'000 : Below(200), 'x') + std::to_string(++count_));
          break;
      }
      end_ = RandomKey();
    }
    ASSERT_TRUE(writer_->Commit(batch).ok());
  }

  void DropOrRewrite() {
    const Role role = RandomRole();
    const auto files = *writer_->Files(role);
    if (files.empty()) return;
    ASSERT_TRUE(writer_->CompactFile(role, files[Below(files.size())].name).has_value());
  }

  void TakeSnapshot() {
    snapshot_.reset();
    Compare();
    snapshot_ = *reader_->NewSnapshot();
    for (std::size_t i = 0; i < kRoleCount; ++i) {
      frozen_[i] = Walk(*reader_, static_cast<Role>(i), snapshot_.get());
    }
  }

  void CheckSnapshot() {
    if (snapshot_ == nullptr) return;
    for (std::size_t i = 0; i < kRoleCount; ++i) {
      const Role role = static_cast<Role>(i);
      ASSERT_TRUE(Same(Walk(*reader_, role, snapshot_.get()), frozen_[i]));
      for (const auto& [key, expected] : frozen_[i]) {
        PinnedBytes value;
        ASSERT_TRUE(reader_->Get({role}, key, value, snapshot_.get()).ok());
        ASSERT_EQ(value.view(), expected);
      }
    }
  }

  void CompareKey(Role role, const std::string& key) {
    PinnedBytes expected;
    PinnedBytes seen;
    const Status there = writer_->Get({role}, key, expected);
    ASSERT_EQ(reader_->Get({role}, key, seen).code(), there.code()) << key;
    ASSERT_EQ(seen.view(), expected.view()) << key;
  }

  // Moves both cursors alike, changing direction at random.
  void CompareTurns() {
    const Role role = RandomRole();
    const std::string begin = RandomKey();
    const std::string end = begin + "~~";
    const KeyRange range = Below(2) == 0 ? KeyRange{} : KeyRange{begin, end};
    const auto theirs = *writer_->NewCursor({role}, {.range = range});
    const auto ours = *reader_->NewCursor({role}, {.range = range});
    for (int move = 0; move < 30; ++move) {
      const std::string key = RandomKey();
      const std::uint64_t kind = Below(6);
      for (Cursor* cursor : {theirs.get(), ours.get()}) {
        if (kind == 0) cursor->SeekAtOrAfter(key);
        if (kind == 1) cursor->SeekAtOrBefore(key);
        if (kind == 2 || kind == 3) cursor->Valid() ? cursor->Next() : cursor->SeekToFirst();
        if (kind >= 4) cursor->Valid() ? cursor->Prev() : cursor->SeekToLast();
      }
      ASSERT_EQ(ours->Valid(), theirs->Valid());
      if (!ours->Valid()) continue;
      ASSERT_EQ(ours->key(), theirs->key());
      ASSERT_EQ(ours->value(), theirs->value());
    }
  }

  const TemporaryDirectory home_;
  Random random_;
  std::unique_ptr<Engine> writer_;
  std::unique_ptr<Engine> reader_;
  std::unique_ptr<Snapshot> snapshot_;  // Of the reader, which goes after it.
  std::array<Pairs, kRoleCount> frozen_;
  std::string end_ = "b";
  std::uint64_t count_ = 0;
};

TEST(ReaderEngine, ShowsWhatTheWriterHasCommittedWhateverBecomesOfItsFiles) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ReaderPlay play(seed);
    for (int step = 0; step < 150; ++step) {
      play.Step();
      if (testing::Test::HasFatalFailure()) return;
    }
    play.Compare();
  }
}

}  // namespace
}  // namespace mayfly::engine
