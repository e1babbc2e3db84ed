// key_latches.h - who may change a key right now.
// A write reads the row it replaces and commits under the key's latch, so that nothing comes
// between the two: this is what makes the index exact. Keys share latches by stripe; several
// stripes are taken in their order, and so nobody waits in a circle. Readers take none.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <mutex>

#include "base/checksum.h"
#include "core/keys.h"
#include "core/limits.h"

namespace mayfly::core {

using Stripe = std::uint8_t;
static_assert(kStripes == 256, "a stripe is a byte");

// Stored with the counters; the seed is the keyspace, so that keyspaces do not collide alike.
inline Stripe StripeOf(KeyspaceId keyspace, Bytes key) {
  return static_cast<Stripe>(Hash64(key, keyspace));
}

class KeyLatches {
 public:
  using Stripes = std::bitset<kStripes>;
  using One = std::unique_lock<std::mutex>;

  // Holds a set of stripes.
  class Many {
   public:
    Many(KeyLatches& latches, const Stripes& stripes) : latches_(latches), stripes_(stripes) {
      for (std::size_t i = 0; i < kStripes; ++i) {
        if (stripes_[i]) latches_.latches_[i].mutex.lock();
      }
    }
    ~Many() {
      for (std::size_t i = 0; i < kStripes; ++i) {
        if (stripes_[i]) latches_.latches_[i].mutex.unlock();
      }
    }
    Many(const Many&) = delete;
    Many& operator=(const Many&) = delete;

   private:
    KeyLatches& latches_;
    const Stripes stripes_;
  };

  One Lock(Stripe stripe) { return One(latches_[stripe].mutex); }

  // Holds nothing when somebody else does.
  One TryLock(Stripe stripe) { return One(latches_[stripe].mutex, std::try_to_lock); }

 private:
  struct alignas(64) Latch {  // A cache line each, so that neighbours do not slow each other.
    std::mutex mutex;
  };
  std::array<Latch, kStripes> latches_;
};

}  // namespace mayfly::core
