#include "core/transactions/latched_rows.h"

#include "core/commit/whole_value.h"
#include "core/layout/keys.h"
#include "core/reads/packed_cursor.h"

namespace mayfly::core {

Status LatchedRows::Freeze() {
  for (const auto& keyspace : store_.catalog().All()) {
    watermarks_.emplace(keyspace->id(), keyspace->watermark());
  }
  MAYFLY_TRY(state_, store_.states().Open(StateKind::kCall, store_.clock().Now()));
  return {};
}

void LatchedRows::End() {
  over_ = true;
  state_.reset();
}

Status LatchedRows::CheckUse(const KeyspaceState& keyspace) const {
  if (over_) return Status::Invalid("the transaction is over; begin another");
  return store_.CheckUsable(keyspace);
}

Status LatchedRows::Check(const KeyspaceState& keyspace, Bytes key, Stripe stripe) const {
  MAYFLY_RETURN_IF_ERROR(CheckUse(keyspace));
  if (!key.empty()) MAYFLY_RETURN_IF_ERROR(CheckUserKey(key));  // An empty key is allowed here.
  if (held_.HoldsGate(keyspace) && held_.Holds(stripe)) [[likely]]
    return {};
  return Status::Internal("a key that the transaction was not begun with");
}

Status LatchedRows::CheckWrite(const KeyspaceState& keyspace, Bytes key, Stripe stripe) const {
  MAYFLY_RETURN_IF_ERROR(store_.CheckWritable());
  MAYFLY_RETURN_IF_ERROR(Check(keyspace, key, stripe));
  if (held_.HoldsAlone(stripe)) [[likely]]
    return {};
  return Status::Internal("a key that the transaction was begun with to read it alone");
}

Status LatchedRows::CheckClear(const KeyspaceState& keyspace) const {
  MAYFLY_RETURN_IF_ERROR(CheckUse(keyspace));
  MAYFLY_RETURN_IF_ERROR(store_.CheckWritable());
  if (held_.everything() && held_.HoldsGate(keyspace)) return {};
  return Status::Internal("a transaction must be begun with everything to clear a keyspace");
}

Status LatchedRows::ShowWhole(const KeyspaceState& keyspace, PinnedBytes& pin, RowView& row) {
  return core::ShowWhole(store_.engine(), keyspace.id(), nullptr, pin, row);
}

Status LatchedRows::ReadPart(const KeyspaceState&, Bytes, Bytes part_key, PinnedBytes& pin) {
  return store_.engine().Get({engine::Role::kMembers}, part_key, pin);
}

Result<std::unique_ptr<engine::Cursor>> LatchedRows::NewPartCursor(const KeyspaceState&, Bytes,
                                                                   const PartKeys& keys,
                                                                   std::optional<Bytes> packed,
                                                                   const engine::KeyRange& range) {
  return core::NewPartCursor(store_.engine(), keys, packed, {.range = range});
}

Result<std::shared_ptr<const engine::Snapshot>> LatchedRows::State() const {
  return std::shared_ptr<const engine::Snapshot>();
}

Result<std::shared_ptr<const engine::Snapshot>> LatchedRows::StateOfRows() const {
  if (held_.everything()) return std::shared_ptr<const engine::Snapshot>();
  if (state_ != nullptr) return state_->Lend();
  return Status::Internal("a transaction that walks over rows must be begun so");
}

WallTime LatchedRows::FirstDeadline(const KeyspaceState& keyspace) const {
  if (state_ == nullptr) return keyspace.watermark();
  const auto found = watermarks_.find(keyspace.id());
  return found == watermarks_.end() ? WallTimeFromMs(0) : found->second;
}

Status LatchedRows::ReadMarker(const KeyspaceState& keyspace, Bytes key,
                               std::optional<VersionView>& marker) {
  PinnedBytes pin;  // A marker has no payload to point at.
  return store_.ReadVersion(keyspace, MarkerKey(key), nullptr, pin, marker);
}

}  // namespace mayfly::core
