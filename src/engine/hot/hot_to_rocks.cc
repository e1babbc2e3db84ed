#include "engine/hot/hot_to_rocks.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "base/directory_lock.h"
#include "base/log.h"
#include "base/replace_file.h"
#include "engine/hot/fold_marker.h"
#include "engine/hot/hot_engine.h"
#include "engine/hot/log/log_recovery.h"
#include "engine/rocks/files/format_file.h"

namespace mayfly::engine {
namespace {

using Key = std::shared_ptr<const crypto::DatabaseKey>;

// Without a thread: nothing but the flush commits or folds. Returns the key of the files.
Result<Key> FoldAll(const RocksOptions& options) {
  HotOptions hot;
  hot.segment_bytes = hot::kSegmentBytesMin;
  hot.map_log = false;
  hot.huge_pages = false;
  hot.has_thread = false;
  hot.load_at_open = false;
  MAYFLY_TRY(const std::unique_ptr<Engine> engine, OpenHotEngine(options, hot));
  MAYFLY_RETURN_IF_ERROR(engine->Flush());
  Key key = engine->encryption_key();
  MAYFLY_RETURN_IF_ERROR(engine->Close());
  return key;
}

// Busy if the tables lack a record of the log.
Status CheckFolded(const std::string& directory, const crypto::DatabaseKey* key) {
  const auto files = hot::NewLogFiles(directory + "/" + kHotLogFolder, hot::LogAccess::kRead);
  MAYFLY_TRY(const hot::Sequence folded, hot::ReadFoldMarker(*files));
  const auto refuse = [&](const hot::LogRecord& record) {
    if (record.payload.empty()) return Status();  // The mark of an orderly end.
    return Status::Busy(fmt::format(
        "{}: its log has a record that is not folded, since another process wrote it just now; try "
        "again",
        directory));
  };
  return hot::RecoverLog(*files, key, folded + 1, refuse).status();
}

Status Rename(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) {
    return Status::IoError(fmt::format("cannot rename {} to {}: {}", from, to, error.message()));
  }
  return SyncFolderOf(to);
}

}  // namespace

Status ConvertHotToRocks(const RocksOptions& options) {
  if (!HasHotLog(options.directory)) return {};
  MAYFLY_TRY(const Key key, FoldAll(options));
  // Held from the look at the log to its removal: whatever is written in between would be lost.
  MAYFLY_TRY(const DirectoryLock lock, DirectoryLock::Take(options.directory, kLockFileName,
                                                           DirectoryLock::Mode::kExclusive));
  if (lock.HasReadersBeside()) {
    return Status::Busy(options.directory + " is read elsewhere; close it there first");
  }
  MAYFLY_RETURN_IF_ERROR(CheckFolded(options.directory, key.get()));
  RemoveLeftHotLog(options.directory);
  MAYFLY_RETURN_IF_ERROR(RecordHotLog(options, false));
  MAYFLY_RETURN_IF_ERROR(Rename(options.directory + "/" + kHotLogFolder,
                                options.directory + "/" + kRemovedHotLogFolder));
  RemoveLeftHotLog(options.directory);
  Log(options.logger != nullptr ? *options.logger : SilentLogger(), LogLevel::kInfo,
      "{} is of the engine rocks from now on: its log was folded and removed", options.directory);
  return {};
}

}  // namespace mayfly::engine
