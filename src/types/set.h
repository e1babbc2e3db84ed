// set.h - sets: names, each at most once.
//   head "s" | removed (worn_members.h)        member MemberKey(name) -> empty
// A Set is one key within a latched transaction. It exists while it has a name: the first Add()
// makes it, and it is removed with its last name. Borrows the space and the key's bytes. Threads:
// one at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/function_ref.h"
#include "base/random.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::types {

class Set {
 public:
  // WrongType when the key holds another type. A key without a row is an empty set.
  static Result<Set> Open(core::TransactionKeyspace& space, Bytes key);

  // Replaces the key's value, deadline included, by a set of these names, all different and at
  // least one.
  static Status Replace(core::TransactionKeyspace& space, Bytes key,
                        std::span<const std::string> names);

  bool empty() const { return size_ == 0; }
  std::uint64_t size() const { return size_; }

  // Whether the set was empty when it was opened, and is not now.
  bool is_new() const { return was_empty_ && size_ > 0; }

  Result<bool> Contains(Bytes name) const;

  // True when the name is new.
  Result<bool> Add(Bytes name);

  // True when the name was in the set.
  Result<bool> Remove(Bytes name);

  // Removes all names at the cost of removing one.
  Status Clear();

  // Visits every name, in the order of MemberKey(). The set must not change meanwhile.
  Status Walk(FunctionRef<void(Bytes name)> visit) const;

  // Visit names drawn at random, as in random_members.h: different ones, or each out of all.
  Status DrawDistinct(std::uint64_t count, Random& random, FunctionRef<void(Bytes)> visit) const;
  Status DrawWithRepetition(std::uint64_t count, Random& random,
                            FunctionRef<void(Bytes)> visit) const;

 private:
  Set(core::TransactionKeyspace& space, Bytes key, std::uint64_t size, std::uint64_t removed)
      : space_(space), key_(key), was_empty_(size == 0), size_(size), removed_(removed) {}

  core::TransactionKeyspace& space_;
  Bytes key_;  // The caller's.
  bool was_empty_;
  std::uint64_t size_;
  std::uint64_t removed_;  // As in the head.
};

// Builds a set name by name, which replaces the key's value, deadline included; without a name
// nothing changes. A large set is staged before the commit
// (core/transactions/write_buffer_staging.cc).
class NewSet {
 public:
  NewSet(core::TransactionKeyspace& space, Bytes key) : space_(space), key_(key) {}

  // The name must not have been added before.
  Status Add(Bytes name);
  std::uint64_t size() const { return size_; }

 private:
  core::TransactionKeyspace& space_;
  Bytes key_;  // The caller's.
  std::uint64_t size_ = 0;
};

}  // namespace mayfly::types
