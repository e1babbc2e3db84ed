// list.h - lists: values in sequence, accessed from both ends and by position.
//   head    | 'l' | first index i64, little endian | where its pieces are, if it has several |
//   member  | index i64, big endian, sign bit flipped |  ->  value
// Byte order is index order, below zero too. A list that was only changed at its ends has indexes
// without gaps: position p is at index first + p. A change in the middle splits the list into
// pieces, and no value moves (list_pieces.h); only a short list of one piece moves the values of
// its shorter side instead, and stays one piece. A push or pop at an end touches one member.
// Layout: docs/formats/types.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "types/list_pieces.h"

namespace mayfly::types {

enum class ListEnd : std::uint8_t { kHead, kTail };

// A list within a latched transaction; a key without a row is an empty list, as with Hash.
// Positions count from 0 at the head and must be below size() unless a call says otherwise.
// Threads: one at a time.
class List {
 public:
  // WrongType when the key holds another type, Corruption when the head cannot be read.
  static Result<List> Open(core::TransactionKeyspace& space, Bytes key);

  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Whether the list was empty when it was opened, and is not now.
  bool is_new() const { return was_empty_ && size_ > 0; }

  Result<std::string> At(std::uint64_t position) const;
  Status Set(std::uint64_t position, Bytes value);

  // Pushes the values one by one: those pushed at the head end up in reverse.
  Status Push(ListEnd end, std::span<const Bytes> values);

  // Removes and returns up to `count` values, from the end inwards.
  Result<std::vector<std::string>> Pop(ListEnd end, std::uint64_t count);

  // Inserts a value before the one at `position`; size() appends.
  Status Insert(std::uint64_t position, Bytes value);

  // Removes the values at these positions, which ascend.
  Status Remove(std::span<const std::uint64_t> positions);

  // Keeps only the values in [begin, end).
  Status Trim(std::uint64_t begin, std::uint64_t end);

  // Visits the values from `position` on, towards the tail or the head, until the visitor returns
  // false.
  using Visitor = FunctionRef<bool(std::uint64_t position, Bytes value)>;
  Status WalkToTail(std::uint64_t position, Visitor visit) const;
  Status WalkToHead(std::uint64_t position, Visitor visit) const;

 private:
  List(core::TransactionKeyspace& space, Bytes key, std::uint64_t size, const ListShape& shape)
      : space_(&space), key_(key), was_empty_(size == 0), size_(size), pieces_(space, key, shape) {}

  // These are for a list of one piece that fills its lane.
  bool is_plain() const { return pieces_.shape().is_plain(); }
  bool is_short() const;
  std::int64_t first() const { return pieces_.shape().front.first; }
  std::int64_t IndexOf(std::uint64_t position) const;
  void SetPlain(std::int64_t first, std::uint64_t size);

  Result<std::int64_t> Find(std::uint64_t position) const;
  Status PutAt(std::int64_t index, Bytes value, bool known_new);
  Status RemoveAt(std::int64_t index);
  Status RemoveIndexes(std::int64_t begin, std::int64_t end);
  Status WriteHead();
  Status ShiftOpen(std::uint64_t position, Bytes value);
  Status ShiftTowardsHead(std::span<const std::uint64_t> holes);
  Status ShiftTowardsTail(std::span<const std::uint64_t> holes);
  Status Rewrite(const std::vector<std::string>& values);
  Status RewriteIfScattered();
  Status Walk(std::uint64_t position, bool to_tail, Visitor visit) const;
  // The values in [begin, end) without those at `holes`; no hole may lie before `begin`.
  Result<std::vector<std::string>> Read(std::uint64_t begin, std::uint64_t end,
                                        std::span<const std::uint64_t> holes = {}) const;

  core::TransactionKeyspace* space_;
  Bytes key_;
  bool was_empty_;
  std::uint64_t size_;
  ListPieces pieces_;
};

}  // namespace mayfly::types
