// hot_cursor.h - walks over the rows of one role, both ways, in one open state.
// It copies rows of a leaf, each compared with the leaf's version, and then moves without touching
// the index: a few after a seek, since most walks are short, then more each time, up to a leaf. Long
// values are not copied (row_reader.h).
// With kShowTombstones it stops at deleted rows, too: over a cold store they hide its rows.
// Threads: one at a time. Lifetime: destroy it before its index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/hot/index/hot_index.h"
#include "engine/key_range.h"
#include "mayfly/bytes.h"

namespace mayfly::engine::hot {

class HotCursor {
 public:
  enum class Show { kValues, kTombstonesToo };

  // In an open state, which it opens once more. The range is copied.
  HotCursor(const HotIndex& index, Role role, Sequence open_state, const KeyRange& range = {},
            Show show = Show::kValues);
  ~HotCursor();
  HotCursor(const HotCursor&) = delete;
  HotCursor& operator=(const HotCursor&) = delete;

  bool Valid() const { return at_ < rows_.size(); }

  // Only when Valid(), until the cursor moves.
  Bytes key() const { return KeyOf(rows_[at_]); }
  Bytes value() const { return {rows_[at_].value, rows_[at_].value_bytes}; }
  bool is_tombstone() const { return rows_[at_].state & kTombstone; }
  Sequence sequence() const { return SequenceOf(rows_[at_].state); }
  Flags flags() const { return FlagsOf(rows_[at_].state); }

  // True if the next move in this direction copies rows from the index. Only when Valid().
  bool WillLoad(bool forward) const {
    return forward != (direction_ == Direction::kForward) || at_ + 1 == rows_.size();
  }

  void SeekToFirst() { SeekAtOrAfter({}); }
  void SeekToLast();
  void SeekAtOrAfter(Bytes target);   // The first key >= target.
  void SeekAtOrBefore(Bytes target);  // The last key <= target.
  void Next();
  void Prev();

 private:
  struct Row {
    std::uint64_t state;
    const char* key;
    const char* value;
    std::uint32_t key_bytes;
    std::uint32_t value_bytes;
  };
  enum class Direction { kForward, kBackward };

  // A walk begins: the next load is a short one.
  void Begin();
  // Fill the rows that follow `from`, or those before it, and stand on the first of them.
  void LoadForward();
  void LoadBackward();
  // Copies what is at index `i` of the leaf. False when the leaf has changed.
  bool Copy(const RowTree::Position& at, std::size_t i);
  // The same for a row whose newest version is shown and short. False: take the other way.
  bool CopyNewest(const RowTree::Position& at, const RowBlock& block);
  bool CopyAny(const RowTree::Position& at, Handle handle);
  // Room for that many bytes and seven more, at an address that stays until Clear().
  char* Reserve(std::size_t bytes);
  bool IsFull() const { return rows_.size() >= rows_max_ || copied_ >= kCursorBytesMax; }
  void Clear();
  static Bytes KeyOf(const Row& row) { return {row.key, row.key_bytes}; }

  const HotIndex& index_;
  const RowReader reader_;
  const RoleMap& map_;
  const Sequence state_;
  const std::string begin_;
  const std::string end_;  // Empty: no bound.
  const Show show_;

  // In the direction of the last load.
  std::vector<Row> rows_;
  std::unique_ptr<char[]> buffer_;               // For short rows,
  std::size_t buffer_bytes_ = 0;                 // made for the first load, and for the others.
  std::vector<std::unique_ptr<char[]>> longer_;  // For what does not fit.
  std::size_t copied_ = 0;
  std::size_t rows_max_ = 0;  // Of the present load.
  std::string scratch_;
  std::size_t at_ = 0;
  Direction direction_ = Direction::kForward;
  // Where the next load goes on: from this key on, or before it. Empty: from the first or last.
  std::string from_;
  bool ended_ = true;
};

}  // namespace mayfly::engine::hot
