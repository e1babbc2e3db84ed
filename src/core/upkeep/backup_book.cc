#include "core/upkeep/backup_book.h"

#include <filesystem>
#include <system_error>

#include "base/coding.h"
#include "base/log.h"
#include "base/printable.h"
#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/upkeep/backup_file.h"

namespace mayfly::core {
namespace {

constexpr Bytes kUnfinished = "u";  // Stored.

// Two may be taken in one millisecond, to different files.
std::string BackupKey(WallTime taken_at, const std::string& file) {
  std::string key = MetaKey(kMetaBackup);
  AppendBigEndian64(key, static_cast<std::uint64_t>(ToMs(taken_at)));
  return key + file;
}

std::string Absolute(const std::string& file) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(file, error);
  return error ? file : absolute.string();
}

bool Exists(const std::string& file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

// Calls `take` for each record, with the name the backup has or will have.
template <typename Take>
Status ForEachBackup(const engine::Engine& engine, Take take) {
  const std::string begin = MetaKey(kMetaBackup);
  const std::string end(1, static_cast<char>(kMetaBackup + 1));
  const engine::CursorOptions walk{.range = {begin, end}};
  MAYFLY_TRY(const auto cursor, engine.NewCursor(kMeta, walk));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    Bytes rest = cursor->key();
    rest.remove_prefix(1);
    std::uint64_t ms = 0;
    const bool complete = cursor->value().empty();
    if (!EatBigEndian64(rest, ms) || rest.empty() ||
        (!complete && cursor->value() != kUnfinished)) {
      return Status::Corruption("the record of a backup is damaged; restore a backup");
    }
    take(
        RecordedBackup{WallTimeFromMs(static_cast<std::int64_t>(ms)), std::string(rest), complete});
  }
  return cursor->status();
}

}  // namespace

Status BackupBook::Begin(const std::string& file, WallTime taken_at) {
  const std::string name = Absolute(file);
  engine::Batch batch;
  MAYFLY_RETURN_IF_ERROR(ForEachBackup(engine_, [&](const RecordedBackup& other) {
    // An earlier backup of the same name was removed, or this one could not be made.
    const bool gone = !Exists(other.file) || other.file == name;
    if (other.complete && gone) batch.Delete(kMeta, BackupKey(other.taken_at, other.file));
  }));
  batch.Put(kMeta, BackupKey(taken_at, name), kUnfinished);
  return engine_.Commit(batch, Durability::kDisk);
}

Status BackupBook::Complete(const std::string& file, WallTime taken_at) {
  engine::Batch batch;
  batch.Put(kMeta, BackupKey(taken_at, Absolute(file)), {});
  return engine_.Commit(batch);
}

Status BackupBook::Forget(const std::string& file, WallTime taken_at) {
  engine::Batch batch;
  batch.Delete(kMeta, BackupKey(taken_at, Absolute(file)));
  return engine_.Commit(batch);
}

Status BackupBook::RemoveUnfinished(Logger& logger) {
  engine::Batch batch;
  MAYFLY_RETURN_IF_ERROR(ForEachBackup(engine_, [&](const RecordedBackup& backup) {
    if (backup.complete) return;
    const std::string key = BackupKey(backup.taken_at, backup.file);
    const std::string partial = PartialOf(backup.file);
    // The backup got its name right before it would have been recorded as complete; no other
    // process can have made a file of that name since it began.
    if (!Exists(partial) && Exists(backup.file)) return batch.Put(kMeta, key, {});
    if (const Status removed = RemovePartial(backup.file); !removed.ok()) {
      Log(logger, LogLevel::kError,
          "the backup {} was cut off, and what it left cannot be removed: {}",
          Printable(backup.file, backup.file.size()), removed.ToString());
      return;
    }
    Log(logger, LogLevel::kWarning, "the backup {} was cut off; what it left was removed",
        Printable(backup.file, backup.file.size()));
    batch.Delete(kMeta, key);
  }));
  return engine_.Commit(batch);
}

Result<std::vector<RecordedBackup>> ListBackups(const engine::Engine& engine) {
  std::vector<RecordedBackup> backups;
  MAYFLY_RETURN_IF_ERROR(ForEachBackup(engine, [&](RecordedBackup backup) {
    if (!backup.complete && !Exists(backup.file)) backup.file = PartialOf(backup.file);
    if (Exists(backup.file)) backups.push_back(std::move(backup));
  }));
  return backups;
}

}  // namespace mayfly::core
