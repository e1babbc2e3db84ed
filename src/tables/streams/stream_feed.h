// stream_feed.h - one stream: its records, and how deaths are recorded among them.
// A death is an event of the items' keyspace, written by the purge, read or write that removed the
// dead row. It becomes a record of the stream exactly once: records and the new position in the
// event log are written in one transaction. Two things can make an event mean less than it seems
// to.
//
// (1) A write began before the item died and was committed after: the item lives on, changed, or it
// was deleted and that is recorded. So a death counts if the item does not exist, and the last
// record about it since the event is no removal. (2) The item of (1) died again, unnoticed so far.
// So before a death is recorded, what is left of the item is removed: its event comes before the
// record and is covered by it.
//
// Both rest on this: a writer of the table's items holds the feed and processes all events first,
// and no thread reads events while a write is in progress.
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
  // Finds the last record and the position in the event log. `places` is the keyspace of the
  // latter.
  static Result<std::shared_ptr<StreamFeed>> Open(Database& database, const Keyspace& places,
                                                  const Table& table, const StoredStream& stream);

  const std::string& table() const { return spec_.name; }
  const std::string& table_id() const { return id_; }
  const std::string& label() const { return label_; }

  // Callers of the functions below hold it.
  std::mutex& mutex() { return mutex_; }

  bool enabled() const { return enabled_; }

  // The stream gets no more records.
  void End() { enabled_ = false; }

  // Records live no longer than this from now on, existing ones, too.
  Status SetRecordTtl(Millis ttl);

  // Begins a write of these items; the caller holds their latches. Removes what is left of dead
  // ones, and records all deaths.
  Status BeginWrite(const std::set<std::string>& keys);

  // Adds a record to the transaction, which was begun after BeginWrite(). Conflict: an item died
  // between the two, and its death must come first; begin again.
  Status Append(Transaction& transaction, const Item* before, const Item* after, bool by_ttl);

  // Records the deaths for which there are events. Deaths whose events were trimmed before are
  // lost.
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
  const TableSpec spec_;    // Its keys never change.
  const std::string id_;
  const std::string label_;
  const StreamView view_;
  const WallTime created_at_;
  const std::shared_ptr<Keyspace> items_;  // Shared with the table and the database.
  std::shared_ptr<Keyspace> records_;      // As items_. Constant once open.

  std::mutex mutex_;
  // Guarded by mutex_.
  bool enabled_;
  Millis record_ttl_;
  std::uint64_t place_ = 0;        // Events up to this one are processed.
  std::uint64_t saved_place_ = 0;  // The same as stored on disk.
  std::uint64_t last_sequence_ = 0;
  std::set<std::string> alive_;  // Items of the current write that existed when it began.
  // While catching up: items whose removal is recorded.
  std::optional<std::set<std::string>> told_;
};

// A row of an ended stream that lives as long as the youngest record can: when no row is left, the
// stream may be dropped.
std::string EndMarkerKey();

}  // namespace mayfly::tables
