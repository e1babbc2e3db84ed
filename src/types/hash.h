// hash.h - fields with values, each with a deadline of its own if it has one.
//   head    | 'h' | removed (worn_members.h) |
//   member  | MemberKey(field) |  ->  value
// Fields lie in the order of member_key.h, so that scans need no memory and draws are fair. A dead
// field is absent for every call here, the count included, since core says what lives. With its
// last field a hash goes. Layout: docs/formats/types.md.
#pragma once

#include <cstdint>
#include <memory>

#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::types {

// A hash within a latched transaction, there or not yet: what is not there is empty and comes to be
// with its first field. Borrows the space and the key. While it is in use nobody else changes the
// key.
class Hash {
 public:
  // WrongType when the key holds something else.
  static Result<Hash> Open(core::LatchedKeyspace& space, Bytes key);

  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Whether it was not there when it was opened, and is now.
  bool is_new() const { return was_empty_ && size_ > 0; }

  Status Find(Bytes field, core::FoundMember& found) const;

  // True when the field is new. A lifetime that is over is a mistake: remove the field instead.
  Result<bool> Put(Bytes field, Bytes value,
                   core::MemberLifetime lifetime = core::MemberLifetime::Forever());

  // True when the field was there.
  Result<bool> Remove(Bytes field);

  // Over the fields, as member keys; null when it is empty. As MemberCursor says, it must be gone
  // before the hash is changed.
  Result<std::unique_ptr<core::MemberCursor>> NewCursor() const;

 private:
  Hash(core::LatchedKeyspace& space, Bytes key, std::uint64_t size, std::uint64_t removed)
      : space_(&space), key_(key), was_empty_(size == 0), size_(size), removed_(removed) {}

  core::LatchedKeyspace* space_;
  Bytes key_;
  bool was_empty_;
  std::uint64_t size_;
  std::uint64_t removed_;  // As the head says.
};

}  // namespace mayfly::types
