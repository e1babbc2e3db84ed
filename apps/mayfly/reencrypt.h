// reencrypt.h - the subcommand that changes or removes a database's password, and the flag by which
// other subcommands take one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "crypto/secret.h"
#include "mayfly/result.h"

namespace mayfly::app {

// Adds --encryption-key-file.
void AddKeyFile(CLI::App& command, std::string& path);

// The password in the file; empty without a file.
Result<crypto::Secret> PasswordIn(const std::string& path);

struct ReencryptFlags {
  std::string directory;
  std::string new_directory;  // Empty: only the password is changed.
  std::string key_file;
  std::string new_key_file;
};

CLI::App* AddReencrypt(CLI::App& app, ReencryptFlags& flags);
Status RunReencrypt(const ReencryptFlags& flags);

}  // namespace mayfly::app
