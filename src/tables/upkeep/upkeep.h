// upkeep.h - rewrites items for a new description of their table: deadlines, index entries,
// shadows.
// A job is a row beside the description, written in the same transaction. It walks over the items
// in the order of their keys, a few at a time: under their latches it rewrites them for the current
// description, and stores its position with them. So it survives a restart, and writers hardly
// notice. Items that are written meanwhile follow the new description by themselves. A further
// change restarts the walk. At its end the statuses are set and the row is deleted. The same walk
// searches for items without a shadow (sweeper.h). If more is missed in the meantime, it continues
// and is made once more: restarted each time, it might never get to the end.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "mayfly/result.h"
#include "tables/items/item_context.h"
#include "tables/schema/table_codec.h"

namespace mayfly::tables {

class Upkeep {
 public:
  explicit Upkeep(const ItemContext& context) : context_(context) {}

  // Handles up to this many items of all jobs, or of one table's. Returns how many are left at
  // least; 0: there is no job any more.
  Result<std::uint64_t> Run(std::uint64_t items_max, const std::string& table = {});

  struct Search {
    std::uint64_t seen = 0;
    bool more = false;  // Items are left to visit.
  };

  // Continues a job that FindUnshadowed() began, if there is one, by up to this many items.
  Result<Search> SearchUnshadowed(const std::string& table, std::uint64_t items_max);

  // For a table in mode kUntilSwept: starts a search for items without a shadow, see sweeper.h, as
  // part of the transaction. An existing job does that by itself.
  Status FindUnshadowed(Transaction& transaction, const Table& table);

 private:
  struct Job {
    std::string id;  // Of the table.
    RewriteJob job;
  };

  Result<std::vector<Job>> Jobs(const std::string& table) const;
  Result<std::uint64_t> RunJob(Job job, std::uint64_t& items_left);
  // Returns the number of items it handled.
  Result<std::uint64_t> Step(const Table& table, Job& job, std::uint64_t items_max);
  Status Rewrite(Transaction& transaction, const Table& table, RewriteJob::Kind kind, Bytes key);
  Status Finish(const Job& job);

  const ItemContext context_;
  std::mutex mutex_;  // One at a time.
};

}  // namespace mayfly::tables
