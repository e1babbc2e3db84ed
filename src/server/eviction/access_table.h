// access_table.h - when, or how often, keys were used: for the policies LRU and LFU.
// A table in memory of a fixed size, so that a read costs no write of a row: buckets of eight
// entries, one line of the cache each. Who finds no room in its bucket takes the place of the entry
// that was used longest ago, or least. So a key that the table does not have was used before, or
// less than, every key that shares its bucket; nothing is stored, and a restart forgets it.
//   entry: | tag u32 | LRU: last use, in steps of 10 ms since the table began, u32    |
//                    | LFU: minutes since the table began u24 | logarithmic counter u8 |
// Threads: any, without locks. Two uses of one bucket at the same moment may lose one.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/random.h"
#include "mayfly/clock.h"

namespace mayfly::server {

class AccessTable {
 public:
  enum class Kind : std::uint8_t { kLru, kLfu };

  // How the counter of LFU grows and falls: lfu-log-factor, lfu-decay-time.
  struct LfuPace {
    std::int64_t log_factor = 10;
    std::int64_t decay_minutes = 1;  // 0: it does not fall.
  };

  // Has room for about so many keys: a power of two, within bounds. `clock` must outlive it.
  AccessTable(Kind kind, std::uint64_t entries, const Clock& clock);

  Kind kind() const { return kind_; }
  Millis age() const;  // Of the table: a key that it does not have may be idle for so long.
  std::uint64_t entries() const { return (mask_ + 1) * kWays; }

  // Notes a use of the key with this hash. `random` is the caller's.
  void Touch(std::uint64_t hash, const LfuPace& pace, Random& random);

  // LRU: how long ago the last use was. Nothing: the table does not have it.
  std::optional<Millis> Idle(std::uint64_t hash) const;

  // LFU: the counter as it has fallen by now; 0: the table does not have it.
  std::uint8_t Frequency(std::uint64_t hash, const LfuPace& pace) const;

  // How good a victim it is: 255 is the best, and that of keys the table does not have.
  std::uint8_t Worth(std::uint64_t hash, const LfuPace& pace) const;

  // As RESTORE gives it.
  void Set(std::uint64_t hash, std::optional<Millis> idle, std::optional<std::uint8_t> frequency);

 private:
  static constexpr std::size_t kWays = 8;
  struct alignas(64) Bucket {
    std::array<std::atomic<std::uint64_t>, kWays> entries{};
  };

  Bucket& BucketOf(std::uint64_t hash) const { return buckets_[hash & mask_]; }
  std::uint32_t Steps() const;  // Wraps around.
  std::uint32_t StepsSince(std::uint32_t then) const;
  std::uint32_t Minutes() const;
  std::uint8_t Fallen(std::uint32_t data, const LfuPace& pace) const;
  std::optional<std::uint32_t> Find(std::uint64_t hash) const;
  std::atomic<std::uint64_t>& PlaceFor(std::uint64_t hash, const LfuPace& pace) const;

  const Kind kind_;
  const Clock& clock_;
  const SteadyTime begin_;
  const std::uint64_t mask_;
  const std::unique_ptr<Bucket[]> buckets_;  // NOLINT(*-avoid-c-arrays): its length is mask_ + 1.
};

}  // namespace mayfly::server
