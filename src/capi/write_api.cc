// Implements writing rows of c.h.
#include <fmt/format.h>

#include "capi/handles.h"
#include "capi/limits.h"
#include "capi/memory.h"

namespace mayfly::capi {
namespace {

// Ends an update without a change. Thrown through core, whose latches are released by destructors.
struct LeaveTheRow {
  Status why;  // What mayfly_update() returns.
};

Status CheckWrite(const mayfly_view* view, const void* data, std::size_t size, Bytes& key) {
  MAYFLY_RETURN_IF_ERROR(Need(view, "the view"));
  if (view->writer == nullptr) {
    return Status::Invalid(
        "the view is a snapshot's, which only reads; write through the keyspace's");
  }
  return TakeKey(data, size, key);
}

Result<PutCondition> ToCondition(int condition, mayfly_bytes expected) {
  switch (condition) {
    case MAYFLY_PUT_ALWAYS: return PutCondition::Always();
    case MAYFLY_PUT_IF_ABSENT: return PutCondition::Absent();
    case MAYFLY_PUT_IF_PRESENT: return PutCondition::Present();
    case MAYFLY_PUT_IF_EQUALS: {
      Bytes bytes;
      MAYFLY_RETURN_IF_ERROR(TakeBytes(expected.data, expected.size, "the expected value", bytes));
      return PutCondition::Equals(bytes);
    }
    default: return Status::Invalid(fmt::format("unknown condition {}", condition));
  }
}

Result<DeadlineIf> ToDeadlineIf(int condition) {
  if (condition >= MAYFLY_DEADLINE_ALWAYS && condition <= MAYFLY_DEADLINE_IF_EARLIER) {
    return static_cast<DeadlineIf>(condition);
  }
  return Status::Invalid(fmt::format("unknown condition {}", condition));
}

static_assert(static_cast<int>(DeadlineIf::kEarlier) == MAYFLY_DEADLINE_IF_EARLIER);

std::optional<std::string> CallUpdate(mayfly_update_function update, void* context,
                                      std::optional<Bytes> old) {
  // An empty value must not be null, which means no row.
  const char* const at = !old ? nullptr : old->data() != nullptr ? old->data() : "";
  const void* fresh = nullptr;
  std::size_t fresh_size = 0;
  switch (update(context, at, old ? old->size() : 0, &fresh, &fresh_size)) {
    case MAYFLY_UPDATE_PUT: break;
    case MAYFLY_UPDATE_DELETE: return std::nullopt;
    case MAYFLY_UPDATE_LEAVE: throw LeaveTheRow();
    default:
      throw LeaveTheRow{Status::Invalid(
          "the update function returned none of MAYFLY_UPDATE_...; nothing was changed")};
  }
  Bytes bytes;
  if (const Status taken = TakeBytes(fresh, fresh_size, "the new value", bytes); !taken.ok()) {
    throw LeaveTheRow{taken};
  }
  if (bytes.size() > kUpdatedValueBytesMax) {
    throw LeaveTheRow{
        Status::Invalid(fmt::format("the new value of {} bytes is too large; at most {} are "
                                    "allowed",
                                    bytes.size(), kUpdatedValueBytesMax))};
  }
  return std::string(bytes);
}

}  // namespace
}  // namespace mayfly::capi

using namespace mayfly;        // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::capi;  // NOLINT(google-build-using-namespace)

int mayfly_put(mayfly_view* view, const void* key, size_t key_size, const void* value,
               size_t value_size, mayfly_lifetime lifetime) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    Bytes bytes;
    MAYFLY_RETURN_IF_ERROR(CheckWrite(view, key, key_size, wanted));
    MAYFLY_RETURN_IF_ERROR(TakeBytes(value, value_size, "the value", bytes));
    MAYFLY_TRY(const Lifetime lives, ToLifetime(lifetime));
    return view->writer->Put(wanted, bytes, lives);
  });
}

int mayfly_put_if(mayfly_view* view, const void* key, size_t key_size, const void* value,
                  size_t value_size, mayfly_lifetime lifetime, int condition, mayfly_bytes expected,
                  bool* written) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    Bytes bytes;
    MAYFLY_RETURN_IF_ERROR(CheckWrite(view, key, key_size, wanted));
    MAYFLY_RETURN_IF_ERROR(TakeBytes(value, value_size, "the value", bytes));
    MAYFLY_RETURN_IF_ERROR(Need(written, "the place for the answer"));
    MAYFLY_TRY(const Lifetime lives, ToLifetime(lifetime));
    MAYFLY_TRY(const PutCondition holds, ToCondition(condition, expected));
    MAYFLY_TRY(*written, view->writer->PutIf(wanted, bytes, holds, lives));
    return {};
  });
}

int mayfly_delete(mayfly_view* view, const void* key, size_t key_size, bool* was_there) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    MAYFLY_RETURN_IF_ERROR(CheckWrite(view, key, key_size, wanted));
    MAYFLY_TRY(const bool deleted, view->writer->Delete(wanted));
    if (was_there != nullptr) *was_there = deleted;
    return {};
  });
}

int mayfly_put_at(mayfly_view* view, const void* key, size_t key_size, const void* value,
                  size_t value_size, int64_t timestamp_ms, mayfly_lifetime lifetime,
                  bool* is_last) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    Bytes bytes;
    MAYFLY_RETURN_IF_ERROR(CheckWrite(view, key, key_size, wanted));
    MAYFLY_RETURN_IF_ERROR(TakeBytes(value, value_size, "the value", bytes));
    MAYFLY_TRY(const Lifetime lives, ToLifetime(lifetime));
    MAYFLY_TRY(const bool last,
               view->writer->PutAt(wanted, bytes, WallTimeFromMs(timestamp_ms), lives));
    if (is_last != nullptr) *is_last = last;
    return {};
  });
}

int mayfly_delete_at(mayfly_view* view, const void* key, size_t key_size, int64_t timestamp_ms,
                     bool* is_last) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    MAYFLY_RETURN_IF_ERROR(CheckWrite(view, key, key_size, wanted));
    MAYFLY_TRY(const bool last, view->writer->DeleteAt(wanted, WallTimeFromMs(timestamp_ms)));
    if (is_last != nullptr) *is_last = last;
    return {};
  });
}

int mayfly_update(mayfly_view* view, const void* key, size_t key_size,
                  mayfly_update_function update, void* context, mayfly_lifetime lifetime) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    MAYFLY_RETURN_IF_ERROR(CheckWrite(view, key, key_size, wanted));
    if (update == nullptr) return Status::Invalid("the update function is null; pass one");
    MAYFLY_TRY(const Lifetime lives, ToLifetime(lifetime));
    try {
      return view->writer->Update(
          wanted, [&](std::optional<Bytes> old) { return CallUpdate(update, context, old); },
          lives);
    } catch (const LeaveTheRow& leave) {
      return leave.why;
    }
  });
}

int mayfly_expire(mayfly_view* view, const void* key, size_t key_size, mayfly_lifetime lifetime,
                  int condition, bool* changed) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    MAYFLY_RETURN_IF_ERROR(CheckWrite(view, key, key_size, wanted));
    MAYFLY_TRY(const Lifetime lives, ToLifetime(lifetime));
    MAYFLY_TRY(const DeadlineIf holds, ToDeadlineIf(condition));
    MAYFLY_TRY(const bool did, view->writer->Expire(wanted, lives, holds));
    if (changed != nullptr) *changed = did;
    return {};
  });
}

int mayfly_persist(mayfly_view* view, const void* key, size_t key_size, bool* changed) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    MAYFLY_RETURN_IF_ERROR(CheckWrite(view, key, key_size, wanted));
    MAYFLY_TRY(const bool did, view->writer->Persist(wanted));
    if (changed != nullptr) *changed = did;
    return {};
  });
}

int mayfly_touch(mayfly_view* view, const void* key, size_t key_size, mayfly_lifetime lifetime,
                 void** value, size_t* value_size, int64_t* deadline_ms) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    if (value != nullptr) *value = nullptr;
    if (value_size != nullptr) *value_size = 0;
    MAYFLY_RETURN_IF_ERROR(CheckWrite(view, key, key_size, wanted));
    MAYFLY_TRY(const Lifetime lives, ToLifetime(lifetime));
    MAYFLY_TRY(const Row row, view->writer->Touch(wanted, lives));
    if (value != nullptr) *value = Copy(row.value).release();
    if (value_size != nullptr) *value_size = row.value.size();
    if (deadline_ms != nullptr) *deadline_ms = ToDeadlineMs(row.deadline);
    return {};
  });
}
