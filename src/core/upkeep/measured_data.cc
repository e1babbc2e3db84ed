#include "core/upkeep/measured_data.h"

#include "core/store/store_of.h"
#include "core/transactions/keyspace_impl.h"

namespace mayfly::core {

DataMeter* FindMeter(Database& database) {
  Store* const store = FindStore(database);
  return store == nullptr ? nullptr : &store->meter();
}

void BeginMeasuring(Database& database, const Keyspace& keyspace) {
  Store& store = StoreOf(database);
  store.meter().Begin(KeyspaceImpl::Of(keyspace, store).shared_state());
}

Result<bool> MeasureMore(Database& database, const Keyspace& keyspace) {
  Store& store = StoreOf(database);
  MAYFLY_RETURN_IF_ERROR(store.CheckOpen());
  return store.meter().CountMore(KeyspaceImpl::Of(keyspace, store).state());
}

}  // namespace mayfly::core
