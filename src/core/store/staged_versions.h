// staged_versions.h - collections that works are writing and whose rows are not there yet.
// A work that makes a large collection writes its members before its row, and the record of an
// orphan before its members: if the process dies, they are purged like what a delete leaves. While
// the work goes on nobody may purge them: whoever looks for orphans passes over those named here.
// Safe from any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>

namespace mayfly::core {

class StagedVersions {
 public:
  void Add(std::uint64_t version) {
    const std::lock_guard lock(mutex_);
    versions_.insert(version);
  }
  void Remove(std::uint64_t version) {
    const std::lock_guard lock(mutex_);
    versions_.erase(version);
  }
  bool Contains(std::uint64_t version) const {
    const std::lock_guard lock(mutex_);
    return versions_.contains(version);
  }

 private:
  mutable std::mutex mutex_;  // Guards the rest.
  std::set<std::uint64_t> versions_;
};

}  // namespace mayfly::core
