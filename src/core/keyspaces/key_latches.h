// key_latches.h - reader-writer latches of keys, by stripe.
// A write reads the row it replaces and commits under the key's latch, so that no other write comes
// between the two: this is what makes the index exact. Transactions that only read a key share its
// latch with other readers. Keys share latches by stripe; several stripes are taken in their order,
// so threads cannot deadlock. A latch is never upgraded: a transaction that may write takes it
// alone from the start. Writers go first: a reader waits behind a waiting writer, or overlapping
// readers of a hot key would keep writers out for ever. Hence no thread may take a stripe twice.
// There are more stripes than counters (keyspace_state.h): two pipelines of 16 keys meet in one of 256
// stripes two times out of three, and then one of them sleeps. Reads outside latched transactions take
// no latch.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>

#include "base/checksum.h"
#include "base/latch.h"
#include "base/sparse_bits.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"

namespace mayfly::core {

using Stripe = std::uint16_t;
static_assert(kStripes - 1 <= UINT16_MAX && std::has_single_bit(kStripes));

// The keyspace is the seed, so that the same keys collide differently in different keyspaces.
inline Stripe StripeOf(KeyspaceId keyspace, Bytes key) {
  return static_cast<Stripe>(Hash64(key, keyspace) % kStripes);
}

// The counter on which a change of keys of the stripe is booked; and keys that are purged together.
using Counter = std::uint8_t;
static_assert(kCounters == 256, "a counter is a byte");
static_assert(kStripes % kCounters == 0);
inline Counter CounterOf(Stripe stripe) { return static_cast<Counter>(stripe); }

using StripeSet = SparseBits<kStripes>;

class KeyLatches {
 public:
  using Stripes = StripeSet;
  using One = std::unique_lock<Latch>;
  using Shared = std::shared_lock<Latch>;

  // Holds one set of stripes alone and another shared. A stripe in both is held alone.
  class Many {
   public:
    explicit Many(KeyLatches& latches, const Stripes& alone, const Stripes& shared = {})
        : latches_(latches), alone_(alone), all_(alone) {
      all_ |= shared;
      all_.ForEach([&](std::size_t stripe) {
        Latch& latch = latches_.latches_[stripe];
        alone_[stripe] ? latch.lock() : latch.lock_shared();
      });
    }
    ~Many() {
      all_.ForEach([&](std::size_t stripe) {
        Latch& latch = latches_.latches_[stripe];
        alone_[stripe] ? latch.unlock() : latch.unlock_shared();
      });
    }
    Many(const Many&) = delete;
    Many& operator=(const Many&) = delete;

   private:
    KeyLatches& latches_;
    const Stripes alone_;
    Stripes all_;
  };

  One Lock(Stripe stripe) { return One(latches_[stripe]); }
  Shared LockShared(Stripe stripe) { return Shared(latches_[stripe]); }

  // Holds nothing if another thread holds the stripe.
  One TryLock(Stripe stripe) { return One(latches_[stripe], std::try_to_lock); }

  // Returns when every write under way has ended.
  void AwaitWriters() {
    for (Latch& latch : latches_) latch.AwaitWriter();
  }

 private:
  std::array<Latch, kStripes> latches_;
};

}  // namespace mayfly::core
