#include "core/transactions/keyspace_calls.h"

#include "base/check.h"

namespace mayfly::core {

Status KeyspaceCalls::SetPolicy(const KeyspacePolicy& policy) {
  MAYFLY_RETURN_IF_ERROR(store_->CheckUsable(*state_));
  const Status set = store_->catalog().SetPolicy(*state_, policy, store_->clock().Now());
  store_->watch().WakeAll();  // A promise that was just made may be what comes next.
  return set;
}

Status KeyspaceCalls::Clear() {
  MAYFLY_RETURN_IF_ERROR(store_->CheckUsable(*state_));
  MAYFLY_RETURN_IF_ERROR(store_->catalog().Clear(*state_, store_->clock().Now()));
  store_->NoteMassRemoval();
  store_->watch().WakeAll();
  return {};
}

const KeyspaceCalls& KeyspaceCalls::Of(const Keyspace& keyspace, const Store& store) {
  const auto& calls = dynamic_cast<const KeyspaceCalls&>(keyspace);
  MAYFLY_CHECK(calls.store_.get() == &store, "a keyspace of another database");
  return calls;
}

}  // namespace mayfly::core
