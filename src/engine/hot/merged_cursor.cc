#include "engine/hot/merged_cursor.h"

#include <utility>

namespace mayfly::engine::hot {

MergedCursor::MergedCursor(const HotRows& rows, Address at, const CursorOptions& options,
                           const HotState* state, std::atomic<std::uint64_t>& open_cursors)
    : ticket_(open_cursors),
      rows_(rows),
      at_(at),
      begin_(options.range.begin),
      end_(options.range.end),
      fill_cache_(options.fill_cache),
      state_(state ? std::make_unique<HotState>(*state) : std::make_unique<HotState>(rows)),
      memory_(std::make_unique<HotCursor>(
          rows.index, at.role, state_->sequence(), options.range,
          rows.views ? HotCursor::Show::kTombstonesToo : HotCursor::Show::kValues)) {}

MergedCursor::~MergedCursor() {
  if (is_owner()) return;
  Abandon(std::move(memory_));
  Abandon(std::move(cold_));
}

Status MergedCursor::status() const {
  if (!is_owner()) return OwnerProcess::Refusal();
  if (!failed_.ok() || cold_ == nullptr) return failed_;
  return cold_->status();
}

bool MergedCursor::AddCold() {
  if (cold_ != nullptr || !failed_.ok()) return false;
  if (state_->was_resident() && rows_.is_resident.load(std::memory_order_seq_cst)) return false;
  auto cursor = state_->view()->NewCursor(at_, {.begin = begin_, .end = end_}, fill_cache_);
  if (cursor.has_value()) {
    cold_ = *std::move(cursor);
    return true;
  }
  failed_ = std::move(cursor).error();
  return false;
}

void MergedCursor::DoSeekAtOrAfter(Bytes target) {
  direction_ = Direction::kForward;
  memory_->SeekAtOrAfter(target);
  AddCold();
  if (cold_) cold_->SeekAtOrAfter(target);
  Settle();
}

void MergedCursor::DoSeekToLast() {
  direction_ = Direction::kBackward;
  memory_->SeekToLast();
  AddCold();
  if (cold_) cold_->SeekToLast();
  Settle();
}

void MergedCursor::DoSeekAtOrBefore(Bytes target) {
  direction_ = Direction::kBackward;
  memory_->SeekAtOrBefore(target);
  AddCold();
  if (cold_) cold_->SeekAtOrBefore(target);
  Settle();
}

void MergedCursor::Move(auto& cursor, Direction direction) {
  if (direction == Direction::kForward) {
    cursor.Next();
  } else {
    cursor.Prev();
  }
}

void MergedCursor::SeekBehind(const std::string& key) {
  const auto seek = [&](auto& cursor) {
    if (IsForward()) {
      cursor.SeekAtOrAfter(key);
    } else {
      cursor.SeekAtOrBefore(key);
    }
    if (cursor.Valid() && cursor.key() == key) Move(cursor, direction_);
  };
  seek(*memory_);
  if (cold_) seek(*cold_);
}

// Only when memory is on a key.
void MergedCursor::MoveMemory() {
  if (cold_ || !memory_->WillLoad(IsForward())) return Move(*memory_, direction_);
  last_.assign(memory_->key());
  Move(*memory_, direction_);
  if (AddCold()) SeekBehind(last_);
}

void MergedCursor::Step(Direction direction) {
  if (cold_) {
    if (direction == direction_) return StepMerged();
    direction_ = direction;
    last_.assign(key());
    SeekBehind(last_);
  } else {
    direction_ = direction;
    MoveMemory();
  }
  Settle();
}

void MergedCursor::StepMerged() {
  if (on_memory_) Move(*memory_, direction_);
  if (on_cold_) Move(*cold_, direction_);
  SettleMerged();
}

void MergedCursor::Settle() {
  if (!failed_.ok()) return Hide();
  if (cold_) return SettleMerged();
  while (memory_->Valid() && memory_->is_tombstone()) {
    MoveMemory();
    if (!failed_.ok()) return Hide();
    if (cold_) return SettleMerged();
  }
  if (!memory_->Valid()) return Hide();
  Show(memory_->key(), memory_->value());
}

void MergedCursor::SettleMerged() {
  for (;;) {
    const bool has_memory = memory_->Valid();
    const bool has_cold = cold_->Valid();
    if (!has_cold && (!has_memory || !cold_->status().ok())) return Hide();
    int order = has_memory ? -1 : 1;
    if (has_memory && has_cold) {
      order = memory_->key().compare(cold_->key());
      if (!IsForward()) order = -order;
    }
    on_memory_ = order <= 0;
    on_cold_ = order >= 0;
    if (!on_memory_) {
      const auto range = rows_.ranges.Covering(at_.role, cold_->key(), state_->view()->through(),
                                               state_->sequence());
      if (!range) return Show(cold_->key(), cold_->value());
      SkipRange(*range);
    } else if (!memory_->is_tombstone()) {
      return Show(memory_->key(), memory_->value());
    } else {
      Move(*memory_, direction_);
      if (on_cold_) Move(*cold_, direction_);
    }
  }
}

void MergedCursor::SkipRange(const PendingRange& range) {
  if (IsForward()) return cold_->SeekAtOrAfter(range.end);
  cold_->SeekAtOrBefore(range.begin);
  if (cold_->Valid() && cold_->key() == range.begin) cold_->Prev();
}

}  // namespace mayfly::engine::hot
