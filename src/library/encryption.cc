// Implements mayfly/encryption.h on directories of either engine.
#include "mayfly/encryption.h"

#include "engine/hot/hot_reencrypt.h"
#include "engine/rocks/rocks_reencrypt.h"

namespace mayfly {

Result<bool> IsEncrypted(const std::string& directory) {
  return engine::IsRocksEncrypted(directory);
}

Status ChangePassword(const std::string& directory, Bytes password, Bytes new_password) {
  return engine::ChangeRocksPassword(directory, password, new_password);
}

Status Reencrypt(const ReencryptOptions& options) {
  return engine::ReencryptHot({.directory = options.directory,
                               .password = options.password,
                               .new_directory = options.new_directory,
                               .new_password = options.new_password});
}

}  // namespace mayfly
