// Implements mayfly/encryption.h on the RocksDB engine.
#include "mayfly/encryption.h"

#include "engine/rocks/rocks_engine.h"
#include "engine/rocks/rocks_reencrypt.h"

namespace mayfly {

Result<bool> IsEncrypted(const std::string& directory) {
  return engine::IsRocksEncrypted(directory);
}

Status ChangePassword(const std::string& directory, Bytes password, Bytes new_password) {
  return engine::ChangeRocksPassword(directory, password, new_password);
}

Status Reencrypt(const ReencryptOptions& options) {
  if (engine::HasHotLog(options.directory)) {
    return Status::Unsupported(options.directory +
                               " is of the memory-first engine, whose log is not copied yet; take "
                               "a backup, and restore it "
                               "into a database with the new password");
  }
  return engine::ReencryptRocks({.directory = options.directory,
                                 .password = options.password,
                                 .new_directory = options.new_directory,
                                 .new_password = options.new_password});
}

}  // namespace mayfly
