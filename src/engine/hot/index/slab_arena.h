// slab_arena.h - blocks of rows, versions and separators.
//   region: | slab 64 KiB | slab | run of slabs ......... | slab |
// A slab holds blocks of one size class; classes above 8 KiB use eight slabs in a row, and a block
// above 64 KiB is a run of its own. Classes grow by a unit up to 512 bytes, then by an eighth. A slab
// whose last block is freed serves any class again. A unit is 8 bytes, or 16 in an arena of more
// than 32 GiB.
// A freed block stays readable (region.h). Its first word becomes the link of the slab's free list;
// the rest keeps its bytes, unless they are wiped first.
// Threads: every call from any thread. One mutex per class, one for the slabs.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "base/latch.h"
#include "engine/hot/index/limits.h"
#include "engine/hot/index/region.h"
#include "mayfly/bytes.h"

namespace mayfly::engine::hot {

// The unit of a block in the arena. 0: none.
using Handle = std::uint32_t;

class SlabArena {
 public:
  SlabArena(std::size_t bytes, bool huge_pages);

  std::byte* At(Handle handle) const {
    return region_.base() + (std::size_t{handle} << unit_shift_);
  }
  unsigned unit_shift() const { return unit_shift_; }
  std::size_t unit_bytes() const { return std::size_t{1} << unit_shift_; }

  // A block of at least `bytes`. 0 when the arena is used up.
  Handle Allocate(std::size_t bytes);

  // The size that Allocate(bytes) gives.
  std::size_t BlockBytesFor(std::size_t bytes) const;

  // The size of an allocated block.
  std::size_t BlockBytes(Handle handle) const {
    const Slab& slab = slabs_[NumberOf(handle)];
    return std::size_t{slab.block_units.load(std::memory_order_relaxed)} << unit_shift_;
  }

  void Free(Handle handle);

  // A slab, or slabs in a row, of which no block is handed out while its blocks are being freed.
  struct Emptying {
    Handle first = 0;
    std::size_t blocks = 0;
    std::size_t block_bytes = 0;
  };
  // Chooses the one that is used least; nothing when all are used by four fifths or more.
  std::optional<Emptying> BeginEmptying();
  // True if it is empty, and free for any class. Otherwise its free blocks are handed out again.
  bool EndEmptying(const Emptying& slab);

  // Gives the memory of all free slabs back to the system.
  void GiveBackFree();

  // True if the bytes are anywhere in the arena, free blocks included. Slow: it reads all of it.
  bool Contains(Bytes needle) const;

  // Bytes of allocated blocks, rounding included.
  std::size_t used_bytes() const;

  // One slab for each size of blocks that there are: so much can be free in them however well the
  // others are filled.
  std::size_t slack_bytes() const;

  // Bytes of slabs that hold blocks, or are free and keep their memory.
  std::size_t taken_bytes() const;

  // Bytes of slabs that hold blocks, the free room in them included.
  std::size_t held_bytes() const {
    return held_slabs_.load(std::memory_order_relaxed) * kSlabBytes;
  }

 private:
  static constexpr unsigned kSlabShift = 16;
  static_assert(kSlabBytes == std::size_t{1} << kSlabShift);
  static constexpr std::size_t kClassCount = 120;
  static constexpr std::uint32_t kNoSlab = ~std::uint32_t{0};

  // Lies in zeroed memory, which is a slab without blocks.
  struct Slab {
    void Reset() {
      block_units.store(0, std::memory_order_relaxed);
      live = carved = free_head = stuck = 0;
      is_emptying.store(false, std::memory_order_relaxed);
    }

    std::atomic<std::uint32_t> block_units;  // Also read by readers without a lock.
    std::uint32_t first;  // Of slabs in a row: the one that has the numbers below.
    std::uint32_t live;
    std::uint32_t carved;           // Blocks handed out at least once.
    std::uint32_t free_head;        // The unit within the slab, plus one. 0: none.
    std::uint32_t stuck;            // So many blocks could not be moved when it was tried.
    std::atomic<bool> is_emptying;  // Not in the class' list. Changed with its mutex.
    std::uint32_t previous;         // In the class' list of slabs with room.
    std::uint32_t next;
  };

  struct alignas(64) Class {
    Latch mutex;
    std::uint32_t with_room = kNoSlab;
    std::size_t live = 0;
  };

  // The number of the slab, and its first handle.
  std::uint32_t NumberOf(Handle handle) const { return handle >> (kSlabShift - unit_shift_); }
  Handle FirstOf(std::uint32_t number) const { return number << (kSlabShift - unit_shift_); }
  std::uint32_t UnitsOf(std::size_t bytes) const {
    return static_cast<std::uint32_t>(bytes >> unit_shift_);
  }

  // With units of 16 bytes, every second class of the first ones is not used.
  std::size_t ClassOf(std::size_t bytes) const;
  static std::size_t ClassBytes(std::size_t index);
  static std::uint32_t SlabsFor(std::size_t block_bytes) {
    return block_bytes <= kSlabBlockBytesMax ? 1 : kSlabsOfLongBlocks;
  }

  struct LeastUsed {
    std::uint32_t slab = kNoSlab;
    double share = 1;  // Of its blocks.
  };
  LeastUsed LeastUsedOf(std::size_t index) const;
  bool AddSlabs(Class& size_class, std::size_t block_bytes);
  Handle AllocateRun(std::size_t bytes);
  void FreeRun(Handle handle);
  static std::uint32_t BlocksPerSlab(std::size_t block_bytes) {
    return static_cast<std::uint32_t>(SlabsFor(block_bytes) * kSlabBytes / block_bytes);
  }
  void Link(Class& size_class, std::uint32_t slab);
  void Unlink(Class& size_class, std::uint32_t slab);

  // With slabs_mutex_.
  std::uint32_t TakeSlabs(std::uint32_t count);
  void GiveSlabs(std::uint32_t first, std::uint32_t count, bool discard);

  const unsigned unit_shift_;
  const std::size_t slab_count_max_;
  Region region_;
  Region slab_region_;
  Slab* slabs_;  // In slab_region_.

  mutable std::array<Class, kClassCount> classes_;

  mutable std::mutex slabs_mutex_;
  std::uint32_t slab_count_ = 0;                      // Ever taken from the region.
  std::map<std::uint32_t, std::uint32_t> free_runs_;  // First slab -> number.
  std::size_t idle_slabs_ = 0;                        // Free, with their memory.
  std::atomic<std::size_t> held_slabs_{0};
  std::atomic<std::size_t> run_bytes_{0};
};

}  // namespace mayfly::engine::hot
