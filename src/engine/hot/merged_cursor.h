// merged_cursor.h - a cursor over one role: memory, merged with the cold store below it.
// Memory wins where both have a key, and its tombstones hide the cold store's rows. While everything
// is resident there is no cursor of the cold store. It is added when residence ends: memory is
// copied a block at a time, and a block that was loaded while everything was resident is whole.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "engine/hot/hot_state.h"
#include "engine/hot/index/hot_cursor.h"

namespace mayfly::engine::hot {

class MergedCursor final : public Cursor {
 public:
  // Shows `state`, or the present one if it is null.
  MergedCursor(const HotRows& rows, Address at, const CursorOptions& options, const HotState* state,
               std::atomic<std::uint64_t>& open_cursors);
  ~MergedCursor() override;

  Status status() const override;

 private:
  enum class Direction { kForward, kBackward };

  void DoSeekToFirst() override { DoSeekAtOrAfter(begin_); }
  void DoSeekToLast() override;
  void DoSeekAtOrAfter(Bytes target) override;
  void DoSeekAtOrBefore(Bytes target) override;
  void DoNext() override { Step(Direction::kForward); }
  void DoPrev() override { Step(Direction::kBackward); }

  void Step(Direction direction);
  void StepMerged();
  // Puts both cursors behind `key`, in the present direction.
  void SeekBehind(const std::string& key);
  void MoveMemory();
  static void Move(auto& cursor, Direction direction);
  // Goes on to the first key that is shown, in the present direction.
  void Settle();
  void SettleMerged();
  void SkipRange(const PendingRange& range);
  // Adds the cold store's cursor if it is needed. True if it was added just now.
  bool AddCold();
  bool IsForward() const { return direction_ == Direction::kForward; }

  const HandleTicket ticket_;  // First, so that it is destroyed last.
  const HotRows& rows_;
  const Address at_;
  const std::string begin_;
  const std::string end_;  // Empty: no bound.
  const bool fill_cache_;
  std::unique_ptr<HotState> state_;
  std::unique_ptr<HotCursor> memory_;
  std::unique_ptr<Cursor> cold_;  // Null while everything is resident.
  Direction direction_ = Direction::kForward;
  bool on_memory_ = false;  // Which of them are on the key that is shown.
  bool on_cold_ = false;
  std::string last_;  // The key before a move that might load a block.
  Status failed_;
};

}  // namespace mayfly::engine::hot
