// Implements the rows of kvstore.h: each call once, for the default family and for named ones.
#include <algorithm>
#include <limits>

#include "capi/kvstore_call.h"
#include "capi/memory.h"

namespace mayfly::kvstore {
namespace {

// A lifetime as the interface states it.
struct Expiry {
  Lifetime lifetime = Lifetime::Forever();
  bool past = false;  // By the store's clock before the write: it will be born dead.
};

Result<Expiry> ToExpiry(const Store& store, std::int64_t expire_ms) {
  if (expire_ms == 0) return Expiry{};
  if (expire_ms < 0) {
    return Status::Invalid("expire_ms is negative; it is an instant since 1970, or 0 for no ttl");
  }
  const WallTime instant = WallTimeFromMs(expire_ms);
  return Expiry{Lifetime::Until(instant), instant <= store.now()};
}

void CountWrite(Store& store, Bytes key, Bytes value) {
  ++store.counts.puts;
  store.counts.bytes_written += key.size() + value.size();
}

Status AfterWrite(Store& store) {
  return store.transaction != nullptr ? Status() : store.Committed();
}

int Put(FamilyHandle* handle, const void* key_data, int key_size, const void* value_data,
        int value_size, std::int64_t expire_ms) {
  return Call(handle, [&](Store& store, Family& family) -> Status {
    Bytes key;
    Bytes value;
    MAYFLY_RETURN_IF_ERROR(TakeKey(key_data, key_size, key));
    MAYFLY_RETURN_IF_ERROR(TakeValue(value_data, value_size, value));
    MAYFLY_RETURN_IF_ERROR(store.CheckWritable());
    MAYFLY_TRY(const Expiry expiry, ToExpiry(store, expire_ms));
    MAYFLY_RETURN_IF_ERROR(store.WriterOf(family).Put(key, value, expiry.lifetime));
    store.Wrote(handle->family, key, expiry.past);
    CountWrite(store, key, value);
    return AfterWrite(store);
  });
}

int PutIfAbsent(FamilyHandle* handle, const void* key_data, int key_size, const void* value_data,
                int value_size, std::int64_t expire_ms, int* inserted) {
  if (inserted != nullptr) *inserted = 0;
  return Call(handle, [&](Store& store, Family& family) -> Status {
    Bytes key;
    Bytes value;
    MAYFLY_RETURN_IF_ERROR(TakeKey(key_data, key_size, key));
    MAYFLY_RETURN_IF_ERROR(TakeValue(value_data, value_size, value));
    MAYFLY_RETURN_IF_ERROR(store.CheckWritable());
    MAYFLY_TRY(const Expiry expiry, ToExpiry(store, expire_ms));
    MAYFLY_TRY(const bool written,
               store.WriterOf(family).PutIf(key, value, PutCondition::Absent(), expiry.lifetime));
    if (!written) return {};
    store.Wrote(handle->family, key, expiry.past);
    CountWrite(store, key, value);
    if (inserted != nullptr) *inserted = 1;
    return AfterWrite(store);
  });
}

int Delete(FamilyHandle* handle, const void* key_data, int key_size) {
  return Call(handle, [&](Store& store, Family& family) -> Status {
    Bytes key;
    MAYFLY_RETURN_IF_ERROR(TakeKey(key_data, key_size, key));
    MAYFLY_RETURN_IF_ERROR(store.CheckWritable());
    MAYFLY_TRY(const bool was_there, store.WriterOf(family).Delete(key));
    store.Wrote(handle->family, key, false);
    if (!was_there) return Status::NotFound();
    ++store.counts.deletes;
    return AfterWrite(store);
  });
}

int Get(FamilyHandle* handle, const void* key_data, int key_size, void** value, int* value_size) {
  if (value != nullptr) *value = nullptr;
  if (value_size != nullptr) *value_size = 0;
  return Call(handle, [&](Store& store, Family& family) -> Status {
    Bytes key;
    MAYFLY_RETURN_IF_ERROR(TakeKey(key_data, key_size, key));
    if (value == nullptr || value_size == nullptr) return NullPlace();
    ++store.counts.gets;
    PinnedBytes found;
    const Status read = store.ReaderOf(family).Get(key, found);
    if (read.IsNotFound()) store.Missed(family, key);
    MAYFLY_RETURN_IF_ERROR(read);
    *value = capi::Copy(found.view()).release();
    *value_size = static_cast<int>(found.view().size());
    store.counts.bytes_read += found.view().size();
    return {};
  });
}

int GetTtl(FamilyHandle* handle, const void* key_data, int key_size, void** value, int* value_size,
           std::int64_t* remaining_ms) {
  if (value != nullptr) *value = nullptr;
  if (value_size != nullptr) *value_size = 0;
  if (remaining_ms != nullptr) *remaining_ms = 0;
  return Call(handle, [&](Store& store, Family& family) -> Status {
    Bytes key;
    MAYFLY_RETURN_IF_ERROR(TakeKey(key_data, key_size, key));
    if (value == nullptr || value_size == nullptr) return NullPlace();
    ++store.counts.gets;
    const auto row = store.ReaderOf(family).GetRow(key);
    if (!row && row.error().IsNotFound()) store.Missed(family, key);
    MAYFLY_RETURN_IF_ERROR(row.status());
    *value = capi::Copy(row->value).release();
    *value_size = static_cast<int>(row->value.size());
    store.counts.bytes_read += row->value.size();
    if (remaining_ms == nullptr) return {};
    // It was alive a moment ago, whatever the clock says since.
    *remaining_ms = row->deadline
                        ? std::max<std::int64_t>((*row->deadline - store.now()).count(), 1)
                        : KVSTORE_NO_TTL;
    return {};
  });
}

int Exists(FamilyHandle* handle, const void* key_data, int key_size, int* exists) {
  if (exists != nullptr) *exists = 0;
  return Call(handle, [&](Store& store, Family& family) -> Status {
    Bytes key;
    MAYFLY_RETURN_IF_ERROR(TakeKey(key_data, key_size, key));
    if (exists == nullptr) return NullPlace();
    MAYFLY_TRY(const bool there, store.ReaderOf(family).Exists(key));
    if (!there) store.Missed(family, key);
    *exists = there ? 1 : 0;
    return {};
  });
}

// In units of `unit_ms`, rounded up.
int Remaining(FamilyHandle* handle, const void* key_data, int key_size, std::int64_t* remaining,
              std::int64_t unit_ms) {
  if (remaining != nullptr) *remaining = 0;
  return Call(handle, [&](Store& store, Family& family) -> Status {
    Bytes key;
    MAYFLY_RETURN_IF_ERROR(TakeKey(key_data, key_size, key));
    if (remaining == nullptr) return NullPlace();
    const auto left = store.ReaderOf(family).Ttl(key);
    if (!left && left.error().IsNotFound()) store.Missed(family, key);
    MAYFLY_RETURN_IF_ERROR(left.status());
    *remaining = *left == kForever ? KVSTORE_NO_TTL : (left->count() - 1) / unit_ms + 1;
    return {};
  });
}

int Purge(FamilyHandle* handle, int* deleted) {
  if (deleted != nullptr) *deleted = 0;
  return Call(handle, [&](Store& store, Family& family) -> Status {
    if (store.options.read_only) return store.CheckWritable();
    // Outside the open transaction: purging dead rows conflicts with nothing.
    MAYFLY_TRY(const PurgeReport report,
               store.database->Purge({.keyspace = family.keyspace.get()}));
    const std::uint64_t rows = report.rows + family.born_dead.ForgetAll();
    store.counts.purged += rows;
    constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
    if (deleted != nullptr) *deleted = static_cast<int>(std::min(rows, kMost));
    return {};
  });
}

// Deletes row by row: a transaction has no other way to clear.
Status ClearWithin(KeyspaceWriter& writer) {
  std::vector<std::string> keys;
  {
    MAYFLY_TRY(const auto cursor, writer.NewCursor());
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) keys.emplace_back(cursor->key());
    MAYFLY_RETURN_IF_ERROR(cursor->status());
  }
  for (const std::string& key : keys) MAYFLY_RETURN_IF_ERROR(writer.Delete(key).status());
  return {};
}

int Clear(FamilyHandle* handle) {
  return Call(handle, [&](Store& store, Family& family) -> Status {
    MAYFLY_RETURN_IF_ERROR(store.CheckWritable());
    if (store.transaction != nullptr) return ClearWithin(store.WriterOf(family));
    MAYFLY_RETURN_IF_ERROR(family.keyspace->Clear());
    family.born_dead.ForgetAll();
    return AfterWrite(store);
  });
}

int Count(FamilyHandle* handle, std::int64_t* count) {
  if (count != nullptr) *count = 0;
  return Call(handle, [&](Store& store, Family& family) -> Status {
    if (count == nullptr) return NullPlace();
    MAYFLY_TRY(const std::uint64_t rows, store.ReaderOf(family).Count());
    *count = static_cast<std::int64_t>(rows);
    return {};
  });
}

constexpr std::int64_t kSecondMs = 1000;

}  // namespace
}  // namespace mayfly::kvstore

using namespace mayfly;  // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::kvstore;  // NOLINT(google-build-using-namespace)

int kvstore_put(KVStore* pKV, const void* pKey, int nKey, const void* pValue, int nValue) {
  return Put(pKV, pKey, nKey, pValue, nValue, 0);
}
int kvstore_cf_put(KVColumnFamily* pCF, const void* pKey, int nKey, const void* pValue,
                   int nValue) {
  return Put(pCF, pKey, nKey, pValue, nValue, 0);
}

int kvstore_put_ttl(KVStore* pKV, const void* pKey, int nKey, const void* pValue, int nValue,
                    int64_t expire_ms) {
  return Put(pKV, pKey, nKey, pValue, nValue, expire_ms);
}
int kvstore_cf_put_ttl(KVColumnFamily* pCF, const void* pKey, int nKey, const void* pValue,
                       int nValue, int64_t expire_ms) {
  return Put(pCF, pKey, nKey, pValue, nValue, expire_ms);
}

int kvstore_put_if_absent(KVStore* pKV, const void* pKey, int nKey, const void* pValue, int nValue,
                          int64_t expire_ms, int* pInserted) {
  return PutIfAbsent(pKV, pKey, nKey, pValue, nValue, expire_ms, pInserted);
}
int kvstore_cf_put_if_absent(KVColumnFamily* pCF, const void* pKey, int nKey, const void* pValue,
                             int nValue, int64_t expire_ms, int* pInserted) {
  return PutIfAbsent(pCF, pKey, nKey, pValue, nValue, expire_ms, pInserted);
}

int kvstore_get(KVStore* pKV, const void* pKey, int nKey, void** ppValue, int* pnValue) {
  return Get(pKV, pKey, nKey, ppValue, pnValue);
}
int kvstore_cf_get(KVColumnFamily* pCF, const void* pKey, int nKey, void** ppValue, int* pnValue) {
  return Get(pCF, pKey, nKey, ppValue, pnValue);
}

int kvstore_get_ttl(KVStore* pKV, const void* pKey, int nKey, void** ppValue, int* pnValue,
                    int64_t* pnRemaining) {
  return GetTtl(pKV, pKey, nKey, ppValue, pnValue, pnRemaining);
}
int kvstore_cf_get_ttl(KVColumnFamily* pCF, const void* pKey, int nKey, void** ppValue,
                       int* pnValue, int64_t* pnRemaining) {
  return GetTtl(pCF, pKey, nKey, ppValue, pnValue, pnRemaining);
}

int kvstore_delete(KVStore* pKV, const void* pKey, int nKey) { return Delete(pKV, pKey, nKey); }
int kvstore_cf_delete(KVColumnFamily* pCF, const void* pKey, int nKey) {
  return Delete(pCF, pKey, nKey);
}

int kvstore_exists(KVStore* pKV, const void* pKey, int nKey, int* pExists) {
  return Exists(pKV, pKey, nKey, pExists);
}
int kvstore_cf_exists(KVColumnFamily* pCF, const void* pKey, int nKey, int* pExists) {
  return Exists(pCF, pKey, nKey, pExists);
}

int kvstore_ttl_remaining(KVStore* pKV, const void* pKey, int nKey, int64_t* pnRemaining) {
  return Remaining(pKV, pKey, nKey, pnRemaining, 1);
}
int kvstore_cf_ttl_remaining(KVColumnFamily* pCF, const void* pKey, int nKey,
                             int64_t* pnRemaining) {
  return Remaining(pCF, pKey, nKey, pnRemaining, 1);
}

int kvstore_ttl(KVStore* pKV, const void* pKey, int nKey, int64_t* pTtlRemaining) {
  return Remaining(pKV, pKey, nKey, pTtlRemaining, kSecondMs);
}
int kvstore_cf_ttl(KVColumnFamily* pCF, const void* pKey, int nKey, int64_t* pTtlRemaining) {
  return Remaining(pCF, pKey, nKey, pTtlRemaining, kSecondMs);
}

int kvstore_purge_expired(KVStore* pKV, int* pnDeleted) { return Purge(pKV, pnDeleted); }
int kvstore_cf_purge_expired(KVColumnFamily* pCF, int* pnDeleted) { return Purge(pCF, pnDeleted); }

int kvstore_clear(KVStore* pKV) { return Clear(pKV); }
int kvstore_cf_clear(KVColumnFamily* pCF) { return Clear(pCF); }

int kvstore_count(KVStore* pKV, int64_t* pnCount) { return Count(pKV, pnCount); }
int kvstore_cf_count(KVColumnFamily* pCF, int64_t* pnCount) { return Count(pCF, pnCount); }
