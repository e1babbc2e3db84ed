// command_words.h - flags and categories of commands in the words of COMMAND INFO and ACL, and what
// tables about commands by name are read with.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "mayfly/bytes.h"
#include "server/command_table.h"

namespace mayfly::server {

// "write", "denyoom", ...
std::vector<std::string_view> FlagWords(const CommandEntry& entry);

// "@write", "@string", "@slow", ...
std::vector<std::string_view> CategoryWords(const CommandEntry& entry);

// Whether `names`, with a blank before and behind each, has this one.
bool ListsCommand(std::string_view names, std::string_view name);

// Whether one of the arguments is this word.
bool HasWord(std::span<const Bytes> args, std::string_view word);

}  // namespace mayfly::server
