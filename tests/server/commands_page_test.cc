// Goal: docs/commands.md names every command the server answers, and no other.
// Method: the page is made anew from the table and compared. MAYFLY_UPDATE=1 writes it instead.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
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
replies and errors are those of Redis 7.0, of newer commands those of the version that brought them. The names of Redis
Cluster are known and answered with an error that says so. The commands of mayfly's own, `TTL.*`, and
`XMAXAGE`, are explained in [ttl_commands.md](ttl_commands.md). `...` means that an argument may be repeated.
)";

std::string Row(const CommandEntry& entry) {
  std::string name;
  for (const char c : entry.full_name) name += c == '|' ? ' ' : ToUpper(c);
  const auto syntax = ParseSyntax(entry.spec->manual.syntax);
  if (!syntax) return fmt::format("{}: malformed syntax\n", name);
  for (const char c : syntax->empty() ? "" : " " + ShowSyntax(*syntax)) {
    name += c == '|' ? "\\|" : std::string(1, c);  // A bar would end the column.
  }
  return fmt::format("| `{}` | {} |\n", name, entry.spec->manual.summary);
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
    page += fmt::format("\n## {}\n\n| command | what it does |\n|---|---|\n{}", group, rows);
  }
  return page;
}

// COMMAND DOCS is complete: clients show it as help, and complete arguments from it.
TEST(CommandsPage, EveryLineHasAManual) {
  const Assembly front(SystemClock::Process(), 1 << 20);
  for (const auto& entry : front.table().entries()) {
    const CommandManual& manual = entry->spec->manual;
    EXPECT_TRUE(manual.summary.ends_with('.')) << entry->full_name;
    EXPECT_EQ(std::count(manual.since.begin(), manual.since.end(), '.'), 2) << entry->full_name;
    EXPECT_FALSE(manual.complexity.empty()) << entry->full_name;
    const auto syntax = ParseSyntax(manual.syntax);
    ASSERT_TRUE(syntax.has_value()) << entry->full_name << ": " << manual.syntax;
    // Arguments it must have are in it. Subcommands count the name of their container.
    const int own = entry->container == nullptr ? 1 : 2;
    const bool takes = std::abs(entry->spec->arity) > own && entry->subcommands.empty();
    const bool varies = entry->full_name == "debug" || entry->full_name == "function";
    EXPECT_TRUE(!takes || !syntax->empty() || varies) << entry->full_name;
  }
}

TEST(CommandsPage, IsWhatTheTableSays) {
  const Assembly front(SystemClock::Process(), 1 << 20);
  ExpectPage(COMMANDS_PAGE, MakePage(front.table()));
}

}  // namespace
}  // namespace mayfly::server
