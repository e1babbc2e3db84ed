// hash.h - hashes: fields with values, each with an optional deadline of its own.
//   head    | 'h' | removed (worn_members.h) |
//   member  | MemberKey(field) |  ->  value
// Fields lie in the order of member_key.h, so that scans need no memory and draws are fair. A dead
// field is absent for every call here, the count included, since core decides what lives. With its
// last field a hash is removed. Layout: docs/formats/types.md.
#pragma once

#include <cstdint>
#include <memory>

#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::types {

// A hash within a latched transaction. A key without a row is an empty hash, which is made with its
// first field. Borrows the space and the key. While it is in use the key must not be changed in
// other ways. Threads: one at a time.
class Hash {
 public:
  // WrongType when the key holds another type.
  static Result<Hash> Open(core::TransactionKeyspace& space, Bytes key);

  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Whether the hash was empty when it was opened, and is not now.
  bool is_new() const { return was_empty_ && size_ > 0; }

  Status Find(Bytes field, core::FoundMember& found) const;

  // True when the field is new. The lifetime must not be over: remove the field instead.
  Result<bool> Put(Bytes field, Bytes value,
                   core::MemberLifetime lifetime = core::MemberLifetime::Forever());

  // True when the field existed.
  Result<bool> Remove(Bytes field);

  // A cursor over the fields, as member keys; null when the hash is empty. Must be destroyed before
  // the hash is changed.
  Result<std::unique_ptr<core::MemberCursor>> NewCursor() const;

 private:
  Hash(core::TransactionKeyspace& space, Bytes key, std::uint64_t size, std::uint64_t removed)
      : space_(&space), key_(key), was_empty_(size == 0), size_(size), removed_(removed) {}

  core::TransactionKeyspace* space_;
  Bytes key_;
  bool was_empty_;
  std::uint64_t size_;
  std::uint64_t removed_;  // As in the head.
};

}  // namespace mayfly::types
