#include "core/transactions/transaction_impl.h"

#include <cassert>

#include "core/layout/keys.h"
#include "core/transactions/held_keys.h"
#include "core/transactions/keyspace_impl.h"
#include "core/transactions/latched_rows.h"

namespace mayfly::core {
namespace {

KeyspaceId KeyspaceIdOf(Bytes row_key) {
  const auto id = KeyspaceOf(row_key);
  assert(id);
  return *id;
}

}  // namespace

class TransactionImpl::Writer final : public WriteCalls<KeyspaceWriter> {
 public:
  Writer(TransactionImpl& owner, std::shared_ptr<KeyspaceState> keyspace, WriteBuffer& buffer)
      : owner_(owner), keyspace_(std::move(keyspace)), buffer_(buffer) {}

  KeyspaceState& keyspace() const { return *keyspace_; }
  WriteBuffer& buffer() const { return buffer_; }

 private:
  View MakeView() const override {
    View view = owner_.rows_.ViewOf(*keyspace_, &buffer_.rows());
    view.trouble = buffer_.SetLastDeadlines();
    return view;
  }
  WriteRule Rule() const override { return {*owner_.store_, *keyspace_}; }
  Status Apply(Bytes key, Decide decide) override {
    return buffer_.Apply(key, decide, WriteBuffer::Values::kWhole);
  }

  TransactionImpl& owner_;
  const std::shared_ptr<KeyspaceState> keyspace_;  // Shared with the catalog and handles.
  WriteBuffer& buffer_;
};

TransactionImpl::TransactionImpl(std::shared_ptr<Store> store,
                                 std::shared_ptr<OpenStates::State> state, WallTime now)
    : store_(std::move(store)),
      now_(now),
      rows_(*store_, std::move(state), now),
      buffers_(*store_, rows_) {
  buffers_.set_now(now);
}

TransactionImpl::~TransactionImpl() = default;

Result<std::unique_ptr<Transaction>> TransactionImpl::Begin(std::shared_ptr<Store> store) {
  MAYFLY_RETURN_IF_ERROR(store->Follow());
  // In this order, as in Freeze().
  MAYFLY_TRY(auto state, store->states().Open(StateKind::kTransaction, store->clock().Now()));
  const WallTime now = store->clock().Now();
  store->KeepTime(now);
  return std::unique_ptr<Transaction>(new TransactionImpl(std::move(store), std::move(state), now));
}

TransactionImpl::Writer& TransactionImpl::WriterOf(const Keyspace& keyspace) {
  const KeyspaceImpl& calls = KeyspaceImpl::Of(keyspace, *store_);
  auto& writer = writers_[calls.state().id()];
  if (writer == nullptr) {
    writer = std::make_unique<Writer>(*this, calls.shared_state(),
                                      buffers_.In(calls.state(), &keyspace));
  }
  return *writer;
}

KeyspaceWriter& TransactionImpl::In(const Keyspace& keyspace) { return WriterOf(keyspace); }

TransactionKeyspace& TransactionImpl::SpaceOf(const Keyspace& keyspace) {
  return WriterOf(keyspace).buffer();
}

Status TransactionImpl::SetSavepoint() {
  MAYFLY_RETURN_IF_ERROR(rows_.CheckActive());
  buffers_.SetMark();
  return {};
}

Status TransactionImpl::RollbackToSavepoint() {
  MAYFLY_RETURN_IF_ERROR(rows_.CheckActive());
  if (buffers_.marks() == 0) return Status::Invalid("there is no savepoint; set one first");
  buffers_.RollBack(buffers_.marks() - 1);
  buffers_.Release(buffers_.marks() - 1);
  return {};
}

Status TransactionImpl::Commit(Durability durability) {
  MAYFLY_RETURN_IF_ERROR(rows_.CheckActive());
  std::vector<Event> events;
  const Status committed = buffers_.HasDrafts() ? CommitChanges(durability, events)
                                                : rows_.State().status();  // It may be revoked.
  Rollback();
  if (committed.code() == StatusCode::kConflict) ++store_->counts().conflicts;
  MAYFLY_RETURN_IF_ERROR(committed);
  store_->events().Deliver(std::move(events));
  return {};
}

void TransactionImpl::Rollback() {
  rows_.End();
  buffers_.Discard(rows_);
}

Status TransactionImpl::CommitChanges(Durability durability, std::vector<Event>& events) {
  for (const auto& [id, writer] : writers_) {
    MAYFLY_RETURN_IF_ERROR(store_->CheckUsable(writer->keyspace()));
  }
  std::vector<HeldKeys::Target> targets;
  std::vector<BufferedRow*> drafts;  // Of the same keys; null where there is none.
  targets.reserve(rows_.reads().rows().size());
  drafts.reserve(rows_.reads().rows().size());
  for (const auto& [row_key, seen] : rows_.reads().rows()) {
    const Writer& writer = *writers_.at(KeyspaceIdOf(row_key));
    const Bytes key = UserKeyOf(row_key);
    drafts.push_back(writer.buffer().DraftOf(key));
    targets.push_back({.keyspace = &writer.keyspace(),
                       .stripe = StripeOf(writer.keyspace().id(), key),
                       .writes = drafts.back() != nullptr});
  }
  HeldKeys held(*store_);
  MAYFLY_RETURN_IF_ERROR(held.Hold(targets));
  LatchedRows present(*store_, held);
  CommitPlan plan(store_->clock().Now());
  std::size_t i = 0;
  for (const auto& [row_key, seen] : rows_.reads().rows()) {
    KeyspaceState& keyspace = *targets[i].keyspace;
    KeyState spare;
    KeyState& today = drafts[i] != nullptr ? drafts[i]->ToReread() : spare;
    MAYFLY_RETURN_IF_ERROR(store_->ReadKeyState(keyspace, UserKeyOf(row_key), nullptr, today));
    MAYFLY_RETURN_IF_ERROR(
        rows_.CheckUnchanged(keyspace, UserKeyOf(row_key), seen, today, plan.now()));
    ++i;
  }
  MAYFLY_RETURN_IF_ERROR(buffers_.Rebase(present, plan.now()));
  MAYFLY_RETURN_IF_ERROR(buffers_.Plan(plan));
  // Nothing is read from the state any more. While the commit waits for room in memory, rows that
  // only this state needs could not leave it.
  rows_.End();
  MAYFLY_RETURN_IF_ERROR(store_->CommitChanges(plan, durability));
  events = std::move(plan.events());
  return {};
}

TransactionKeyspace& SpaceOf(Transaction& transaction, const Keyspace& keyspace) {
  return dynamic_cast<TransactionImpl&>(transaction).SpaceOf(keyspace);
}

Result<MemberLifetime> MemberLifetimeOf(const Transaction& transaction, Lifetime lifetime) {
  if (lifetime.kind() == Lifetime::Kind::kKeep) return MemberLifetime::Keep();
  const KeyspacePolicy none;
  const LifetimeRule rule = dynamic_cast<const TransactionImpl&>(transaction).RuleOf(none);
  MAYFLY_TRY(const Span span, rule.Apply(lifetime, {}, std::nullopt, transaction.now()));
  switch (span.kind) {
    case Span::Kind::kForever: break;
    case Span::Kind::kFor: return MemberLifetime::For(Millis(span.ms));
    case Span::Kind::kUntil: return MemberLifetime::Until(WallTimeFromMs(span.ms));
  }
  return MemberLifetime::Forever();
}

}  // namespace mayfly::core
