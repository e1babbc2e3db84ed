// Gives back the space of invisible pairs: rewrites or drops one file, and writes everything out so
// that logs, old files and the manifest no longer contain them. Decisions 7 and 46 say why.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "engine/rocks/compaction_pace.h"
#include "engine/rocks/files/limits.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/rocks_database.h"

namespace mayfly::engine {
namespace {

// True if RocksDB refused because the file is being compacted, or was removed before the call.
bool IsRefusal(const rocksdb::Status& status) {
  return status.IsAborted() || status.IsInvalidArgument();
}

void SleepFor(std::chrono::nanoseconds length) { Waker().WaitFor(length); }

// Setting the option, even to its current value, is also a change of the manifest.
rocksdb::Status SetAutoCompactions(rocksdb::DB& database, rocksdb::ColumnFamilyHandle* family,
                                   bool on) {
  const std::pair<const std::string, std::string> setting{"disable_auto_compactions",
                                                          on ? "false" : "true"};
  return database.SetOptions(family, {setting});
}

// Whether a file of a sorted level begins or ends with the key of a neighbour. Then the neighbour may
// hold an older version of that key, which would be visible again without this file. RocksDB makes
// such levels when it moves files of level 0 down as they are.
bool SharesAKey(const std::vector<rocksdb::SstFileMetaData>& level,
                std::vector<rocksdb::SstFileMetaData>::const_iterator file) {
  if (file != level.begin() && std::prev(file)->largestkey == file->smallestkey) return true;
  return std::next(file) != level.end() && std::next(file)->smallestkey == file->largestkey;
}

}  // namespace

std::optional<rocksdb::SstFileMetaData> RocksDatabase::FileOf(Role role,
                                                              const std::string& name) const {
  rocksdb::ColumnFamilyMetaData family;
  handles_.database->GetColumnFamilyMetaData(Family(role), &family);
  for (const rocksdb::LevelMetaData& level : family.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (file.relative_filename == name) return file;
    }
  }
  return std::nullopt;
}

Result<bool> RocksDatabase::DoCompactFile(Role role, const std::string& name,
                                          std::uint64_t bytes_per_second) {
  const std::shared_lock no_drops(drop_mutex_);
  const auto file = FileOf(role, name);
  if (!file || file->being_compacted) return false;

  const FamilyFigures& figures = handles_.figures[static_cast<std::size_t>(role)];
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kDisableCompressionOption;  // As the family says.
  options.output_file_size_limit = figures.file_bytes;

  // Without a DropPolicy there is no filter to keep the pace, and so no pace.
  std::optional<CompactionPace> pace;
  if (bytes_per_second > 0) {
    pace.emplace(
        bytes_per_second, [this] { return CommitsHeldBack() || handles_.flushes->is_closed(); },
        *handles_.clock, SleepFor);
  }
  // RocksDB adds overlapping files on the way down and, for a file of level 0, all older ones
  // there. Levels are filled from the last one up, so everything ends in the last level.
  const rocksdb::Status status =
      handles_.database->CompactFiles(options, Family(role), {name}, figures.last_level);
  ++*handles_.removals;  // RocksDB notifies its listeners of its own compactions only.
  if (IsRefusal(status)) return false;
  if (!status.ok()) return Failed(status, "compacting a file of");
  return true;
}

// RocksDB drops only a file of the last level that has files, in level 0 the oldest; for others it
// would log a warning.
bool RocksDatabase::MayDrop(Role role, const std::string& name) const {
  rocksdb::ColumnFamilyMetaData family;
  handles_.database->GetColumnFamilyMetaData(Family(role), &family);
  const auto last = std::find_if(family.levels.rbegin(), family.levels.rend(),
                                 [](const auto& level) { return !level.files.empty(); });
  if (last == family.levels.rend()) return false;
  const auto found = std::find_if(last->files.begin(), last->files.end(),
                                  [&](const auto& file) { return file.relative_filename == name; });
  if (found == last->files.end() || found->being_compacted) return false;
  // Level 0 is listed from the newest to the oldest.
  if (last->level == 0) return std::next(found) == last->files.end();
  return !SharesAKey(last->files, found);
}

Result<bool> RocksDatabase::DoDropFile(Role role, const std::string& name) {
  if (!MayDrop(role, name)) return false;
  // RocksDB does not coordinate a drop with its compactions: one that has just chosen the same file
  // would damage the manifest. So no compaction, ours or its own, may begin meanwhile; files chosen
  // before are marked, and not dropped.
  const std::unique_lock no_compactions(drop_mutex_, std::try_to_lock);
  if (!no_compactions.owns_lock()) return false;
  rocksdb::DB& database = *handles_.database;
  MAYFLY_RETURN_IF_ERROR(Failed(SetAutoCompactions(database, Family(role), false), "pausing"));
  Result<bool> dropped = DropUncompacted(role, name);
  MAYFLY_RETURN_IF_ERROR(Failed(SetAutoCompactions(database, Family(role), true), "resuming"));
  return dropped;
}

// Call it while no compaction can begin.
Result<bool> RocksDatabase::DropUncompacted(Role role, const std::string& name) {
  // RocksDB finds files by name only; the file must be of this role. A compaction that ended before
  // the pause may have moved it.
  if (!MayDrop(role, name)) return false;
  const rocksdb::Status status = handles_.database->DeleteFile(name);
  if (IsRefusal(status)) return false;
  if (!status.ok()) return Failed(status, "dropping a file of");
  if (FileOf(role, name)) return false;
  ++*handles_.removals;
  return true;
}

Status RocksDatabase::DoFlush() {
  // A log that is empty now contains nothing from before the call, and may stay.
  MAYFLY_TRY(std::vector<DirectoryFile> doomed, ListFiles());
  std::erase_if(doomed, [](const DirectoryFile& file) {
    return file.kind != FileKind::kLog || file.bytes == 0;
  });
  MAYFLY_RETURN_IF_ERROR(Failed(WriteOut(), "flushing"));
  MAYFLY_RETURN_IF_ERROR(Failed(ForgetOldKeys(), "renewing the manifest of"));
  MAYFLY_RETURN_IF_ERROR(Failed(ReleaseLogs(doomed), "removing old files of"));
  return AwaitRemoval(doomed);
}

// As in Write(): after a full disk RocksDB refuses until it is resumed.
rocksdb::Status RocksDatabase::WriteOut() {
  rocksdb::DB& database = *handles_.database;
  // On a full disk it would wait for compactions, which may find no room; rounds find some.
  rocksdb::FlushOptions options;
  options.allow_write_stall = handles_.reserve->was_full();
  if (options.allow_write_stall) room_rounds_->Ask();
  rocksdb::Status status = database.Flush(options, handles_.families);
  if (status.IsNoSpace()) handles_.reserve->GiveUp(RoomToResume());
  if (!status.ok() && Resume().ok()) status = database.Flush(options, handles_.families);
  return status;
}

// A manifest begins with the files from before the change it was made for: the keys of files that
// the change removed are still in it, and are gone in the next manifest. This makes a next one, by
// setting an option to its current value. A compaction is counted after its change, so a count that
// was read before ours covers no change that comes after it.
rocksdb::Status RocksDatabase::ForgetOldKeys() {
  const std::shared_lock no_drops(drop_mutex_);  // A drop would lose its pause of compactions.
  const std::lock_guard lock(forget_mutex_);
  const std::uint64_t removals = handles_.removals->load();
  if (forgotten_removals_ == removals) return {};
  rocksdb::Status status = SetAutoCompactions(*handles_.database, handles_.families.front(), true);
  if (status.ok()) forgotten_removals_ = removals;
  return status;
}

// RocksDB keeps every log from the lowest on that some family may still need. An empty family moves
// on with each new log, unless its last flush is still under way: that flush ends with an older
// log, which the family keeps until the next log begins. Since none may ever begin, RocksDB is made
// to begin one and to flush the families that keep the oldest.
rocksdb::Status RocksDatabase::ReleaseLogs(const std::vector<DirectoryFile>& doomed) {
  const std::lock_guard lock(release_mutex_);
  rocksdb::Status status = RemoveObsolete();
  // One pass for each log at most: each ends with the oldest released.
  for (std::size_t pass = 0; pass < doomed.size() && status.ok() && KeepsAny(doomed); ++pass) {
    status = BeginLog();
    if (status.ok()) status = WriteOut();
    if (status.ok()) status = RemoveObsolete();
  }
  return status;
}

// RocksDB begins a log, and flushes the families that keep the oldest one, empty or not, when this
// option changes. Its value matters little: how many bytes of a log may wait for the disk.
rocksdb::Status RocksDatabase::BeginLog() {
  const std::uint64_t other = handles_.database->GetDBOptions().wal_bytes_per_sync ^ 1;
  return handles_.database->SetDBOptions({{"wal_bytes_per_sync", std::to_string(other)}});
}

// Allowing deletions after forbidding them makes RocksDB scan the directory, at once and on this
// thread.
rocksdb::Status RocksDatabase::RemoveObsolete() {
  rocksdb::Status status = handles_.database->DisableFileDeletions();
  if (status.ok()) status = handles_.database->EnableFileDeletions(/*force=*/false);
  return status;
}

// A background thread of RocksDB may have files to remove and not have done it yet. This waits for
// logs. Tables may be in use: by an open handle, for which it does not wait, or by a compaction.
Status RocksDatabase::AwaitRemoval(const std::vector<DirectoryFile>& doomed) const {
  bool logs_left = true;
  for (int look = 0; look < kLogLooksMax && logs_left; ++look) {
    if (look > 0) SleepFor(kRemovalPause);
    MAYFLY_TRY(const std::vector<DirectoryFile> files, ListFiles());
    logs_left = std::any_of(files.begin(), files.end(), [&doomed](const auto& file) {
      return std::any_of(doomed.begin(), doomed.end(),
                         [&file](const auto& gone) { return gone.name == file.name; });
    });
  }
  if (logs_left) {
    return Status::Busy(
        fmt::format("{} is flushed, but an old log is still there; flush again", name()));
  }
  for (int look = 0; look < kTableLooksMax; ++look) {
    if (open_cursors().load() + open_snapshots().load() > 0) break;
    MAYFLY_TRY(const std::vector<DirectoryFile> files, ListFiles());
    if (CountObsolete(files) == 0) break;
    SleepFor(kRemovalPause);
  }
  return {};
}

}  // namespace mayfly::engine
