// list_pieces.h - the pieces of a list that was changed in its middle.
// A list is a sequence of pieces, each of indexes without gaps; a list that was only changed at its
// ends is one piece. Inserting a value splits a piece and adds one of a single value, removing a
// value splits or shortens its piece: no value moves. The first and the last piece are in the head,
// so that pushes and pops at the ends write the head alone. The pieces between them are items of a
// counted order, weighed by their number of values, which finds positions and has at most one row
// per such change.
//   lanes of indexes   | low ... high |: pushes take the next one at either end, never one between
//                      from kMiddleLane on: pieces made in between, kMiddleStride apart, with room
//                      to grow both ways; so values put in one after the other are one piece
// An index is used by one value at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "types/counted_order.h"
#include "types/order_cursor.h"

namespace mayfly::types {

struct ListPiece {
  std::int64_t first = 0;
  std::uint64_t count = 0;

  std::int64_t end() const { return first + static_cast<std::int64_t>(count); }
};

struct ListShape {
  ListPiece front = {};  // Not empty, unless the list is.
  ListPiece back = {};
  std::uint64_t middle = 0;  // Values between them.
  std::int64_t low = 0;      // All indexes of the ends' lane are in [low, high).
  std::int64_t high = 0;
  std::uint64_t made = 0;  // Pieces so far that began in the middle lane.
  OrderRoot root = {};     // Of the order of the middle pieces.

  bool is_one() const { return middle == 0 && back.count == 0; }
  // One piece that fills its lane, and always did.
  bool is_plain() const;
};

// The head of a list; that of a plain one is its first index alone. Layout: docs/formats/types.md.
std::string ListHead(const ListShape& shape);
[[nodiscard]] bool ReadListHead(Bytes head, std::uint64_t size, ListShape& shape);

// The pieces of one list within a latched transaction. Changes the shape, and the order in the
// collection's sides; the caller writes values and head. Positions are as in List.
class ListPieces {
 public:
  ListPieces(core::TransactionKeyspace& space, Bytes key, const ListShape& shape)
      : space_(&space), key_(key), shape_(shape), order_(space, key, shape.root) {}

  const ListShape& shape() const { return shape_; }

  // A piece, and the position of its first value.
  struct Found {
    ListPiece piece;
    std::uint64_t begin = 0;
    enum class Where : std::uint8_t { kFront, kMiddle, kBack } where = Where::kFront;
    std::string item = {};  // The item of the order, for kMiddle.

    std::int64_t IndexOf(std::uint64_t position) const {
      return piece.first + static_cast<std::int64_t>(position - begin);
    }
  };
  Result<Found> Find(std::uint64_t position) const;

  // The next piece towards the tail or the head, which must exist. `walk` is empty on the first
  // call and only used by this function.
  Result<Found> Next(const Found& found, bool to_tail, std::optional<OrderCursor>& walk) const;

  // The index for a pushed value.
  Result<std::int64_t> PushHead();
  Result<std::int64_t> PushTail();

  // Removes values from an end, at least one and at most `count`; the caller repeats for the rest.
  // Must not remove all values of the list.
  Result<ListPiece> DropHead(std::uint64_t count);
  Result<ListPiece> DropTail(std::uint64_t count);

  // The index for a value before the one at `position`, which is not the first.
  Result<std::int64_t> Open(std::uint64_t position);

  // Removes one value, which is not the only one; returns its index.
  Result<std::int64_t> Close(std::uint64_t position);

  // The list has so many pieces, or splits nested so deeply, that rewriting all values is better. A
  // long list is never rewritten for its number of pieces.
  bool IsScattered() const;

 private:
  Status InsertFirst(const ListPiece& piece);
  Status InsertLast(const ListPiece& piece);
  Status InsertBehind(const std::string& item, const ListPiece& piece);
  Status Insert(const std::string& item, const ListPiece& piece);
  Status Set(const Found& found, const ListPiece& piece);
  Status Split(const Found& found, const ListPiece& left, std::optional<ListPiece> between,
               const ListPiece& right);
  Result<ListPiece> TakeFrom(std::uint64_t position);
  Status FillFront();
  Result<std::string> ItemFrom(Bytes from, OrderCursor::Way way) const;
  Result<bool> IsFree(std::int64_t index) const;
  ListPiece NewPiece();

  core::TransactionKeyspace* space_;
  Bytes key_;  // The caller's.
  ListShape shape_;
  CountedOrder order_;
  bool crowded_ = false;
};

// The member of an index.
std::string ListMember(std::int64_t index);

}  // namespace mayfly::types
