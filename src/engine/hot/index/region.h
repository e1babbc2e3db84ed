// region.h - a range of addresses that is reserved once and filled from its beginning.
// Addresses never move and are never given back before the region's end, so readers may follow a
// stale handle into it: they meet other bytes, never a fault. Memory is taken from the system in
// steps, and Discard() gives the memory behind a part back while its addresses stay readable.
// Threads: Reach() and Discard() from one at a time; reading from any.
#pragma once

#include <cstddef>

namespace mayfly::engine::hot {

// Addresses that can be reserved now: `bytes`, or its half, its quarter and so on where the process
// may not have as many (ulimit -v). 0: hardly any.
std::size_t ReservableAddresses(std::size_t bytes);

class Region {
 public:
  // Reserves `bytes`. `huge`: asks for 2 MiB pages. `guard`: readable bytes behind what is used.
  Region(std::size_t bytes, bool huge, std::size_t guard);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  std::byte* base() const { return base_; }

  // Makes the first `bytes` usable; they are zero at first. False when the reservation is used up
  // or the system refuses.
  bool Reach(std::size_t bytes);

  // Gives back the memory of whole pages; they read as zero afterwards.
  void Discard(std::size_t offset, std::size_t bytes);

 private:
  std::size_t reserved_;
  const bool huge_;
  const std::size_t guard_;
  std::byte* base_;
  std::size_t usable_ = 0;
};

}  // namespace mayfly::engine::hot
