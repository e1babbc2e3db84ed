// keyspace_impl.h - implements Keyspace: each call is atomic by itself, at the clock's instant.
#pragma once

#include <memory>

#include "core/transactions/calls.h"

namespace mayfly::core {

class KeyspaceImpl final : public WriteCalls<Keyspace> {
 public:
  KeyspaceImpl(std::shared_ptr<Store> store, std::shared_ptr<KeyspaceState> state)
      : store_(std::move(store)), state_(std::move(state)) {}

  const std::string& name() const override { return state_->name(); }
  KeyspacePolicy policy() const override {
    return store_->is_owner() ? state_->policy() : KeyspacePolicy();
  }
  Status SetPolicy(const KeyspacePolicy& policy) override;
  Status Clear() override;

  KeyspaceState& state() const { return *state_; }
  const std::shared_ptr<KeyspaceState>& shared_state() const { return state_; }

  // The implementation behind a public handle. A handle of another database fails a check.
  static const KeyspaceImpl& Of(const Keyspace& keyspace, const Store& store);

 private:
  View MakeView() const override {
    // After Close() the clock may be gone; the view is refused then, whatever its instant.
    Status followed = store_->Follow();
    const WallTime now = store_->is_open() ? store_->clock().Now() : WallTime();
    if (store_->is_open()) store_->KeepTime(now);
    return {.store = *store_,
            .keyspace = *state_,
            .now = now,
            .trouble = std::move(followed),
            .may_purge = true};
  }
  WriteRule Rule() const override { return {*store_, *state_}; }
  Status Apply(Bytes key, Decide decide) override { return store_->Mutate(*state_, key, decide); }

  // Both are shared with the database and other handles. They outlive the database, so that late
  // calls fail with a Status.
  const std::shared_ptr<Store> store_;
  const std::shared_ptr<KeyspaceState> state_;
};

}  // namespace mayfly::core
