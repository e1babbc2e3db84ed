// watched_database.h - a database on disk, as Database::Open() makes it, whose rows can be counted
// while it runs without disturbing it. GetStatistics() would walk over the backlog, which the
// scenarios measure; this reads counters.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "mayfly/database.h"

namespace mayfly::bench {

class WatchedDatabase {
 public:
  WatchedDatabase(const std::string& directory, MemoryProfile memory, const Clock& clock);

  // Of the default keyspace: rows that are stored, the dead among them until they are purged.
  std::uint64_t StoredRows() const;

  Database& operator*() const { return *database_; }
  Database* operator->() const { return database_.get(); }

 private:
  engine::Engine* engine_ = nullptr;  // database_'s.
  std::unique_ptr<Database> database_;
};

}  // namespace mayfly::bench
