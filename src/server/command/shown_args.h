// shown_args.h - the arguments of a command as other clients may see them.
// MONITOR, SLOWLOG and logs take arguments only from here; the command's line says which of them
// are secret.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "server/command/command.h"

namespace mayfly::server {

inline constexpr std::string_view kRedacted = "(redacted)";

// Views of the arguments, with kRedacted in the place of secrets.
std::vector<Bytes> ShownArgs(const CommandSpec& spec, std::span<const Bytes> args);

// For commands all of whose arguments behind the name are secret, the user's name included.
void AllArgsSecret(std::span<const Bytes> args, std::vector<std::size_t>& positions);

// The same for a subcommand.
void AllSubcommandArgsSecret(std::span<const Bytes> args, std::vector<std::size_t>& positions);

}  // namespace mayfly::server
