#include "engine/rocks/salvage/range_cover.h"

#include <set>

namespace mayfly::engine {

RangeCover::RangeCover(const std::vector<RangeTombstone>& tombstones) {
  struct Edges {
    std::vector<std::uint64_t> begin;
    std::vector<std::uint64_t> end;
  };
  std::map<std::string, Edges> edges;
  for (const RangeTombstone& tombstone : tombstones) {
    if (tombstone.begin >= tombstone.end) continue;
    edges[tombstone.begin].begin.push_back(tombstone.sequence);
    edges[tombstone.end].end.push_back(tombstone.sequence);
  }
  std::multiset<std::uint64_t> open;
  for (const auto& [key, edge] : edges) {
    for (const std::uint64_t sequence : edge.end) open.erase(open.find(sequence));
    open.insert(edge.begin.begin(), edge.begin.end());
    hidden_before_.emplace_hint(hidden_before_.end(), key, open.empty() ? 0 : *open.rbegin());
  }
}

bool RangeCover::Hides(Bytes key, std::uint64_t sequence) const {
  const auto behind = hidden_before_.upper_bound(key);
  return behind != hidden_before_.begin() && sequence < std::prev(behind)->second;
}

}  // namespace mayfly::engine
