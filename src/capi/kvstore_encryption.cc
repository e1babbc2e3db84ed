// Implements the passwords of kvstore.h.
//   the file names   removes at the next open   and so
//   old              new                        a copy that was cut off leaves nothing
//   new              old                        nothing is left under the old key
//   new              -
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <system_error>

#include "base/directory_lock.h"
#include "capi/kvstore_call.h"
#include "capi/kvstore_open.h"
#include "capi/limits.h"
#include "mayfly/encryption.h"

namespace mayfly::kvstore {
namespace {

constexpr const char* kLockFile = "MAYFLY.lock";  // docs/formats/rocks_directory.md

// Busy while the directory is open. A reader may have opened it during the copy.
Status CheckUnread(const std::string& directory) {
  const auto lock = DirectoryLock::Take(directory, kLockFile, DirectoryLock::Mode::kExclusive);
  if (!lock) return lock.error().code() == StatusCode::kBusy ? lock.error() : Status();
  if (!lock->HasReadersBeside()) return {};
  return Status::Busy(
      fmt::format("{} is to be removed and read elsewhere; close it there first", directory));
}

Status RemoveDirectory(const std::string& directory) {
  std::error_code error;
  std::filesystem::remove_all(directory, error);
  if (!error) return {};
  return Status::IoError(
      fmt::format("cannot remove {}, which is no longer in use: {}", directory, error.message()));
}

// The bytes that a copy of the directory takes.
std::uint64_t SizeOf(const std::string& directory) {
  std::uint64_t bytes = 0;
  std::error_code ignored;  // A file that is gone by now takes nothing.
  for (const auto& file : std::filesystem::recursive_directory_iterator(directory, ignored)) {
    const std::uintmax_t size = file.file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

// IoError unless a copy of the directory has room beside it.
Status CheckRoomFor(const std::string& directory) {
  std::error_code error;
  const auto space = std::filesystem::space(directory, error);
  if (error) return {};  // The copy shows whether there is room.
  const std::uint64_t needed = SizeOf(directory) + kOpenBytes;
  if (needed <= space.available) return {};
  return Status::IoError(
      fmt::format("a new password needs {} bytes for a copy of the store, and {} bytes are free",
                  needed, space.available));
}

Status CheckChangeable(const Store& store) {
  MAYFLY_RETURN_IF_ERROR(store.CheckWritable());
  if (store.password.empty()) return Status::Invalid("the store is not encrypted");
  if (!store.in_transaction()) return {};
  return Status::Busy("a transaction is open; commit it or roll it back first");
}

// The caller holds the gate exclusively.
Status ChangePassword(Store& store, Bytes new_password) {
  MAYFLY_RETURN_IF_ERROR(CheckChangeable(store));
  NameFile* const file = store.file();
  crypto::Secret wanted(new_password);
  if (file == nullptr) {  // In memory, where there is nothing to encrypt.
    store.password = std::move(wanted);
    return {};
  }
  // While the store is open: on a full disk it could not be opened again.
  MAYFLY_RETURN_IF_ERROR(PrepareCopy(*file));
  Status changed = store.Suspend();
  // One that closed in bad order, after a compaction failed say, is whole all the same: the copy
  // opens it as after a crash.
  if (store.is_suspended()) {
    const std::string old_directory = file->directory();
    changed = CompleteCopy(*file, store.password.view(), wanted.view());
    if (file->directory() != old_directory) store.password = std::move(wanted);
  } else {
    static_cast<void>(RemoveDoomed(*file));  // If it fails, the next change or open does it.
  }
  const Status open = store.EnsureOpen();
  return changed.ok() ? open : changed;
}

}  // namespace

Status RemoveDoomed(NameFile& file) {
  if (file.doomed().empty()) return {};
  // A power cut must not bring back a name of the directory that is removed next.
  MAYFLY_RETURN_IF_ERROR(file.Harden());
  MAYFLY_RETURN_IF_ERROR(CheckUnread(file.doomed()));
  MAYFLY_RETURN_IF_ERROR(RemoveDirectory(file.doomed()));
  return file.Replace(file.directory(), "");
}

Status PrepareCopy(NameFile& file) {
  MAYFLY_RETURN_IF_ERROR(RemoveDoomed(file));  // Of an earlier attempt.
  MAYFLY_RETURN_IF_ERROR(CheckRoomFor(file.directory()));
  return file.Replace(file.directory(), file.FreshDirectory());
}

Status CompleteCopy(NameFile& file, Bytes password, Bytes new_password) {
  const std::string old_directory = file.directory();
  const std::string new_directory = file.doomed();
  Status copied = Reencrypt({.directory = old_directory,
                             .password = password,
                             .new_directory = new_directory,
                             .new_password = new_password});
  if (copied.ok()) copied = file.Replace(new_directory, old_directory);
  const Status removed = RemoveDoomed(file);
  if (!copied.ok() || removed.ok()) return copied;
  return Status::IoError(fmt::format("the new password is in force, but {}", removed.message()));
}

}  // namespace mayfly::kvstore

using namespace mayfly;  // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::kvstore;  // NOLINT(google-build-using-namespace)

int kvstore_is_encrypted(KVStore* pKV) {
  int encrypted = 0;
  const int code = CallAlone(pKV, [&](Store& store) -> Status {
    encrypted = store.password.empty() ? 0 : 1;
    return {};
  });
  return code == KVSTORE_OK ? encrypted : 0;
}

int kvstore_reencrypt(KVStore* pKV, const void* pPassword, int nPassword) {
  return CallAlone(pKV, [&](Store& store) -> Status {
    Bytes password;
    MAYFLY_RETURN_IF_ERROR(TakePassword(pPassword, nPassword, password));
    return ChangePassword(store, password);
  });
}

int kvstore_remove_encryption(KVStore* pKV) {
  return CallAlone(pKV, [](Store& store) { return ChangePassword(store, {}); });
}
