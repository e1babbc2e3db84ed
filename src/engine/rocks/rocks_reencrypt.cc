#include "engine/rocks/rocks_reencrypt.h"

#include <fmt/format.h>
#include <rocksdb/env.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "base/directory_lock.h"
#include "engine/rocks/files/encrypted_files.h"
#include "engine/rocks/files/format_file.h"
#include "engine/rocks/files/key_file.h"
#include "engine/rocks/files/rocks_directory.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {
namespace {

using Key = RocksCopy::Key;

constexpr std::size_t kCopyBytes = std::size_t{1} << 20;

rocksdb::Env& EnvOr(rocksdb::Env* env) { return env != nullptr ? *env : *rocksdb::Env::Default(); }

Status At(const std::string& directory, const Status& why) {
  if (why.ok()) return {};
  return Status(why.code(), fmt::format("{}: {}", directory, why.message()));
}

Result<DirectoryFormat> FormatOf(const std::string& directory, rocksdb::Env& env) {
  const auto format = ReadFormatFile(env, directory);
  if (!format) return At(directory, format.error());
  if (format->state == DirectoryState::kReady) return *format;
  return Status::NotFound(fmt::format("there is no database in {}; check the path", directory));
}

// A directory, and the Env and key to read and write its files.
struct Side {
  Side(std::string at, rocksdb::Env& plain, Key with)
      : directory(std::move(at)), key(std::move(with)) {
    if (key != nullptr) owned = NewEncryptedFiles(plain, key);
    env = owned != nullptr ? owned.get() : &plain;
  }

  std::string directory;
  Key key;
  std::unique_ptr<rocksdb::Env> owned;
  rocksdb::Env* env;
};

rocksdb::Status CopyFile(const Side& from, const Side& to, const std::string& name) {
  const rocksdb::EnvOptions options;
  std::unique_ptr<rocksdb::SequentialFile> in;
  std::unique_ptr<rocksdb::WritableFile> out;
  rocksdb::Status status = from.env->NewSequentialFile(from.directory + "/" + name, &in, options);
  if (status.ok()) status = to.env->NewWritableFile(to.directory + "/" + name, &out, options);
  std::string scratch(kCopyBytes, '\0');
  while (status.ok()) {
    rocksdb::Slice piece;
    status = in->Read(scratch.size(), &piece, scratch.data());
    if (!status.ok() || piece.empty()) break;
    status = out->Append(piece);
  }
  if (status.ok()) status = out->Sync();
  if (status.ok()) status = out->Close();
  return status;
}

Status CopyFiles(const Side& from, const Side& to) {
  std::vector<DirectoryFile> files;
  rocksdb::Status status = ListDirectory(*from.env, from.directory, files);
  if (!status.ok()) return FromRocks(status, "listing " + from.directory);
  for (const DirectoryFile& file : files) {
    if (IsPlainFile(file.name)) continue;
    status = CopyFile(from, to, file.name);
    if (!status.ok()) return FromRocks(status, "copying " + file.name);
  }
  return {};
}

// Creates the directory if missing; Invalid unless it is empty.
Status TakeEmpty(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error && std::filesystem::is_empty(directory, error) && !error) return {};
  if (!error) {
    return Status::Invalid(fmt::format("{} is not empty; name a new directory", directory));
  }
  return Status::IoError(fmt::format("cannot make {}: {}", directory, error.message()));
}

Status CopyInto(const Side& from, const RocksCopy& copy, rocksdb::Env& env) {
  MAYFLY_TRY(const DirectoryLock lock, DirectoryLock::Take(copy.new_directory, kLockFileName,
                                                           DirectoryLock::Mode::kExclusive));
  MAYFLY_TRY(Key key, MakeKeyFile(env, copy.new_directory, copy.new_password));
  const Side to(copy.new_directory, env, std::move(key));
  MAYFLY_RETURN_IF_ERROR(CopyFiles(from, to));
  if (copy.copy_log) MAYFLY_RETURN_IF_ERROR(copy.copy_log(from.key, to.key));
  // Last: until it exists, the directory is no database and cannot be opened as an empty one. This
  // makes the names of the other files durable, too.
  return WriteFormatFile(env, to.directory,
                         {.state = DirectoryState::kReady,
                          .encrypted = to.key != nullptr,
                          .has_hot_log = HasHotLog(from.directory)});
}

// Invalid if the copy would be inside the old directory: removing that would remove the copy.
Status CheckOutside(const RocksCopy& copy) {
  namespace fs = std::filesystem;
  std::error_code ignored;  // A path that cannot be resolved fails soon enough.
  const fs::path within =
      fs::weakly_canonical(fs::absolute(copy.new_directory), ignored)
          .lexically_relative(fs::weakly_canonical(fs::absolute(copy.directory), ignored));
  if (within.empty() || *within.begin() == "..") return {};
  return Status::Invalid(fmt::format("{} lies within {}; name another place for the copy",
                                     copy.new_directory, copy.directory));
}

}  // namespace

Result<bool> IsRocksEncrypted(const std::string& directory, rocksdb::Env* env) {
  MAYFLY_TRY(const DirectoryFormat format, FormatOf(directory, EnvOr(env)));
  return format.encrypted;
}

Status ChangeRocksPassword(const std::string& directory, Bytes password, Bytes new_password,
                           rocksdb::Env* env) {
  rocksdb::Env& files = EnvOr(env);
  MAYFLY_TRY(const DirectoryFormat format, FormatOf(directory, files));
  if (!format.encrypted) {
    return At(directory, Status::Invalid("it is not encrypted, so it has no password"));
  }
  MAYFLY_TRY(const DirectoryLock lock,
             DirectoryLock::Take(directory, kLockFileName, DirectoryLock::Mode::kExclusive));
  const auto key = OpenKeyFile(files, directory, format, password);
  if (!key) return At(directory, key.error());
  const auto changed = (*key)->WithPassword(new_password);
  if (!changed) return At(directory, changed.error());
  return WriteOwnFile(files, directory, kKeyFileName, (*changed)->text());
}

Status ReencryptRocks(const RocksCopy& copy, rocksdb::Env* env) {
  rocksdb::Env& files = EnvOr(env);
  MAYFLY_TRY(const DirectoryFormat format, FormatOf(copy.directory, files));
  MAYFLY_TRY(const DirectoryLock lock,
             DirectoryLock::Take(copy.directory, kLockFileName, DirectoryLock::Mode::kExclusive));
  // Readers would go on reading the files that are about to be replaced.
  if (lock.HasReadersBeside()) {
    return At(copy.directory, Status::Busy("it is read elsewhere; close it there first"));
  }
  const bool has_hot_log = HasHotLog(copy.directory);
  if (!copy.copy_log && has_hot_log) {
    return At(copy.directory, Status::Invalid("it has a log of the memory-first engine"));
  }
  if (format.has_hot_log && !has_hot_log) {
    return At(copy.directory,
              Status::Corruption(fmt::format(
                  "its log in the folder {} is missing; put it back, or restore a backup",
                  kHotLogFolder)));
  }
  auto key = OpenKeyFile(files, copy.directory, format, copy.password);
  if (!key) return At(copy.directory, key.error());
  const Side from(copy.directory, files, *std::move(key));
  MAYFLY_RETURN_IF_ERROR(CheckOutside(copy));
  MAYFLY_RETURN_IF_ERROR(TakeEmpty(copy.new_directory));
  Status copied = CopyInto(from, copy, files);
  if (copied.ok()) return copied;
  std::error_code ignored;  // Files left are no database; the error of the copy is returned.
  std::filesystem::remove_all(copy.new_directory, ignored);
  return copied;
}

}  // namespace mayfly::engine
