// drafts.h - the rows and members that a transaction has loaded in order to change them.
// Each row and member has a stored state, read once, and a draft, which the transaction may change
// and roll back. Until `dirty`, the draft equals the stored state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/commit/change.h"
#include "core/commit/key_state.h"
#include "core/keyspaces/key_latches.h"
#include "core/layout/collection_codec.h"
#include "core/layout/limits.h"
#include "core/layout/liveness.h"
#include "core/layout/row_codec.h"
#include "core/reads/draft_map.h"

namespace mayfly::core {

// What becomes of a row, but for its value. Deadline and timestamp are those at the transaction's
// instant. A transaction without latches commits at a later one: what depends on it is computed
// again then. Trivial, so that changing and saving a draft copies bytes.
struct RowDraftState {
  enum class Kind : std::uint8_t { kAbsent, kPlain, kCollection };

  Kind kind = Kind::kAbsent;
  bool dirty = false;
  bool changed = false;                             // It is among the transaction's changed keys.
  bool stored_value = false;                        // The value, or head, is the stored one.
  bool evicted = false;                             // It is absent for want of room.
  Span span = {};                                   // The lifetime that callers asked for,
  std::optional<WallTime> deadline = std::nullopt;  // and the deadline it makes.

  // The next four are for keyspaces ordered by timestamp.
  std::optional<WallTime> timestamp = std::nullopt;
  bool own_timestamp = false;    // The caller gave it.
  bool same_timestamp = false;   // The living row is changed, and keeps its timestamp.
  bool ttl_from_commit = false;  // Though it has a timestamp of its own.

  // The rest is for collections.
  bool fresh = false;  // Made by this transaction, and had no member yet.
  std::uint64_t collection_id = 0;
  std::uint64_t members = 0;  // As stored: the dead ones included.
  std::uint64_t mortal = 0;
  std::uint64_t dead = 0;
  std::optional<WallTime> first_deadline = std::nullopt;  // As in Collection.
  std::optional<WallTime> last_deadline = std::nullopt;   // If all are mortal; for readers of rows.
  bool named = false;                                     // Its name is stored, maybe an older one.

  std::uint64_t living_members() const { return members - dead; }

  // Takes a stored member, dead or not, out of the counts, or a living one into them.
  void CountOut(const std::optional<WallTime>& member_deadline, WallTime now) {
    --members;
    if (member_deadline) --mortal;
    if (IsDead(member_deadline, now)) --dead;
    if (mortal == 0) first_deadline.reset();
  }
  void CountIn(const std::optional<WallTime>& member_deadline) {
    ++members;
    if (!member_deadline) return;
    ++mortal;
    first_deadline = std::min(first_deadline.value_or(*member_deadline), *member_deadline);
  }

  bool TtlCountsFromTimestamp() const { return own_timestamp && !ttl_from_commit; }
  WallTime TtlFrom(WallTime now) const { return TtlCountsFromTimestamp() ? *timestamp : now; }
};
static_assert(std::is_trivially_copyable_v<RowDraftState>);

struct RowDraft : RowDraftState {
  std::string value;  // Or the head; unless it is the stored one.

  RowDraftState& state() { return *this; }
  const RowDraftState& state() const { return *this; }
};

struct BufferedRow {
  KeyState key_state;  // What is stored. Views point into it, so a BufferedRow must not move.
  Bytes stored_value;  // The payload, or the head.
  std::optional<Bytes> stored_parts;  // Of a collection, if they are in the row.
  RowDraft draft;
  std::uint64_t saved_in = 0;  // The epoch of the transaction whose mark can restore the draft.
  Stripe stripe = 0;           // Of the key.

  bool dirty() const { return draft.dirty; }
  bool Shows(WallTime now) const {
    return draft.kind != RowDraft::Kind::kAbsent && !IsDead(draft.deadline, now) &&
           (draft.kind == RowDraft::Kind::kPlain || draft.living_members() > 0);
  }
  bool is_collection() const { return draft.kind == RowDraft::Kind::kCollection; }
  Bytes value() const { return draft.stored_value ? stored_value : Bytes(draft.value); }
  const RowView* stored() const { return key_state.stored ? &*key_state.stored : nullptr; }

  // Frees the memory of a stored value that was replaced and will be read again at the commit.
  void ForgetStoredValue() {
    stored_value = {};
    stored_parts.reset();
    if (key_state.stored) key_state.stored->payload = {};
    key_state.pin.Reset();
  }

  // What is stored, to be read again: the draft keeps no view of it.
  KeyState& ToReread() {
    if (draft.stored_value) draft.value = std::string(stored_value);
    draft.stored_value = false;
    stored_value = {};
    stored_parts.reset();
    return key_state;
  }

  // As new, but for the memory of the value, which has room for so many bytes.
  std::size_t Reset() {
    key_state.pin.Recycle(kSpareDraftBytesMax);
    key_state.stored.reset();
    key_state.marker.reset();
    stored_value = {};
    stored_parts.reset();
    draft.value.clear();
    draft.state() = {};
    saved_in = 0;
    return draft.value.capacity();
  }

  // The timestamp of the key's newest write, the transaction's own included.
  std::optional<WallTime> newest() const {
    return draft.timestamp ? draft.timestamp : key_state.newest();
  }

  // When the row dies: as callers set it, or with the last member if all are mortal.
  std::optional<WallTime> DiesAt() const {
    if (!draft.deadline || !draft.last_deadline) {
      return draft.deadline ? draft.deadline : draft.last_deadline;
    }
    return std::min(*draft.deadline, *draft.last_deadline);
  }

  // The draft as a row, with the deadline that callers set. Of a collection: its head.
  RowView view() const {
    RowView row{.deadline = draft.deadline, .payload = value(), .timestamp = newest()};
    if (is_collection()) row.collection_id = draft.collection_id;
    return row;
  }
};

// The draft of a plain row, or of none, as a change. It points into the row.
inline Change ChangeOf(const RowDraft& draft, Bytes value) {
  Change change =
      draft.kind == RowDraft::Kind::kPlain ? Change::Put(value, draft.span) : Change::Delete();
  (draft.own_timestamp ? change.timestamp : change.not_before) = draft.timestamp;
  change.evicts = draft.evicted && change.kind == Change::Kind::kDelete;
  change.same_timestamp = draft.same_timestamp;
  change.ttl_from_now = draft.ttl_from_commit;
  return change;
}

// The draft of a member or a side.
struct MemberDraft {
  bool dirty = false;
  bool present = false;  // Dead or not, if it is stored; alive, or born dead, if it is dirty.
  std::string value = {};
  std::optional<WallTime> deadline = std::nullopt;
  std::optional<Millis> ttl = std::nullopt;  // What the deadline was made of, if it was a ttl.
};

struct BufferedMember {
  std::optional<RowView> stored;  // Its payload points into `stored_value`. Not kept of sides.
  std::string stored_value;
  MemberDraft draft;
  bool known = false;          // Of a side that is not dirty: the draft is what is stored.
  std::uint64_t saved_in = 0;  // As above.

  bool dirty() const { return draft.dirty; }
  bool Shows(WallTime now) const { return draft.present && !IsDead(draft.deadline, now); }
  bool IsBornDead(WallTime now) const { return draft.present && IsDead(draft.deadline, now); }
  Bytes value() const { return draft.value; }

  // As BufferedRow::Reset().
  std::size_t Reset() {
    stored.reset();
    stored_value.clear();
    draft.value.clear();
    draft = {.value = std::move(draft.value)};
    known = false;
    saved_in = 0;
    return stored_value.capacity() + draft.value.capacity();
  }
};

using BufferedRows = DraftMap<BufferedRow>;

// Late writes, by key and timestamp: a newer write of the key exists, so they become history.
using LateDrafts = std::map<std::pair<std::string, WallTime>, RowDraft>;

using BufferedMembers = DraftMap<BufferedMember>;

// The members and sides of one collection.
struct BufferedCollection {
  BufferedCollection(KeyspaceId keyspace, std::uint64_t collection_id, bool is_stored,
                     std::uint64_t epoch)
      : keys(keyspace, collection_id),
        is_new(!is_stored),
        made_in(is_stored ? 0 : epoch),
        stored(is_stored) {}

  const PartKeys keys;
  const bool is_new;            // This transaction made it,
  const std::uint64_t made_in;  // in this epoch: rolling back a change in it rolls back all.
  bool stored;                  // There may be stored parts of it; staged parts, if it is new.
  std::optional<Bytes> packed;  // The stored parts, if they are in the row, which they point into.
  bool stored_mortal = false;   // Some stored members have a deadline and may be dead.
  bool staged = false;          // Parts were written before the row.
  std::size_t draft_parts = 0;  // Put since then.
  std::size_t draft_bytes = 0;
  BufferedMembers members;
  BufferedMembers sides;
};

using BufferedCollections = std::map<std::uint64_t, BufferedCollection>;

}  // namespace mayfly::core
