// Implements transactions and snapshots of c.h.
#include <fmt/format.h>

#include "capi/handles.h"

namespace mayfly::capi {
namespace {

Status CheckTransaction(const mayfly_transaction* transaction) {
  MAYFLY_RETURN_IF_ERROR(Need(transaction, "the transaction"));
  if (!transaction->owner->over) return {};
  return Status::Invalid("the transaction is over; begin another");
}

// Busy while a cursor of the transaction is open.
Status CheckNoCursors(const ViewOwner& owner) {
  const std::uint64_t cursors = owner.open_cursors.load();
  if (cursors == 0) return {};
  return Status::Busy(
      fmt::format("{} cursors of the transaction are open; close them first", cursors));
}

}  // namespace
}  // namespace mayfly::capi

using namespace mayfly;        // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::capi;  // NOLINT(google-build-using-namespace)

int mayfly_begin(mayfly_database* database, mayfly_transaction** transaction) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(transaction, "the place for the transaction"));
    *transaction = nullptr;
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_TRY(auto begun, (*database)->Begin());
    *transaction = NewHandle(
        mayfly_transaction{std::make_shared<TransactionOwner>(database->shared, std::move(begun))});
    return {};
  });
}

int mayfly_transaction_view(mayfly_transaction* transaction, mayfly_keyspace* keyspace,
                            mayfly_view** view) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(view, "the place for the view"));
    *view = nullptr;
    MAYFLY_RETURN_IF_ERROR(CheckTransaction(transaction));
    MAYFLY_RETURN_IF_ERROR(Need(keyspace, "the keyspace"));
    MAYFLY_RETURN_IF_ERROR(CheckSameDatabase(*transaction->owner, *keyspace));
    KeyspaceWriter& writer = transaction->owner->transaction->In(**keyspace);
    *view = transaction->owner->ViewOf(writer, &writer);
    return {};
  });
}

int mayfly_transaction_now(mayfly_transaction* transaction, int64_t* now_ms) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(transaction, "the transaction"));
    MAYFLY_RETURN_IF_ERROR(Need(now_ms, "the place for the instant"));
    *now_ms = ToMs(transaction->owner->transaction->now());
    return {};
  });
}

int mayfly_set_savepoint(mayfly_transaction* transaction) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(CheckTransaction(transaction));
    return transaction->owner->transaction->SetSavepoint();
  });
}

int mayfly_rollback_to_savepoint(mayfly_transaction* transaction) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(CheckTransaction(transaction));
    return transaction->owner->transaction->RollbackToSavepoint();
  });
}

int mayfly_commit(mayfly_transaction* transaction, int durability) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(CheckTransaction(transaction));
    TransactionOwner& owner = *transaction->owner;
    MAYFLY_RETURN_IF_ERROR(CheckNoCursors(owner));
    MAYFLY_TRY(const Durability wanted, ToDurability(durability, owner.shared->durability));
    owner.over = true;
    return owner.transaction->Commit(wanted);
  });
}

int mayfly_rollback(mayfly_transaction* transaction) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(CheckTransaction(transaction));
    MAYFLY_RETURN_IF_ERROR(CheckNoCursors(*transaction->owner));
    transaction->owner->over = true;
    transaction->owner->transaction->Rollback();
    return {};
  });
}

void mayfly_release_transaction(mayfly_transaction* transaction) noexcept { delete transaction; }

int mayfly_take_snapshot(mayfly_database* database, mayfly_snapshot** snapshot) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(snapshot, "the place for the snapshot"));
    *snapshot = nullptr;
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_TRY(auto taken, (*database)->NewSnapshot());
    *snapshot = NewHandle(
        mayfly_snapshot{std::make_shared<SnapshotOwner>(database->shared, std::move(taken))});
    return {};
  });
}

int mayfly_snapshot_view(mayfly_snapshot* snapshot, mayfly_keyspace* keyspace,
                         mayfly_view** view) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(view, "the place for the view"));
    *view = nullptr;
    MAYFLY_RETURN_IF_ERROR(Need(snapshot, "the snapshot"));
    MAYFLY_RETURN_IF_ERROR(Need(keyspace, "the keyspace"));
    MAYFLY_RETURN_IF_ERROR(CheckSameDatabase(*snapshot->owner, *keyspace));
    *view = snapshot->owner->ViewOf(snapshot->owner->snapshot->In(**keyspace), nullptr);
    return {};
  });
}

int mayfly_snapshot_now(mayfly_snapshot* snapshot, int64_t* now_ms) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(snapshot, "the snapshot"));
    MAYFLY_RETURN_IF_ERROR(Need(now_ms, "the place for the instant"));
    *now_ms = ToMs(snapshot->owner->snapshot->now());
    return {};
  });
}

void mayfly_release_snapshot(mayfly_snapshot* snapshot) noexcept { delete snapshot; }
