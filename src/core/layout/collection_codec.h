// collection_codec.h - the bytes of a collection: its row, the keys of its parts, its orphan.
//   rows     payload of a row with a id:
//            | flags u8 | members varint | mortal varint | own deadline u64, if flagged |
//            | first deadline u64, if any member is mortal | dead varint, if flagged | head |
//   members  | keyspace u32 BE | kPartsOfCollections | collection id u64 BE | part u8 | ... |
//            part kMember: | member | -> row      part kSide: | side | -> row
//            part kOrder:  | deadline_ms u64 BE | member | -> empty, for each mortal member
//            part kName:   -> row with the user's key, once a member has been mortal
//   meta     | 'o' | keyspace u32 BE | collection id u64 BE | -> | ended_ms u64 |
// Parts belong to a id, a number that no other collection of the database ever has, and not
// to a key: so a collection gets another key at the cost of its row. Where the key must be found
// from a part, for a member that is due and for its event, the name has it: it is written with the
// first mortal member and again with every new key. The row's own field of a deadline says when the
// collection dies: as callers set it, or with the last member if all are mortal, whichever is
// earlier. What callers set is in the payload. Counts are of what is stored, dead members included;
// the order tells how many those are, beyond what the row says, and which dies last, without a walk
// over the members.
// An orphan is what is left of a collection whose row went, dead or deleted at `ended`. Its record
// does not have the key: what is in meta is not purged with the row. Layout: docs/formats/row.md.
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

// What a collection's row says; the head points into the payload.
struct Collection {
  std::uint64_t members = 0;                            // Stored, dead ones included.
  std::uint64_t mortal = 0;                             // Of these, with a deadline.
  std::optional<WallTime> own_deadline = std::nullopt;  // As callers set it.

  // Of the stored members exactly `dead` die before `first_deadline`, so that those are not counted
  // again while they wait for their purge. If there are any, they were counted at the instant
  // before it: at an earlier one, which a clock that was set right may show, they count for
  // nothing.
  std::optional<WallTime> first_deadline = std::nullopt;
  std::uint64_t dead = 0;
  bool named = false;  // It has a part kName, with its key.
  Bytes head = {};

  bool all_mortal() const { return mortal == members; }
};

void AppendCollection(std::string& out, const Collection& collection);

// Corruption when the bytes are too short or contradict themselves.
Result<Collection> DecodeCollection(Bytes payload);

// Of a row: whether it is a collection's of which a member has a deadline. Reads no further than
// that; what cannot be read has none.
bool HasMortalMembers(const RowView& row);

// When the row dies. `last` is the latest deadline of its members; asked only if all are mortal.
std::optional<WallTime> DeadlineOf(const Collection& collection, std::optional<WallTime> last);

// Stored; append, never renumber.
enum class PartKind : char { kMember = 1, kSide = 2, kOrder = 3, kName = 4 };

// The keys of one version's parts, in `members`, the keyspace in front.
class PartKeys {
 public:
  PartKeys(KeyspaceId keyspace, std::uint64_t collection_id);

  std::string Of(PartKind part, Bytes name) const;
  std::string OfOrder(WallTime deadline, Bytes member) const;
  std::string OfName() const { return Begin(PartKind::kName); }

  // All of one part, or of all, lie in [begin, end).
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

// A part's key, given without the keyspace, taken apart; nothing when it is none.
struct PartKeyView {
  std::uint64_t collection_id;
  PartKind part;
  Bytes name;  // Points into the given bytes.
};
std::optional<PartKeyView> DecodePartKey(Bytes member_key);

// Of a pair in `members`: when it dies. Nothing when it does not, or is no part of a collection.
std::optional<WallTime> DeadlineOfPart(Bytes member_key, Bytes value);

// Whether the key, given without the keyspace, is a part's and not a id's.
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
