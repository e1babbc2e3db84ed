// help.h - what the HELP subcommands answer: a line per form, and what it does below it.
#pragma once

#include <span>
#include <string_view>

#include "wire/reply_writer.h"

namespace mayfly::server {

// `lines` without the first and the last two, which every HELP has.
void WriteHelp(ReplyWriter& reply, std::string_view command,
               std::span<const std::string_view> lines);

}  // namespace mayfly::server
