// draft_memory.h - the memory of drafts, which one transaction leaves to the next.
// A server's transactions are short and alike: with it, most of them allocate nothing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/layout/limits.h"
#include "core/reads/drafts.h"
#include "core/transactions/latched_transaction.h"
#include "engine/batch.h"

namespace mayfly::core {

// Nodes of maps of drafts, empty but for the memory of their strings.
template <typename Map>
class SpareDrafts {
 public:
  // As Map::try_emplace().
  std::pair<typename Map::iterator, bool> Emplace(Map& map, Bytes name) {
    const auto at = map.lower_bound(name);
    if (at != map.end() && at->first == name) return {at, false};
    if (nodes_.empty()) return {map.try_emplace(at, std::string(name)), true};
    auto node = std::move(nodes_.back());
    nodes_.pop_back();
    node.key().assign(name);
    return {map.insert(at, std::move(node)), true};
  }

  // Takes the nodes of a map that is no longer needed, as far as they are worth keeping.
  void Take(Map& map) {
    while (!map.empty() && nodes_.size() < kSpareDraftsMax) {
      auto node = map.extract(map.begin());
      const std::size_t bytes = node.mapped().Reset() + node.key().capacity();
      if (bytes <= kSpareDraftBytesMax) nodes_.push_back(std::move(node));
    }
  }

 private:
  std::vector<typename Map::node_type> nodes_;
};

class DraftMemory final : public TransactionMemory {
 public:
  SpareDrafts<BufferedRows> rows;
  SpareDrafts<BufferedMembers> parts;
  std::vector<ChangedKey> changed;
  engine::Batch batch;

  // Clears the batch of a commit for the next one.
  void Take(engine::Batch spent) {
    if (spent.bytes() > kSpareBatchBytesMax) return;
    batch = std::move(spent);
    batch.Clear();
  }
};

}  // namespace mayfly::core
