// guard.h - the edge between C++ and C: every function of the C ABI runs in one Guard().
// Invariant: no exception passes it. A Status and an exception become codes, and the message is
// stored for mayfly_error_message().
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "mayfly/bytes.h"
#include "mayfly/c.h"
#include "mayfly/status.h"

namespace mayfly::capi {

// Stores the message for this thread, and returns the code.
int Fail(StatusCode code, std::string_view message) noexcept;

template <typename Work>
int Guard(Work&& work) noexcept {
  try {
    const Status status = work();
    return status.ok() ? MAYFLY_OK : Fail(status.code(), status.message());
  } catch (const std::bad_alloc&) {
    return Fail(StatusCode::kIoError, "out of memory");
  } catch (const std::exception& thrown) {
    return Fail(StatusCode::kInternal, thrown.what());
  } catch (...) {
    return Fail(StatusCode::kInternal, "something unknown was thrown");
  }
}

// Invalid, naming `what`, when the pointer is null.
Status Need(const void* pointer, std::string_view what);

// The caller's bytes. Invalid when `data` is null and `size` is not 0.
Status TakeBytes(const void* data, std::size_t size, std::string_view what, Bytes& bytes);

// The caller's key. Invalid for null whatever the size, so that it is not taken for an empty key.
Status TakeKey(const void* data, std::size_t size, Bytes& key);

}  // namespace mayfly::capi
