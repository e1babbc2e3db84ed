// collection_restore.h - restores a collection from a backup, member by member.
// Its row comes first, then its members, many or few: they are written in batches, each a latched
// transaction of its own that leaves a whole collection. It gets a collection id of this database,
// and counts of the members that are alive here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/store/store.h"
#include "core/transactions/latched_transaction.h"

namespace mayfly::core {

class CollectionRestore {
 public:
  CollectionRestore(Store& store, KeyspaceState& keyspace, std::string key, Bytes head,
                    std::optional<WallTime> deadline)
      : store_(store),
        keyspace_(keyspace),
        key_(std::move(key)),
        head_(head),
        deadline_(deadline) {}

  Status Add(Part part, Bytes name, Bytes value, std::optional<WallTime> deadline);

  // Writes the rest. True when the collection is alive.
  Result<bool> Finish();

  // Whether no member was added, dead or alive.
  bool empty() const { return empty_; }

 private:
  struct Fresh {
    Part part;
    std::string name;
    std::string value;
    std::optional<WallTime> deadline;
  };

  Status Flush();

  Store& store_;
  KeyspaceState& keyspace_;
  const std::string key_;
  const std::string head_;
  const std::optional<WallTime> deadline_;  // As callers set it.
  std::vector<Fresh> pending_;
  bool exists_ = false;
  bool empty_ = true;
};

}  // namespace mayfly::core
