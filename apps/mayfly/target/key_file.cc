#include "apps/mayfly/target/key_file.h"

#include "crypto/password_file.h"

namespace mayfly::app {

void AddKeyFile(CLI::App& command, std::string& path) {
  command
      .add_option("--encryption-key-file", path,
                  "The file with the database's password, if it is encrypted.")
      ->type_name("FILE");
}

Result<crypto::Secret> PasswordIn(const std::string& path) {
  if (path.empty()) return crypto::Secret();
  return crypto::ReadPasswordFile(path);
}

}  // namespace mayfly::app
