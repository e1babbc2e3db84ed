#include "core/upkeep/recorded_copy.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/replace_file.h"
#include "core/store/store_of.h"
#include "core/upkeep/backup_book.h"
#include "core/upkeep/backup_file.h"

namespace mayfly::core {
namespace {

// Never over a folder that has come to be meanwhile, an empty one included.
Status GiveName(const std::string& partial, const std::string& folder) {
  if (::renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, folder.c_str(), RENAME_NOREPLACE) != 0) {
    return Status::IoError(
        fmt::format("cannot name {}: {}", folder, std::generic_category().message(errno)));
  }
  return SyncFolderOf(folder);
}

}  // namespace

Status MakeRecordedCopy(Database& database, const std::string& folder,
                        const std::function<Status(const std::string& folder)>& fill) {
  Store* const store = FindStore(database);
  if (store == nullptr) return Status::Unsupported("this database has no record of its copies");
  MAYFLY_RETURN_IF_ERROR(store->CheckOpen());
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(folder, error))) {
    return Status::Invalid(fmt::format("{} exists already; name another folder", folder));
  }
  MAYFLY_RETURN_IF_ERROR(BackupWriter::CheckFree(folder));
  const std::string partial = PartialOf(folder);
  const WallTime taken_at = store->clock().Now();
  BackupBook book(store->engine());
  MAYFLY_RETURN_IF_ERROR(book.Begin(folder, taken_at));
  Status made = fill(partial);
  if (made.ok()) made = GiveName(partial, folder);
  if (made.ok()) return book.Complete(folder, taken_at);
  // What cannot be removed stays recorded, for Prove() and the next open.
  if (RemovePartial(folder).ok()) MAYFLY_RETURN_IF_ERROR(book.Forget(folder, taken_at));
  return made;
}

}  // namespace mayfly::core
