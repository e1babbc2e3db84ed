// streams.h - the changes of a table's items, in order, for a day.
//   keyspace "table.NAME.stream.LABEL#ID": sequence, big endian -> record; each row dies after a
//   day, or sooner, if the table has a promise (purge_within).
// A write holds its table's stream from before its transaction to after its commit, so that
// sequences become visible in their order. Deaths come from the database's events, once each: a
// position in the event log is stored with the records (stream_feed.h).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "mayfly/database.h"
#include "mayfly/tables.h"
#include "tables/schema/table.h"
#include "tables/schema/table_codec.h"
#include "tables/streams/stream_feed.h"

namespace mayfly::tables {

// The change of one item by a write. Null: no item.
struct ItemChange {
  const Table* table;
  const Item* before;
  const Item* after;
  bool by_ttl = false;
};

class Streams {
 public:
  // `places` is keyspace "tables".
  Streams(Database& database, const Keyspace& places) : database_(database), places_(places) {}

  // Held by a write for all its tables that have a stream; empty if none has.
  class Hold {
   public:
    Hold(Hold&&) noexcept = default;
    Hold& operator=(Hold&&) noexcept = default;

    // Adds a record to the transaction, if the table has a stream and something changed. The item
    // must be among those of BeginWrite(). Conflict: it died between the two; begin the write
    // again.
    Status Append(Transaction& transaction, const ItemChange& change);

   private:
    friend class Streams;
    struct Held {
      std::shared_ptr<StreamFeed> feed;
      std::unique_lock<std::mutex> lock;
    };

    Hold() = default;

    std::vector<Held> held_;
  };

  // The items of a write, by table and key. Deaths of these items that have not been recorded yet
  // are recorded first, so that a removal comes before what was put in its place.
  struct About {
    const Table* table;
    std::string key;
  };
  Result<Hold> BeginWrite(const std::vector<About>& items);

  // Follows the streams of a table's description from now on. The table must not be in use.
  Status Refresh(const StoredTable& stored, const Table& table);
  void Forget(const std::string& table);

  // Records the deaths for which there are events, in all streams.
  Status CatchUp();
  // In the streams of one table.
  Status CatchUp(const std::string& table);

  // Tables with an ended stream that has no records left.
  Result<std::vector<std::string>> WithEmptyEnded() const;

  // `table` empty: all tables. By table, then in order of time.
  Result<std::vector<StreamDescription>> List(const std::string& table);
  // NotFound when there is no such stream.
  Result<StreamDescription> Describe(const std::string& table, const std::string& label);
  Result<std::vector<StreamRecord>> Read(const std::string& table, const std::string& label,
                                         std::uint64_t sequence, std::size_t records_max);

 private:
  using Feeds = std::vector<std::shared_ptr<StreamFeed>>;

  // Empty: all tables.
  Feeds FeedsOf(const std::string& table) const;
  Result<std::shared_ptr<StreamFeed>> Find(const std::string& table,
                                           const std::string& label) const;

  Database& database_;
  const Keyspace& places_;  // The catalog's.
  mutable std::shared_mutex feeds_mutex_;
  std::map<std::string, Feeds> feeds_;  // By table's name. Guarded by feeds_mutex_.
};

}  // namespace mayfly::tables
