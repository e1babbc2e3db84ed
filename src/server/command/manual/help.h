// help.h - the replies of HELP subcommands: a line per form, and its explanation below it.
#pragma once

#include <span>
#include <string_view>

#include "wire/reply_writer.h"

namespace mayfly::server {

// `lines` without the first and the last two, which are the same in every HELP.
void WriteHelp(ReplyWriter& reply, std::string_view command,
               std::span<const std::string_view> lines);

}  // namespace mayfly::server
