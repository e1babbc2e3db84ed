// Implements the transactions of kvstore.h.
#include "capi/kvstore_call.h"

using namespace mayfly;  // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::kvstore;  // NOLINT(google-build-using-namespace)

namespace {

Status NoTransaction() { return Status::Invalid("there is no transaction; begin one"); }

}  // namespace

int kvstore_begin(KVStore* pKV, int wrflag) {
  return CallAlone(pKV, [&](Store& store) -> Status {
    if (store.in_transaction()) {
      return Status::Invalid("a transaction is open already; commit it or roll it back");
    }
    if (wrflag == 0) {
      MAYFLY_TRY(store.snapshot, store.database->NewSnapshot());
      return {};
    }
    MAYFLY_RETURN_IF_ERROR(store.CheckWritable());
    MAYFLY_TRY(store.transaction, store.database->Begin());
    return {};
  });
}

int kvstore_commit(KVStore* pKV) {
  return CallAlone(pKV, [&](Store& store) -> Status {
    if (!store.in_transaction()) return NoTransaction();
    if (store.snapshot != nullptr) {
      store.EndTransaction(false);
      return {};
    }
    {
      // Iterators read the transaction's state, which the commit ends.
      const std::lock_guard lock(store.iterators_mutex);
      for (KVIterator* const iterator : store.iterators) {
        if (iterator->of_transaction) iterator->Park();
      }
    }
    Status committed = store.transaction->Commit(store.options.durability);
    store.EndTransaction(committed.ok());
    MAYFLY_RETURN_IF_ERROR(committed);
    return store.Committed();
  });
}

int kvstore_rollback(KVStore* pKV) {
  return CallAlone(pKV, [&](Store& store) -> Status {
    if (!store.in_transaction()) return NoTransaction();
    store.EndTransaction(false);
    return {};
  });
}
