#include "engine/hot/index/slab_arena.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>

#include "base/check.h"
#include "engine/hot/index/words.h"

namespace mayfly::engine::hot {
namespace {

constexpr std::size_t kFineBytesMax = 512;
constexpr std::size_t kFineClasses = kFineBytesMax / kUnitBytesMin;

constexpr unsigned UnitShift(std::size_t unit_bytes) {
  return static_cast<unsigned>(std::countr_zero(unit_bytes));
}

}  // namespace

SlabArena::SlabArena(std::size_t bytes, bool huge_pages)
    : unit_shift_(bytes <= kFineArenaBytesMax ? UnitShift(kUnitBytesMin)
                                              : UnitShift(kUnitBytesMax)),
      slab_count_max_(std::min(bytes, kArenaBytesMax) / kSlabBytes),
      region_(slab_count_max_ * kSlabBytes, huge_pages, kGuardBytes),
      slab_region_(slab_count_max_ * sizeof(Slab), false, 0),
      slabs_(reinterpret_cast<Slab*>(slab_region_.base())) {
  // The first slab is never used, so that no block has handle 0.
  const std::lock_guard lock(slabs_mutex_);
  MAYFLY_CHECK(TakeSlabs(1) == 0, "the memory index got no memory");
  --held_slabs_;
}

std::size_t SlabArena::ClassOf(std::size_t bytes) const {
  if (bytes <= kFineBytesMax) {
    const std::size_t units = bytes == 0 ? 1 : (bytes + unit_bytes() - 1) >> unit_shift_;
    return (units << unit_shift_) / kUnitBytesMin - 1;
  }
  const auto doubling = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 10;  // 513..1024: 0.
  const std::size_t step = kFineBytesMax / 8 << doubling;
  return kFineClasses + doubling * 8 + (bytes - 1 - (kFineBytesMax << doubling)) / step;
}

std::size_t SlabArena::ClassBytes(std::size_t index) {
  if (index < kFineClasses) return (index + 1) * kUnitBytesMin;
  const std::size_t doubling = (index - kFineClasses) / 8;
  return (kFineBytesMax << doubling) +
         ((index - kFineClasses) % 8 + 1) * (kFineBytesMax / 8 << doubling);
}

std::size_t SlabArena::BlockBytesFor(std::size_t bytes) const {
  return bytes <= kSharedBlockBytesMax ? ClassBytes(ClassOf(bytes))
                                       : (bytes + kSlabBytes - 1) / kSlabBytes * kSlabBytes;
}

bool SlabArena::AddSlabs(Class& size_class, std::size_t block_bytes) {
  const std::uint32_t count = SlabsFor(block_bytes);
  const std::lock_guard lock(slabs_mutex_);
  const std::uint32_t first = TakeSlabs(count);
  if (first == kNoSlab) return false;
  for (std::uint32_t i = first; i < first + count; ++i) {
    slabs_[i].first = first;
    slabs_[i].block_units.store(UnitsOf(block_bytes), std::memory_order_relaxed);
  }
  Link(size_class, first);
  return true;
}

Handle SlabArena::Allocate(std::size_t bytes) {
  if (bytes > kSharedBlockBytesMax) return AllocateRun(bytes);
  const std::size_t index = ClassOf(bytes);
  const std::size_t block_bytes = ClassBytes(index);
  Class& size_class = classes_[index];
  const std::lock_guard lock(size_class.mutex);
  if (size_class.with_room == kNoSlab && !AddSlabs(size_class, block_bytes)) return 0;
  const std::uint32_t number = size_class.with_room;
  Slab& slab = slabs_[number];
  std::uint32_t unit = 0;
  if (slab.free_head != 0) {
    unit = slab.free_head - 1;
    slab.free_head = static_cast<std::uint32_t>(LoadWord(At(FirstOf(number) + unit)));
  } else {
    unit = slab.carved++ * UnitsOf(block_bytes);
  }
  ++slab.live;
  ++size_class.live;
  if (slab.live == BlocksPerSlab(block_bytes)) Unlink(size_class, number);
  return FirstOf(number) + unit;
}

void SlabArena::Free(Handle handle) {
  const std::size_t bytes = BlockBytes(handle);
  if (bytes > kSharedBlockBytesMax) return FreeRun(handle);
  Class& size_class = classes_[ClassOf(bytes)];
  const std::lock_guard lock(size_class.mutex);
  const std::uint32_t number = slabs_[NumberOf(handle)].first;
  Slab& slab = slabs_[number];
  const bool is_emptying = slab.is_emptying.load(std::memory_order_relaxed);
  if (slab.live == BlocksPerSlab(bytes) && !is_emptying) Link(size_class, number);
  StoreWord(At(handle), slab.free_head);
  slab.free_head = handle - FirstOf(number) + 1;
  --slab.live;
  --size_class.live;
  if (slab.live > 0) return;
  if (!is_emptying) Unlink(size_class, number);
  slab.is_emptying.store(false, std::memory_order_relaxed);
  const std::lock_guard slabs_lock(slabs_mutex_);
  const std::size_t idle_max = kIdleSlabsMax + held_slabs_.load(std::memory_order_relaxed) / 8;
  GiveSlabs(number, SlabsFor(bytes), idle_slabs_ >= idle_max);
}

Handle SlabArena::AllocateRun(std::size_t bytes) {
  const auto count = static_cast<std::uint32_t>((bytes + kSlabBytes - 1) / kSlabBytes);
  const std::lock_guard lock(slabs_mutex_);
  const std::uint32_t first = TakeSlabs(count);
  if (first == kNoSlab) return 0;
  slabs_[first].block_units.store(UnitsOf(count * kSlabBytes), std::memory_order_relaxed);
  run_bytes_ += count * kSlabBytes;
  return FirstOf(first);
}

void SlabArena::FreeRun(Handle handle) {
  const std::uint32_t first = NumberOf(handle);
  const std::lock_guard lock(slabs_mutex_);
  const auto count = static_cast<std::uint32_t>(BlockBytes(handle) / kSlabBytes);
  run_bytes_ -= count * kSlabBytes;
  GiveSlabs(first, count, true);
}

void SlabArena::Link(Class& size_class, std::uint32_t slab) {
  slabs_[slab].previous = kNoSlab;
  slabs_[slab].next = size_class.with_room;
  if (size_class.with_room != kNoSlab) slabs_[size_class.with_room].previous = slab;
  size_class.with_room = slab;
}

void SlabArena::Unlink(Class& size_class, std::uint32_t slab) {
  const Slab& gone = slabs_[slab];
  if (gone.previous == kNoSlab) {
    size_class.with_room = gone.next;
  } else {
    slabs_[gone.previous].next = gone.next;
  }
  if (gone.next != kNoSlab) slabs_[gone.next].previous = gone.previous;
}

std::uint32_t SlabArena::TakeSlabs(std::uint32_t count) {
  held_slabs_ += count;
  for (auto run = free_runs_.begin(); run != free_runs_.end(); ++run) {
    if (run->second < count) continue;
    const std::uint32_t first = run->first;
    const std::uint32_t rest = run->second - count;
    free_runs_.erase(run);
    if (rest > 0) free_runs_.emplace(first + count, rest);
    idle_slabs_ -= std::min<std::size_t>(idle_slabs_, count);
    for (std::uint32_t i = 0; i < count; ++i) slabs_[first + i].Reset();
    return first;
  }
  const std::uint32_t first = slab_count_;
  const std::size_t end = std::size_t{first} + count;
  if (end > slab_count_max_ || !region_.Reach(end * kSlabBytes) ||
      !slab_region_.Reach(end * sizeof(Slab))) {
    held_slabs_ -= count;
    return kNoSlab;
  }
  slab_count_ = static_cast<std::uint32_t>(end);
  return first;
}

void SlabArena::GiveSlabs(std::uint32_t first, std::uint32_t count, bool discard) {
  held_slabs_ -= count;
  if (discard) {
    region_.Discard(std::size_t{first} * kSlabBytes, count * kSlabBytes);
  } else {
    idle_slabs_ += count;
  }
  auto next = free_runs_.lower_bound(first);
  if (next != free_runs_.end() && next->first == first + count) {
    count += next->second;
    next = free_runs_.erase(next);
  }
  if (next != free_runs_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == first) {
      before->second += count;
      return;
    }
  }
  free_runs_.emplace(first, count);
}

bool SlabArena::Contains(Bytes needle) const {
  std::size_t end = 0;
  {
    const std::lock_guard lock(slabs_mutex_);
    end = std::size_t{slab_count_} * kSlabBytes;
  }
  std::string window;
  for (std::size_t at = 0; at < end; at += kSlabBytes) {
    window.resize(std::min(kSlabBytes + needle.size() - 1, end - at));
    CopyOut(region_.base() + at, window.data(), window.size());
    if (window.find(needle) != std::string::npos) return true;
  }
  return false;
}

std::size_t SlabArena::used_bytes() const {
  std::size_t bytes = run_bytes_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < kClassCount; ++i) {
    const std::lock_guard lock(classes_[i].mutex);
    bytes += classes_[i].live * ClassBytes(i);
  }
  return bytes;
}

std::size_t SlabArena::slack_bytes() const {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < kClassCount; ++i) {
    const std::lock_guard lock(classes_[i].mutex);
    if (classes_[i].live > 0) bytes += SlabsFor(ClassBytes(i)) * kSlabBytes;
  }
  return bytes;
}

}  // namespace mayfly::engine::hot
