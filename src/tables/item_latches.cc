#include "tables/item_latches.h"

#include <set>

#include "base/checksum.h"

namespace mayfly::tables {

ItemLatches::Held ItemLatches::Take(const std::vector<std::string>& keys) {
  std::set<std::size_t> stripes;
  for (const std::string& key : keys) stripes.insert(Hash64(key) % kStripes);
  Held held;
  held.reserve(stripes.size());
  for (const std::size_t stripe : stripes) held.emplace_back(stripes_[stripe]);
  return held;
}

std::unique_lock<std::mutex> ItemLatches::Take(const std::string& key) {
  return std::unique_lock(stripes_[Hash64(key) % kStripes]);
}

}  // namespace mayfly::tables
