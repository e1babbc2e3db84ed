#include "engine/hot/index/region.h"

#include <sys/mman.h>

#include "base/check.h"

namespace mayfly::engine::hot {
namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
constexpr std::size_t kReachStep = 2 * kHugePageBytes;

std::size_t RoundUp(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

}  // namespace

std::size_t ReservableAddresses(std::size_t bytes) {
  for (; bytes >= kReachStep; bytes /= 2) {
    void* const at =
        ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) continue;
    ::munmap(at, bytes);
    return bytes;
  }
  return 0;
}

Region::Region(std::size_t bytes, bool huge, std::size_t guard)
    : reserved_(RoundUp(bytes + guard, kReachStep) + kHugePageBytes), huge_(huge), guard_(guard) {
  void* at =
      ::mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  MAYFLY_CHECK(at != MAP_FAILED, "no addresses for the memory index");
  // Huge pages need aligned addresses.
  const auto address = reinterpret_cast<std::size_t>(at);
  const std::size_t skip = RoundUp(address, kHugePageBytes) - address;
  if (skip > 0) ::munmap(at, skip);
  base_ = static_cast<std::byte*>(at) + skip;
  reserved_ -= skip;
  ::madvise(base_, reserved_, MADV_DONTDUMP);
}

Region::~Region() { ::munmap(base_, reserved_); }

bool Region::Reach(std::size_t bytes) {
  if (bytes + guard_ <= usable_) return true;
  const std::size_t target = RoundUp(bytes + guard_, kReachStep);
  if (target > reserved_) return false;
  if (::mprotect(base_ + usable_, target - usable_, PROT_READ | PROT_WRITE) != 0) return false;
  if (huge_) ::madvise(base_ + usable_, target - usable_, MADV_HUGEPAGE);
  usable_ = target;
  return true;
}

void Region::Discard(std::size_t offset, std::size_t bytes) {
  ::madvise(base_ + offset, bytes, MADV_DONTNEED);
}

}  // namespace mayfly::engine::hot
