#include "capi/guard.h"

#include <fmt/format.h>

namespace mayfly::capi {
namespace {

// The last message of this thread, the only state outside handles. Of fixed size, so that storing a
// message cannot fail.
constexpr std::size_t kMessageBytesMax = 1024;
thread_local char last_message[kMessageBytesMax] = "";

}  // namespace

int Fail(StatusCode code, std::string_view message) noexcept {
  if (message.empty()) message = StatusCodeName(code);
  last_message[message.copy(last_message, kMessageBytesMax - 1)] = '\0';
  return static_cast<int>(code);
}

Status Need(const void* pointer, std::string_view what) {
  if (pointer != nullptr) [[likely]]
    return {};
  return Status::Invalid(fmt::format("{} is null; pass one", what));
}

Status TakeBytes(const void* data, std::size_t size, std::string_view what, Bytes& bytes) {
  if (data == nullptr && size > 0) {
    return Status::Invalid(fmt::format("{} is null but has a size of {}", what, size));
  }
  bytes = {static_cast<const char*>(data), size};
  return {};
}

Status TakeKey(const void* data, std::size_t size, Bytes& key) {
  MAYFLY_RETURN_IF_ERROR(Need(data, "the key"));
  return TakeBytes(data, size, "the key", key);
}

}  // namespace mayfly::capi

const char* mayfly_error_message() noexcept { return mayfly::capi::last_message; }

const char* mayfly_code_name(int code) noexcept {
  if (code < MAYFLY_OK || code > MAYFLY_WRONG_PASSWORD) return "unknown";
  return mayfly::StatusCodeName(static_cast<mayfly::StatusCode>(code)).data();
}
