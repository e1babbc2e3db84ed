#include "server/command/cluster_rules.h"

#include <algorithm>
#include <array>
#include <utility>

namespace mayfly::server {
namespace {

using Line = std::pair<std::string_view, ClusterRule>;

constexpr ClusterRule Shards(ClusterMerge merge) { return {ClusterScope::kShards, merge}; }
constexpr ClusterRule Servers(ClusterMerge merge) { return {ClusterScope::kServers, merge}; }
constexpr ClusterRule Pages(int cursor_at = 0) {
  return {ClusterScope::kPages, ClusterMerge::kJoin, cursor_at};
}
constexpr ClusterRule Refused(std::string_view reason) {
  return {.scope = ClusterScope::kRefused, .reason = reason};
}

constexpr std::string_view kOneDatabase = "a cluster has database 0 alone";
constexpr std::string_view kReplicated =
    "a cluster's store is replicated, and its servers follow nobody";
constexpr std::string_view kStoreBackup =
    "a backup of a cluster is one of its store: stop the servers and export the pool";
constexpr std::string_view kStoreRestore =
    "a backup of a cluster is one of its store; backups of a server alone: mayfly restore";
constexpr std::string_view kFunctions = "functions are rows of one database; EVAL is offered";
constexpr std::string_view kNoFiles =
    "shards have no files, and what is purged leaves them at once; the files of Ceph are its own: "
    "ceph tell osd.* compact";
constexpr std::string_view kTracking = "a key may move to a server that does not know who read it";

// In the order of names.
// clang-format off
constexpr std::array kLines = std::to_array<Line>({
    {"bgsave",           Refused(kStoreBackup)},
    {"client|tracking",  Refused(kTracking)},
    {"dbsize",           Shards(ClusterMerge::kSum)},
    {"fcall",            Refused(kFunctions)},
    {"fcall_ro",         Refused(kFunctions)},
    {"flushall",         Shards(ClusterMerge::kFirst)},
    {"flushdb",          Shards(ClusterMerge::kFirst)},
    {"function|delete",  Refused(kFunctions)},
    {"function|dump",    Refused(kFunctions)},
    {"function|flush",   Refused(kFunctions)},
    {"function|list",    Refused(kFunctions)},
    {"function|load",    Refused(kFunctions)},
    {"function|restore", Refused(kFunctions)},
    {"keys",             Shards(ClusterMerge::kJoin)},
    {"move",             Refused(kOneDatabase)},
    {"psync",            Refused(kReplicated)},
    {"randomkey",        Shards(ClusterMerge::kAny)},
    {"replconf",         Refused(kReplicated)},
    {"replicaof",        Refused(kReplicated)},
    {"save",             Refused(kStoreBackup)},
    {"scan",             Pages(1)},
    {"script|exists",    Servers(ClusterMerge::kLeast)},
    {"script|flush",     Servers(ClusterMerge::kFirst)},
    {"script|load",      Servers(ClusterMerge::kFirst)},
    {"slaveof",          Refused(kReplicated)},
    {"swapdb",           Refused(kOneDatabase)},
    {"sync",             Refused(kReplicated)},
    {"ttl.backup",       Refused(kStoreBackup)},
    {"ttl.backups",      Refused(kStoreBackup)},
    {"ttl.check",        {ClusterScope::kJob}},
    {"ttl.clock",        Shards(ClusterMerge::kWorst)},
    {"ttl.compact",      Refused(kNoFiles)},
    {"ttl.events",       {ClusterScope::kEvents}},
    {"ttl.forecast",     {.scope = ClusterScope::kPages, .from_one_instant = true}},
    {"ttl.policy",       {.scope = ClusterScope::kShards, .merge = ClusterMerge::kSame, .walks_if = "try"}},
    {"ttl.prove",        {ClusterScope::kJob}},
    {"ttl.purge",        Shards(ClusterMerge::kSum)},
    {"ttl.restore",      Refused(kStoreRestore)},
    {"ttl.scan",         Pages()},
    {"ttl.stats",        Shards(ClusterMerge::kSum)},
    {"ttl.tree",         Pages()},
});
// clang-format on
static_assert(std::is_sorted(kLines.begin(), kLines.end(),
                             [](const Line& a, const Line& b) { return a.first < b.first; }));

}  // namespace

const ClusterRule* FindClusterRule(std::string_view full_name) {
  const auto found =
      std::lower_bound(kLines.begin(), kLines.end(), full_name,
                       [](const Line& line, std::string_view name) { return line.first < name; });
  return found != kLines.end() && found->first == full_name ? &found->second : nullptr;
}

}  // namespace mayfly::server
