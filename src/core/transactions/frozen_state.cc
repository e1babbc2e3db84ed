#include "core/transactions/frozen_state.h"

#include <optional>
#include <utility>

#include "core/commit/whole_value.h"
#include "core/layout/keys.h"
#include "core/reads/packed_cursor.h"
#include "core/reads/reads.h"
#include "core/store/store_of.h"
#include "core/transactions/row_source.h"
#include "core/transactions/write_buffers.h"

namespace mayfly::core {
namespace {

// Stored rows of one state, without a read set.
class FrozenRows final : public RowSource {
 public:
  FrozenRows(Store& store, std::shared_ptr<OpenStates::State> state)
      // What is read stays as it is.
      : RowSource(/*is_latched=*/true), store_(store), state_(std::move(state)) {}

  Status CheckUse(const KeyspaceState& keyspace) const override {
    return store_.CheckUsable(keyspace);
  }
  Status CheckRead(const KeyspaceState& keyspace, Bytes, Stripe) const override {
    return CheckUse(keyspace);
  }
  Status CheckWrite(const KeyspaceState&, Bytes, Stripe) const override { return Refused(); }
  Status CheckClear(const KeyspaceState&) const override { return Refused(); }

  bool HoldsAlone(Stripe) const override { return false; }

  Status ReadRow(KeyspaceState& keyspace, Bytes key, PinnedBytes& pin,
                 std::optional<RowView>& row) override {
    MAYFLY_TRY(const auto state, State());
    return store_.ReadStored(keyspace, key, state.get(), pin, row);
  }
  Status ShowWhole(const KeyspaceState& keyspace, PinnedBytes& pin, RowView& row) override {
    MAYFLY_TRY(const auto state, State());
    return core::ShowWhole(store_.engine(), keyspace.id(), state.get(), pin, row);
  }
  Status ReadPart(const KeyspaceState&, Bytes, Bytes part_key, PinnedBytes& pin) override {
    MAYFLY_TRY(const auto state, State());
    return store_.engine().Get({engine::Role::kMembers}, part_key, pin, state.get());
  }
  Result<std::unique_ptr<engine::Cursor>> NewPartCursor(const KeyspaceState&, Bytes,
                                                        const PartKeys& keys,
                                                        std::optional<Bytes> packed,
                                                        const engine::KeyRange& range) override {
    MAYFLY_TRY(const auto state, State());
    return core::NewPartCursor(store_.engine(), keys, packed,
                               {.range = range, .snapshot = state.get()});
  }
  Result<std::shared_ptr<const engine::Snapshot>> State() const override {
    auto lent = state_->Lend();
    if (lent == nullptr) return StateRevoked();
    return lent;
  }
  Result<std::shared_ptr<const engine::Snapshot>> StateOfRows() const override { return State(); }
  WallTime FirstDeadline(const KeyspaceState&) const override { return WallTimeFromMs(0); }

 private:
  static Status Refused() { return Status::Internal("a frozen state is not written to"); }

  Status ReadMarker(const KeyspaceState& keyspace, Bytes key,
                    std::optional<VersionView>& marker) override {
    MAYFLY_TRY(const auto state, State());
    PinnedBytes pin;  // A marker has no payload to point at.
    return store_.ReadVersion(keyspace, MarkerKey(key), state.get(), pin, marker);
  }

  Store& store_;
  const std::shared_ptr<OpenStates::State> state_;  // Shared with the other readers.
};

class FrozenReaderImpl final : public FrozenReader {
 public:
  FrozenReaderImpl(Store& store, std::shared_ptr<OpenStates::State> state, WallTime now)
      : rows_(store, std::move(state)), buffers_(store, rows_) {
    buffers_.set_now(now);
  }

  TransactionKeyspace& In(const Keyspace& keyspace) override { return buffers_.In(keyspace); }
  void Forget() override {
    buffers_.Discard(rows_);
    static_cast<void>(buffers_.TakeMetDead());
  }

 private:
  FrozenRows rows_;
  WriteBuffers buffers_;
};

class FrozenStateImpl final : public FrozenState {
 public:
  FrozenStateImpl(Store& store, std::shared_ptr<OpenStates::State> state, WallTime now)
      : store_(store), state_(std::move(state)), now_(now) {}

  WallTime now() const override { return now_; }
  std::unique_ptr<FrozenReader> NewReader() const override {
    return std::make_unique<FrozenReaderImpl>(store_, state_, now_);
  }

 private:
  Store& store_;
  const std::shared_ptr<OpenStates::State> state_;  // Shared with the readers.
  const WallTime now_;
};

}  // namespace

Result<std::unique_ptr<FrozenState>> FreezeState(Database& database,
                                                 std::optional<WallTime> judged_at) {
  Store& store = StoreOf(database);
  MAYFLY_RETURN_IF_ERROR(store.CheckOpen());
  // In this order, as in Freeze().
  MAYFLY_TRY(auto state, store.states().Open(StateKind::kTransaction, store.clock().Now()));
  const WallTime now = judged_at.value_or(store.clock().Now());
  return std::unique_ptr<FrozenState>(
      std::make_unique<FrozenStateImpl>(store, std::move(state), now));
}

}  // namespace mayfly::core
