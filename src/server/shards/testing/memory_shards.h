// memory_shards.h - a cluster for tests: the databases of all shards in memory, and the directories
// of any number of servers that share them. A test moves shards between the servers.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "mayfly/clock.h"
#include "server/command/core_transaction_source.h"
#include "server/shards/shard_directory.h"

namespace mayfly::server {

// Safe to use from any thread.
class MemoryShards {
 public:
  // Throws when a database cannot be made. `clock`: of rows; it must outlive the object.
  MemoryShards(std::size_t shards, std::size_t servers, const Clock& clock);
  ~MemoryShards();
  MemoryShards(const MemoryShards&) = delete;
  MemoryShards& operator=(const MemoryShards&) = delete;

  std::size_t shards() const { return count_; }
  ShardDirectory& directory(std::size_t server);

  // Where the others reach a server.
  void SetAddress(std::size_t server, ServerAddress address);
  void SetState(std::size_t server, ClusterMember::State state);

  // Hands a shard over. At once the others send commands to the server that gets it; it has the
  // shard when nothing runs on it any more, and then this returns.
  void Give(std::size_t shard, std::size_t server);

  // The shard becomes nobody's.
  void Release(std::size_t shard);

  // Shard after shard to the servers in turn.
  void Deal();

  Database& database(std::size_t shard);

 private:
  class Directory;
  struct Shard;
  static constexpr std::size_t kNobody = ClusterView::kNobody;

  void Move(std::size_t shard, std::size_t to);
  std::shared_ptr<ServedDatabase> Open(std::size_t shard);
  void Refresh();  // With mutex_ held.

  const std::size_t count_;
  const Clock& clock_;
  std::mutex moves_;  // One move at a time; held over calls of listeners.
  mutable std::mutex mutex_;
  std::condition_variable left_;
  // Guarded by mutex_.
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<ClusterMember> members_;
  std::vector<std::shared_ptr<const ClusterView>> views_;  // By server.
  std::uint64_t epoch_ = 0;
  std::vector<std::unique_ptr<Directory>> directories_;  // Constant.
};

}  // namespace mayfly::server
