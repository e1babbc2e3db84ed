// orphan_purge.h - removes the parts of collections whose row is gone, in bounded steps.
// A step removes some parts of one orphan, under its key's latch and in one batch; the last part,
// its name, leaves together with the orphan's record. Parts are removed one by one: their
// tombstones show the reclaimer which files hold them, which a range tombstone would not. Members
// that had died before their collection ended leave their event. Threads: any number of objects at
// once, each used by one thread.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/layout/collection_codec.h"
#include "core/store/store.h"

namespace mayfly::core {

class OrphanPurge {
 public:
  explicit OrphanPurge(Store& store) : store_(store) {}

  // Removes up to `parts_max` parts. Returns how many; nothing when there is no orphan.
  Result<std::optional<std::uint64_t>> Step(KeyspaceState& keyspace, std::size_t parts_max);

 private:
  // Where the last step ended, so that the next does not scan its tombstones.
  struct Place {
    std::string record;
    std::string part;
  };

  struct Leftover {
    const Orphan& orphan;
    const PartKeys& keys;
    Bytes key;   // The user's, if it is known.
    bool named;  // `key` is known.
  };

  Result<std::optional<Orphan>> Next(KeyspaceId keyspace, Place& place) const;
  Result<std::optional<Orphan>> FirstFrom(KeyspaceId keyspace, const std::string& begin) const;
  Result<std::uint64_t> Remove(KeyspaceState& keyspace, const Orphan& orphan, Place& place,
                               std::size_t parts_max);
  Status PlanPart(CommitPlan& plan, KeyspaceState& keyspace, Stripe stripe,
                  const Leftover& leftover, Bytes key, Bytes value) const;

  Store& store_;
  std::map<KeyspaceId, Place> places_;
};

}  // namespace mayfly::core
