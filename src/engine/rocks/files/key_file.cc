#include "engine/rocks/files/key_file.h"

#include <vector>

#include "engine/rocks/files/encrypted_files.h"
#include "engine/rocks/files/rocks_directory.h"
#include "engine/rocks/files/rocks_status.h"

namespace mayfly::engine {

Status CheckPasswordGiven(const DirectoryFormat& format, Bytes password) {
  if (format.encrypted && password.empty()) {
    return Status::WrongPassword("it is encrypted; give its password");
  }
  if (format.encrypted || password.empty()) return {};
  return Status::Invalid(
      "it is not encrypted; open it without a password, or make an encrypted copy of it");
}

Result<std::shared_ptr<const crypto::DatabaseKey>> OpenKeyFile(rocksdb::Env& env,
                                                               const std::string& directory,
                                                               const DirectoryFormat& format,
                                                               Bytes password) {
  MAYFLY_RETURN_IF_ERROR(CheckPasswordGiven(format, password));
  if (!format.encrypted) return std::shared_ptr<const crypto::DatabaseKey>();
  const std::string path = directory + "/" + kKeyFileName;
  std::string text;
  const rocksdb::Status read = rocksdb::ReadFileToString(&env, path, &text);
  if (read.IsNotFound() || read.IsPathNotFound()) {
    return Status::Corruption("its file MAYFLY.key is missing; without it nothing can be read");
  }
  if (!read.ok()) return FromRocks(read, "reading " + path);
  return crypto::DatabaseKey::Open(text, password);
}

Result<std::shared_ptr<const crypto::DatabaseKey>> MakeKeyFile(rocksdb::Env& env,
                                                               const std::string& directory,
                                                               Bytes password) {
  if (password.empty()) return std::shared_ptr<const crypto::DatabaseKey>();
  MAYFLY_TRY(auto key, crypto::DatabaseKey::Make(password));
  MAYFLY_RETURN_IF_ERROR(WriteOwnFile(env, directory, kKeyFileName, key->text()));
  return key;
}

Status RemoveUnfinished(rocksdb::Env& env, const std::string& directory) {
  std::vector<DirectoryFile> files;
  rocksdb::Status status = ListDirectory(env, directory, files);
  for (const DirectoryFile& file : files) {
    if (!status.ok()) break;
    if (IsPlainFile(file.name) && file.name != kKeyFileName) continue;
    status = env.DeleteFile(directory + "/" + file.name);
  }
  return FromRocks(status, "clearing " + directory);
}

}  // namespace mayfly::engine
