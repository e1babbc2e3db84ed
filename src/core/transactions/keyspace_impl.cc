#include "core/transactions/keyspace_impl.h"

#include <typeinfo>

#include "base/check.h"

namespace mayfly::core {

Status KeyspaceImpl::SetPolicy(const KeyspacePolicy& policy) {
  MAYFLY_RETURN_IF_ERROR(store_->CheckUsable(*state_));
  const Status set = store_->catalog().SetPolicy(*state_, policy, store_->clock().Now());
  store_->watch().WakeAll();  // The new promise may be due first.
  return set;
}

Status KeyspaceImpl::Clear() {
  MAYFLY_RETURN_IF_ERROR(store_->CheckUsable(*state_));
  MAYFLY_RETURN_IF_ERROR(store_->catalog().Clear(*state_, store_->clock().Now()));
  store_->meter().Recount(*state_);
  store_->NoteMassRemoval();
  store_->watch().WakeAll();
  return {};
}

const KeyspaceImpl& KeyspaceImpl::Of(const Keyspace& keyspace, const Store& store) {
  if (typeid(keyspace) != typeid(KeyspaceImpl)) throw std::bad_cast();
  const auto& calls = static_cast<const KeyspaceImpl&>(keyspace);
  MAYFLY_CHECK(calls.store_.get() == &store, "a keyspace of another database");
  return calls;
}

}  // namespace mayfly::core
