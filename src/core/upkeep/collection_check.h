// collection_check.h - checks collections against their members.
// Members are authoritative: counts, order and entries can be made from them. A collection without
// members is removed. Members that belong to no row need an orphan record, or no purge would ever
// remove them; a collection with a row must not have a record, or its members would be removed. Of
// two rows with one collection id, which no write can cause, the first keeps the members. Members
// in the row itself are counted there; some in `members` beside them are removed.
#pragma once

#include <set>
#include <string>

#include "base/function_ref.h"
#include "core/layout/collection_codec.h"
#include "core/store/store.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

class CollectionCheck {
 public:
  using Find = FunctionRef<void(const char* what, Bytes key)>;

  // All arguments must outlive it. `snapshot` null: the newest state. Repairs are added to
  // `repair`.
  CollectionCheck(Store& store, const KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                  CheckReport& report, engine::Batch& repair, Find find)
      : store_(store),
        keyspace_(keyspace),
        snapshot_(snapshot),
        report_(report),
        repair_(repair),
        find_(find) {}

  // Notes a row that cannot be read.
  void NoteUnreadable() { some_unreadable_ = true; }

  // Checks a collection's row, and adds to `expected` what it should count for. False when the row
  // is wrong.
  Result<bool> CheckRow(Bytes key, const RowView& row, Counters& expected);

  // After all rows: checks for members without a collection, and for records that are of no orphan.
  Status CheckParts();
  Status CheckRecords();
  Status CheckEntries();

  // The number of orphans after the repair.
  std::int64_t orphans() const { return orphans_; }

 private:
  struct Parts {
    std::optional<std::string> name;
    std::uint64_t members = 0;
    std::uint64_t mortal = 0;
    std::optional<WallTime> first;
    std::optional<WallTime> last;
  };

  Result<Parts> PartsOf(Bytes key, std::uint64_t collection_id, const Collection& collection);
  Result<Parts> WalkParts(Bytes key, const PartKeys& keys);
  Status CheckMember(Bytes key, const PartKeys& keys, Bytes name, const RowView& row);
  Status CheckOrder(Bytes key, const PartKeys& keys, Bytes part_key);
  bool Fits(Bytes key, const RowView& row, const Collection& collection, const Parts& parts) const;
  Result<bool> FirstFits(const PartKeys& keys, const Collection& collection,
                         const Parts& parts) const;
  void Mend(Bytes key, const RowView& row, const Collection& collection, const Parts& parts,
            Counters& expected);
  void RemoveRow(Bytes key, const RowView& row);
  void MendName(Bytes key, const PartKeys& keys, const Parts& parts, Collection& mended);
  Result<bool> Exists(engine::Address at, Bytes key) const;
  bool IsCurrent(std::uint64_t collection_id) const;

  Store& store_;
  const KeyspaceState& keyspace_;
  const engine::Snapshot* const snapshot_;
  CheckReport& report_;
  engine::Batch& repair_;
  Find find_;
  std::set<std::uint64_t> versions_;  // The collection ids of the rows,
  std::set<std::uint64_t> packed_;    // and of those whose members are in the row.
  bool some_unreadable_ = false;      // A row could not be read, so its collection id is unknown.
  std::int64_t orphans_ = 0;
};

}  // namespace mayfly::core
