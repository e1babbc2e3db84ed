// Implements reading rows of c.h.
#include <fmt/format.h>

#include <vector>

#include "capi/handles.h"
#include "capi/limits.h"
#include "capi/memory.h"

namespace mayfly::capi {
namespace {

Status CheckRead(const mayfly_view* view, const void* data, std::size_t size, Bytes& key) {
  MAYFLY_RETURN_IF_ERROR(Need(view, "the view"));
  return TakeKey(data, size, key);
}

Status PrepareValue(void** value, std::size_t* value_size) {
  MAYFLY_RETURN_IF_ERROR(Need(value, "the place for the value"));
  MAYFLY_RETURN_IF_ERROR(Need(value_size, "the place for the value's size"));
  *value = nullptr;
  *value_size = 0;
  return {};
}

void GiveValue(Bytes bytes, void** value, std::size_t* value_size) {
  *value = Copy(bytes).release();
  *value_size = bytes.size();
}

}  // namespace
}  // namespace mayfly::capi

using namespace mayfly;        // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::capi;  // NOLINT(google-build-using-namespace)

int mayfly_get(const mayfly_view* view, const void* key, size_t key_size, void** value,
               size_t* value_size) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    MAYFLY_RETURN_IF_ERROR(PrepareValue(value, value_size));
    MAYFLY_RETURN_IF_ERROR(CheckRead(view, key, key_size, wanted));
    PinnedBytes found;
    MAYFLY_RETURN_IF_ERROR(view->reader->Get(wanted, found));
    GiveValue(found.view(), value, value_size);
    return {};
  });
}

int mayfly_get_row(const mayfly_view* view, const void* key, size_t key_size, void** value,
                   size_t* value_size, int64_t* deadline_ms) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    MAYFLY_RETURN_IF_ERROR(PrepareValue(value, value_size));
    MAYFLY_RETURN_IF_ERROR(Need(deadline_ms, "the place for the deadline"));
    MAYFLY_RETURN_IF_ERROR(CheckRead(view, key, key_size, wanted));
    MAYFLY_TRY(const Row row, view->reader->GetRow(wanted));
    GiveValue(row.value, value, value_size);
    *deadline_ms = ToDeadlineMs(row.deadline);
    return {};
  });
}

int mayfly_get_as_of(const mayfly_view* view, const void* key, size_t key_size, int64_t as_of_ms,
                     void** value, size_t* value_size, int64_t* deadline_ms,
                     int64_t* timestamp_ms) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    MAYFLY_RETURN_IF_ERROR(PrepareValue(value, value_size));
    MAYFLY_RETURN_IF_ERROR(CheckRead(view, key, key_size, wanted));
    MAYFLY_TRY(const Row row, view->reader->GetAsOf(wanted, WallTimeFromMs(as_of_ms)));
    GiveValue(row.value, value, value_size);
    if (deadline_ms != nullptr) *deadline_ms = ToDeadlineMs(row.deadline);
    if (timestamp_ms != nullptr) *timestamp_ms = ToMs(*row.timestamp);
    return {};
  });
}

int mayfly_multi_get(const mayfly_view* view, const mayfly_bytes* keys, size_t count,
                     mayfly_answer** answers) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(answers, "the place for the answers"));
    *answers = nullptr;
    MAYFLY_RETURN_IF_ERROR(Need(view, "the view"));
    if (count > 0) MAYFLY_RETURN_IF_ERROR(Need(keys, "the list of keys"));
    if (count > kMultiGetKeysMax) {
      return Status::Invalid(
          fmt::format("{} keys are too many for one call; the limit is {}, ask "
                      "in parts",
                      count, kMultiGetKeysMax));
    }
    std::vector<Bytes> wanted(count);
    for (std::size_t i = 0; i < count; ++i) {
      MAYFLY_RETURN_IF_ERROR(TakeKey(keys[i].data, keys[i].size, wanted[i]));
    }
    MAYFLY_TRY(const auto found, view->reader->MultiGet(wanted));
    std::size_t bytes = 0;
    for (const auto& one : found) bytes += one ? one->size() : 0;
    Block<mayfly_answer> block(count, bytes, count);
    for (std::size_t i = 0; i < count; ++i) {
      if (found[i]) {
        block[i] = {MAYFLY_OK, block.Add(*found[i]), found[i]->size()};
      } else {
        block[i] = {static_cast<int>(found[i].error().code()), nullptr, 0};
      }
    }
    *answers = block.Release();
    return {};
  });
}

int mayfly_exists(const mayfly_view* view, const void* key, size_t key_size,
                  bool* exists) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    MAYFLY_RETURN_IF_ERROR(CheckRead(view, key, key_size, wanted));
    MAYFLY_RETURN_IF_ERROR(Need(exists, "the place for the answer"));
    MAYFLY_TRY(*exists, view->reader->Exists(wanted));
    return {};
  });
}

int mayfly_ttl(const mayfly_view* view, const void* key, size_t key_size,
               int64_t* ttl_ms) noexcept {
  return Guard([&]() -> Status {
    Bytes wanted;
    MAYFLY_RETURN_IF_ERROR(CheckRead(view, key, key_size, wanted));
    MAYFLY_RETURN_IF_ERROR(Need(ttl_ms, "the place for the ttl"));
    MAYFLY_TRY(const Millis left, view->reader->Ttl(wanted));
    *ttl_ms = left == kForever ? MAYFLY_FOREVER : left.count();
    return {};
  });
}

int mayfly_count(const mayfly_view* view, uint64_t* rows) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(view, "the view"));
    MAYFLY_RETURN_IF_ERROR(Need(rows, "the place for the count"));
    MAYFLY_TRY(*rows, view->reader->Count());
    return {};
  });
}
