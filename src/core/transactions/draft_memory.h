// draft_memory.h - the memory of drafts, which one transaction leaves to the next.
// A server's transactions are short and alike: with it, most of them allocate nothing.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/layout/limits.h"
#include "core/reads/drafts.h"
#include "core/transactions/latched_transaction.h"
#include "engine/batch.h"

namespace mayfly::core {

// Drafts that are empty but for the memory of their strings.
template <typename Map>
class SpareDrafts {
 public:
  using Draft = typename Map::value_type;

  // The draft of this name, and whether it is new.
  std::pair<Draft*, bool> Emplace(Map& map, Bytes name) {
    return map.Emplace(name, [&] {
      if (drafts_.empty()) return std::make_unique<Draft>();
      std::unique_ptr<Draft> spare = std::move(drafts_.back());
      drafts_.pop_back();
      return spare;
    });
  }

  // Takes the drafts of a map that is no longer needed, as far as they are worth keeping.
  void Take(Map& map) {
    map.Empty([&](std::unique_ptr<Draft> draft) {
      if (drafts_.size() >= kSpareDraftsMax) return;
      const std::size_t bytes = draft->second.Reset() + draft->first.capacity();
      if (bytes <= kSpareDraftBytesMax) drafts_.push_back(std::move(draft));
    });
  }

 private:
  std::vector<std::unique_ptr<Draft>> drafts_;
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
