// packed_parts.h - the parts of a small collection, within its row.
//   each part: | name size << 1, lowest bit: a side; varint | name | row size varint | row |
// A collection that is small, and has no member with a deadline, keeps its members and sides in its
// row: one row is read and written instead of several. The bytes of a part's row are those it would
// have under a key of its own. Members come before sides, each in the order of their names. Once
// the parts have rows of their own, they keep them as long as the collection lives.
#pragma once

#include <optional>
#include <string>

#include "core/layout/collection_codec.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::core {

// Both views point into the packed bytes.
struct PackedPart {
  PartKind kind = PartKind::kMember;  // Or kSide.
  Bytes name = {};
  Bytes row = {};  // Encoded.

  // As parts are ordered.
  bool IsBefore(PartKind other_kind, Bytes other_name) const {
    return kind != other_kind ? kind < other_kind : name < other_name;
  }
};

// Adds a part that comes after those before it. Its row has a value and nothing else.
void AppendPackedPart(std::string& out, PartKind kind, Bytes name, Bytes value);

// Reads the parts one by one.
class PackedReader {
 public:
  explicit PackedReader(Bytes packed) : rest_(packed) { Next(); }

  // False at the end, and where the bytes are damaged: then status() is Corruption.
  bool Valid() const { return valid_; }
  void Next();

  const PackedPart& part() const { return part_; }
  const char* begin() const { return begin_; }  // Of the part; at the end, of what is left.
  Status status() const;

 private:
  bool Eat();

  Bytes rest_;
  const char* begin_ = nullptr;
  PackedPart part_;
  bool valid_ = false;
  bool damaged_ = false;
};

// How many members lie in the row; 0 when none does. Corruption when parts are damaged, not in
// order, or not like those that a collection may keep in its row.
Result<std::uint64_t> CountPacked(const Collection& collection);

// The encoded row of a part; nothing when there is none of this name.
Result<std::optional<Bytes>> FindPackedPart(Bytes packed, PartKind kind, Bytes name);

}  // namespace mayfly::core
