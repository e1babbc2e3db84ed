// Goal: a piece fits, keeps the order of young files, and is picked whenever one fits.
// Method: levels are made up.
#include "engine/rocks/compaction_piece.h"

#include <gtest/gtest.h>

#include <array>

namespace mayfly::engine {
namespace {

class CompactionPieceTest : public ::testing::Test {
 protected:
  using Files = std::vector<rocksdb::SstFileMetaData>;

  // Young files: the newest first.
  void Add(std::size_t level, const std::string& name, std::uint64_t bytes,
           const std::string& first, const std::string& last) {
    rocksdb::SstFileMetaData file;
    file.relative_filename = name;
    file.size = bytes;
    file.smallestkey = first;
    file.largestkey = last;
    levels_[level].push_back(file);
  }
  void AddYoung(int count) {
    for (int i = 0; i < count; ++i) Add(0, "young" + std::to_string(count - i), 100, "a", "z");
  }

  std::optional<CompactionPiece> Pick(std::uint64_t room, bool is_urgent = false) const {
    rocksdb::ColumnFamilyMetaData family;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      family.levels.emplace_back(static_cast<int>(level), 0, Files(levels_[level]));
    }
    return PickPiece(family, room, is_urgent);
  }

  std::array<Files, 7> levels_;
};

using Names = std::vector<std::string>;

TEST_F(CompactionPieceTest, TakesTheOldestYoungFilesAsManyAsFit) {
  AddYoung(8);
  Add(5, "low1", 300, "a", "m");
  Add(5, "low2", 300, "n", "z");
  const auto piece = Pick(899);
  ASSERT_TRUE(piece.has_value());
  EXPECT_EQ(piece->files, (Names{"young1", "young2"}));
  EXPECT_EQ(piece->output_level, 5);
  EXPECT_EQ(Pick(900)->files.size(), 3U);
}

TEST_F(CompactionPieceTest, TakesAFileOfALowerLevelIfNoYoungOneFits) {
  AddYoung(8);
  Add(5, "low1", 300, "a", "m");
  Add(5, "low2", 200, "n", "z");
  Add(6, "last1", 250, "a", "m");
  Add(6, "last2", 250, "n", "z");
  auto piece = Pick(599);
  ASSERT_TRUE(piece.has_value());
  EXPECT_EQ(piece->files, Names{"low1"});
  EXPECT_EQ(piece->output_level, 6);
  piece = Pick(549);
  ASSERT_TRUE(piece.has_value());
  EXPECT_EQ(piece->files, Names{"low2"});
  EXPECT_FALSE(Pick(449).has_value());
}

TEST_F(CompactionPieceTest, YoungFilesGoToTheLastLevelIfThereIsNoOther) {
  AddYoung(8);
  const auto piece = Pick(250);
  ASSERT_TRUE(piece.has_value());
  EXPECT_EQ(piece->files.size(), 2U);
  EXPECT_EQ(piece->output_level, 6);
}

TEST_F(CompactionPieceTest, FewYoungFilesAreLeftToRocksDbUnlessItIsUrgent) {
  AddYoung(3);
  EXPECT_FALSE(Pick(10'000).has_value());
  EXPECT_EQ(Pick(10'000, /*is_urgent=*/true)->files.size(), 3U);
  Add(5, "low", 300, "a", "m");
  Add(6, "last", 250, "a", "m");
  EXPECT_EQ(Pick(10'000, /*is_urgent=*/true)->files, Names{"low"});
}

TEST_F(CompactionPieceTest, TheLastLevelIsLeftAsItIs) {
  Add(6, "last", 250, "a", "m");
  EXPECT_FALSE(Pick(10'000, /*is_urgent=*/true).has_value());
}

}  // namespace
}  // namespace mayfly::engine
