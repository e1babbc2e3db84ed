// key_flags.h - what a command does with each of its keys, in the words of COMMAND GETKEYSANDFLAGS.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "mayfly/bytes.h"
#include "server/command_table.h"

namespace mayfly::server::own {

// Of the first key, or of those behind it. One of RO, RW, OW (written unread) and RM (removed
// unread), then what becomes of the value: access, update, insert, delete. Without arguments: what
// the command does at most.
std::vector<std::string_view> KeyFlags(const CommandEntry& entry, std::span<const Bytes> args,
                                       bool is_first);

}  // namespace mayfly::server::own
