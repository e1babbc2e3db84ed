// Goal: a cursor over parts in the row shows what one over rows of their own would show. Method:
// both over the same parts, with each pair of bounds, every move, from every place.
#include "core/reads/packed_cursor.h"

#include <gtest/gtest.h>

#include "core/layout/addresses.h"
#include "engine/memory/memory_engine.h"

namespace mayfly::core {
namespace {

class PackedCursorTest : public ::testing::Test {
 protected:
  PackedCursorTest() {
    engine::Batch batch;
    const auto add = [&](PartKind kind, Bytes name) {
      const std::string value = "value of " + std::string(name);
      AppendPackedPart(packed_, kind, name, value);
      std::string row;
      AppendRow(row, {.deadline = {}, .payload = value});
      batch.Put(kMembers, keys_.Of(kind, name), row);
    };
    for (const Bytes name : {"", "b", "bb", "d"}) add(PartKind::kMember, name);
    for (const Bytes name : {"a", "b"}) add(PartKind::kSide, name);
    // Of neighbours.
    batch.Put(kMembers, PartKeys(3, 6).Of(PartKind::kMember, "b"), "x");
    batch.Put(kMembers, PartKeys(3, 8).Of(PartKind::kMember, "b"), "x");
    EXPECT_TRUE(engine_->Commit(batch).ok());
    for (const PartKind kind : {PartKind::kMember, PartKind::kSide}) {
      for (const Bytes name : {"", "a", "b", "ba", "bb", "c", "d", "e"}) {
        targets_.emplace_back(Bytes(keys_.Of(kind, name)));
      }
    }
    targets_.push_back(keys_.begin());
    targets_.push_back(keys_.end());
  }

  static std::string Here(const engine::Cursor& cursor) {
    EXPECT_TRUE(cursor.status().ok());
    return cursor.Valid() ? std::string(cursor.key()) + " -> " + std::string(cursor.value())
                          : "(none)";
  }

  const PartKeys keys_{3, 7};
  std::unique_ptr<engine::Engine> engine_ = engine::NewMemoryEngine();
  std::string packed_;
  std::vector<std::string> targets_;
};

TEST_F(PackedCursorTest, ShowsWhatACursorOverRowsShows) {
  int places = 0;
  for (const std::string& begin : targets_) {
    for (const std::string& end : targets_) {
      if (end < begin) continue;
      const engine::CursorOptions walk{.range = {begin, end}};
      const auto packed = NewPartCursor(*engine_, keys_, packed_, walk);
      const auto rows = NewPartCursor(*engine_, keys_, std::nullopt, walk);
      const auto both = [&](const auto& move) {
        move(**packed);
        move(**rows);
        ASSERT_EQ(Here(**packed), Here(**rows));
        for (int i = 0; i < 3 && (*packed)->Valid(); ++i, ++places) {
          (*packed)->Next();
          (*rows)->Next();
          ASSERT_EQ(Here(**packed), Here(**rows));
        }
        move(**packed);
        move(**rows);
        for (int i = 0; i < 3 && (*packed)->Valid(); ++i, ++places) {
          (*packed)->Prev();
          (*rows)->Prev();
          ASSERT_EQ(Here(**packed), Here(**rows));
        }
      };
      both([](engine::Cursor& cursor) { cursor.SeekToFirst(); });
      both([](engine::Cursor& cursor) { cursor.SeekToLast(); });
      for (const std::string& target : targets_) {
        both([&](engine::Cursor& cursor) { cursor.SeekAtOrAfter(target); });
        both([&](engine::Cursor& cursor) { cursor.SeekAtOrBefore(target); });
      }
    }
  }
  EXPECT_GT(places, 1000);
}

TEST_F(PackedCursorTest, ReportsDamagedParts) {
  packed_.pop_back();
  const auto cursor = NewPartCursor(*engine_, keys_, packed_, {});
  (*cursor)->SeekToFirst();
  EXPECT_FALSE((*cursor)->Valid());
  EXPECT_EQ((*cursor)->status().code(), StatusCode::kCorruption);
}

}  // namespace
}  // namespace mayfly::core
