// Implements the cursors of c.h.
#include <fmt/format.h>

#include "capi/handles.h"
#include "capi/structs.h"

namespace mayfly::capi {
namespace {

Result<CursorOptions> ToCursorOptions(const mayfly_cursor_options* given) {
  MAYFLY_TRY(const mayfly_cursor_options asked, TakeStruct(given, "the cursor's options"));
  CursorOptions options;
  MAYFLY_RETURN_IF_ERROR(
      TakeBytes(asked.prefix.data, asked.prefix.size, "the prefix", options.prefix));
  MAYFLY_RETURN_IF_ERROR(TakeBytes(asked.begin.data, asked.begin.size, "begin", options.begin));
  MAYFLY_RETURN_IF_ERROR(TakeBytes(asked.end.data, asked.end.size, "end", options.end));
  if (asked.filter < MAYFLY_ROWS_ALL || asked.filter > MAYFLY_ROWS_IMMORTAL) {
    return Status::Invalid(fmt::format("unknown filter {}", asked.filter));
  }
  options.filter = static_cast<RowFilter>(asked.filter);
  if (asked.has_as_of) options.as_of = WallTimeFromMs(asked.as_of_ms);
  return options;
}

static_assert(static_cast<int>(RowFilter::kImmortal) == MAYFLY_ROWS_IMMORTAL);

Status NowhereToGo() { return Status::Invalid("the cursor is on no row; seek first"); }

// Moves the cursor and returns the code of its status.
template <typename Move>
int MoveCursor(mayfly_cursor* cursor, Move move) {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(cursor, "the cursor"));
    MAYFLY_RETURN_IF_ERROR(move(*cursor->cursor));
    return cursor->cursor->Valid() ? Status() : cursor->cursor->status();
  });
}

// A target for seeking: empty is before all keys.
template <typename Seek>
int SeekTo(mayfly_cursor* cursor, const void* key, size_t key_size, Seek seek) {
  return MoveCursor(cursor, [&](Cursor& moved) -> Status {
    Bytes target;
    MAYFLY_RETURN_IF_ERROR(TakeBytes(key, key_size, "the key", target));
    seek(moved, target);
    return {};
  });
}

}  // namespace
}  // namespace mayfly::capi

using namespace mayfly;        // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::capi;  // NOLINT(google-build-using-namespace)

int mayfly_open_cursor(const mayfly_view* view, const mayfly_cursor_options* options,
                       mayfly_cursor** cursor) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(cursor, "the place for the cursor"));
    *cursor = nullptr;
    MAYFLY_RETURN_IF_ERROR(Need(view, "the view"));
    MAYFLY_TRY(const CursorOptions wanted, ToCursorOptions(options));
    auto opened = std::make_unique<mayfly_cursor>(view->owner->shared_from_this());
    MAYFLY_TRY(opened->cursor, view->reader->NewCursor(wanted));
    *cursor = opened.release();
    return {};
  });
}

void mayfly_close_cursor(mayfly_cursor* cursor) noexcept { delete cursor; }

int mayfly_seek_first(mayfly_cursor* cursor) noexcept {
  return MoveCursor(cursor, [](Cursor& moved) { return moved.SeekToFirst(), Status(); });
}

int mayfly_seek_last(mayfly_cursor* cursor) noexcept {
  return MoveCursor(cursor, [](Cursor& moved) { return moved.SeekToLast(), Status(); });
}

int mayfly_seek_at_or_after(mayfly_cursor* cursor, const void* key, size_t key_size) noexcept {
  return SeekTo(cursor, key, key_size,
                [](Cursor& moved, Bytes target) { moved.SeekAtOrAfter(target); });
}

int mayfly_seek_at_or_before(mayfly_cursor* cursor, const void* key, size_t key_size) noexcept {
  return SeekTo(cursor, key, key_size,
                [](Cursor& moved, Bytes target) { moved.SeekAtOrBefore(target); });
}

int mayfly_next(mayfly_cursor* cursor) noexcept {
  return MoveCursor(cursor, [](Cursor& moved) {
    return moved.Valid() ? (moved.Next(), Status()) : NowhereToGo();
  });
}

int mayfly_previous(mayfly_cursor* cursor) noexcept {
  return MoveCursor(cursor, [](Cursor& moved) {
    return moved.Valid() ? (moved.Prev(), Status()) : NowhereToGo();
  });
}

bool mayfly_cursor_valid(const mayfly_cursor* cursor) noexcept {
  return cursor != nullptr && cursor->cursor->Valid();
}

int mayfly_cursor_row(const mayfly_cursor* cursor, mayfly_bytes* key, mayfly_bytes* value,
                      int64_t* deadline_ms) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(cursor, "the cursor"));
    const Cursor& at = *cursor->cursor;
    if (!at.Valid()) return NowhereToGo();
    if (key != nullptr) *key = {at.key().data(), at.key().size()};
    if (value != nullptr) *value = {at.value().data(), at.value().size()};
    if (deadline_ms != nullptr) *deadline_ms = ToDeadlineMs(at.deadline());
    return {};
  });
}

int mayfly_cursor_timestamp(const mayfly_cursor* cursor, int64_t* timestamp_ms) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(cursor, "the cursor"));
    MAYFLY_RETURN_IF_ERROR(Need(timestamp_ms, "the place for the timestamp"));
    if (!cursor->cursor->Valid()) return NowhereToGo();
    const auto timestamp = cursor->cursor->timestamp();
    if (!timestamp) return Status::Invalid("the keyspace is not ordered by timestamp");
    *timestamp_ms = ToMs(*timestamp);
    return {};
  });
}
