#include "engine/hot/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "engine/hot/fold_marker.h"

namespace mayfly::engine::hot {

Status Fold::FoldSegment(const SegmentInfo& segment, DropVersions drop, Rest rest) {
  // Only its removal failed: its rows are clean, and a second range delete would take them.
  if (segment.last_sequence <= parts_.rows.views->current_through()) {
    return parts_.log.Remove(segment.last_sequence);
  }
  MAYFLY_TRY(const SegmentChanges changes,
             SegmentChanges::Read(parts_.files, segment, parts_.key.get()));
  DropTheDead(changes, drop);
  const std::vector<LoggedChange> rows = ChooseRows(changes);
  // Before anything is written: a fold that ends halfway takes room each time it is tried.
  MAYFLY_RETURN_IF_ERROR(CheckRoomFor(rows));
  MAYFLY_RETURN_IF_ERROR(parts_.rows.views->FreezeCurrent());
  // What replaced the other rows must survive a power cut, or they would be nowhere.
  MAYFLY_RETURN_IF_ERROR(parts_.log.Sync(parts_.log.last_sequence()));
  MAYFLY_RETURN_IF_ERROR(WriteRanges(changes));
  MAYFLY_RETURN_IF_ERROR(WriteRows(rows, rest));
  MAYFLY_RETURN_IF_ERROR(parts_.cold.Sync(Durability::kDisk));
  MAYFLY_RETURN_IF_ERROR(WriteFoldMarker(parts_.files, segment.last_sequence));
  parts_.rows.views->Advance(segment.last_sequence);
  MarkRows(rows);
  CleanTombstones();
  counts_.log_bytes += segment.bytes;
  return parts_.log.Remove(segment.last_sequence);
}

// A failure is no reason to stop: the dead go to the cold store then, whose compaction finds them. On
// a full disk the log takes no commit, and the fold is what makes room.
void Fold::DropTheDead(const SegmentChanges& segment, DropVersions drop) {
  if (parts_.policy == nullptr) return;
  std::array<std::unique_ptr<DropPolicy::Judge>, kRoleCount> judges;
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    judges[role] = parts_.policy->NewJudge(static_cast<Role>(role));
  }
  std::vector<RowVersion> dead;
  const auto is_dead = [&](Role role, Bytes key, Bytes value) {
    DropPolicy::Judge* const judge = judges[static_cast<std::size_t>(role)].get();
    return judge != nullptr && judge->IsDead(key, value);
  };
  const auto drop_all = [&] {
    // What cannot be deleted goes to the cold store.
    if (!dead.empty()) static_cast<void>(drop(dead, is_dead));
    dead.clear();
  };
  for (const auto& [sequence, change] : segment.changes()) {
    if (change.kind != Batch::Kind::kPut) continue;
    if (!is_dead(change.at.role, change.key, change.value)) continue;
    dead.push_back({change.at.role, std::string(change.key), sequence});
    if (dead.size() == kDropRowsMax) drop_all();
  }
  drop_all();
}

// The rows of the segment that are the newest, in the order of role and key.
std::vector<LoggedChange> Fold::ChooseRows(const SegmentChanges& segment) {
  std::vector<LoggedChange> rows;
  for (const LoggedChange& logged : segment.changes()) {
    const Batch::Change& change = logged.change;
    if (change.kind == Batch::Kind::kDeleteRange) continue;
    const auto flags = parts_.rows.index.BeginFold(change.at.role, change.key, logged.sequence);
    // A tombstone that is not over the cold store needs nothing there.
    if (!flags || ((*flags & kTombstone) && (*flags & kOverCold) == 0)) continue;
    // Of several changes of a key in one batch the row is as the last one left it.
    rows.push_back(logged);
    rows.back().change.kind = *flags & kTombstone ? Batch::Kind::kDelete : Batch::Kind::kPut;
  }
  const auto place = [](const LoggedChange& row) {
    return std::tuple(row.change.at.role, row.change.key);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const LoggedChange& a, const LoggedChange& b) {
    return place(a) < place(b);
  });
  // The last of equal ones stays.
  const auto kept = std::unique(
      rows.rbegin(), rows.rend(),
      [&](const LoggedChange& a, const LoggedChange& b) { return place(a) == place(b); });
  rows.erase(rows.begin(), kept.base());
  return rows;
}

Status Fold::CheckRoomFor(std::span<const LoggedChange> rows) const {
  std::uint64_t bytes = 0;
  for (const auto& [sequence, change] : rows) bytes += change.key.size() + change.value.size();
  if (parts_.space.MayFold(bytes)) return {};
  return Status::IoError(fmt::format(
      "the disk is full: there is no room to write {} bytes of rows from the log to tables",
      bytes));
}

Status Fold::WriteRanges(const SegmentChanges& segment) {
  Batch batch;
  for (const auto& [sequence, change] : segment.changes()) {
    if (change.kind != Batch::Kind::kDeleteRange) continue;
    batch.DeleteRange(change.at, change.key, change.value);
    if (batch.change_count() < kFoldBatchChangesMax) continue;
    MAYFLY_RETURN_IF_ERROR(parts_.cold.Commit(batch, Durability::kNone));
    batch.Clear();
  }
  return batch.empty() ? Status() : parts_.cold.Commit(batch, Durability::kNone);
}

Status Fold::WriteRows(std::span<const LoggedChange> rows, Rest rest) {
  Batch batch;
  auto begun = parts_.clock.Steady();
  for (const auto& [sequence, change] : rows) {
    if (change.kind == Batch::Kind::kPut) {
      batch.Put(change.at, change.key, change.value);
    } else {
      batch.Delete(change.at, change.key);
    }
    counts_.bytes += change.key.size() + change.value.size();
    if (batch.change_count() < kFoldBatchChangesMax && batch.bytes() < parts_.batch_bytes_max)
      continue;
    MAYFLY_RETURN_IF_ERROR(parts_.cold.Commit(batch, Durability::kNone));
    batch.Clear();
    rest(parts_.clock.Steady() - begun);
    begun = parts_.clock.Steady();
  }
  return batch.empty() ? Status() : parts_.cold.Commit(batch, Durability::kNone);
}

void Fold::MarkRows(std::span<const LoggedChange> rows) {
  for (const auto& [sequence, change] : rows) {
    if (change.kind == Batch::Kind::kPut) {
      parts_.rows.index.MarkClean(change.at.role, change.key, sequence);
    } else {
      tombstones_.push_back({change.at.role, std::string(change.key), sequence});
    }
  }
}

void Fold::CleanTombstones() {
  const Sequence through = parts_.rows.views->oldest_through();
  if (parts_.rows.ranges.size() > 0) {
    ++parts_.rows.departures;
    parts_.rows.ranges.RemoveThrough(through);
  }
  // Folds go from segment to segment, so later ones have later sequences; within one it is the
  // order of keys, and all of them are behind the view before it.
  while (!tombstones_.empty() && tombstones_.front().sequence <= through) {
    const RowVersion& tombstone = tombstones_.front();
    ++parts_.rows.departures;
    parts_.rows.index.MarkClean(tombstone.role, tombstone.key, tombstone.sequence);
    tombstones_.pop_front();
  }
  while (parts_.rows.index.Reclaim(kReclaimAfterState) > 0) {
  }
}

}  // namespace mayfly::engine::hot
