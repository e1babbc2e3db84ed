// purger.h - gives back the space of dead rows, in bounded steps.
// Readers hide the dead by themselves, so a purge changes disk usage and nothing a client sees. It
// may lag, stop, or repeat a step without harm. A step rereads each row under its key latch: if the
// row still carries the entry's deadline, both go in one batch; if not, the entry goes alone.
// Without the latch, a deadline extended between the reread and the delete would be lost with its
// row. Threads: any number at once.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/store.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

class Purger {
 public:
  explicit Purger(Store& store) : store_(store) {}

  // Purges all keyspaces, or the one named, up to the bounds. Nothing is removed while the clock is
  // not trusted.
  Result<PurgeReport> Purge(const PurgeOptions& options);

  // The earliest deadline in the index; nothing when no row has one.
  Result<std::optional<WallTime>> NextDeadline() const;

 private:
  struct Due {
    WallTime deadline;
    std::string key;
  };

  Status PurgeKeyspace(KeyspaceState& keyspace, WallTime now, SteadyTime end,
                       const PurgeOptions& options, PurgeReport& report);
  Result<std::vector<Due>> CollectDue(const KeyspaceState& keyspace, WallTime now,
                                      std::size_t rows_max) const;
  WallTime SettledInstant(KeyspaceState& keyspace, WallTime now) const;
  Status RemoveDue(KeyspaceState& keyspace, std::span<const Due> due, WallTime settled,
                   PurgeReport& report);
  Result<std::optional<WallTime>> FirstDeadline(const KeyspaceState& keyspace) const;

  Store& store_;
};

}  // namespace mayfly::core
