// key_latches.h - reader-writer latches of keys, by stripe.
// A write reads the row it replaces and commits under the key's latch, so that no other write comes
// between the two: this is what makes the index exact. Transactions that only read a key share its
// latch with other readers. Keys share latches by stripe; several stripes are taken in their order,
// so threads cannot deadlock. A latch is never upgraded: a transaction that may write takes it
// alone from the start. Writers go first: a reader waits behind a waiting writer, or overlapping
// readers of a hot key would keep writers out for ever. Hence no thread may take a stripe twice.
// Stripes are those of the counters, which their latch guards; so there are not more of them. Reads
// outside latched transactions take no latch.
#pragma once

#include <pthread.h>

#include <array>
#include <bitset>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

#include "base/check.h"
#include "base/checksum.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"

namespace mayfly::core {

using Stripe = std::uint8_t;
static_assert(kStripes == 256, "a stripe is a byte");

// Stored with the counters. The keyspace is the seed, so that the same keys collide differently in
// different keyspaces.
inline Stripe StripeOf(KeyspaceId keyspace, Bytes key) {
  return static_cast<Stripe>(Hash64(key, keyspace));
}

// As std::shared_mutex, which lets readers go first.
class alignas(64) KeyLatch {  // A cache line each, against false sharing.
 public:
  KeyLatch() {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    const int made = pthread_rwlock_init(&lock_, &attributes);
    pthread_rwlockattr_destroy(&attributes);
    MAYFLY_CHECK(made == 0, "a latch cannot be made");
  }
  ~KeyLatch() { pthread_rwlock_destroy(&lock_); }
  KeyLatch(const KeyLatch&) = delete;
  KeyLatch& operator=(const KeyLatch&) = delete;

  // The names that std::unique_lock and std::shared_lock need.
  void lock() { Check(pthread_rwlock_wrlock(&lock_)); }
  bool try_lock() { return pthread_rwlock_trywrlock(&lock_) == 0; }
  void unlock() { pthread_rwlock_unlock(&lock_); }
  void lock_shared() { Check(pthread_rwlock_rdlock(&lock_)); }
  bool try_lock_shared() { return pthread_rwlock_tryrdlock(&lock_) == 0; }
  void unlock_shared() { pthread_rwlock_unlock(&lock_); }

 private:
  // It fails when this thread holds the latch, or when there are more readers than can be counted.
  static void Check(int error) { MAYFLY_CHECK(error == 0, "a latch cannot be taken"); }

  pthread_rwlock_t lock_;
};

class KeyLatches {
 public:
  using Stripes = std::bitset<kStripes>;
  using One = std::unique_lock<KeyLatch>;
  using Shared = std::shared_lock<KeyLatch>;

  // Holds one set of stripes alone and another shared. A stripe in both is held alone.
  class Many {
   public:
    explicit Many(KeyLatches& latches, const Stripes& alone, const Stripes& shared = {})
        : latches_(latches), alone_(alone), all_(alone | shared) {
      for (std::size_t i = all_._Find_first(); i < kStripes; i = all_._Find_next(i)) {
        KeyLatch& latch = latches_.latches_[i];
        alone_[i] ? latch.lock() : latch.lock_shared();
      }
    }
    ~Many() {
      for (std::size_t i = all_._Find_first(); i < kStripes; i = all_._Find_next(i)) {
        KeyLatch& latch = latches_.latches_[i];
        alone_[i] ? latch.unlock() : latch.unlock_shared();
      }
    }
    Many(const Many&) = delete;
    Many& operator=(const Many&) = delete;

   private:
    KeyLatches& latches_;
    const Stripes alone_;
    const Stripes all_;
  };

  One Lock(Stripe stripe) { return One(latches_[stripe]); }
  Shared LockShared(Stripe stripe) { return Shared(latches_[stripe]); }

  // Holds nothing if another thread holds the stripe.
  One TryLock(Stripe stripe) { return One(latches_[stripe], std::try_to_lock); }

 private:
  std::array<KeyLatch, kStripes> latches_;
};

}  // namespace mayfly::core
