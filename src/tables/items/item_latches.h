// item_latches.h - exclusive latches on items, so that transactions of the tables do not conflict
// with each other.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace mayfly::tables {

class ItemLatches {
 public:
  using Held = std::vector<std::unique_lock<std::mutex>>;

  // Waits for the latches. `keys`: table id and item key concatenated, in any order, repeats
  // allowed. Stripes are taken in ascending order, so there is no deadlock.
  Held Take(const std::vector<std::string>& keys);

 private:
  static constexpr std::size_t kStripes = 1024;
  std::array<std::mutex, kStripes> stripes_;
};

}  // namespace mayfly::tables
