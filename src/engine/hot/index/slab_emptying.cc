// Slabs that are nearly empty are emptied, so that other classes can use their memory.
#include "engine/hot/index/slab_arena.h"

namespace mayfly::engine::hot {
namespace {

// Slabs of a class that are compared.
constexpr std::size_t kSlabsComparedMax = 1024;
constexpr double kEmptyingShareMax = 0.8;

}  // namespace

// With the mutex of the class.
SlabArena::LeastUsed SlabArena::LeastUsedOf(std::size_t index) const {
  LeastUsed least;
  const std::uint32_t blocks = BlocksPerSlab(ClassBytes(index));
  std::uint32_t slab = classes_[index].with_room;
  // The blocks of a class' only slab with room would have nowhere to go but a new one.
  if (slab == kNoSlab || slabs_[slab].next == kNoSlab) return least;
  for (std::size_t i = 0; i < kSlabsComparedMax && slab != kNoSlab; ++i) {
    const double share = static_cast<double>(slabs_[slab].live) / blocks;
    if (share < least.share && slabs_[slab].stuck != slabs_[slab].live)
      least = {.slab = slab, .share = share};
    slab = slabs_[slab].next;
  }
  return least;
}

std::optional<SlabArena::Emptying> SlabArena::BeginEmptying() {
  std::size_t best = kClassCount;
  double least = kEmptyingShareMax;
  for (std::size_t i = 0; i < kClassCount; ++i) {
    const std::lock_guard lock(classes_[i].mutex);
    const LeastUsed here = LeastUsedOf(i);
    if (here.slab == kNoSlab || here.share >= least) continue;
    least = here.share;
    best = i;
  }
  if (best == kClassCount) return std::nullopt;
  Class& size_class = classes_[best];
  const std::lock_guard lock(size_class.mutex);
  const LeastUsed chosen = LeastUsedOf(best);
  if (chosen.slab == kNoSlab || chosen.share >= kEmptyingShareMax) return std::nullopt;
  Slab& slab = slabs_[chosen.slab];
  Unlink(size_class, chosen.slab);
  slab.is_emptying.store(true, std::memory_order_relaxed);
  return Emptying{
      .first = FirstOf(chosen.slab), .blocks = slab.carved, .block_bytes = ClassBytes(best)};
}

bool SlabArena::EndEmptying(const Emptying& emptying) {
  const std::uint32_t number = NumberOf(emptying.first);
  Class& size_class = classes_[ClassOf(emptying.block_bytes)];
  const std::lock_guard lock(size_class.mutex);
  Slab& slab = slabs_[number];
  if (!slab.is_emptying.load(std::memory_order_relaxed)) return true;
  slab.is_emptying.store(false, std::memory_order_relaxed);
  slab.stuck = slab.live;
  if (slab.live < BlocksPerSlab(emptying.block_bytes)) Link(size_class, number);
  return false;
}

void SlabArena::GiveBackFree() {
  const std::lock_guard lock(slabs_mutex_);
  if (idle_slabs_ == 0) return;
  for (const auto& [first, count] : free_runs_) {
    region_.Discard(std::size_t{first} * kSlabBytes, count * kSlabBytes);
  }
  idle_slabs_ = 0;
}

std::size_t SlabArena::taken_bytes() const {
  const std::lock_guard lock(slabs_mutex_);
  return (held_slabs_.load(std::memory_order_relaxed) + idle_slabs_) * kSlabBytes;
}

}  // namespace mayfly::engine::hot
