// A full disk in the memory-first engine: which commits go on, and how room is made.
// The reserve is the cold store's, and what it gives up serves both. Commits that add bytes are
// refused here, before the log. Deletes go to the log, which may take segments of the reserve as
// log_space.h says. Rounds fold all of the log, so that segments go, and what was deleted reaches the
// cold store, which makes room in its tables by rounds of its own. Decisions 20 and 53.
#include <fmt/format.h>

#include "base/log.h"
#include "engine/disk/limits.h"
#include "engine/hot/hot_database.h"

namespace mayfly::engine::hot {

FullDiskRight HotDatabase::RightOf(const Batch& batch) const {
  const FullDiskRight right = RightByItself(batch);
  if (right != FullDiskRight::kNone || !storage_.reserve->is_given_up()) return right;
  PinnedBytes value;
  const auto stored = [&](Address at, Bytes key) -> std::optional<std::size_t> {
    return GetNewest(at, key, value).ok() ? std::optional(value.view().size()) : std::nullopt;
  };
  return FreesWhatItAdds(batch, stored) ? FullDiskRight::kRowDelete : FullDiskRight::kNone;
}

Status HotDatabase::CommitOnFullDisk(const Batch& batch, Durability durability) {
  if (storage_.reserve == nullptr) {
    return RefusedForSpace(name(), RightByItself(batch), /*deletes_go_on=*/false);
  }
  DiskReserve& reserve = *storage_.reserve;
  const FullDiskRight right = RightOf(batch);
  const bool makes_room = right != FullDiskRight::kNone;
  if (!makes_room && !reserve.MayGrow()) return RefuseForSpace(right);
  const LogSpace::Use use(right);
  bool lacks_room = false;
  Status committed = TryToCommit(batch, durability, lacks_room);
  if (lacks_room) {
    const bool has_more = reserve.GiveUp(kShortSegmentBytes + batch.bytes());
    if (!makes_room || !has_more) return RefuseForSpace(right);
    committed = TryToCommit(batch, durability, lacks_room);
  }
  // Without locks of rows, and the round does not wait for this commit.
  if (lacks_room && room_rounds_ != nullptr) {
    room_wait_->Await(*room_rounds_, [&] {
      committed = TryToCommit(batch, durability, lacks_room);
      return !lacks_room;
    });
  }
  if (lacks_room) return RefuseForSpace(right);
  if (!committed.ok()) return committed;
  // Without a reserve, a log that takes commits says nothing of a cold store that does not.
  if (!makes_room && !fold_fails_.load(std::memory_order_relaxed)) reserve.Grew();
  // What this commit has hidden can go, so that the next one that adds bytes finds room.
  if (reserve.was_full()) AskForRoom();
  return {};
}

Status HotDatabase::RefuseForSpace(FullDiskRight right) {
  room_wanted_ = true;
  AskForRoom();
  return RefusedForSpace(name(), right, space_->LetsDelete());
}

void HotDatabase::AskForRoom() const {
  if (room_rounds_ != nullptr) room_rounds_->Ask();
}

// The error of a call that found no room in the log, for callers of the engine.
Status HotDatabase::WithoutRoom(const Status& status) {
  if (status.code() != StatusCode::kBusy) return status;
  if (storage_.reserve != nullptr) storage_.reserve->GiveUp(kShortSegmentBytes);
  return Status::IoError(
      fmt::format("{}: the disk is full; free some space and retry. {}", name(), status.message()));
}

// The fold needs the segment that it begins, and gives back those before it.
Status HotDatabase::RotateLog() {
  const LogSpace::Use use(LogSpace::For::kFold);
  const Status rotated = log_->Rotate();
  if (rotated.code() != StatusCode::kBusy || storage_.reserve == nullptr) {
    return WithoutRoom(rotated);
  }
  return storage_.reserve->GiveUp(kShortSegmentBytes) ? WithoutRoom(log_->Rotate())
                                                      : WithoutRoom(rotated);
}

void HotDatabase::MakeRoomOnDisk(BackgroundRounds::Kind kind, const std::atomic<bool>& stop) {
  // A large commit may be refused although there is room for small ones.
  const bool is_wanted = room_wanted_.exchange(false);
  if (!is_wanted && !storage_.reserve->IsFull()) return;
  // Closed segments first: a commit waits for an early round.
  const bool folds_closed = kind == BackgroundRounds::Kind::kEarly && !ClosedSegments().empty();
  const Sequence last = log_->last_sequence();
  NoteFold(folds_closed ? FoldClosed(last, &stop) : FoldThrough(last, &stop));
  {
    const std::lock_guard lock(fold_mutex_);
    fold_->CleanTombstones();  // Views that are not used any more keep rows of the cold store.
  }
  BackgroundRounds* const below = storage_.reserve->rounds();
  if (below == nullptr) return;
  if (is_wanted) storage_.reserve->WantRoom();
  if (kind == BackgroundRounds::Kind::kEarly) {
    below->Await(kRoomPatience);
  } else {
    below->Ask();
  }
}

// Records how the last fold ended, and logs what is new.
void HotDatabase::NoteFold(const Status& folded) {
  const bool failed = !folded.ok();
  if (fold_fails_.exchange(failed) == failed) return;
  if (failed) {
    Log(logger_, LogLevel::kError, "{} cannot fold its log, and tries again: {}", name(),
        folded.ToString());
  } else {
    Log(logger_, LogLevel::kInfo, "{} folds its log again", name());
  }
}

}  // namespace mayfly::engine::hot
