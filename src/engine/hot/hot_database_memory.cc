// The budget of memory: which rows leave it, and when commits wait.
//   used   0 ........ rows leave, down to here | from here on ... commits wait ... budget
// Rows leave by the thread. Commits count what they add, and measure when they have used up what was
// free when it was measured last: so memory never grows unseen, and a commit that only replaces rows
// does not wait.
#include <fmt/format.h>

#include <algorithm>

#include "engine/hot/hot_database.h"

namespace mayfly::engine::hot {
namespace {

// Such a batch makes room in the end, and it must not wait for room.
bool RemovesMore(const Batch& batch) {
  std::size_t puts = 0;
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const Batch::Kind kind = batch.change(i).kind;
    if (kind == Batch::Kind::kDeleteRange) return true;
    if (kind == Batch::Kind::kPut) ++puts;
  }
  return puts <= batch.change_count() - puts;
}

}  // namespace

// Bytes until it has to be measured again; 0 or less: commits wait. The free room in slabs counts
// little, as it may be of no use to the rows that come.
std::int64_t HotDatabase::MeasureRoom() const {
  if (options_.memory_bytes_max == 0) return 1;
  const HotMemory memory = rows_->index.memory();
  const auto bytes = [](std::uint64_t unsigned_bytes) {
    return static_cast<std::int64_t>(unsigned_bytes);
  };
  std::int64_t room = bytes(StopParts(kStopFromParts)) - bytes(memory.used_bytes);
  const std::int64_t untaken = bytes(StopParts(kSparseFromParts)) - bytes(memory.taken_bytes);
  room = std::min(room, std::max(untaken, bytes(StopParts(1) / 2)));
  // Commits count bytes of records; rows take more.
  room = std::min(room, bytes(StopParts(2)));
  if (IsSparse(memory)) room = 0;
  room_to_grow_.store(room, std::memory_order_relaxed);
  room_to_admit_.store(bytes(BudgetParts(kAdmitUntilParts)) - bytes(memory.used_bytes),
                       std::memory_order_relaxed);
  return room;
}

bool HotDatabase::IsSparse(const HotMemory& memory) const {
  return memory.taken_bytes > StopParts(kSparseFromParts) &&
         memory.taken_bytes > memory.used_bytes + memory.slack_bytes + kSparseBytesMin;
}

bool HotDatabase::IsOverBudget() const {
  if (options_.memory_bytes_max == 0) return false;
  const HotMemory memory = rows_->index.memory();
  return memory.used_bytes > BudgetParts(kEvictFromParts) || IsSparse(memory);
}

// The log or the memory is over its bound, or was at the last look. The log makes commits
// wait once, the memory until there is room, or until for long no row has left and no fold, after
// which rows leave, has come further.
Status HotDatabase::AwaitRoom(const Batch& batch) {
  // What makes room, in memory and for the fold, waits for nothing.
  if (upkeep_ == nullptr || RemovesMore(batch)) return {};
  auto end = storage_.clock->Steady() + options_.memory_wait;
  for (std::uint64_t left = rows_left_ + fold_steps_;;) {
    const bool is_full = MeasureRoom() <= 0;
    const bool is_log_long = is_log_long_;
    if (!is_full && !is_log_long) {
      is_slow_ = false;
      return {};
    }
    std::unique_lock lock(upkeep_mutex_);
    is_wanted_ = true;
    upkeep_wanted_.notify_one();
    const auto now = storage_.clock->Steady();
    if (const std::uint64_t left_now = rows_left_ + fold_steps_; left_now != left) {
      left = left_now;
      end = now + options_.memory_wait;
    }
    if (is_full && now >= end) break;
    upkeep_done_.wait_for(lock, kSlowCommitWait, [&] { return !is_slow_ || is_stopping_; });
    if (!is_full || is_stopping_) return {};
  }
  return Status::Busy(fmt::format(
      "{} has used up its memory, {} bytes, and no row can leave it; close snapshots and cursors, "
      "see that the log can be folded (its errors are logged), or raise the bound",
      name(), StopParts(kBudgetParts)));
}

// A row that was read from the cold store. As long as none had to leave, every one is welcome.
bool HotDatabase::IsWorthAdmitting(Address at, Bytes key, std::size_t bytes) const {
  if (options_.memory_bytes_max == 0) return true;
  if (has_evicted_ && !rows_->index.WasMissed(at.role, key)) return false;
  const auto room = static_cast<std::int64_t>(bytes);
  const std::int64_t left = room_to_admit_.fetch_sub(room, std::memory_order_relaxed) - room;
  // The thread makes more before there is none: once, as waking costs more than a read.
  const auto little = static_cast<std::int64_t>(BudgetParts(kAdmitUntilParts - kEvictFromParts));
  if (left < little && left + room >= little) WakeUpkeep();
  return left >= 0;
}

void HotDatabase::EvictToBudget() {
  GiveUpLoad("rows leave memory");
  const std::uint64_t target = BudgetParts(kEvictedParts);
  if (rows_->index.memory().used_bytes > BudgetParts(kEvictFromParts)) {
    // What is left is dirty, or shown by an open state. The oldest dirty rows are clean first, so that
    // commits that wait go on as soon as these have left.
    const Sequence last = log_->last_sequence();
    bool is_rotated = false;
    while (!EvictUntil(target, kEvictVainStepsMax)) {
      const Result<bool> folded = FoldOldest(last);
      if (!folded.has_value()) break;
      if (*folded) continue;
      if (!std::exchange(is_rotated, true) && log_->Rotate().ok()) continue;
      EvictUntil(target, SIZE_MAX);
      break;
    }
  }
  EmptySparseSlabs();
}

// Newcomers first while there are many, then the hand. It goes round as often as a row may have
// been counted as read. False: nothing more can leave, or the hand met no clean row in so many steps.
bool HotDatabase::EvictUntil(std::uint64_t used_bytes, std::size_t vain_steps_max) {
  // Before the first row goes: a reader that misses it must see this.
  rows_->is_resident.store(false, std::memory_order_seq_cst);
  has_evicted_ = true;
  HotIndex& index = rows_->index;
  const auto before_eviction = [this] { ++rows_->departures; };
  const auto is_done = [&] { return index.memory().used_bytes <= used_bytes; };
  std::size_t asked = 0;
  const std::size_t newcomers = index.newcomers();
  const auto ask_newcomers = [&] {
    asked += kEvictStepRows;
    rows_left_ +=
        index.EvictNewcomers(kEvictStepRows, rows_->views->BoundsOf(index), before_eviction);
  };
  std::size_t vain_steps = 0;
  for (std::size_t ends = 0; ends < (UseCounts::kMax + 1) * kRoleCount;) {
    if (is_done()) return true;
    if (vain_steps >= vain_steps_max) break;
    if (asked < newcomers && index.newcomers() * kNewcomerShare > index.memory().rows) {
      ask_newcomers();
      continue;
    }
    const HotIndex::Evicted evicted =
        index.EvictUnused(static_cast<Role>(hand_role_), hand_, kEvictStepRows,
                          rows_->views->BoundsOf(index), before_eviction);
    rows_left_ += evicted.gone;
    vain_steps = evicted.asked > 0 ? 0 : vain_steps + 1;
    if (!hand_.empty()) continue;
    hand_role_ = (hand_role_ + 1) % kRoleCount;
    ++ends;
  }
  while (!is_done() && asked < newcomers) ask_newcomers();
  return is_done();
}

// Rows of another size came than those that have left. Where what is in a slab does not move, more
// rows have to leave.
void HotDatabase::EmptySparseSlabs() {
  HotIndex& index = rows_->index;
  for (std::size_t i = 0; i < kEmptySlabsMax && IsSparse(index.memory()); ++i) {
    index.GiveBackFreeSlabs();
    if (!IsSparse(index.memory())) return;
    rows_->is_resident.store(false, std::memory_order_seq_cst);
    has_evicted_ = true;
    if (index.EmptySlab(rows_->views->BoundsOf(index), [this] { ++rows_->departures; })) continue;
    const std::uint64_t used = index.memory().used_bytes;
    EvictUntil(used - std::min(used, BudgetParts(1)), SIZE_MAX);
    return;
  }
}

}  // namespace mayfly::engine::hot
