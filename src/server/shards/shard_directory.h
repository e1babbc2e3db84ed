// shard_directory.h - who serves which shard of a cluster, as this server knows it now.
// Each shard has a database of its own, which one server owns at a time. Commands go to the shard of
// their keys: it is here, at another server, or nobody's for a moment, while it moves. What is said
// of other servers may be out of date; what is said to be here is owned here.
// Invariants: (1) A shard that is here stays open while a reference to its database is held. (2) A
// shard that goes is not found any more when ShardGoes() is called, and its database is open until
// that has returned. (3) The number of shards never changes; it is a power of two.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "mayfly/status.h"
#include "server/shards/cluster_figures.h"
#include "server/shards/cluster_health.h"
#include "server/shards/cluster_view.h"
#include "server/shards/served_database.h"
#include "server/shards/store_look.h"

namespace mayfly::server {

// Where a shard is. With none of the two it is nobody's just now.
struct ShardPlace {
  std::shared_ptr<ServedDatabase> here;  // Null: not here.
  ServerAddress elsewhere;               // Without a port: not at another server.
};

class ShardListener {
 public:
  virtual ~ShardListener() = default;

  // Called before the shard is found here. An error: it cannot be served.
  virtual Status ShardComes(ServedDatabase& data) = 0;

  // Called when the shard is not found here any more, and before its database closes.
  virtual void ShardGoes(std::size_t shard) = 0;
};

// Safe to call from any thread.
class ShardDirectory {
 public:
  virtual ~ShardDirectory() = default;

  virtual std::size_t shards() const = 0;
  virtual ShardPlace Find(std::size_t shard) const = 0;

  // The databases of all shards that are here, in the order of shards.
  virtual std::vector<std::shared_ptr<ServedDatabase>> Here() const = 0;

  virtual std::shared_ptr<const ClusterView> view() const = 0;

  // Of the store and of the servers' clocks.
  virtual ClusterHealth health() const { return {}; }

  // A server that released a shard for this one says so, in the directory's own bytes.
  virtual Status TakeOffer(Bytes /*offer*/) { return {}; }

  // For metrics.
  virtual ClusterFigures figures() const { return {}; }

  // What the shard's objects in the store show, read anew, and where `find` is in them, unless that is
  // empty. Nothing: there is no store beneath. Takes as long as reading the shard.
  virtual Result<std::optional<StoreLook>> Look(std::size_t /*shard*/, Bytes /*find*/) const {
    return std::optional<StoreLook>();
  }

  // Reports the shards that are here, and all changes from then on. One listener; null: none any
  // more. When it returns, no call to the former one is under way.
  virtual void SetListener(ShardListener* listener) = 0;
};

}  // namespace mayfly::server
