// kvstore_born_dead.h - keys that were put with a deadline in the past.
// mayfly does not store such rows. Programs written for kvstore.h put them, though, and expect that
// a purge counts them and that a read which meets one counts as lazy expiry. So their keys are
// remembered, and nothing else: in memory, for this open of the store, within a bound. Threads:
// any.
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

  // Tells whether it was there.
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

  // Returns how many were there.
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
      0};  // Of keys_; programs that never do this pay one look at it.
  std::mutex mutex_;
  std::set<std::string, std::less<>> keys_;  // Guarded by mutex_.
  std::size_t bytes_ = 0;                    // Of keys_, guarded by mutex_.
};

}  // namespace mayfly::kvstore
