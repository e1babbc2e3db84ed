// commit_plan.h - turns changes of rows into one batch that keeps the index exact.
// Every change of a row, by a write, a transaction or a purge, is added here with the row it
// replaces, and the plan is committed while the latches are still held. Threads: one at a time.
// Invariants: (1) A row with a deadline has exactly one entry, for that deadline, written in the
// same batch. (2) Counters change in the batch that changes the rows. (3) The bytes of a dead row
// or member leave with one event, if the keyspace wants events. (4) A collection's row that is
// removed or replaced, by any caller, leaves an orphan record, which finds its members, however
// many they are; unless they are in the row.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/keyspaces/keyspace_state.h"
#include "core/layout/collection_codec.h"
#include "core/layout/row_codec.h"
#include "core/layout/version_codec.h"
#include "engine/batch.h"
#include "engine/engine.h"
#include "mayfly/events.h"

namespace mayfly::core {

class CommitPlan {
 public:
  // All decisions of the plan share one instant. `batch` is empty; its memory is used.
  explicit CommitPlan(WallTime now, engine::Batch batch = {})
      : now_(now), batch_(std::move(batch)) {}

  // Replaces the stored row (null: none is stored) by a new one. A new row that is already dead is
  // not written: it deletes, with an event.
  void Put(KeyspaceState& keyspace, Stripe stripe, Bytes key, const RowView* old,
           const RowView& fresh);

  // As Put(), for the row of a collection, unless the stored row is the same. `last` is the latest
  // deadline of its members.
  void PutCollection(KeyspaceState& keyspace, Stripe stripe, Bytes key, const RowView* old,
                     std::uint64_t collection_id, const Collection& collection,
                     std::optional<WallTime> last);

  // Removes a stored row. `cause` is for the event, if the row is dead or is evicted.
  void Remove(KeyspaceState& keyspace, Stripe stripe, Bytes key, const RowView& old,
              EventCause cause);

  // Removes a stale entry of a row or of a member: one whose row does not have that deadline.
  void RemoveStaleEntry(KeyspaceState& keyspace, Stripe stripe, bool of_member, WallTime deadline,
                        Bytes key);

  // As Put() and Remove(), for versions and markers, given their key without the keyspace. `old` is
  // the stored one (null: none); the plan itself knows what it has put there.
  void PutVersion(KeyspaceState& keyspace, Stripe stripe, Bytes member_key, const VersionView* old,
                  const VersionView& fresh);
  void RemoveVersion(KeyspaceState& keyspace, Stripe stripe, Bytes member_key,
                     const VersionView& old);

  // Removes everything of the keyspace, without events. Call it before any other change of the
  // keyspace, under all latches.
  void Clear(KeyspaceState& keyspace);

  // Keeps the members of a collection that moves to another key: they become no orphan. Call it
  // before the changes of its rows.
  void KeepMembers(std::uint64_t collection_id) { kept_versions_.insert(collection_id); }

  // Removes a collection's orphan record: its parts have been removed.
  void RemoveOrphan(KeyspaceState& keyspace, Stripe stripe, std::uint64_t collection_id);

  // For MemberPlan: the index of members, and the events of dead members.
  void PutMemberEntry(KeyspaceState& keyspace, Stripe stripe, WallTime deadline, Bytes member_key);
  void RemoveMemberEntry(const KeyspaceState& keyspace, WallTime deadline, Bytes member_key);
  void AddMemberEvent(const KeyspaceState& keyspace, Bytes key, Bytes member, WallTime deadline,
                      Bytes value, EventCause cause);
  void CountDeadMember() { ++dead_members_removed_; }

  // Counts a row whose requested lifetime the policy changed.
  void CountClamped() { ++clamped_; }

  // Notes that replaced rows, dead or deleted since `since`, leave bytes in files that should go.
  void NoteRemoval(KeyspaceState& keyspace, Stripe stripe, WallTime since);

  // As NoteRemoval(), for bytes overwritten at the plan's instant: in a keyspace with a promise,
  // and if the new bytes differ.
  void NoteReplaced(KeyspaceState& keyspace, Stripe stripe, Bytes old, Bytes fresh);

  // The counter of each keyspace on which all changes are booked: that of the first key. Whether its
  // lock is needed, from before Seal() until after Applied().
  Counter counter() const { return counter_; }
  bool counts() const;

  // Adds the counters to the batch, and to events the values that are stored in chunks. Call it
  // once, after the last change. Corruption when a keyspace's count of rows would become negative:
  // the stored records are inconsistent.
  Status Seal(const engine::Engine& engine);

  // Updates the state in memory after the commit, still under the latches. Returns when a promise
  // wants its bytes removed, if none was due before.
  std::optional<WallTime> Applied();

  // The bytes of a row, until the next call.
  Bytes Encode(const RowView& row) {
    row_.clear();
    AppendRow(row_, row);
    return row_;
  }

  bool empty() const { return batch_.empty(); }
  WallTime now() const { return now_; }
  engine::Batch& batch() { return batch_; }
  std::vector<Event>& events() { return events_; }
  std::uint64_t dead_removed() const { return dead_removed_; }
  std::uint64_t dead_members_removed() const { return dead_members_removed_; }
  std::uint64_t clamped() const { return clamped_; }
  bool orphans_queued() const;
  bool clears() const;
  std::uint64_t removed() const { return removed_; }  // The dead and the deleted.

  // The earliest deadline written, for threads that sleep until the next one.
  std::optional<WallTime> earliest() const { return earliest_; }

 private:
  // What the plan changes in a keyspace.
  struct Booking {
    KeyspaceState* keyspace;
    Counters change;
    std::optional<WallTime> removed_since = std::nullopt;  // Of the bytes left behind.
    std::int64_t orphans = 0;
    bool overwrote = false;       // Some of these bytes were overwritten.
    bool mortal_members = false;  // Some were written.
    bool cleared = false;
  };

  // A dead row whose value is in chunks, which stay stored at least until the plan is committed.
  struct ChunkedDeath {
    std::size_t event;
    std::uint64_t collection_id;
    std::uint64_t size;
  };

  Booking& BookingOf(KeyspaceState& keyspace, Stripe stripe);
  void PutRowEntry(KeyspaceState& keyspace, Stripe stripe, WallTime deadline, Bytes key);
  void RemoveRowEntry(KeyspaceState& keyspace, Stripe stripe, WallTime deadline, Bytes key);
  void CountEntry(KeyspaceState& keyspace, Stripe stripe, WallTime deadline, int change);
  void Count(KeyspaceState& keyspace, Stripe stripe, const RowView* old, const RowView* fresh);
  void PutEntry(KeyspaceId keyspace, WallTime deadline, Bytes key);
  void QueueOrphan(KeyspaceState& keyspace, Stripe stripe, const RowView& old);
  void AddEvent(const KeyspaceState& keyspace, Bytes key, const RowView& row, EventCause cause,
                bool is_stored = true);
  Status AddChunkedValues(const engine::Engine& engine);

  const WallTime now_;
  engine::Batch batch_;
  std::vector<Event> events_;
  std::vector<ChunkedDeath> chunked_deaths_;
  Counter counter_ = 0;
  std::vector<Booking> bookings_;  // One per keyspace.
  std::optional<WallTime> earliest_;
  std::uint64_t dead_removed_ = 0;
  std::uint64_t dead_members_removed_ = 0;
  std::uint64_t clamped_ = 0;
  std::uint64_t removed_ = 0;
  std::set<std::uint64_t> kept_versions_;
  std::map<std::string, std::optional<WallTime>> members_put_;  // Version key, when it leaves.
  std::string row_;                                             // Scratch, as the next.
  std::string payload_;
};

}  // namespace mayfly::core
