// Implements the column families of kvstore.h.
#include "capi/kvstore_call.h"
#include "capi/memory.h"

namespace mayfly::kvstore {
namespace {

template <typename Find>
int GiveFamily(KVStore* handle, KVColumnFamily** family, Find find) {
  if (family != nullptr) *family = nullptr;
  return CallAlone(handle, [&](Store& store) -> Status {
    if (family == nullptr) return NullPlace();
    MAYFLY_TRY(std::shared_ptr<Keyspace> keyspace, find(store));
    *family = new KVColumnFamily{{handle->store, store.FamilyOf(std::move(keyspace))}};
    return {};
  });
}

Status GiveNames(std::vector<std::string> names, char*** list, int* count) {
  std::erase(names, "default");
  const std::size_t size = names.size();
  capi::Malloced<void> memory = capi::Allocate(size * sizeof(char*));
  char** const out = static_cast<char**>(memory.get());
  std::vector<capi::Malloced<void>> copies;  // Until nothing can fail any more.
  for (const std::string& name : names) copies.push_back(capi::Copy(name));
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char*>(copies[i].release());
  *list = static_cast<char**>(memory.release());
  *count = static_cast<int>(size);
  return {};
}

}  // namespace
}  // namespace mayfly::kvstore

using namespace mayfly;  // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::kvstore;  // NOLINT(google-build-using-namespace)

int kvstore_cf_create(KVStore* pKV, const char* zName, KVColumnFamily** ppCF) {
  return GiveFamily(pKV, ppCF, [&](Store& store) -> Result<std::shared_ptr<Keyspace>> {
    MAYFLY_RETURN_IF_ERROR(TakeName(zName));
    MAYFLY_RETURN_IF_ERROR(store.CheckWritable());
    return store.database->CreateKeyspace(zName);
  });
}

int kvstore_cf_open(KVStore* pKV, const char* zName, KVColumnFamily** ppCF) {
  return GiveFamily(pKV, ppCF, [&](Store& store) -> Result<std::shared_ptr<Keyspace>> {
    MAYFLY_RETURN_IF_ERROR(TakeName(zName));
    return store.database->OpenKeyspace(zName);
  });
}

int kvstore_cf_get_default(KVStore* pKV, KVColumnFamily** ppCF) {
  return GiveFamily(pKV, ppCF,
                    [](Store& store) { return store.database->OpenKeyspace("default"); });
}

int kvstore_cf_drop(KVStore* pKV, const char* zName) {
  bool within = false;
  const int code = CallAlone(pKV, [&](Store& store) -> Status {
    MAYFLY_RETURN_IF_ERROR(TakeName(zName));
    MAYFLY_RETURN_IF_ERROR(store.CheckWritable());
    within = store.transaction != nullptr;
    if (within) {
      return Status::Busy("a column family is not dropped within a transaction; end that first");
    }
    MAYFLY_RETURN_IF_ERROR(store.database->DropKeyspace(zName));
    store.ForgetFamily(zName);
    return store.Committed();
  });
  return within ? KVSTORE_LOCKED : code;
}

int kvstore_cf_list(KVStore* pKV, char*** pazNames, int* pnCount) {
  if (pazNames != nullptr) *pazNames = nullptr;
  if (pnCount != nullptr) *pnCount = 0;
  return CallAlone(pKV, [&](Store& store) -> Status {
    if (pazNames == nullptr || pnCount == nullptr) return NullPlace();
    MAYFLY_TRY(auto names, store.database->ListKeyspaces());
    return GiveNames(std::move(names), pazNames, pnCount);
  });
}

void kvstore_cf_close(KVColumnFamily* pCF) { delete pCF; }

void* snkv_malloc(size_t n) { return std::calloc(n > 0 ? n : 1, 1); }

void snkv_free(void* p) { std::free(p); }
