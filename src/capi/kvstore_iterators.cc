// Implements the iterators of kvstore.h.
#include "capi/kvstore_call.h"

namespace mayfly::kvstore {
namespace {

// Opens a cursor over the family as the handle sees it now.
Status OpenCursor(Store& store, const Family& family, KVIterator& iterator) {
  MAYFLY_TRY(iterator.cursor, store.ReaderOf(family).NewCursor({.prefix = iterator.prefix}));
  iterator.of_transaction = store.in_transaction();
  return {};
}

// Copies where the cursor is.
Status StorePosition(KVIterator& iterator) {
  iterator.key.reset();
  iterator.value.reset();
  iterator.at_end = !iterator.cursor->Valid();
  return iterator.at_end ? iterator.cursor->status() : Status();
}

Status ToFirst(Store& store, const Family& family, KVIterator& iterator, bool backward) {
  MAYFLY_RETURN_IF_ERROR(OpenCursor(store, family, iterator));
  backward ? iterator.cursor->SeekToLast() : iterator.cursor->SeekToFirst();
  return StorePosition(iterator);
}

Status Step(Store& store, const Family& family, KVIterator& iterator, bool backward) {
  if (iterator.at_end) return {};
  if (iterator.cursor == nullptr) {
    // Its transaction ended: the position is found again by the key, which may be gone by now.
    const std::string place = *iterator.key;
    MAYFLY_RETURN_IF_ERROR(OpenCursor(store, family, iterator));
    backward ? iterator.cursor->SeekAtOrBefore(place) : iterator.cursor->SeekAtOrAfter(place);
    if (!iterator.cursor->Valid() || iterator.cursor->key() != place) {
      return StorePosition(iterator);
    }
  }
  backward ? iterator.cursor->Prev() : iterator.cursor->Next();
  return StorePosition(iterator);
}

template <typename Work>
int CallIterator(KVIterator* iterator, Work work) {
  if (iterator == nullptr) return Fail(nullptr, KVSTORE_ERROR, "the iterator is null");
  return Call(&iterator->at, [&](Store& store, Family& family) { return work(store, family); });
}

Status NotReverse() {
  return Status::Invalid("the iterator goes forward; make a reverse one to go back");
}

struct Wanted {
  bool reverse = false;
  bool by_prefix = false;
  const void* prefix = nullptr;
  int prefix_size = 0;
};

int Create(FamilyHandle* handle, const Wanted& wanted, KVIterator** iterator) {
  if (iterator != nullptr) *iterator = nullptr;
  return Call(handle, [&](Store& store, Family& family) -> Status {
    if (iterator == nullptr) return NullPlace();
    Bytes prefix;
    if (wanted.by_prefix)
      MAYFLY_RETURN_IF_ERROR(TakeKey(wanted.prefix, wanted.prefix_size, prefix));
    auto made = std::make_unique<KVIterator>(
        KVIterator{.at = *handle, .reverse = wanted.reverse, .prefix = std::string(prefix)});
    MAYFLY_RETURN_IF_ERROR(ToFirst(store, family, *made, wanted.reverse));
    const std::lock_guard lock(store.iterators_mutex);
    store.iterators.insert(made.get());
    *iterator = made.release();
    ++store.counts.iterations;
    return {};
  });
}

// Returns the iterator's own copy of the bytes.
Status Give(std::optional<std::string>& copy, Bytes bytes, void** data, int* size) {
  if (!copy) copy.emplace(bytes);
  *data = copy->data();
  *size = static_cast<int>(copy->size());
  return {};
}

template <typename Part>
int GivePart(KVIterator* iterator, void** data, int* size,
             std::optional<std::string> KVIterator::*copy, Part part) {
  if (data != nullptr) *data = nullptr;
  if (size != nullptr) *size = 0;
  return CallIterator(iterator, [&](Store&, Family&) -> Status {
    if (data == nullptr || size == nullptr) return NullPlace();
    if (iterator->at_end) return Status::Invalid("the iterator is at its end");
    return Give(iterator->*copy, iterator->cursor != nullptr ? part(*iterator->cursor) : Bytes(),
                data, size);
  });
}

}  // namespace
}  // namespace mayfly::kvstore

using namespace mayfly;  // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::kvstore;  // NOLINT(google-build-using-namespace)

int kvstore_iterator_create(KVStore* pKV, KVIterator** ppIter) { return Create(pKV, {}, ppIter); }
int kvstore_cf_iterator_create(KVColumnFamily* pCF, KVIterator** ppIter) {
  return Create(pCF, {}, ppIter);
}

int kvstore_reverse_iterator_create(KVStore* pKV, KVIterator** ppIter) {
  return Create(pKV, {.reverse = true}, ppIter);
}
int kvstore_cf_reverse_iterator_create(KVColumnFamily* pCF, KVIterator** ppIter) {
  return Create(pCF, {.reverse = true}, ppIter);
}

int kvstore_prefix_iterator_create(KVStore* pKV, const void* pPrefix, int nPrefix,
                                   KVIterator** ppIter) {
  return Create(pKV, {false, true, pPrefix, nPrefix}, ppIter);
}
int kvstore_cf_prefix_iterator_create(KVColumnFamily* pCF, const void* pPrefix, int nPrefix,
                                      KVIterator** ppIter) {
  return Create(pCF, {false, true, pPrefix, nPrefix}, ppIter);
}

int kvstore_reverse_prefix_iterator_create(KVStore* pKV, const void* pPrefix, int nPrefix,
                                           KVIterator** ppIter) {
  return Create(pKV, {true, true, pPrefix, nPrefix}, ppIter);
}
int kvstore_cf_reverse_prefix_iterator_create(KVColumnFamily* pCF, const void* pPrefix, int nPrefix,
                                              KVIterator** ppIter) {
  return Create(pCF, {true, true, pPrefix, nPrefix}, ppIter);
}

int kvstore_iterator_first(KVIterator* pIter) {
  return CallIterator(
      pIter, [&](Store& store, Family& family) { return ToFirst(store, family, *pIter, false); });
}

int kvstore_iterator_last(KVIterator* pIter) {
  return CallIterator(pIter, [&](Store& store, Family& family) {
    return pIter->reverse ? ToFirst(store, family, *pIter, true) : NotReverse();
  });
}

int kvstore_iterator_next(KVIterator* pIter) {
  return CallIterator(
      pIter, [&](Store& store, Family& family) { return Step(store, family, *pIter, false); });
}

int kvstore_iterator_prev(KVIterator* pIter) {
  return CallIterator(pIter, [&](Store& store, Family& family) {
    return pIter->reverse ? Step(store, family, *pIter, true) : NotReverse();
  });
}

int kvstore_iterator_eof(KVIterator* pIter) { return pIter == nullptr || pIter->at_end ? 1 : 0; }

int kvstore_iterator_key(KVIterator* pIter, void** ppKey, int* pnKey) {
  return GivePart(pIter, ppKey, pnKey, &KVIterator::key,
                  [](const Cursor& cursor) { return cursor.key(); });
}

int kvstore_iterator_value(KVIterator* pIter, void** ppValue, int* pnValue) {
  return GivePart(pIter, ppValue, pnValue, &KVIterator::value,
                  [](const Cursor& cursor) { return cursor.value(); });
}

int kvstore_iterator_seek(KVIterator* pIter, const void* pKey, int nKey) {
  return CallIterator(pIter, [&](Store& store, Family& family) -> Status {
    Bytes key;
    MAYFLY_RETURN_IF_ERROR(TakeKey(pKey, nKey, key));
    MAYFLY_RETURN_IF_ERROR(OpenCursor(store, family, *pIter));
    pIter->reverse ? pIter->cursor->SeekAtOrBefore(key) : pIter->cursor->SeekAtOrAfter(key);
    return StorePosition(*pIter);
  });
}

void kvstore_iterator_close(KVIterator* pIter) {
  if (pIter == nullptr) return;
  const std::shared_ptr<Store> store = pIter->at.store;
  if (!store->CheckOwner().ok()) {
    delete pIter;
    return;
  }
  const std::shared_lock gate(store->gate);  // No other thread parks it meanwhile.
  {
    const std::lock_guard lock(store->iterators_mutex);
    store->iterators.erase(pIter);
  }
  delete pIter;
}
