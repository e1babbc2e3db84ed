// writes.h - all public writes, each as a decision about one key.
// A write decides what becomes of a key given its living row. The caller applies the decision, at
// once under a latch or later in a transaction.
#pragma once

#include "core/store/store.h"
#include "mayfly/keyspace.h"

namespace mayfly::core {

// Applies a decision to one key: at once, or in a transaction.
using Apply = FunctionRef<Status(Bytes key, Decide decide)>;

// The keyspace's rule for lifetimes; holds the policy for the length of one write.
struct WriteRule {
  explicit WriteRule(const Store& store, const KeyspaceState& keyspace)
      : policy(store.is_owner() ? keyspace.policy() : std::make_shared<const KeyspacePolicy>()),
        rule(store.RuleOf(*policy)) {}

  std::shared_ptr<const KeyspacePolicy> policy;  // Shared with the keyspace.
  LifetimeRule rule;
};

Result<bool> WriteIf(const LifetimeRule& rule, Apply apply, Bytes key, Bytes value,
                     const PutCondition& condition, Lifetime lifetime);
Result<bool> DeleteRow(Apply apply, Bytes key);
Result<bool> WriteAt(const LifetimeRule& rule, Apply apply, Bytes key, Bytes value,
                     WallTime timestamp, Lifetime lifetime);
Result<bool> DeleteAt(const LifetimeRule& rule, Apply apply, Bytes key, WallTime timestamp);
Status UpdateRow(const LifetimeRule& rule, Apply apply, Bytes key,
                 const KeyspaceWriter::UpdateFunction& update, Lifetime lifetime);
Result<bool> ExpireRow(const LifetimeRule& rule, Apply apply, Bytes key, Lifetime lifetime,
                       DeadlineIf condition);
Result<Row> TouchRow(const LifetimeRule& rule, Apply apply, Bytes key, Lifetime lifetime);

}  // namespace mayfly::core
