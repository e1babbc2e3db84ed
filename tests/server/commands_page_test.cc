// Goal: docs/commands.md names every command the server answers, and no other.
// Method: the page is made anew from the table and compared. MAYFLY_UPDATE=1 writes it instead.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/text.h"
#include "server/admin/admin_families.h"
#include "server/assembly/assembly.h"
#include "server/command/command_table.h"
#include "server/page.h"

namespace mayfly::server {
namespace {

constexpr const char* kHead = R"(# Commands

What `mayfly serve` answers, from the one table of commands; `COMMAND` and `COMMAND DOCS` tell the same. Arguments,
replies and errors are those of Redis 7.0, hash field deadlines those of 7.4 and 8.0. Names of geospatial indexes,
HyperLogLog, functions and Redis Cluster are known and answered with an error that says so. The commands of mayfly's
own, `TTL.*`, and `XMAXAGE`, are explained in [ttl_commands.md](ttl_commands.md). Arity counts the name; a negative
one means "at least".
)";

std::string Row(const CommandEntry& entry) {
  std::string name;
  for (const char c : entry.full_name) name += c == '|' ? ' ' : ToUpper(c);
  return fmt::format("| `{}` | {} | {} |\n", name, entry.spec->arity, entry.spec->summary);
}

std::string MakePage(const CommandTable& table) {
  std::map<std::string_view, std::string> groups;
  for (const CommandEntry* entry : table.commands()) {
    std::string& rows = groups[entry->group];
    if (entry->subcommands.empty()) rows += Row(*entry);
    for (const CommandEntry* subcommand : entry->subcommands) rows += Row(*subcommand);
  }
  std::string page = kHead;
  for (const auto& [group, rows] : groups) {
    page += fmt::format("\n## {}\n\n| command | arity | what it does |\n|---|---|---|\n{}", group,
                        rows);
  }
  return page;
}

TEST(CommandsPage, IsWhatTheTableSays) {
  const Assembly front(SystemClock::Process(), 1 << 20);
  ExpectPage(COMMANDS_PAGE, MakePage(front.table()));
}

}  // namespace
}  // namespace mayfly::server
