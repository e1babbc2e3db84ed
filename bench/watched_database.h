// watched_database.h - a database on disk, as Database::Open() makes it, whose rows can be counted
// while it runs without disturbing it. GetStatistics() would walk over the backlog, which the
// scenarios measure; this reads counters.
#pragma once

#include <memory>
#include <string>

#include "mayfly/database.h"

namespace mayfly::bench {

class WatchedDatabase {
 public:
  explicit WatchedDatabase(const DatabaseOptions& options);

  // Of the default keyspace: rows that are stored, the dead among them until they are purged.
  std::uint64_t StoredRows() const;

  Database& operator*() const { return *database_; }
  Database* operator->() const { return database_.get(); }

 private:
  const std::unique_ptr<Database> database_;
};

}  // namespace mayfly::bench
