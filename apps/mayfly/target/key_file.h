// key_file.h - the flag by which subcommands take a database's password.
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

}  // namespace mayfly::app
