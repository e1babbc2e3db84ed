// Makes room on a full disk, while commits are refused. On a small disk, old logs and the rows that
// deletes have hidden are a large part, and RocksDB is in no hurry to remove either. Decision 20.
#include <algorithm>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "base/log.h"
#include "engine/rocks/compaction_piece.h"
#include "engine/rocks/files/compaction_room.h"
#include "engine/rocks/files/limits.h"
#include "engine/rocks/rocks_database.h"

namespace mayfly::engine {
namespace {

using Properties = rocksdb::DB::Properties;

// What a flush or a compaction must be able to free, with a reserve of this size or none.
std::uint64_t WorthOf(std::uint64_t reserve_bytes) {
  if (reserve_bytes == 0) return kWorthBytesMax;
  return std::clamp(reserve_bytes / kWorthOfReserve, kWorthBytesMin, kWorthBytesMax);
}

}  // namespace

FullDiskRight RocksDatabase::RightOf(const Batch& batch) const {
  // A segment of the log above goes for what it writes here.
  if (handles_.beneath_log) return FullDiskRight::kRangeDelete;
  const FullDiskRight right = RightByItself(batch);
  if (right != FullDiskRight::kNone || !handles_.reserve->is_given_up()) [[likely]]
    return right;
  rocksdb::PinnableSlice value;
  const auto stored = [&](Address at, Bytes key) -> std::optional<std::size_t> {
    value.Reset();
    const rocksdb::Status read =
        handles_.database->Get(read_options_, Family(at.role), {key.data(), key.size()}, &value);
    return read.ok() ? std::optional(value.size()) : std::nullopt;
  };
  return FreesWhatItAdds(batch, stored) ? FullDiskRight::kRowDelete : FullDiskRight::kNone;
}

// Free bytes that a commit which makes room needs, so that a flush still fits after it. A flush
// removes logs, which are longer than the tables it makes: so there is always a way on. Commits under
// way are counted only as far as the log has taken their room; the margins cover the rest.
std::uint64_t RocksDatabase::RoomToCommit(std::uint64_t bytes, FullDiskRight right) const {
  return NeededByFlushes() + kCommitTakes * bytes +
         (right == FullDiskRight::kRangeDelete ? kRangeDeleteMargin
                                               : handles_.reserve->LeftByRowDeletes());
}

// What writing memory out needs. Pieces leave that; RocksDB's own compactions leave what deletes
// leave, too, or these would be refused while one is under way.
std::uint64_t RocksDatabase::NeededByFlushes() const {
  const std::uint64_t flush = BytesInMemory() + kFlushMargin;
  handles_.reserve->SetLeft(
      {.by_pieces = flush,
       .by_compactions = flush + handles_.reserve->LeftByRowDeletes() + kRowDeleteMargin});
  return flush;
}

// True if RocksDB takes no commits until compactions have been done, which on a full disk may never
// find room.
bool RocksDatabase::AwaitsCompactions() const {
  rocksdb::DB& database = *handles_.database;
  std::uint64_t stopped = 0;
  database.GetIntProperty(Properties::kIsWriteStopped, &stopped);
  if (stopped == 0) return false;
  // Flushes find room, and are done soon.
  std::uint64_t flushes = 0;
  database.GetIntProperty(Properties::kNumRunningFlushes, &flushes);
  for (rocksdb::ColumnFamilyHandle* family : handles_.families) {
    std::uint64_t is_pending = 0;
    database.GetIntProperty(family, Properties::kMemTableFlushPending, &is_pending);
    flushes += is_pending;
  }
  return flushes == 0;
}

// As RocksDB's, but a commit does not wait for compactions for long.
rocksdb::Status RocksDatabase::WriteOnFullDisk(rocksdb::WriteOptions options,
                                               rocksdb::WriteBatch& writes) {
  options.no_slowdown = true;
  rocksdb::Status status = handles_.database->Write(options, &writes);
  for (int attempt = 1; status.IsIncomplete() && attempt < kSlowCommitAttemptsMax; ++attempt) {
    if (AwaitsCompactions()) break;
    Waker().WaitFor(kRemovalPause);
    status = handles_.database->Write(options, &writes);
  }
  return status.IsIncomplete() ? rocksdb::Status::NoSpace() : status;
}

// Waits until this commit may go on, but not for long: it is checked again.
void RocksDatabase::AwaitRoomToFlush(std::uint64_t bytes, FullDiskRight right) {
  // The log may take some more before it is checked again.
  const auto may_go_on = [&] {
    return handles_.reserve->FreeBytes() >=
               RoomToCommit(bytes, right) + kLogRoomChunk + kLogRoomSpare &&
           !AwaitsCompactions();
  };
  if (!handles_.reserve->is_given_up() || may_go_on()) [[likely]]
    return;
  room_wait_.Await(*room_rounds_, may_go_on);
}

void RocksDatabase::MakeRoom(BackgroundRounds::Kind kind, std::atomic<bool>& stop) {
  const bool is_wanted = handles_.reserve->TakeWantedRoom();
  if (!is_wanted && !handles_.reserve->IsFull()) return;
  if (handles_.flushes->is_closed() && !Resume().ok()) return;
  // Without another commit, an ended snapshot or more room, the last round has done what it could.
  const RoomState state = CurrentRoomState();
  if (state.sequence == room_seen_.sequence && state.snapshot == room_seen_.snapshot &&
      state.free_bytes < room_seen_.free_bytes + kWorthBytesMax) {
    return;
  }
  room_seen_ = state;
  const bool is_early = kind == BackgroundRounds::Kind::kEarly;
  bool all_done = WriteOutForLogs(is_early, stop);
  NeededByFlushes();  // Less than before.
  const auto ends = [&] {
    return stop || handles_.flushes->is_closed() || (!is_wanted && !handles_.reserve->IsFull());
  };
  bool compacted = false;
  const auto compact = [&](Role role, int pieces_max, bool is_urgent) {
    for (int piece = 0; piece < pieces_max && !ends(); ++piece) {
      if (!CompactPiece(role, is_urgent || IsBelowCompactions())) return;
      compacted = true;
    }
  };
  for (std::size_t i = 0; i < handles_.families.size(); ++i) {
    const Role role = static_cast<Role>(i);
    if (!is_early && !ends()) all_done = CompactHidden(role, stop) && all_done;
    compact(role, is_early ? 1 : kPiecesMax, is_early);
  }
  // There may be too much room for a piece that is urgent and too little for any other compaction.
  // RocksDB repeats its own in vain then, and takes no commits meanwhile.
  if (!compacted && !is_early && handles_.beneath_log) {
    for (std::size_t i = 0; i < handles_.families.size(); ++i) {
      compact(static_cast<Role>(i), 1, /*is_urgent=*/true);
    }
  }
  // An early round leaves work to a regular one.
  if (is_early || compacted || !all_done) room_seen_ = {};
}

// True if folds have left less than RocksDB's own compactions leave: nothing but pieces makes room
// then, whether a delete waits or not. Without a log above, deletes leave more, and logs go.
bool RocksDatabase::IsBelowCompactions() const {
  return handles_.beneath_log &&
         handles_.reserve->FreeBytes() < handles_.reserve->LeftByCompactions() + kTableRoomOwned;
}

RocksDatabase::RoomState RocksDatabase::CurrentRoomState() const {
  rocksdb::DB& database = *handles_.database;
  RoomState state{.sequence = database.GetLatestSequenceNumber(),
                  .free_bytes = handles_.reserve->FreeBytes()};
  database.GetIntProperty(Properties::kOldestSnapshotSequence, &state.snapshot);
  return state;
}

// Writes out what memory has, so that logs can go. One role at a time: an empty one keeps no log
// unless its flush is under way. False: there is more to do, later.
bool RocksDatabase::WriteOutForLogs(bool is_urgent, const std::atomic<bool>& stop) {
  const auto files = ListFiles();
  if (!files.has_value()) return false;
  std::uint64_t log_bytes = 0;
  for (const DirectoryFile& file : *files) {
    if (file.kind == FileKind::kLog) log_bytes += file.bytes;
  }
  if (log_bytes < (is_urgent ? kWorthBytesMin : WorthOf(handles_.reserve->bytes()))) return true;
  std::vector<std::pair<std::uint64_t, Role>> by_size;  // The small ones first: they find room.
  for (std::size_t i = 0; i < handles_.families.size(); ++i) {
    by_size.emplace_back(BytesInMemory(static_cast<Role>(i)), static_cast<Role>(i));
  }
  std::sort(by_size.begin(), by_size.end());
  bool all = true;
  for (const auto& [bytes, role] : by_size) {
    if (stop) return false;
    // Young files wait for a compaction, and with many of them commits are slowed down.
    const FamilyFigures& figures = handles_.figures[static_cast<std::size_t>(role)];
    if (!FindsRoom(role) || YoungFiles(role) >= figures.slowdown_young_files / 2) {
      all = false;
      continue;
    }
    rocksdb::FlushOptions options;
    options.allow_write_stall = true;  // It would wait for compactions, which may find no room.
    if (!handles_.database->Flush(options, Family(role)).ok()) return false;
  }
  const std::lock_guard lock(release_mutex_);
  return RemoveObsolete().ok() && all;  // RocksDB does it, too, a moment after a flush.
}

// Rewrites a role if that frees something and what is left finds room. False: there is more to do,
// later.
bool RocksDatabase::CompactHidden(Role role, std::atomic<bool>& stop) {
  std::uint64_t stored = 0;
  handles_.database->GetIntProperty(Family(role), Properties::kLiveSstFilesSize, &stored);
  const std::uint64_t worth = WorthOf(handles_.reserve->bytes());
  if (stored < worth || stored > kFullDiskRewriteBytesMax) return true;
  // It writes out what is in memory, before it removes young files.
  const FamilyFigures& figures = handles_.figures[static_cast<std::size_t>(role)];
  if (!FindsRoom(role) || YoungFiles(role) + 1 >= figures.stop_young_files) return false;
  const std::uint64_t free = handles_.reserve->FreeBytes();
  const std::uint64_t taken = handles_.reserve->LeftByCompactions() + BytesInMemory(role);
  const std::uint64_t room = free - std::min(free, taken);
  // A snapshot sees rows that the count does not.
  if (open_snapshots().load() > 0 && stored > room) return true;
  if (!HasAtMost(role, std::min(stored - worth, room), stop)) return true;

  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  options.allow_write_stall = true;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  options.canceled = &stop;
  const std::shared_lock no_drops(drop_mutex_);
  const rocksdb::Status status =
      handles_.database->CompactRange(options, Family(role), nullptr, nullptr);
  if (!status.ok() && !stop) {
    Log(logger_, LogLevel::kInfo, "rewriting files on a full disk: {}", status.ToString());
  }
  return status.ok();
}

// Compacts a part of a role that finds room, if RocksDB is late with it. False: there is none. Only
// if it is urgent, because deletes wait or nothing else can be done, it takes room that is left to
// deletes.
bool RocksDatabase::CompactPiece(Role role, bool is_urgent) {
  rocksdb::ColumnFamilyMetaData family;
  handles_.database->GetColumnFamilyMetaData(Family(role), &family);
  const std::uint64_t free = handles_.reserve->FreeBytes();
  const std::uint64_t left =
      is_urgent ? handles_.reserve->LeftByPieces() : handles_.reserve->LeftByCompactions();
  const auto piece = PickPiece(family, free - std::min(free, left), is_urgent);
  if (!piece) return false;
  const FamilyFigures& figures = handles_.figures[static_cast<std::size_t>(role)];
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kDisableCompressionOption;  // As the family says.
  options.output_file_size_limit = piece->output_level == figures.last_level
                                       ? figures.file_bytes
                                       : figures.file_bytes / kPieceFilesPerFile;
  const std::shared_lock no_drops(drop_mutex_);
  std::optional<PieceOnThisThread> takes_more;
  if (is_urgent) takes_more.emplace();
  const rocksdb::Status status =
      handles_.database->CompactFiles(options, Family(role), piece->files, piece->output_level);
  ++*handles_.removals;  // RocksDB notifies its listeners of its own compactions only.
  return status.ok();
}

// True if the role's visible pairs have no more bytes than that.
bool RocksDatabase::HasAtMost(Role role, std::uint64_t bytes, const std::atomic<bool>& stop) const {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> pairs(
      handles_.database->NewIterator(options, Family(role)));
  std::uint64_t visible = 0;
  for (pairs->SeekToFirst(); pairs->Valid() && !stop; pairs->Next()) {
    visible += pairs->key().size() + pairs->value().size() + kStoredPairOverhead;
    if (visible > bytes) return false;
  }
  return !stop && pairs->status().ok();
}

std::uint64_t RocksDatabase::BytesInMemory(Role role) const {
  std::uint64_t bytes = 0;
  handles_.database->GetIntProperty(Family(role), Properties::kCurSizeAllMemTables, &bytes);
  return bytes;
}

std::uint64_t RocksDatabase::BytesInMemory() const {
  std::uint64_t bytes = 0;
  handles_.database->GetAggregatedIntProperty(Properties::kCurSizeAllMemTables, &bytes);
  return bytes;
}

// True if what the role has in memory can be written out now. A flush that finds no room stops
// RocksDB, and so do too many that wait.
bool RocksDatabase::FindsRoom(Role role) const {
  std::uint64_t waiting = 0;
  handles_.database->GetIntProperty(Family(role), Properties::kNumImmutableMemTable, &waiting);
  return waiting <= 1 && handles_.reserve->FreeBytes() >= kFlushMargin + BytesInMemory(role);
}

}  // namespace mayfly::engine
