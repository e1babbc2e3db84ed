// writes.h - all public writes, each as a decision about one key.
// A write decides what becomes of a key given its living row. Its target applies the decision, at
// once under a latch or later in a transaction.
#pragma once

#include <optional>

#include "core/store/store.h"
#include "mayfly/keyspace.h"

namespace mayfly::core {

// A keyspace's rule for lifetimes, with the policy that it refers to, unless that outlives it.
class WriteRule {
 public:
  // Refers to `policy`.
  WriteRule(const Store& store, const KeyspacePolicy& policy) : rule_(store.RuleOf(policy)) {}

  // Of a stored keyspace, with its present policy.
  WriteRule(const Store& store, const KeyspaceState& keyspace)
      : own_(store.is_owner() ? keyspace.policy() : KeyspacePolicy()), rule_(store.RuleOf(*own_)) {}

  WriteRule(const WriteRule&) = delete;
  WriteRule& operator=(const WriteRule&) = delete;

  const LifetimeRule& operator*() const { return rule_; }
  const LifetimeRule* operator->() const { return &rule_; }

 private:
  const std::optional<KeyspacePolicy> own_;
  const LifetimeRule rule_;
};

// A keyspace to write to: the stored one, or that of a transaction.
class WriteTarget {
 public:
  virtual WriteRule Rule() const = 0;
  virtual Status Apply(Bytes key, Decide decide) = 0;

 protected:
  ~WriteTarget() = default;
};

Result<bool> WriteIf(WriteTarget& target, Bytes key, Bytes value, const PutCondition& condition,
                     Lifetime lifetime);
Result<bool> DeleteRow(WriteTarget& target, Bytes key);
Result<bool> EvictRow(WriteTarget& target, Bytes key);
Result<bool> WriteAt(WriteTarget& target, Bytes key, Bytes value, WallTime timestamp,
                     Lifetime lifetime);
Result<bool> DeleteAt(WriteTarget& target, Bytes key, WallTime timestamp);
Status UpdateRow(WriteTarget& target, Bytes key, const KeyspaceWriter::UpdateFunction& update,
                 Lifetime lifetime);
Result<bool> ExpireRow(WriteTarget& target, Bytes key, Lifetime lifetime, DeadlineIf condition);
Result<Row> TouchRow(WriteTarget& target, Bytes key, Lifetime lifetime);

}  // namespace mayfly::core
