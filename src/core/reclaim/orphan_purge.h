// orphan_purge.h - removes what is left of collections whose row is gone, in bounded steps.
// A step removes some parts of one orphan, under its key's latch and in one batch; with the last of
// them, its name, goes the record of it. Parts go one by one: a tombstone each tells the reclaimer
// which files hold them, which one over their range would not. Members that had died before their
// collection ended leave their event. Threads: any number at once, each of one thread.
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

  // What one step removed; nothing when there is no orphan.
  Result<std::optional<std::uint64_t>> Step(KeyspaceState& keyspace, std::size_t parts_max);

 private:
  // Where the last step ended, so that the next does not walk over its tombstones.
  struct Place {
    std::string record;
    std::string part;
  };

  struct Leftover {
    const Orphan& orphan;
    const PartKeys& keys;
    Bytes key;   // The user's, if it is known.
    bool named;  // It is.
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
