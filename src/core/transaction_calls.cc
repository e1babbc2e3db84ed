#include "core/transaction_calls.h"

#include <fmt/format.h>

#include <cassert>
#include <shared_mutex>

#include "base/coding.h"
#include "base/printable.h"
#include "core/keyspace_calls.h"
#include "core/limits.h"
#include "core/liveness.h"

namespace mayfly::core {
namespace {

KeyspaceId KeyspaceOf(Bytes row_key) {
  KeyspaceId id = 0;
  const bool whole = EatBigEndian32(row_key, id);
  assert(whole);
  (void)whole;
  return id;
}

}  // namespace

class TransactionCalls::Writer final : public WriteCalls<KeyspaceWriter> {
 public:
  Writer(TransactionCalls& owner, std::shared_ptr<KeyspaceState> keyspace)
      : owner_(owner), keyspace_(std::move(keyspace)) {}

  const std::shared_ptr<KeyspaceState>& keyspace() const { return keyspace_; }

 private:
  View MakeView() const override {
    return {.store = *owner_.store_,
            .keyspace = *keyspace_,
            .now = owner_.now_,
            .snapshot = owner_.state_.get(),
            .overlay = &owner_.overlay_,
            .reads = &owner_.reads_,
            .over = owner_.state_ == nullptr};
  }
  WriteRule Rule() const override { return WriteRule(*owner_.store_, *keyspace_); }
  Status ApplyDecision(Bytes key, Decide decide) override {
    return owner_.ApplyDecision(*keyspace_, key, decide);
  }

  TransactionCalls& owner_;
  const std::shared_ptr<KeyspaceState> keyspace_;  // Shared with the catalog and handles.
};

TransactionCalls::TransactionCalls(std::shared_ptr<Store> store,
                                   std::unique_ptr<engine::Snapshot> state, WallTime now)
    : store_(std::move(store)), state_(std::move(state)), now_(now) {}

TransactionCalls::~TransactionCalls() = default;

Result<std::unique_ptr<Transaction>> TransactionCalls::Begin(std::shared_ptr<Store> store) {
  // In this order, as in Freeze().
  MAYFLY_TRY(auto state, store->engine().NewSnapshot());
  const WallTime now = store->clock().Now();
  return std::unique_ptr<Transaction>(
      new TransactionCalls(std::move(store), std::move(state), now));
}

KeyspaceWriter& TransactionCalls::In(const Keyspace& keyspace) {
  const KeyspaceCalls& calls = KeyspaceCalls::Of(keyspace, *store_);
  auto& writer = writers_[calls.state().id()];
  if (writer == nullptr) writer = std::make_unique<Writer>(*this, calls.shared_state());
  return *writer;
}

Status TransactionCalls::CheckActive() const {
  if (state_ != nullptr) [[likely]]
    return {};
  return Status::Invalid("the transaction is over; begin another");
}

Status TransactionCalls::SetSavepoint() {
  MAYFLY_RETURN_IF_ERROR(CheckActive());
  savepoints_.push_back(undo_.size());
  return {};
}

Status TransactionCalls::RollbackToSavepoint() {
  MAYFLY_RETURN_IF_ERROR(CheckActive());
  if (savepoints_.empty()) return Status::Invalid("there is no savepoint; set one first");
  while (undo_.size() > savepoints_.back()) {
    Undo& undo = undo_.back();
    if (undo.before) {
      overlay_[undo.row_key] = std::move(*undo.before);
    } else {
      overlay_.erase(undo.row_key);
    }
    undo_.pop_back();
  }
  savepoints_.pop_back();
  return {};
}

Status TransactionCalls::ApplyDecision(KeyspaceState& keyspace, Bytes key, Decide decide) {
  MAYFLY_RETURN_IF_ERROR(CheckActive());
  const View view{.store = *store_,
                  .keyspace = keyspace,
                  .now = now_,
                  .snapshot = state_.get(),
                  .overlay = &overlay_,
                  .reads = &reads_};
  MAYFLY_RETURN_IF_ERROR(store_->CheckWritable());
  PinnedBytes pin;
  std::optional<RowView> row;
  MAYFLY_RETURN_IF_ERROR(FindRow(view, key, pin, row));
  MAYFLY_TRY(const Change change, decide(row ? &*row : nullptr, now_));
  if (change.kind == Change::Kind::kNothing) return {};
  if (overlay_.size() + reads_.size() >= kTransactionKeysMax) {
    return Status::Invalid(fmt::format(
        "the transaction touches more than {} keys; commit it in parts", kTransactionKeysMax));
  }
  Pending pending;
  if (change.kind == Change::Kind::kPut) {
    MAYFLY_RETURN_IF_ERROR(CheckUserValue(change.payload));
    pending.present = true;
    pending.payload = change.payload;
    pending.span = change.span;
    // To keep the lifetime of a row of its own is to keep what was asked: a ttl counts from the
    // commit still.
    const auto own = overlay_.find(Bytes(RowKey(keyspace.id(), key)));
    if (change.span.kept && own != overlay_.end()) pending.span = own->second.span;
    MAYFLY_TRY(pending.deadline, DeadlineOf(pending.span, now_));
  }
  SetPending(std::string(Bytes(RowKey(keyspace.id(), key))), std::move(pending));
  return {};
}

void TransactionCalls::SetPending(std::string row_key, Pending pending) {
  const auto [at, fresh] = overlay_.try_emplace(row_key);
  if (!savepoints_.empty()) {
    undo_.push_back({std::move(row_key), fresh ? std::nullopt : std::optional(at->second)});
  }
  at->second = std::move(pending);
}

Status TransactionCalls::Commit(Durability durability) {
  MAYFLY_RETURN_IF_ERROR(CheckActive());
  std::vector<Event> events;
  const Status committed = overlay_.empty() ? Status() : CommitChanges(durability, events);
  Rollback();
  if (committed.code() == StatusCode::kConflict) ++store_->counts().conflicts;
  MAYFLY_RETURN_IF_ERROR(committed);
  store_->events().Deliver(events);
  return {};
}

void TransactionCalls::Rollback() {
  state_.reset();
  overlay_.clear();
  reads_.clear();
  undo_.clear();
  savepoints_.clear();
}

Status TransactionCalls::CommitChanges(Durability durability, std::vector<Event>& events) {
  MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
  // Gates in the order of ids, then latches in the order of stripes.
  std::vector<std::shared_lock<std::shared_mutex>> gates;
  for (const auto& [id, writer] : writers_) {
    gates.emplace_back(writer->keyspace()->gate());
    MAYFLY_RETURN_IF_ERROR(store_->CheckUsable(*writer->keyspace()));
  }
  for (const auto& [row_key, pending] : overlay_) reads_.emplace(row_key);
  KeyLatches::Stripes stripes;
  for (const std::string& row_key : reads_) {
    stripes.set(StripeOf(KeyspaceOf(row_key), UserKeyOf(row_key)));
  }
  const KeyLatches::Many latches(store_->latches(), stripes);
  CommitPlan plan(store_->clock().Now());
  for (const std::string& row_key : reads_) {
    KeyspaceState& keyspace = *writers_.at(KeyspaceOf(row_key))->keyspace();
    MAYFLY_RETURN_IF_ERROR(CheckUnchanged(keyspace, UserKeyOf(row_key), plan.now()));
  }
  for (const auto& [row_key, pending] : overlay_) {
    KeyspaceState& keyspace = *writers_.at(KeyspaceOf(row_key))->keyspace();
    MAYFLY_RETURN_IF_ERROR(PlanChange(plan, keyspace, UserKeyOf(row_key), pending));
  }
  if (plan.empty() && plan.events().empty()) return {};
  MAYFLY_RETURN_IF_ERROR(store_->Commit(plan, durability));
  events = std::move(plan.events());
  return {};
}

Status TransactionCalls::CheckUnchanged(KeyspaceState& keyspace, Bytes key, WallTime now) const {
  PinnedBytes then_pin;
  PinnedBytes now_pin;
  std::optional<RowView> then_row;
  std::optional<RowView> now_row;
  MAYFLY_RETURN_IF_ERROR(store_->ReadStored(keyspace, key, state_.get(), then_pin, then_row));
  MAYFLY_RETURN_IF_ERROR(store_->ReadStored(keyspace, key, nullptr, now_pin, now_row));
  if (then_row && IsDead(then_row->deadline, now)) then_row.reset();
  if (now_row && IsDead(now_row->deadline, now)) now_row.reset();
  const bool same = then_row.has_value() == now_row.has_value() &&
                    (!then_row || then_pin.view() == now_pin.view());
  if (same) return {};
  return Status::Conflict(
      fmt::format("key '{}' in keyspace '{}' was changed by somebody else; begin again",
                  Printable(key), Printable(keyspace.name())));
}

Status TransactionCalls::PlanChange(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                                    const Pending& pending) const {
  PinnedBytes pin;
  std::optional<RowView> stored;
  MAYFLY_RETURN_IF_ERROR(store_->ReadStored(keyspace, key, nullptr, pin, stored));
  const Stripe stripe = StripeOf(keyspace.id(), key);
  if (!pending.present) {
    if (stored) plan.Remove(keyspace, stripe, key, *stored, EventCause::kReplaced);
    return {};
  }
  MAYFLY_TRY(const auto deadline, DeadlineOf(pending.span, plan.now()));
  if (pending.span.clamped) ++store_->counts().clamped_lifetimes;
  plan.Put(keyspace, stripe, key, stored ? &*stored : nullptr, deadline, pending.payload);
  return {};
}

}  // namespace mayfly::core
