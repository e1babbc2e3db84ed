// pieced_strings.h - which short strings were written in part, by APPEND, SETRANGE or SETBIT.
// Redis stores those in another form, and OBJECT ENCODING shows it: "raw", where a string that was
// written as a whole is "int" or "embstr". Rows do not record it, and neither does Redis across a
// restart; so this is a hint in memory, of a fixed size. A newer entry may evict an older one, and
// an entry does not match a value that was changed since without a note here. Safe to call from any
// thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "mayfly/bytes.h"

namespace mayfly::server {

class PiecedStrings {
 public:
  // Longer ones are "raw" in any case.
  static constexpr std::size_t kBytesMax = 44;

  void Note(int database, Bytes key, Bytes value) {
    if (value.size() > kBytesMax) return;
    any_.store(true, std::memory_order_relaxed);
    const Place place = PlaceOf(database, key);
    slots_[place.slot].store(place.mark | HashOf(value), std::memory_order_relaxed);
  }

  // Call it when the whole value is written.
  void Forget(int database, Bytes key) {
    if (!any_.load(std::memory_order_relaxed)) return;
    const Place place = PlaceOf(database, key);
    if ((slots_[place.slot].load(std::memory_order_relaxed) & kMarkMask) != place.mark) return;
    slots_[place.slot].store(0, std::memory_order_relaxed);
  }

  bool Has(int database, Bytes key, Bytes value) const {
    const Place place = PlaceOf(database, key);
    return slots_[place.slot].load(std::memory_order_relaxed) == (place.mark | HashOf(value));
  }

 private:
  static constexpr std::size_t kSlots = 16'384;
  static constexpr std::uint64_t kMarkMask = ~std::uint64_t{0} << 32;

  struct Place {
    std::size_t slot;
    std::uint64_t mark;  // Hash of the key, in the upper half; never 0.
  };

  static Place PlaceOf(int database, Bytes key) {
    const std::uint64_t hash =
        std::hash<Bytes>()(key) + static_cast<std::uint64_t>(database) * 0x9e3779b97f4a7c15;
    return {hash % kSlots, (hash | std::uint64_t{1} << 32) & kMarkMask};
  }
  static std::uint64_t HashOf(Bytes value) { return std::hash<Bytes>()(value) & ~kMarkMask; }

  std::atomic<bool> any_ = false;  // False: servers without such strings pay nothing.
  std::array<std::atomic<std::uint64_t>, kSlots> slots_ = {};
};

}  // namespace mayfly::server
