// drafts.h - the rows and members that a latched transaction has loaded in order to change them.
// Each row and member has a stored state, read once under the latch, and a draft, which the
// transaction may change and roll back. Until `dirty`, the draft equals the stored state.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "core/layout/collection_codec.h"
#include "core/layout/liveness.h"
#include "core/layout/row_codec.h"
#include "mayfly/pinned_bytes.h"

namespace mayfly::core {

struct RowDraft {
  enum class Kind : std::uint8_t { kAbsent, kPlain, kCollection };

  Kind kind = Kind::kAbsent;
  bool dirty = false;
  bool changed = false;                             // It is among LatchedTransaction::changed().
  bool clamped = false;                             // The policy changed the requested lifetime.
  bool stored_value = false;                        // The value, or head, is the stored one.
  std::string value = {};                           // Or the head; unless it is the stored one.
  std::optional<WallTime> deadline = std::nullopt;  // As callers set it.

  // The rest is for collections.
  bool fresh = false;  // Made by this transaction, and had no member yet.
  std::uint64_t collection_id = 0;
  std::uint64_t members = 0;  // As stored: the dead ones included.
  std::uint64_t mortal = 0;
  std::uint64_t dead = 0;
  std::optional<WallTime> first_deadline = std::nullopt;  // As in Collection.
  bool named = false;                                     // Its name is stored, maybe an older one.

  std::uint64_t living_members() const { return members - dead; }
};

struct BufferedRow {
  PinnedBytes pin;                // `stored` points into it, so a BufferedRow must not move.
  std::optional<RowView> stored;  // Dead or not.
  Bytes stored_value;             // The payload, or the head.
  RowDraft draft;
  std::uint64_t saved_in = 0;  // The epoch of the transaction whose mark can restore the draft.

  bool dirty() const { return draft.dirty; }
  bool Shows(WallTime now) const {
    return draft.kind != RowDraft::Kind::kAbsent && !IsDead(draft.deadline, now) &&
           (draft.kind == RowDraft::Kind::kPlain || draft.living_members() > 0);
  }
  bool is_collection() const { return draft.kind == RowDraft::Kind::kCollection; }
  Bytes value() const { return draft.stored_value ? stored_value : Bytes(draft.value); }
};

// The draft of a member or a side.
struct MemberDraft {
  bool dirty = false;
  bool present = false;  // Dead or not, if it is stored; alive, or born dead, if it is dirty.
  std::string value = {};
  std::optional<WallTime> deadline = std::nullopt;
};

struct BufferedMember {
  std::optional<RowView> stored;  // Its payload points into `stored_value`. Not read for sides.
  std::string stored_value;
  MemberDraft draft;
  std::uint64_t saved_in = 0;  // As above.

  bool dirty() const { return draft.dirty; }
  bool Shows(WallTime now) const { return draft.present && !IsDead(draft.deadline, now); }
  bool IsBornDead(WallTime now) const { return draft.present && IsDead(draft.deadline, now); }
  Bytes value() const { return draft.value; }
};

using BufferedRows = std::map<std::string, BufferedRow, std::less<>>;
using BufferedMembers = std::map<std::string, BufferedMember, std::less<>>;

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
  bool stored;                  // The engine may have parts of it; staged parts, if it is new.
  bool stored_mortal = false;   // Some stored members have a deadline and may be dead.
  bool staged = false;          // Parts were written before the row.
  std::size_t draft_parts = 0;  // Put since then.
  std::size_t draft_bytes = 0;
  BufferedMembers members;
  BufferedMembers sides;
};

using BufferedCollections = std::map<std::uint64_t, BufferedCollection>;

}  // namespace mayfly::core
