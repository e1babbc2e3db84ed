// cluster_merge.h - one reply from those of several shards or servers.
#pragma once

#include <vector>

#include "base/random.h"
#include "server/command/cluster_rules.h"
#include "wire/reply.h"

namespace mayfly::server {

// Of at least one reply, all in RESP3. The first error among them is the result.
//   kSum   adds numbers; of maps field by field, of lists place by place, or by the field `name` of
//          their maps. Some fields have another rule: an instant is the latest, not a sum.
Reply MergeReplies(ClusterMerge merge, std::vector<Reply> replies, Random& random);

}  // namespace mayfly::server
