#include "core/upkeep/collection_restore.h"

#include "core/layout/limits.h"
#include "core/transactions/latched_transaction_impl.h"

namespace mayfly::core {

Status CollectionRestore::Add(Part part, Bytes name, Bytes value,
                              std::optional<WallTime> deadline) {
  empty_ = false;
  pending_.push_back({part, std::string(name), std::string(value), deadline});
  return pending_.size() < kRestoreBatchRows ? Status() : Flush();
}

Result<bool> CollectionRestore::Finish() {
  MAYFLY_RETURN_IF_ERROR(Flush());
  return exists_;
}

Status CollectionRestore::Flush() {
  if (pending_.empty()) return {};
  const LatchedTransactionImpl::Target target[] = {{&keyspace_, StripeOf(keyspace_.id(), key_)}};
  MAYFLY_TRY(const auto transaction, LatchedTransactionImpl::Begin(store_, target, false));
  WriteBuffer& space = transaction->In(keyspace_);
  FoundRow row;
  MAYFLY_RETURN_IF_ERROR(space.Find(key_, row));
  if (!row.exists) MAYFLY_RETURN_IF_ERROR(space.MakeCollectionUntil(key_, head_, deadline_));
  // Dead members are not restored and leave no event: they had one where they died.
  if (!IsDead(deadline_, transaction->now())) {
    for (const Fresh& fresh : pending_) {
      if (IsDead(fresh.deadline, transaction->now())) continue;
      if (fresh.part == Part::kSides) {
        MAYFLY_RETURN_IF_ERROR(space.PutSide(key_, fresh.name, fresh.value));
        continue;
      }
      const auto lifetime =
          fresh.deadline ? MemberLifetime::Until(*fresh.deadline) : MemberLifetime::Forever();
      MAYFLY_RETURN_IF_ERROR(
          space.PutMember(key_, fresh.name, fresh.value, lifetime, /*known_new=*/true).status());
    }
  }
  pending_.clear();
  MAYFLY_RETURN_IF_ERROR(space.Find(key_, row));
  exists_ = row.exists;
  return transaction->Commit(Durability::kNone);
}

}  // namespace mayfly::core
