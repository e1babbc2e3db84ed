#include "core/backup_book.h"

#include <filesystem>
#include <system_error>

#include "base/coding.h"
#include "core/keys.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kMeta{engine::Role::kMeta};

// Two may be taken in one millisecond, to different files.
std::string BackupKey(WallTime taken_at, const std::string& file) {
  std::string key = MetaKey(kMetaBackup);
  AppendBigEndian64(key, static_cast<std::uint64_t>(ToMs(taken_at)));
  return key + file;
}

// Calls `take` for each record with whether its file is there.
template <typename Take>
Status ForEachBackup(const engine::Engine& engine, Take take) {
  const std::string begin = MetaKey(kMetaBackup);
  const std::string end(1, static_cast<char>(kMetaBackup + 1));
  const engine::CursorOptions walk{
      .range = {begin, end}
  };
  MAYFLY_TRY(const auto cursor, engine.NewCursor(kMeta, walk));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    Bytes rest = cursor->key();
    rest.remove_prefix(1);
    std::uint64_t ms = 0;
    if (!EatBigEndian64(rest, ms) || rest.empty()) {
      return Status::Corruption("the record of a backup is damaged; restore a backup");
    }
    const std::string file(rest);
    std::error_code error;
    take(WallTimeFromMs(static_cast<std::int64_t>(ms)), file, std::filesystem::exists(file, error));
  }
  return cursor->status();
}

}  // namespace

Status RecordBackup(engine::Engine& engine, const std::string& file, WallTime taken_at) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(file, error);
  const std::string name = error ? file : absolute.string();
  engine::Batch batch;
  // One that was there under the same name was removed, or this one could not have been made.
  MAYFLY_RETURN_IF_ERROR(
      ForEachBackup(engine, [&](WallTime taken, const std::string& other, bool exists) {
        if (!exists || other == name) batch.Delete(kMeta, BackupKey(taken, other));
      }));
  batch.Put(kMeta, BackupKey(taken_at, name), {});
  return engine.Commit(batch);
}

Result<std::vector<RecordedBackup>> ListBackups(const engine::Engine& engine) {
  std::vector<RecordedBackup> backups;
  MAYFLY_RETURN_IF_ERROR(
      ForEachBackup(engine, [&](WallTime taken_at, const std::string& file, bool exists) {
        if (exists) backups.push_back({taken_at, file});
      }));
  return backups;
}

}  // namespace mayfly::core
