// Implements the passwords of kvstore.h.
//   the file names   removes at the next open   and so
//   old              new                        a copy that was cut off leaves nothing
//   new              old                        nothing is left under the old key
//   new              -
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/directory_lock.h"
#include "capi/kvstore_call.h"
#include "capi/kvstore_open.h"
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
  MAYFLY_RETURN_IF_ERROR(store.Suspend());
  const std::string old_directory = file->directory();
  Status changed = ChangePasswordOf(*file, store.password.view(), wanted.view());
  if (file->directory() != old_directory) store.password = std::move(wanted);
  auto opened = OpenNamed(store.options, *file, store.password.view());
  if (opened) {
    const Status resumed = store.Resume(*std::move(opened));
    return changed.ok() ? resumed : changed;
  }
  return changed.ok() ? opened.error() : changed;
}

}  // namespace

Status SettleDoomed(NameFile& file) {
  if (file.doomed().empty()) return {};
  // A power cut must not bring back a name of the directory that is removed next.
  MAYFLY_RETURN_IF_ERROR(file.Harden());
  MAYFLY_RETURN_IF_ERROR(CheckUnread(file.doomed()));
  MAYFLY_RETURN_IF_ERROR(RemoveDirectory(file.doomed()));
  return file.Replace(file.directory(), "");
}

Status ChangePasswordOf(NameFile& file, Bytes password, Bytes new_password) {
  const std::string old_directory = file.directory();
  const std::string new_directory = file.FreshDirectory();
  MAYFLY_RETURN_IF_ERROR(file.Replace(old_directory, new_directory));
  Status copied = Reencrypt({.directory = old_directory,
                             .password = password,
                             .new_directory = new_directory,
                             .new_password = new_password});
  if (copied.ok()) copied = file.Replace(new_directory, old_directory);
  const Status settled = SettleDoomed(file);
  if (!copied.ok() || settled.ok()) return copied;
  return Status::IoError(fmt::format("the new password is in force, but {}", settled.message()));
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
