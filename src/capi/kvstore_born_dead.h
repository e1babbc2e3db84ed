// kvstore_born_dead.h - keys that were put with a deadline in the past.
// mayfly does not store such rows, but programs written for kvstore.h expect that a purge counts
// them and that a read of one counts as lazy expiry. So their keys are remembered, and nothing
// else: in memory, for this open of the store, within a bound. Safe from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "capi/limits.h"
#include "mayfly/bytes.h"

namespace mayfly::kvstore {

class BornDead {
 public:
  void Add(Bytes key) {
    const std::lock_guard lock(mutex_);
    if (bytes_ + key.size() > kBornDeadBytesMax) return;
    if (!keys_.emplace(key).second) return;
    bytes_ += key.size();
    ++count_;
  }

  // True if the key was remembered.
  bool Forget(Bytes key) {
    if (empty()) return false;
    const std::lock_guard lock(mutex_);
    const auto found = keys_.find(key);
    if (found == keys_.end()) return false;
    bytes_ -= found->size();
    keys_.erase(found);
    --count_;
    return true;
  }

  // Returns how many keys were remembered.
  std::uint64_t ForgetAll() {
    if (empty()) return 0;
    const std::lock_guard lock(mutex_);
    keys_.clear();
    bytes_ = 0;
    return count_.exchange(0);
  }

  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }

 private:
  std::atomic<std::uint64_t> count_{
      0};  // Of keys_; programs that never put such rows pay one load.
  std::mutex mutex_;
  std::set<std::string, std::less<>> keys_;  // Guarded by mutex_.
  std::size_t bytes_ = 0;                    // Of keys_, guarded by mutex_.
};

}  // namespace mayfly::kvstore
