// staged_collections.h - ids of collections whose members are being written before their row.
// A latched transaction that makes a large collection writes its members before its row, and the
// record of an orphan before its members: if the process dies, they are purged like those of a
// deleted collection. While the transaction runs they must not be purged: the purge of orphans
// skips the ids listed here. Threads: any.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>

namespace mayfly::core {

class StagedCollections {
 public:
  void Add(std::uint64_t collection_id) {
    const std::lock_guard lock(mutex_);
    versions_.insert(collection_id);
  }
  void Remove(std::uint64_t collection_id) {
    const std::lock_guard lock(mutex_);
    versions_.erase(collection_id);
  }
  bool Contains(std::uint64_t collection_id) const {
    const std::lock_guard lock(mutex_);
    return versions_.contains(collection_id);
  }

 private:
  mutable std::mutex mutex_;  // Guards the rest.
  std::set<std::uint64_t> versions_;
};

}  // namespace mayfly::core
