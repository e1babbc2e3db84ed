// owned_mutex.h - a mutex that knows whether the calling thread holds it.
// For locks that are held while callbacks of users run: a call that would take the lock again on
// the same thread can be refused instead of waiting for itself.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

namespace mayfly {

class OwnedMutex {
 public:
  void lock() {
    mutex_.lock();
    owner_ = std::this_thread::get_id();
  }
  bool try_lock() {
    if (IsHeldHere() || !mutex_.try_lock()) return false;
    owner_ = std::this_thread::get_id();
    return true;
  }
  void unlock() {
    owner_ = std::thread::id();
    mutex_.unlock();
  }

  // No other thread can change the answer.
  bool IsHeldHere() const { return owner_.load() == std::this_thread::get_id(); }

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> owner_{};
};

}  // namespace mayfly
