// collection_codec.h - the bytes of a collection: its row, the keys of its parts, its orphan.
//   rows     payload of a row with a collection id:
//            | flags u8 | members varint | mortal varint | own deadline u64, if flagged |
//            | first deadline u64, if any member is mortal | dead varint, if flagged | head |
//            or, if flagged, | head size varint | head | its parts |, see packed_parts.h
//   members  | keyspace u32 BE | kPartsOfCollections | collection id u64 BE | part u8 | ... |
//            part kMember: | member | -> row      part kSide: | side | -> row
//            part kOrder:  | deadline_ms u64 BE | member | -> empty, for each mortal member
//            part kName:   -> row with the user's key, once a member has been mortal
//   meta     | 'o' | keyspace u32 BE | collection id u64 BE | -> | ended_ms u64 |
// Parts belong to a collection id, which no other collection of the database ever has, and not to a
// key: so moving a collection to another key costs the write of its row. Where the key must be
// found from a part, for a member that is due and for its event, it is in the name, which is
// written with the first mortal member and again with every new key. The deadline field of the row
// says when the collection dies: as callers set it, or with the last member if all are mortal,
// whichever is earlier. The deadline that callers set is in the payload. Counts include dead
// members. The order tells how many members are dead, beyond those the row counts, and which dies
// last, without a scan of the members.
// An orphan is the rest of a collection whose row was removed, dead or deleted at `ended`. Its
// record does not have the key, because meta is not purged with the row. Layout:
// docs/formats/row.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/layout/keys.h"
#include "core/layout/row_codec.h"
#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::core {

// A decoded row of a collection; the head points into the payload.
struct Collection {
  std::uint64_t members = 0;                            // Stored, dead ones included.
  std::uint64_t mortal = 0;                             // Of these, with a deadline.
  std::optional<WallTime> own_deadline = std::nullopt;  // As callers set it.

  // Of the stored members exactly `dead` die before `first_deadline`, so that they are not counted
  // again while they wait for their purge. If `dead` > 0, they were counted at the instant before
  // `first_deadline`: at an earlier one, which a corrected clock may show, the count is void.
  std::optional<WallTime> first_deadline = std::nullopt;
  std::uint64_t dead = 0;
  bool named = false;  // It has a part kName, with its key.
  Bytes head = {};
  std::optional<Bytes> packed = std::nullopt;  // Its parts, if they have no rows of their own.

  bool all_mortal() const { return mortal == members; }
};

void AppendCollection(std::string& out, const Collection& collection);

// Corruption when the bytes are too short or contradict themselves.
Result<Collection> DecodeCollection(Bytes payload);

// Whether the row is a collection with a mortal member. Reads no further than that; false when the
// row cannot be read.
bool HasMortalMembers(const RowView& row);

// Whether the row is a collection with its parts in it.
bool IsPacked(const RowView& row);

// When the row dies. `last` is the latest deadline of its members; used only if all are mortal.
std::optional<WallTime> DeadlineOf(const Collection& collection, std::optional<WallTime> last);

// Stored; append, never renumber.
enum class PartKind : char { kMember = 1, kSide = 2, kOrder = 3, kName = 4 };

// The keys of one collection's parts in `members`, with the keyspace in front.
class PartKeys {
 public:
  PartKeys(KeyspaceId keyspace, std::uint64_t collection_id);

  RowKey Of(PartKind part, Bytes name) const {
    const char kind = static_cast<char>(part);
    return RowKey(prefix_, Bytes(&kind, 1), name);
  }
  std::string OfOrder(WallTime deadline, Bytes member) const;
  std::string OfName() const { return Begin(PartKind::kName); }

  // The keys of one kind of part, or of all kinds, lie in [begin, end).
  std::string Begin(PartKind part) const { return prefix_ + static_cast<char>(part); }
  std::string End(PartKind part) const {
    return prefix_ + static_cast<char>(static_cast<char>(part) + 1);
  }
  const std::string& begin() const { return prefix_; }
  std::string end() const { return prefix_ + '\xff'; }

  // Bytes of a key before the name.
  std::size_t name_at() const { return prefix_.size() + 1; }

 private:
  std::string prefix_;
};

// The name within the key of an order row, which begins with the deadline.
struct OrderName {
  WallTime deadline;
  Bytes member;
};
std::optional<OrderName> DecodeOrderName(Bytes name);

// Decodes a part's key, given without the keyspace; nothing when it is none.
struct PartKeyView {
  std::uint64_t collection_id;
  PartKind part;
  Bytes name;  // Points into the given bytes.
};
std::optional<PartKeyView> DecodePartKey(Bytes member_key);

// When a pair in `members` dies; nothing when it does not, or is no part of a collection.
std::optional<WallTime> DeadlineOfPart(Bytes member_key, Bytes value);

// Whether the key, given without the keyspace, is a part's and not a version's.
bool IsPartKey(Bytes member_key);

struct Orphan {
  KeyspaceId keyspace;
  std::uint64_t collection_id;
  WallTime ended;  // Members that were dead by then have died; the others were deleted.
};

std::string OrphanKey(KeyspaceId keyspace, std::uint64_t collection_id);
std::string EncodeOrphan(WallTime ended);
Result<Orphan> DecodeOrphan(Bytes meta_key, Bytes value);

}  // namespace mayfly::core
