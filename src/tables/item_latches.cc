#include "tables/item_latches.h"

#include <set>

#include "base/checksum.h"

namespace mayfly::tables {

ItemLatches::Held ItemLatches::Take(const std::vector<std::string>& keys) {
  if (keys.size() == 1) {
    Held held;
    held.emplace_back(stripes_[Hash64(keys.front()) % kStripes]);
    return held;
  }
  std::set<std::size_t> stripes;
  for (const std::string& key : keys) stripes.insert(Hash64(key) % kStripes);
  Held held;
  held.reserve(stripes.size());
  for (const std::size_t stripe : stripes) held.emplace_back(stripes_[stripe]);
  return held;
}

}  // namespace mayfly::tables
