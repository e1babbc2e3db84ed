#include "core/transactions/snapshot_impl.h"

#include "core/transactions/keyspace_impl.h"

namespace mayfly::core {

class SnapshotImpl::Reader final : public ReadCalls<KeyspaceReader> {
 public:
  Reader(const SnapshotImpl& owner, std::shared_ptr<KeyspaceState> keyspace)
      : owner_(owner), keyspace_(std::move(keyspace)) {}

 private:
  View MakeView() const override {
    View view{.store = *owner_.store_, .keyspace = *keyspace_, .now = owner_.now_};
    view.ReadFrom(owner_.state_);
    return view;
  }

  const SnapshotImpl& owner_;
  const std::shared_ptr<KeyspaceState>
      keyspace_;  // Shared with the catalog and handles; may be dropped.
};

SnapshotImpl::SnapshotImpl(std::shared_ptr<Store> store, std::shared_ptr<OpenStates::State> state,
                           WallTime now)
    : store_(std::move(store)), state_(std::move(state)), now_(now) {}

SnapshotImpl::~SnapshotImpl() = default;

Result<std::unique_ptr<Snapshot>> SnapshotImpl::Take(std::shared_ptr<Store> store) {
  MAYFLY_RETURN_IF_ERROR(store->Follow());
  // In this order, as in Freeze().
  MAYFLY_TRY(auto state, store->states().Open(StateKind::kSnapshot, store->clock().Now()));
  const WallTime now = store->clock().Now();
  store->KeepTime(now);
  return std::unique_ptr<Snapshot>(new SnapshotImpl(std::move(store), std::move(state), now));
}

const KeyspaceReader& SnapshotImpl::In(const Keyspace& keyspace) {
  const auto& state = KeyspaceImpl::Of(keyspace, *store_).shared_state();
  const std::lock_guard lock(mutex_);
  auto& reader = readers_[state->id()];
  if (reader == nullptr) reader = std::make_unique<Reader>(*this, state);
  return *reader;
}

}  // namespace mayfly::core
