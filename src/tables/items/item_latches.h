// item_latches.h - who changes an item has it to himself, so that transactions of the tables do not
// conflict with each other.
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

  // Waits. `keys`: table id and item key put together, in any order, repeats allowed. Within one
  // order of stripes, so that nobody waits in a circle.
  Held Take(const std::vector<std::string>& keys);

 private:
  static constexpr std::size_t kStripes = 1024;
  std::array<std::mutex, kStripes> stripes_;
};

}  // namespace mayfly::tables
