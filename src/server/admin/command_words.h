// command_words.h - flags and categories of commands, in the words of COMMAND INFO.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/command/command_table.h"

namespace mayfly::server {

// "write", "denyoom", ...
std::vector<std::string_view> FlagWords(const CommandEntry& entry);

// "@write", "@string", "@slow", ...
std::vector<std::string> CategoryWords(const CommandEntry& entry);

// "RO", "access", ...
std::vector<std::string_view> KeyFlagWords(KeyFlags flags);

}  // namespace mayfly::server
