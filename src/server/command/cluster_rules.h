// cluster_rules.h - how commands that no key places run on a cluster.
// Keys say which shard a command runs on. What has none is about this server alone, unless a line
// here says that it is about the rows of all shards, or that a cluster does not offer it.
#pragma once

#include <cstdint>
#include <string_view>

#include "mayfly/bytes.h"

namespace mayfly::server {

enum class ClusterScope : std::uint8_t {
  kShards,   // Runs on each shard; the replies are merged.
  kEvents,   // Of the shard whose number follows the word SHARD, or of all, by a cursor.
  kJob,      // A job that looks at one shard after the other; or at once, of the shard after SHARD.
  kServers,  // Runs once on each server; the replies are merged.
  kPages,    // Walks the shards one after the other: its cursor says which one is next.
  kRefused,  // Not offered on a cluster.
};

// What becomes of the replies of several shards or servers. An error of one is the error of all.
enum class ClusterMerge : std::uint8_t {
  kFirst,  // They are the same.
  kSum,    // Numbers are added, those of maps and lists by field and by place.
  kJoin,   // Lists become one.
  kAny,    // One that is not null, drawn at random.
  kLeast,  // The smallest number, of lists by place.
  kSame,   // They are the same, or it is an error: the shards differ.
  kWorst,  // That of the shard whose clock is worst.
};

struct ClusterRule {
  ClusterScope scope = ClusterScope::kRefused;
  ClusterMerge merge = ClusterMerge::kFirst;
  // Of kPages, the position of the cursor; 0: it follows the word CURSOR, and may be missing.
  int cursor_at = 0;
  // Of kPages: every shard's positions begin with the same instant, that of FROM or of the first call.
  bool from_one_instant = false;
  // The command walks if this is its first argument, and otherwise has the other rule. Empty: both
  // are the same.
  std::string_view walks_if = {};
  std::string_view reason = {};  // Of kRefused.
};

// Null: none. `full_name` as in CommandEntry.
const ClusterRule* FindClusterRule(std::string_view full_name);

}  // namespace mayfly::server
