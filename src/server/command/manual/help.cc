#include "server/command/manual/help.h"

#include <fmt/format.h>

namespace mayfly::server {

void WriteHelp(ReplyWriter& reply, std::string_view command,
               std::span<const std::string_view> lines) {
  reply.Array(lines.size() + 3);
  reply.SimpleString(
      fmt::format("{} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:", command));
  for (const std::string_view line : lines) reply.SimpleString(line);
  reply.SimpleString("HELP");
  reply.SimpleString("    Prints this help.");
}

}  // namespace mayfly::server
