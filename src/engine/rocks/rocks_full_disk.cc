// Makes room on a full disk, while commits are refused. On a small disk, old logs and the rows that
// deletes have hidden are a large part, and RocksDB is in no hurry to remove either. Decision 20.
#include <algorithm>
#include <shared_mutex>
#include <vector>

#include "base/log.h"
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

void RocksDatabase::MakeRoom(std::atomic<bool>& stop) {
  if (!handles_.reserve->IsFull()) return;
  if (handles_.flushes->is_closed() && !Resume().ok()) return;
  // Without another commit, an ended snapshot or more room, the last round has done what it could.
  const RoomState state = CurrentRoomState();
  if (state.sequence == room_seen_.sequence && state.snapshot == room_seen_.snapshot &&
      state.free_bytes < room_seen_.free_bytes + kWorthBytesMax) {
    return;
  }
  room_seen_ = state;
  bool all_done = WriteOutForLogs(stop);
  for (std::size_t i = 0; i < handles_.families.size(); ++i) {
    if (stop || handles_.flushes->is_closed() || !handles_.reserve->IsFull()) break;
    all_done = CompactHidden(static_cast<Role>(i), stop) && all_done;
  }
  if (!all_done) room_seen_ = {};
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
bool RocksDatabase::WriteOutForLogs(const std::atomic<bool>& stop) {
  const auto files = ListFiles();
  if (!files.has_value()) return false;
  std::uint64_t log_bytes = 0;
  for (const DirectoryFile& file : *files) {
    if (file.kind == FileKind::kLog) log_bytes += file.bytes;
  }
  if (log_bytes < WorthOf(handles_.reserve->bytes())) return true;
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
  return all;
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

// True if what the role has in memory can be written out now. A flush that finds no room stops
// RocksDB, and so do too many that wait.
bool RocksDatabase::FindsRoom(Role role) const {
  std::uint64_t waiting = 0;
  handles_.database->GetIntProperty(Family(role), Properties::kNumImmutableMemTable, &waiting);
  return waiting <= 1 && handles_.reserve->FreeBytes() >= kRoomWithoutReserve + BytesInMemory(role);
}

}  // namespace mayfly::engine
