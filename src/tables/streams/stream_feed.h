// stream_feed.h - one stream: its records, and how deaths come to be among them.
// A death is an event of the items' keyspace, told by whoever removed the dead row: a purge, a
// read, a write. It becomes a record of the stream exactly once: records and the place in the event
// log that they bring us to are one transaction. Two things can make an event say less than it
// seems to.
//
// (1) A write began before the item died and was committed after: the item lives on, changed, or it
// was deleted and that is on record. So a death counts if the item is not there, and the last
// record about it since the event is no removal.
// (2) The item of (1) died again, unnoticed so far. So before a death is recorded, what is left of
// the item is removed: its event comes before the record and is covered by it.
//
// Both rest on this: whoever writes items of the table holds the feed, deals with all events first,
// and nobody looks at events while a write is under way.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mayfly/database.h"
#include "mayfly/tables.h"
#include "tables/schema/table.h"
#include "tables/schema/table_codec.h"

namespace mayfly::tables {

class StreamFeed {
 public:
  // Finds the last record and the place in the event log. `places` is the keyspace of the latter.
  static Result<std::shared_ptr<StreamFeed>> Open(Database& database, const Keyspace& places,
                                                  const Table& table, const StoredStream& stream);

  const std::string& table() const { return spec_.name; }
  const std::string& table_id() const { return id_; }
  const std::string& label() const { return label_; }

  // Held by whoever calls what follows.
  std::mutex& mutex() { return mutex_; }

  bool enabled() const { return enabled_; }

  // It gets no more records.
  void End() { enabled_ = false; }

  // Its records live no longer than this from now on, those that are there, too.
  Status SetRecordTtl(Millis ttl);

  // A write of these items begins; the caller holds their latches. What is left of those that are
  // dead is removed, and all deaths are on record.
  Status BeginWrite(const std::set<std::string>& keys);

  // Adds a record to the transaction, which was begun after that. Conflict: an item died between
  // the two, and its death must come first; begin again.
  Status Append(Transaction& transaction, const Item* before, const Item* after, bool by_ttl);

  // Records the deaths of which there are events. If events were trimmed before we came, the deaths
  // they told of are not known any more.
  Status CatchUp();

  // 0: it has ended more than a day ago.
  Result<std::uint64_t> RecordsLeft() const { return records_->Count(); }

  Result<StreamDescription> Describe() const;
  Result<std::vector<StreamRecord>> Read(std::uint64_t sequence, std::size_t records_max) const;

 private:
  struct Death {
    Item item;
    WallTime at;
  };

  StreamFeed(Database& database, const Keyspace& places, const Table& table,
             const StoredStream& stream);

  Status Load();
  Status ShortenRecords();
  std::string KeyOf(const Item& item) const;
  Result<std::set<std::string>> RemovedSince(WallTime instant) const;
  Result<std::vector<Death>> DeathsAmong(const std::vector<Event>& events);
  Status Record(const std::vector<Death>& deaths, std::uint64_t place);

  Database& database_;
  const Keyspace& places_;  // The catalog's.
  const TableSpec spec_;    // Its keys are for good.
  const std::string id_;
  const std::string label_;
  const StreamView view_;
  const WallTime created_at_;
  const std::shared_ptr<Keyspace> items_;  // Shared with the table and the database.
  std::shared_ptr<Keyspace> records_;      // Likewise. Constant once open.

  std::mutex mutex_;
  // Guarded by mutex_.
  bool enabled_;
  Millis record_ttl_;
  std::uint64_t place_ = 0;        // Events up to this one have been dealt with.
  std::uint64_t saved_place_ = 0;  // The same as far as the disk knows.
  std::uint64_t last_sequence_ = 0;
  std::set<std::string> alive_;  // Items of the write under way that were there when it began.
  // While catching up: items whose removal is on record.
  std::optional<std::set<std::string>> told_;
};

// A row of an ended stream that lives as long as the youngest record can: when nothing is left, the
// stream may go.
std::string EndMarkerKey();

}  // namespace mayfly::tables
