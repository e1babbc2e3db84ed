// own_rows.h - what a work has looked at in order to change it, and what it makes of it.
// Of each row and member there are two things: what is stored, read once under the latch, and its
// fate, which the work may change and take back. A fate that is not dirty is what is stored.
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

struct RowFate {
  enum class Kind : std::uint8_t { kAbsent, kPlain, kCollection };

  Kind kind = Kind::kAbsent;
  bool dirty = false;
  bool changed = false;       // It is among Work::changed().
  bool clamped = false;       // The policy changed the lifetime that was asked.
  bool stored_value = false;  // The value, or head, is the stored one.
  std::string value = {};     // Or the head; unless it is the stored one.
  std::optional<WallTime> deadline = std::nullopt;  // What callers set.

  // The rest is of collections.
  bool fresh = false;  // Made by this work, and had no member yet.
  std::uint64_t version = 0;
  std::uint64_t members = 0;  // As they would be stored: with those that are dead.
  std::uint64_t mortal = 0;
  std::uint64_t dead = 0;
  std::optional<WallTime> first_deadline = std::nullopt;  // As in Collection.
  bool named = false;                                     // Its name is stored, maybe an older one.

  std::uint64_t living_members() const { return members - dead; }
};

struct OwnRow {
  PinnedBytes pin;                // What `stored` points into; so it stays where it was made.
  std::optional<RowView> stored;  // Dead or not.
  Bytes stored_value;             // The payload, or the head.
  RowFate fate;
  std::uint64_t saved_in = 0;  // The epoch of the work whose mark can restore the fate.

  bool dirty() const { return fate.dirty; }
  bool Shows(WallTime now) const {
    return fate.kind != RowFate::Kind::kAbsent && !IsDead(fate.deadline, now) &&
           (fate.kind == RowFate::Kind::kPlain || fate.living_members() > 0);
  }
  bool is_collection() const { return fate.kind == RowFate::Kind::kCollection; }
  Bytes value() const { return fate.stored_value ? stored_value : Bytes(fate.value); }
};

// Of a member or a side.
struct MemberFate {
  bool dirty = false;
  bool present = false;  // Dead or not, if it is stored; alive, or born dead, if it is dirty.
  std::string value = {};
  std::optional<WallTime> deadline = std::nullopt;
};

struct OwnMember {
  std::optional<RowView> stored;  // Its payload points into `stored_value`; unknown of sides.
  std::string stored_value;
  MemberFate fate;
  std::uint64_t saved_in = 0;  // As above.

  bool dirty() const { return fate.dirty; }
  bool Shows(WallTime now) const { return fate.present && !IsDead(fate.deadline, now); }
  bool IsBornDead(WallTime now) const { return fate.present && IsDead(fate.deadline, now); }
  Bytes value() const { return fate.value; }
};

using OwnRows = std::map<std::string, OwnRow, std::less<>>;
using OwnMembers = std::map<std::string, OwnMember, std::less<>>;

// The parts of one version of a collection.
struct OwnCollection {
  OwnCollection(KeyspaceId keyspace, std::uint64_t version, bool is_stored, std::uint64_t epoch)
      : keys(keyspace, version),
        is_new(!is_stored),
        made_in(is_stored ? 0 : epoch),
        stored(is_stored) {}

  const PartKeys keys;
  const bool is_new;            // This work made it,
  const std::uint64_t made_in;  // in this epoch: what takes back a change in it takes back all.
  bool stored;                  // The engine may have parts of it; staged ones, if it is new.
  bool stored_mortal = false;   // Some stored members have a deadline and may be dead.
  bool staged = false;          // Parts were written before the row.
  std::size_t draft_parts = 0;  // Put since then.
  std::size_t draft_bytes = 0;
  OwnMembers members;
  OwnMembers sides;
};

using OwnCollections = std::map<std::uint64_t, OwnCollection>;

}  // namespace mayfly::core
