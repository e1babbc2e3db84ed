#include "tables/items/item_latches.h"

#include <algorithm>

#include "base/checksum.h"

namespace mayfly::tables {

ItemLatches::Held ItemLatches::Take(const std::vector<std::string>& keys) {
  std::vector<std::size_t> stripes;
  stripes.reserve(keys.size());
  for (const std::string& key : keys) stripes.push_back(Hash64(key) % kStripes);
  std::sort(stripes.begin(), stripes.end());
  stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
  Held held;
  held.reserve(stripes.size());
  for (const std::size_t stripe : stripes) held.emplace_back(stripes_[stripe]);
  return held;
}

}  // namespace mayfly::tables
