// reencrypt.h - the subcommand that changes or removes a database's password, and the flag by which
// other subcommands take one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "crypto/secret.h"
#include "mayfly/result.h"

namespace mayfly::app {

class Commands;

// Adds --encryption-key-file.
void AddKeyFile(CLI::App& command, std::string& path);

// The password in the file; empty without a file.
Result<crypto::Secret> PasswordIn(const std::string& path);

void AddReencrypt(Commands& commands);

}  // namespace mayfly::app
