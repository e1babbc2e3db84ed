// sweeper.h - removes dead items.
// In mode kExact they are gone already, and a sweep is a purge of their bytes. In mode kUntilSwept
// an item has a shadow that dies at its instant, with an event: the sweep purges shadows and reads
// the events behind its position, which is stored with the removals. An item is removed if its
// instant is still the one its shadow died at; if it has another instant, and no shadow yet, it
// gets one. So nothing here compares an instant with the time: the shadow's death decides, and the
// cost is that of the dead, not of the table. If events were trimmed before they were read, and may
// have been of this table's shadows, an upkeep searches for items without a shadow, and gives them
// one: for those whose instant has passed that makes a new event. Each sweep continues that search
// by a bounded number of items; those not reached yet are not swept yet, and visible.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "mayfly/events.h"
#include "mayfly/result.h"
#include "tables/items/item_context.h"
#include "tables/upkeep/upkeep.h"

namespace mayfly::tables {

class Sweeper {
 public:
  Sweeper(const ItemContext& context, Upkeep& upkeep) : context_(context), upkeep_(upkeep) {}

  struct Swept {
    std::uint64_t items = 0;
    bool more = false;  // Dead items may be left: the bound was reached, or a search continues.
  };

  // Removes up to this many items, oldest first.
  Result<Swept> Sweep(const std::string& table, std::uint64_t items_max);

 private:
  // Its position in the event log.
  struct Place {
    std::uint64_t read = 0;
    std::uint64_t saved = 0;  // As stored on disk.
  };

  Result<std::uint64_t> PurgeExact(const Table& table, std::uint64_t items_max);
  Result<Place*> PlaceOf(const Table& table);
  // Whether events of the table's shadows may be missing behind the place.
  bool MayHaveMissed(const Table& table, const Place& place) const;
  // Both return the number of items removed.
  Result<std::uint64_t> FollowEvents(const Table& table, std::uint64_t items_max);
  Result<std::uint64_t> Remove(const Table& table, const std::vector<Event>& deaths, Place& place,
                               std::uint64_t through);
  Status SavePlace(const Table& table, Place& place, std::uint64_t through, bool missed);

  const ItemContext context_;
  Upkeep& upkeep_;
  std::mutex mutex_;                     // One sweep at a time. Taken before the use of a table.
  std::map<std::string, Place> places_;  // By shadows. Guarded by mutex_.
};

}  // namespace mayfly::tables
