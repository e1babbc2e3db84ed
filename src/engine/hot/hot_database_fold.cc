// Fold, and how space is given back in the memory-first engine.
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "engine/hot/hot_database.h"
#include "engine/hot/index/hot_cursor.h"
#include "engine/hot/pace.h"

namespace mayfly::engine::hot {

void HotDatabase::StartUpkeep() {
  MeasureRoom();
  StartLoad();
  if (!options_.has_thread) return;
  upkeep_ = std::make_unique<std::thread>([this] { RunUpkeep(); });
}

void HotDatabase::StopUpkeep() {
  if (upkeep_ == nullptr) return;
  {
    const std::lock_guard lock(upkeep_mutex_);
    is_stopping_ = true;
    upkeep_wanted_.notify_all();
    upkeep_done_.notify_all();
  }
  upkeep_->join();
  upkeep_.reset();
}

void HotDatabase::WakeUpkeep() const {
  const std::lock_guard lock(upkeep_mutex_);
  is_wanted_ = true;
  upkeep_wanted_.notify_one();
}

void HotDatabase::RunUpkeep() {
  std::unique_lock lock(upkeep_mutex_);
  for (;;) {
    upkeep_wanted_.wait(lock, [&] { return is_wanted_ || is_stopping_ || load_; });
    if (is_stopping_) return;
    const bool is_wanted = std::exchange(is_wanted_, false);
    lock.unlock();
    const bool done = !is_wanted || UpkeepRound();
    const auto begun = storage_.clock->Steady();
    const bool is_loading = load_.has_value();
    LoadStep();
    const std::chrono::nanoseconds worked = storage_.clock->Steady() - begun;
    lock.lock();
    upkeep_done_.notify_all();
    if (is_loading) {
      upkeep_wanted_.wait_for(lock, LoadRest(worked), [&] { return is_wanted_ || is_stopping_; });
    }
    if (done && !is_purge_awaited_) continue;
    upkeep_wanted_.wait_for(lock, done ? kPurgeLookPause : kFoldRetryPause,
                            [&] { return is_stopping_; });
    is_wanted_ = true;
  }
}

std::vector<SegmentInfo> HotDatabase::ClosedSegments() const {
  std::vector<SegmentInfo> segments = log_->Segments();
  std::erase_if(segments, [](const SegmentInfo& segment) { return segment.is_active; });
  return segments;
}

std::uint64_t HotDatabase::BytesOf(const std::vector<SegmentInfo>& segments) {
  std::uint64_t bytes = 0;
  for (const SegmentInfo& segment : segments) bytes += segment.bytes;
  return bytes;
}

bool HotDatabase::UpkeepRound() {
  // A full disk is met by the append that needs the segment.
  static_cast<void>(log_->Prepare());
  const Status restored = RestoreSyncs();
  const Status folded = FoldWhatIsOver();
  NoteFold(folded);
  if (IsOverBudget()) EvictToBudget();
  is_log_long_ = folded.ok() && (is_purge_awaited_ || BytesOf(ClosedSegments()) >
                                                          kLogSlowFactor * options_.log_bytes_max);
  is_slow_ = MeasureRoom() <= 0 || is_log_long_;
  return folded.ok() && restored.ok();
}

// After a failed sync of the log: what is not known to be on the device is written again.
Status HotDatabase::RestoreSyncs() {
  if (!log_->has_failed_sync()) [[likely]]
    return {};
  const std::lock_guard lock(fold_mutex_);
  const LogSpace::Use use(LogSpace::For::kFold);  // It begins a segment.
  const Status written = damage_.Note(WithoutRoom(log_->WriteAgain()));
  if (written.ok()) {
    Log(logger_, LogLevel::kWarning, "the log of {} could not be synced; it was written again",
        name());
  }
  return written;
}

Status HotDatabase::FoldWhatIsOver() {
  for (;;) {
    const std::vector<SegmentInfo> segments = ClosedSegments();
    const bool has_many_ranges = rows_->ranges.size() > kPendingRangesMax;
    is_purge_awaited_ = !has_many_ranges && IsPurgeAwaited(segments);
    const bool is_over = BytesOf(segments) > options_.log_bytes_max || has_many_ranges;
    if (segments.empty() || is_purge_awaited_ || !is_over) return {};
    const auto rest = [this](std::chrono::nanoseconds worked) {
      ++fold_steps_;
      RestFromFold(worked);
    };
    MAYFLY_RETURN_IF_ERROR(FoldOldest(kSequenceMax, rest).status());
    const std::lock_guard lock(upkeep_mutex_);
    if (is_stopping_) return {};
  }
}

// A segment before the log's bound: what is deleted meanwhile is logged, too.
bool HotDatabase::IsPurgeAwaited(const std::vector<SegmentInfo>& closed) {
  if (closed.empty() || BytesOf(closed) + options_.segment_bytes < options_.log_bytes_max) {
    return false;
  }
  if (IsShortOfSpace()) return false;  // The fold is what makes room.
  const std::lock_guard lock(fold_mutex_);
  log_->AwaitRecords(closed.front().last_sequence);
  return purge_wait_->IsWorthIt(closed.front());
}

// Only for a fold that nobody waits for.
void HotDatabase::RestFromFold(std::chrono::nanoseconds worked) {
  if (fold_waiters_.load(std::memory_order_relaxed) > 0) return;
  const std::chrono::nanoseconds rest =
      FoldRest(worked, BytesOf(ClosedSegments()), options_.log_bytes_max);
  std::unique_lock lock(upkeep_mutex_);
  upkeep_wanted_.wait_for(lock, rest, [&] { return is_stopping_ || is_slow_; });
}

// Folds the oldest closed segment, if it begins at or before `through`. False: there is none.
Result<bool> HotDatabase::FoldOldest(Sequence through) {
  return FoldOldest(through, [this](std::chrono::nanoseconds) { ++fold_steps_; });
}

Result<bool> HotDatabase::FoldOldest(Sequence through, Fold::Rest rest) {
  const std::lock_guard lock(fold_mutex_);
  const std::vector<SegmentInfo> segments = ClosedSegments();
  if (segments.empty() || segments.front().first_sequence > through) return false;
  log_->AwaitRecords(segments.front().last_sequence);
  const auto drop = [this](std::span<const RowVersion> dead, IsDeadRow is_dead) {
    return DropVersionsOf(dead, is_dead, WhichDead::kAll);
  };
  const Status folded = fold_->FoldSegment(segments.front(), drop, rest);
  if (!folded.ok()) return damage_.Note(WithoutRoom(folded));
  return true;
}

// Afterwards no record up to `sequence` is in the log.
Status HotDatabase::FoldThrough(Sequence sequence, const std::atomic<bool>* stop) {
  const HandleTicket waiting(fold_waiters_);
  MAYFLY_RETURN_IF_ERROR(RestoreSyncs());
  const Status rotated = RotateLog();
  MAYFLY_RETURN_IF_ERROR(FoldClosed(sequence, stop));
  if (rotated.ok()) return {};
  // On a full disk the fold may have made the room.
  MAYFLY_RETURN_IF_ERROR(RotateLog());
  return FoldOldest(sequence).status();
}

Status HotDatabase::FoldClosed(Sequence through, const std::atomic<bool>* stop) {
  for (;;) {
    MAYFLY_TRY(const bool folded, FoldOldest(through));
    if (!folded || (stop != nullptr && *stop)) return {};
  }
}

Status HotDatabase::DoFlush() {
  if (log_ == nullptr) return {};
  // The dead are deleted by commits of the fold; a second one takes these.
  std::uint64_t drops = 0;
  do {
    drops = drops_.load(std::memory_order_relaxed);
    MAYFLY_RETURN_IF_ERROR(FoldThrough(log_->last_sequence()));
  } while (drops_.load(std::memory_order_relaxed) != drops);
  {
    const std::lock_guard lock(fold_mutex_);
    fold_->CleanTombstones();
    if (!options_.has_thread) LoadStep();
  }
  return storage_.cold->Flush();
}

Status HotDatabase::DropDeadRows(Role role, const KeyRange& range, WhichDead which) {
  const auto judge = options_.drop_policy ? options_.drop_policy->NewJudge(role) : nullptr;
  if (judge == nullptr) return {};
  // What was read before the cold store dropped it does not come back to memory behind this walk.
  ++rows_->departures;
  const auto is_dead = [&](Role, Bytes key, Bytes value) { return judge->IsDead(key, value); };
  {
    const HotState state(*rows_);
    HotCursor cursor(rows_->index, role, state.sequence(), range);
    std::vector<RowVersion> dead;
    for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
      if (!judge->IsDead(cursor.key(), cursor.value())) continue;
      dead.push_back({role, std::string(cursor.key()), cursor.sequence()});
      if (dead.size() < kDropRowsMax) continue;
      MAYFLY_RETURN_IF_ERROR(DropVersionsOf(dead, is_dead, which));
      dead.clear();
    }
    if (!dead.empty()) MAYFLY_RETURN_IF_ERROR(DropVersionsOf(dead, is_dead, which));
  }
  while (rows_->index.Reclaim(kReclaimAfterState) > 0) {
  }
  return {};
}

Status HotDatabase::DoCompact(Role role, const KeyRange& range) {
  if (log_ == nullptr) return DropDeadRows(role, range, WhichDead::kAll);
  MAYFLY_RETURN_IF_ERROR(DoFlush());
  MAYFLY_RETURN_IF_ERROR(storage_.cold->Compact(role, range));
  return DropDeadRows(role, range, WhichDead::kDroppedByCold);
}

Result<std::optional<FileInfo>> HotDatabase::FileNamed(Role role, const std::string& name) const {
  MAYFLY_TRY(const std::vector<FileInfo> files, storage_.cold->Files(role));
  for (const FileInfo& file : files) {
    if (file.name == name) return std::optional(file);
  }
  return std::optional<FileInfo>();
}

Result<bool> HotDatabase::DoCompactFile(Role role, const std::string& name,
                                        std::uint64_t bytes_per_second) {
  if (log_ == nullptr) return false;
  MAYFLY_TRY(const std::optional<FileInfo> file, FileNamed(role, name));
  if (!file) return false;
  MAYFLY_TRY(const bool done, storage_.cold->CompactFile(role, name, bytes_per_second));
  if (!done) return false;
  const std::string end = file->last_key + '\0';
  MAYFLY_RETURN_IF_ERROR(
      DropDeadRows(role, {.begin = file->first_key, .end = end}, WhichDead::kDroppedByCold));
  return true;
}

Result<bool> HotDatabase::DoDropFile(Role role, const std::string& name) {
  if (log_ == nullptr) return false;
  MAYFLY_TRY(const std::optional<FileInfo> file, FileNamed(role, name));
  if (!file) return false;
  MAYFLY_TRY(const bool done, storage_.cold->DropFile(role, name));
  if (!done) return false;
  const std::string end = file->last_key + '\0';
  MAYFLY_RETURN_IF_ERROR(
      DropDeadRows(role, {.begin = file->first_key, .end = end}, WhichDead::kDroppedByCold));
  return true;
}

}  // namespace mayfly::engine::hot
