#include "core/transactions/held_keys.h"

#include <algorithm>

namespace mayfly::core {

Status HeldKeys::Hold(std::span<const Target> targets) {
  if (targets.empty()) return {};
  bool alike = true;
  for (const Target& target : targets) {
    (target.writes ? alone_ : shared_).set(target.stripe);
    alike = alike && target.keyspace == targets.front().keyspace;
  }
  if (alike) {
    MAYFLY_RETURN_IF_ERROR(HoldGate(*targets.front().keyspace));
  } else {
    std::vector<KeyspaceState*> keyspaces;
    keyspaces.reserve(targets.size());
    for (const Target& target : targets) keyspaces.push_back(target.keyspace);
    MAYFLY_RETURN_IF_ERROR(HoldGates(std::move(keyspaces)));
  }
  if (targets.size() > 1) {
    latches_.emplace(store_.latches(), alone_, shared_);
  } else if (targets.front().writes) {
    latch_ = store_.latches().Lock(targets.front().stripe);
  } else {
    shared_latch_ = store_.latches().LockShared(targets.front().stripe);
  }
  return {};
}

Status HeldKeys::HoldEverything() {
  everything_ = true;
  kept_ = store_.catalog().All();
  std::vector<KeyspaceState*> keyspaces;
  keyspaces.reserve(kept_.size());
  for (const auto& keyspace : kept_) keyspaces.push_back(keyspace.get());
  // A keyspace may be dropped before its gate is held; then it is not used any more.
  MAYFLY_RETURN_IF_ERROR(HoldGates(std::move(keyspaces)));
  alone_ = StripeSet::All();
  latches_.emplace(store_.latches(), alone_);
  return {};
}

Status HeldKeys::HoldGate(KeyspaceState& keyspace) {
  only_ = &keyspace;
  only_gate_ = std::shared_lock(keyspace.gate());
  return store_.CheckUsable(keyspace);
}

Status HeldKeys::HoldGates(std::vector<KeyspaceState*> keyspaces) {
  const auto by_id = [](const KeyspaceState* a, const KeyspaceState* b) {
    return a->id() < b->id();
  };
  std::sort(keyspaces.begin(), keyspaces.end(), by_id);
  keyspaces.erase(std::unique(keyspaces.begin(), keyspaces.end()), keyspaces.end());
  keyspaces_ = std::move(keyspaces);
  gates_.reserve(keyspaces_.size());
  for (KeyspaceState* const keyspace : keyspaces_) {
    gates_.emplace_back(keyspace->gate());
    if (!everything_) MAYFLY_RETURN_IF_ERROR(store_.CheckUsable(*keyspace));
  }
  return {};
}

bool HeldKeys::HoldsGate(const KeyspaceState& keyspace) const {
  return only_ == &keyspace ||
         std::find(keyspaces_.begin(), keyspaces_.end(), &keyspace) != keyspaces_.end();
}

void HeldKeys::Release() {
  latches_.reset();
  latch_ = {};
  shared_latch_ = {};
  gates_.clear();
  only_gate_ = {};
}

}  // namespace mayfly::core
