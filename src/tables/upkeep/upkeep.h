// upkeep.h - gives items what a new description of their table asks for: deadlines, index entries,
// shadows.
// A job is a row beside the description, written in the same transaction. Its walk goes over the
// items in the order of their keys, a few at a time: under their latches it writes them anew as the
// table is now, and its place with them. So it survives a restart, and writers hardly notice. Items
// that are written meanwhile follow the new description by themselves. A further change begins the
// walk again. When it is through, the statuses are set and the row goes.
// Items without a shadow are looked for by the same walk (sweeper.h). If more is missed while it is
// under way, it goes on and is made once more: begun again each time, it might never get to the
// end.
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

  // Sees to up to this many items of all jobs, or of one table's. Returns how many are left at
  // least; 0: there is no job any more.
  Result<std::uint64_t> Run(std::uint64_t items_max, const std::string& table = {});

  struct Search {
    std::uint64_t seen = 0;
    bool more = false;  // Items are left to be looked at.
  };

  // Goes on with a job that FindUnshadowed() began, if there is one, by up to this many items.
  Result<Search> SearchUnshadowed(const std::string& table, std::uint64_t items_max);

  // Of a table in mode kUntilSwept: items that have no shadow are to be looked at, see sweeper.h.
  // Part of the transaction. A job that is there does that by itself.
  Status FindUnshadowed(Transaction& transaction, const Table& table);

 private:
  struct Job {
    std::string id;  // Of the table.
    RewriteJob job;
  };

  Result<std::vector<Job>> Jobs(const std::string& table) const;
  Result<std::uint64_t> RunJob(Job job, std::uint64_t& items_left);
  // Returns the number of items it saw to.
  Result<std::uint64_t> Step(const Table& table, Job& job, std::uint64_t items_max);
  Status Rewrite(Transaction& transaction, const Table& table, RewriteJob::Kind kind, Bytes key);
  Status Finish(const Job& job);

  const ItemContext context_;
  std::mutex mutex_;  // One at a time.
};

}  // namespace mayfly::tables
