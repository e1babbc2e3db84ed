// store_look.h - what a shard's objects in the store show, as the store answers now. For proofs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/clock.h"

namespace mayfly::server {

struct StoreLook {
  std::uint64_t rows = 0;           // In the map, dead ones included.
  std::uint64_t entries = 0;        // Of the expiry index.
  std::uint64_t large_values = 0;   // In objects of their own, which rows name.
  std::uint64_t large_pending = 0;  // Announced, and named by no row: being written or removed.
  std::uint64_t bytes = 0;          // Of keys and values in the map.
  std::optional<WallTime> first_deadline = std::nullopt;  // In the expiry index.
  std::vector<std::string> traces = {};  // Where the bytes were found that were searched for.
};

}  // namespace mayfly::server
