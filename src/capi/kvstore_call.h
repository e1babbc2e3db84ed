// kvstore_call.h - the frame of every call of kvstore.h: null handles, locks, codes, messages.
// Invariant: no exception passes it, and every failure stores its message with the handle.
#pragma once

#include <exception>
#include <new>
#include <shared_mutex>

#include "capi/kvstore_store.h"

namespace mayfly::kvstore {

int ToCode(StatusCode code);

// Stores the message for kvstore_errmsg(), and returns the code. Null store: the message of this
// thread.
int Fail(Store* store, int code, std::string_view message) noexcept;

// The caller's bytes within the limits, or Invalid.
Status TakeKey(const void* data, int size, Bytes& key);
Status TakeValue(const void* data, int size, Bytes& value);
Status TakeName(const char* name);
Status TakePassword(const void* data, int size, Bytes& password);

Status NullPlace();

template <typename Work>
int Guard(Store* store, Work work) noexcept {
  try {
    const Status status = work();
    return status.ok() ? KVSTORE_OK : Fail(store, ToCode(status.code()), status.message());
  } catch (const std::bad_alloc&) {
    return Fail(store, KVSTORE_NOMEM, "out of memory");
  } catch (const std::exception& thrown) {
    return Fail(store, KVSTORE_ERROR, thrown.what());
  } catch (...) {
    return Fail(store, KVSTORE_ERROR, "something unknown was thrown");
  }
}

// Runs calls that begin or end something, under the exclusive gate.
template <typename Work>
int CallAlone(FamilyHandle* handle, Work work) noexcept {
  if (handle == nullptr) return Fail(nullptr, KVSTORE_ERROR, "the handle is null");
  Store& store = *handle->store;
  return Guard(&store, [&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(store.CheckOwner());
    const std::lock_guard alone(store.gate);
    MAYFLY_RETURN_IF_ERROR(store.EnsureOpen());
    return work(store);
  });
}

// Runs calls that join the open transaction, if there is one: concurrently without a transaction,
// one at a time within one.
template <typename Work>
int Call(FamilyHandle* handle, Work work) noexcept {
  if (handle == nullptr) return Fail(nullptr, KVSTORE_ERROR, "the handle is null");
  Store& store = *handle->store;
  return Guard(&store, [&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(store.CheckOwner());
    std::shared_lock shared(store.gate);
    std::unique_lock alone(store.gate, std::defer_lock);
    if (store.transaction != nullptr || store.is_suspended()) {
      shared.unlock();
      alone.lock();
    }
    MAYFLY_RETURN_IF_ERROR(alone.owns_lock() ? store.EnsureOpen() : store.CheckOpen());
    return work(store, *handle->family);
  });
}

}  // namespace mayfly::kvstore
