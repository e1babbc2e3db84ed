// Goal: docs/commands.md names every command the server answers, and no other.
// Method: the page is made anew from the table and compared. MAYFLY_UPDATE=1 writes it instead.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "server/admin/admin_families.h"
#include "server/assembly/assembly.h"
#include "server/command/command_table.h"
#include "server/page.h"

namespace mayfly::server {
namespace {

constexpr const char* kHead = R"(# Commands

What `mayfly serve` answers, from the one table of commands; `COMMAND` and `COMMAND DOCS` say the
same. Arguments, replies and errors are those of Redis 7.0, of newer commands those of the version
that brought them. The commands of mayfly's own, `TTL.*`, and `XMAXAGE`, are explained in
[ttl_commands.md](ttl_commands.md). `...` means that an argument may be repeated. `CLUSTER`,
`READONLY`, `READWRITE` and `ASKING` answer on a cluster alone, whose other differences are
[below](#on-a-cluster).
)";

constexpr const char* kCluster = R"(
## On a cluster

Several servers share one database; each owns some of the shards, which are ranges of Redis
Cluster's 16,384 slots ([decision 85](decisions/0085-servers-of-a-cluster.md)). What clients of
Redis Cluster know holds here, too:

- The keys of a command, of a transaction and of its watched keys, and of a script are in one slot;
  use `{hash tags}`. Otherwise the answer is `CROSSSLOT`. A script touches only keys of the slot of
  the keys it names.
- A client that speaks cluster is sent to the owner of a key by `MOVED`. It speaks cluster if it has
  sent `CLUSTER SLOTS`, `CLUSTER SHARDS`, `CLUSTER NODES`, `READONLY`, `READWRITE` or `ASKING`;
  after the first two, the other connections of its user from its address count as well, since such
  clients ask one connection for the map and use others. There is no `ASK`: a slot is never between
  two servers.
- A command of any other client is forwarded to the owner, also one that waits, and a transaction of
  one slot. `WATCH` and `SSUBSCRIBE` are about the connection itself, and are answered with `MOVED`
  if the slot is another server's.
- While a shard has no owner, commands wait for `cluster-patience`; then the answer is
  `CLUSTERDOWN`. One that cannot be sent to the owner, which may have just died, gets `TRYAGAIN`
  after about two seconds: it has not run. A client that waits for a key when its shard moves gets
  `MOVED` or, if it does not speak cluster, `UNBLOCKED`.
- There is database 0 alone. `INFO cluster` has the number of shards.
- `CLIENT UNBLOCK`, `MONITOR`, `SLOWLOG`, `CLIENT LIST`, `INFO`, `CONFIG` and `ACL` are about the
  server that is asked, as in Redis Cluster. `INFO keyspace` counts the shards of that server.
- A message of `PUBLISH` reaches the subscribers of all servers; the number it answers is that of
  this server. Keyspace notifications reach the subscribers of the server that has the key, as in
  Redis Cluster. A channel of `SPUBLISH` belongs to a slot; when that moves, its subscribers get
  `sunsubscribe`, as in Redis 7, and subscribe again at the new owner.
- Settings for `maxmemory` are refused: no server knows what all shards store.

These run on more than one shard. For a client that speaks cluster, these are the shards of the
server that it asks, as in Redis Cluster; for any other client, those of all servers. They are
refused within `MULTI` and in scripts.

| command | on a cluster |
|---|---|
)";

// Names of commands stand in the first column, with their first argument if it is a subcommand's.
constexpr const char* kTail =
    R"(
## Not offered, and why

These are Redis', and answered with an error that says so. Rules of ACL may name them.

| command | why | instead |
|---|---|---|
| `CLUSTER ADDSLOTS`, `CLUSTER ADDSLOTSRANGE`, `CLUSTER BUMPEPOCH`, `CLUSTER DELSLOTS`, )"
    R"(`CLUSTER DELSLOTSRANGE`, `CLUSTER FAILOVER`, `CLUSTER FLUSHSLOTS`, `CLUSTER FORGET`, `CLUSTER )"
    R"(MEET`, `CLUSTER REPLICATE`, `CLUSTER RESET`, `CLUSTER SAVECONFIG`, `CLUSTER SET-CONFIG-EPOCH`, )"
    R"(`CLUSTER SETSLOT` | They change a Redis Cluster by hand. The servers of a mayfly cluster share )"
    R"(the slots by themselves. | Start a server, or stop one. |
| `FAILOVER` | It exchanges leader and follower without a second copy. A follower of a mayfly )"
    R"(that becomes its leader is copied anew, so a hand-over would not be what the name promises. | )"
    R"(`CLIENT PAUSE`, `REPLICAOF NO ONE` on the follower: )"
    R"([replication.md](replication.md#commands-and-settings). |
| `MIGRATE`, `RESTORE-ASKING` | The server would open connections, with passwords, to wherever )"
    R"(a client says. | `DUMP` and `RESTORE` by a client; Redis' own MIGRATE sends keys to a mayfly. |
| `MODULE LOAD`, `MODULE LOADEX`, `MODULE UNLOAD` | Modules are code against the memory of )"
    R"(redis-server, which is not here. | Functions: `FUNCTION LOAD`. |

Commands of modules (`JSON.SET`, `FT.SEARCH`, `BF.ADD`, `TS.ADD`) and of later versions that are
not in the lists above are unknown commands, as they are to a Redis without them. A part of a
command that is not offered says so itself:

- `SCRIPT DEBUG YES`: there is no debugger for scripts.
- `WAITAOF` for followers: nothing is known of their disks. `WAIT` tells what they have applied.
- `OBJECT FREQ` and `OBJECT IDLETIME` without a policy of LFU or LRU: reads leave no trace then.
- `DUMP` of a stream with a max age: no dump holds the deadlines of entries. With `NOMAXAGE` they
  are left out.
- `DEBUG` for what is inside of redis-server, such as its hash tables: there is no such thing.
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

std::string_view MergeText(ClusterMerge merge) {
  switch (merge) {
    case ClusterMerge::kFirst: return "the replies are the same";
    case ClusterMerge::kSum: return "numbers are added";
    case ClusterMerge::kJoin: return "lists are joined";
    case ClusterMerge::kAny: return "one of the replies, by chance";
    case ClusterMerge::kLeast: return "the smallest numbers";
    case ClusterMerge::kSame: return "an error if the shards differ";
    case ClusterMerge::kWorst: return "of the shard whose clock is worst";
  }
  return {};
}

std::string RuleText(const ClusterRule& rule) {
  switch (rule.scope) {
    case ClusterScope::kShards: return fmt::format("on every shard; {}", MergeText(rule.merge));
    case ClusterScope::kEvents:
      return "on every shard; events come by time, and the cursor has a position for each shard; "
             "or "
             "on the shard whose number follows the word `SHARD`";
    case ClusterScope::kJob:
      return "a job, over one shard after the other, on all servers; with the word `SHARD` and a "
             "number, of that shard, and its report is the reply";
    case ClusterScope::kServers: return fmt::format("on every server; {}", MergeText(rule.merge));
    case ClusterScope::kPages:
      return "shard after shard, in order within each; the cursor says which";
    case ClusterScope::kRefused: return fmt::format("not offered: {}", rule.reason);
  }
  return {};
}

std::string ClusterRows(const CommandTable& table) {
  std::map<std::string, std::string> rows;
  for (const auto& entry : table.entries()) {
    if (entry->cluster_rule == nullptr) continue;
    std::string name;
    for (const char c : entry->full_name) name += c == '|' ? ' ' : ToUpper(c);
    rows[name] = fmt::format("| `{}` | {} |\n", name, RuleText(*entry->cluster_rule));
    if (!entry->cluster_rule->walks_if.empty()) {
      const std::string walking =
          fmt::format("{} {}", name, ToUpper(entry->cluster_rule->walks_if));
      rows[walking] =
          fmt::format("| `{}` | {} |\n", walking, RuleText({.scope = ClusterScope::kPages}));
    }
  }
  std::string text;
  for (const auto& [name, row] : rows) text += row;
  return text;
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
  return page + kCluster + ClusterRows(table) + kTail;
}

// The names in the first column of kTail.
std::vector<std::string> NamesNotOffered() {
  std::vector<std::string> names;
  std::istringstream lines(kTail);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string column = line.substr(0, line.find(" | "));
    for (std::size_t at = 0; (at = column.find('`', at)) != std::string::npos;) {
      const std::size_t end = column.find('`', at + 1);
      names.push_back(column.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  return names;
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

TEST(CommandsPage, WhatIsNotOfferedAnswersByName) {
  const Assembly front(SystemClock::Process(), 1 << 20);
  const std::vector<std::string> names = NamesNotOffered();
  EXPECT_EQ(names.size(), 20u);
  for (const std::string& name : names) {
    std::vector<Bytes> args = {name};
    const std::size_t blank = name.find(' ');
    if (blank != std::string::npos) {
      args = {Bytes(name).substr(0, blank), Bytes(name).substr(blank + 1)};
    }
    Answer error;
    EXPECT_EQ(front.table().Resolve(args, error), nullptr) << name;
    EXPECT_NE(error.error().find("is not offered by mayfly yet: "), std::string::npos) << name;
  }
}

TEST(CommandsPage, IsWhatTheTableSays) {
  const Assembly front(SystemClock::Process(), 1 << 20);
  ExpectPage(COMMANDS_PAGE, MakePage(front.table()));
}

}  // namespace
}  // namespace mayfly::server
