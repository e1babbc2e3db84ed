// Reads of keyspaces ordered by timestamp as of an instant of the past.
#include <fmt/format.h>

#include <algorithm>

#include "core/layout/addresses.h"
#include "core/layout/liveness.h"
#include "core/reads/reads.h"

namespace mayfly::core {
namespace {

// The version with the largest timestamp up to `as_of`; nothing when there is none.
Status FindVersion(const View& view, Bytes key, WallTime as_of, PinnedBytes& pin,
                   std::optional<VersionView>& version) {
  const KeyspaceId id = view.keyspace.id();
  const RowKey begin(id, VersionKey(key, as_of));
  const RowKey end(id, VersionKeysEnd(key));
  MAYFLY_TRY(const auto cursor, view.store.engine().NewCursor(
                                    kMembers, {.range = {begin, end}, .snapshot = view.snapshot}));
  cursor->SeekToFirst();
  if (!cursor->Valid()) return cursor->status();
  auto& copy = pin.Hold<std::string>();
  copy.assign(cursor->value());
  pin.Show(copy);
  MAYFLY_TRY(version, DecodeVersion(pin.view()));
  return {};
}

}  // namespace

Status CheckAsOf(const View& view, WallTime as_of) {
  if (!view.keyspace.by_timestamp()) {
    return Status::Invalid(
        "the keyspace orders its rows by arrival and has no past; make one with "
        "RowOrder::kTimestamp and a history");
  }
  const Millis history = view.keyspace.policy().history;
  // Both are at least zero, so the difference stays within time.
  if (as_of >= view.now - history) return {};
  return Status::Invalid(
      fmt::format("as_of {} lies before the keyspace's history, which begins {} ms ago, at {}",
                  ToMs(as_of), history.count(), ToMs(view.now - history)));
}

Status FindAsOf(const View& view, Bytes key, WallTime as_of, PinnedBytes& pin,
                std::optional<RowView>& row) {
  row.reset();
  KeyState key_state;
  MAYFLY_RETURN_IF_ERROR(view.store.ReadKeyState(view.keyspace, key, view.snapshot, key_state));
  // A row that is dead now is not shown, nor one that was dead then.
  const WallTime now = std::max(view.now, as_of);
  if (const auto newest = key_state.newest(); newest && *newest <= as_of) {
    const RowView* const living = key_state.Living(now);
    if (living == nullptr) return {};
    auto& copy = pin.Hold<std::string>();
    copy.assign(key_state.pin.view());
    pin.Show(copy);
    MAYFLY_TRY(row, DecodeRow(pin.view()));
    return {};
  }
  std::optional<VersionView> version;
  MAYFLY_RETURN_IF_ERROR(FindVersion(view, key, as_of, pin, version));
  if (!version || version->deleted || IsDead(version->row.deadline, now) ||
      IsDead(version->kept_until, view.now)) {
    return {};
  }
  row = version->row;
  return {};
}

Result<Row> ReadAsOf(const View& asked, Bytes key, WallTime as_of) {
  MAYFLY_RETURN_IF_ERROR(CheckUserKey(key));
  MAYFLY_TRY(const View view, Freeze(asked));
  MAYFLY_RETURN_IF_ERROR(CheckAsOf(view, as_of));
  PinnedBytes pin;
  std::optional<RowView> row;
  MAYFLY_RETURN_IF_ERROR(FindAsOf(view, key, as_of, pin, row));
  if (!row) return Status::NotFound();
  return Row{
      .value = std::string(row->payload), .deadline = row->deadline, .timestamp = row->timestamp};
}

}  // namespace mayfly::core
