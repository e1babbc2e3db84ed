#include "capi/kvstore_call.h"

#include <fmt/format.h>

#include <cstring>

#include "crypto/database_key.h"

namespace mayfly::kvstore {
namespace {

// The message of calls without a handle, such as an open. Of fixed size, so that storing it cannot
// fail.
constexpr std::size_t kMessageBytesMax = 1024;
thread_local char message_without_handle[kMessageBytesMax] = "no error";

Status TakeBytes(const void* data, int size, const char* what, std::size_t bytes_max,
                 Bytes& bytes) {
  if (size < 0) return Status::Invalid(fmt::format("the {} has a negative size of {}", what, size));
  if (data == nullptr && size > 0) return Status::Invalid(fmt::format("the {} is null", what));
  if (static_cast<std::size_t>(size) > bytes_max) {
    return Status::Invalid(
        fmt::format("the {} has {} bytes; at most {} are allowed", what, size, bytes_max));
  }
  bytes = {static_cast<const char*>(data), static_cast<std::size_t>(size)};
  return {};
}

}  // namespace

int ToCode(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return KVSTORE_OK;
    case StatusCode::kNotFound: return KVSTORE_NOTFOUND;
    case StatusCode::kConflict:
    case StatusCode::kBusy: return KVSTORE_BUSY;
    case StatusCode::kReadOnly: return KVSTORE_READONLY;
    case StatusCode::kCorruption: return KVSTORE_CORRUPT;
    case StatusCode::kWrongPassword: return KVSTORE_AUTH_FAILED;
    case StatusCode::kInvalid:
    case StatusCode::kWrongType:
    case StatusCode::kCrossSlot:
    case StatusCode::kIoError:
    case StatusCode::kUnsupported:
    case StatusCode::kInternal: break;
  }
  return KVSTORE_ERROR;
}

int Fail(Store* store, int code, std::string_view message) noexcept {
  if (message.empty()) message = code == KVSTORE_NOTFOUND ? "not found" : "error";
  if (store == nullptr) {
    message_without_handle[message.copy(message_without_handle, kMessageBytesMax - 1)] = '\0';
    return code;
  }
  if (code != KVSTORE_NOTFOUND) ++store->counts.errors;
  try {
    store->SetMessage(message);
  } catch (...) {
    // Out of memory for the message; the code must do.
  }
  return code;
}

Status TakeKey(const void* data, int size, Bytes& key) {
  if (data == nullptr || size == 0) {
    return Status::Invalid("the key is null or empty; a key has at least one byte");
  }
  return TakeBytes(data, size, "key", kKeyBytesMax, key);
}

Status TakeValue(const void* data, int size, Bytes& value) {
  return TakeBytes(data, size, "value", kValueBytesMax, value);
}

Status TakeName(const char* name) {
  if (name == nullptr || *name == '\0') {
    return Status::Invalid("a column family needs a name");
  }
  if (std::strlen(name) > kNameBytesMax) {
    return Status::Invalid(fmt::format("the name has more than {} bytes", kNameBytesMax));
  }
  const std::string_view given = name;
  if (given.starts_with("__") || given.starts_with("_snkv_")) {
    return Status::Invalid("names that begin with \"__\" or \"_snkv_\" are reserved");
  }
  return {};
}

Status TakePassword(const void* data, int size, Bytes& password) {
  if (data == nullptr || size == 0) return Status::Invalid("the password is null or empty");
  return TakeBytes(data, size, "password", crypto::kPasswordBytesMax, password);
}

Status NullPlace() { return Status::Invalid("the place for the answer is null"); }

}  // namespace mayfly::kvstore

const char* kvstore_errmsg(KVStore* pKV) {
  if (pKV == nullptr) return mayfly::kvstore::message_without_handle;
  // A copy per thread: calls of other threads may fail meanwhile.
  thread_local std::string copy;
  try {
    copy = pKV->store->message();
    if (copy.empty()) copy = "no error";
    return copy.c_str();  // NOLINT(clang-analyzer-*): it is this thread's, and stays.
  } catch (...) {
    return "out of memory";
  }
}
