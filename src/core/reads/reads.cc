#include "core/reads/reads.h"

#include "core/commit/whole_value.h"
#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/layout/liveness.h"
#include "core/reads/history_cursor.h"
#include "core/reads/revocable_cursor.h"
#include "core/reads/row_cursor.h"

namespace mayfly::core {
namespace {

Result<std::string> ValueOf(const RowView& row) {
  if (row.collection_id) return CollectionHasNoValue();
  return std::string(row.payload);
}

}  // namespace

Status CheckView(const View& view) {
  if (view.over) return Status::Invalid("the transaction is over; begin another");
  MAYFLY_RETURN_IF_ERROR(view.store.CheckUsable(view.keyspace));
  if (!view.trouble.ok()) [[unlikely]]
    return view.trouble;
  if (view.state != nullptr && view.snapshot == nullptr) [[unlikely]]
    return StateRevoked();
  return {};
}

Status StateRevoked() {
  return Status::Conflict(
      "what this reads from was open for longer than state_age_max and was taken away; begin "
      "again");
}

Status CollectionHasNoValue() {
  return Status::WrongType(
      "the row is a collection and has no value of its own; read its members through its type");
}

Result<View> Freeze(const View& view, StateKind kind) {
  MAYFLY_RETURN_IF_ERROR(CheckView(view));
  View frozen = view;
  if (view.snapshot != nullptr) return frozen;
  MAYFLY_TRY(auto state, view.store.states().Open(kind, view.now));
  frozen.ReadFrom(std::move(state));
  frozen.now = view.store.clock().Now();
  view.store.KeepTime(frozen.now);
  return frozen;
}

Status ReadStored(const View& view, Bytes key, PinnedBytes& pin, std::optional<RowView>& row) {
  const auto ask = [&] {
    return view.store.ReadStored(view.keyspace, key, view.snapshot, pin, row);
  };
  if (view.reads == nullptr) return ask();
  ReadSet::Seen& seen = view.reads->At(RowKey(view.keyspace.id(), key));
  if (!seen.known) {
    MAYFLY_RETURN_IF_ERROR(ask());
    view.reads->Remember(seen, row ? std::optional(pin.view()) : std::nullopt);
    return {};
  }
  row.reset();
  if (!seen.stored) return {};
  auto& copy = pin.Hold<std::string>();  // A copy, which may outlive the transaction.
  copy.assign(*seen.stored);
  pin.Show(copy);
  MAYFLY_TRY(row, DecodeRow(copy));
  return {};
}

Status FindRow(const View& view, Bytes key, PinnedBytes& pin, std::optional<RowView>& row) {
  MAYFLY_RETURN_IF_ERROR(CheckUserKey(key));
  MAYFLY_RETURN_IF_ERROR(CheckView(view));
  if (const BufferedRow* const own = view.Draft(key)) {
    row.reset();
    if (!own->Shows(view.now)) return {};
    row = own->view();
    row->deadline = own->DiesAt();
    return {};
  }
  MAYFLY_RETURN_IF_ERROR(ReadStored(view, key, pin, row));
  if (row && IsDead(row->deadline, view.now)) {
    row.reset();
    pin.Reset();
    if (view.may_purge) view.store.PurgeOnRead(view.keyspace, key);
  }
  return {};
}

Status FindPlainRow(const View& view, Bytes key, PinnedBytes& pin, std::optional<RowView>& row) {
  MAYFLY_RETURN_IF_ERROR(FindRow(view, key, pin, row));
  if (!row || view.Draft(key) != nullptr || !ChunksOf(*row)) return {};
  const KeyspaceId id = view.keyspace.id();
  if (view.snapshot != nullptr) {
    return ShowWhole(view.store.engine(), id, view.snapshot, pin, *row);
  }
  // Row and chunks must be of one state.
  MAYFLY_TRY(const View frozen, Freeze(view));
  MAYFLY_RETURN_IF_ERROR(view.store.ReadStored(view.keyspace, key, frozen.snapshot, pin, row));
  if (row && IsDead(row->deadline, frozen.now)) row.reset();
  return row ? ShowWhole(view.store.engine(), id, frozen.snapshot, pin, *row) : Status();
}

Status ReadValue(const View& view, Bytes key, PinnedBytes& value) {
  std::optional<RowView> row;
  const Status found = FindPlainRow(view, key, value, row);
  if (!found.ok() || !row) {
    value.Reset();
    return found.ok() ? Status::NotFound() : found;
  }
  if (row->collection_id) {
    value.Reset();
    return CollectionHasNoValue();
  }
  if (view.Draft(key) != nullptr) {
    // A draft's bytes change with the next write; the caller gets a copy.
    auto& copy = value.Hold<std::string>();
    copy.assign(row->payload);
    value.Show(copy);
    return {};
  }
  value.Show(row->payload);
  return {};
}

Result<Row> ReadRow(const View& view, Bytes key) {
  PinnedBytes pin;
  std::optional<RowView> row;
  MAYFLY_RETURN_IF_ERROR(FindPlainRow(view, key, pin, row));
  if (!row) return Status::NotFound();
  if (row->collection_id) return CollectionHasNoValue();
  return Row{
      .value = std::string(row->payload), .deadline = row->deadline, .timestamp = row->timestamp};
}

Result<std::vector<Result<std::string>>> ReadMany(const View& asked, std::span<const Bytes> keys) {
  MAYFLY_TRY(const View view, Freeze(asked));
  std::vector<Result<std::string>> answers;
  answers.reserve(keys.size());
  std::vector<engine::Lookup> lookups(keys.size());
  std::vector<std::string> row_keys;
  row_keys.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    // A bad key gets its own error below; the engine would refuse the whole call for it.
    const Bytes key = CheckUserKey(keys[i]).ok() ? keys[i] : Bytes();
    row_keys.emplace_back(Bytes(RowKey(view.keyspace.id(), key)));
    lookups[i].at = kRows;
    lookups[i].key = row_keys[i];
  }
  MAYFLY_RETURN_IF_ERROR(view.store.engine().MultiGet(lookups, view.snapshot));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (const Status good = CheckUserKey(keys[i]); !good.ok()) {
      answers.emplace_back(good);
      continue;
    }
    if (const BufferedRow* const own = view.Draft(keys[i])) {
      answers.push_back(own->Shows(view.now) ? ValueOf(own->view()) : Status::NotFound());
      continue;
    }
    if (view.reads != nullptr) view.reads->At(row_keys[i]);
    if (!lookups[i].status.ok()) {
      answers.emplace_back(lookups[i].status);
      continue;
    }
    MAYFLY_TRY(RowView row, DecodeRow(lookups[i].value.view()));
    if (!IsDead(row.deadline, view.now)) {
      MAYFLY_RETURN_IF_ERROR(
          ShowWhole(view.store.engine(), view.keyspace.id(), view.snapshot, lookups[i].value, row));
      answers.push_back(ValueOf(row));
      continue;
    }
    answers.emplace_back(Status::NotFound());
    if (view.may_purge) view.store.PurgeOnRead(view.keyspace, keys[i]);
  }
  return answers;
}

Result<Millis> ReadTtl(const View& view, Bytes key) {
  PinnedBytes pin;
  std::optional<RowView> row;
  MAYFLY_RETURN_IF_ERROR(FindRow(view, key, pin, row));
  if (!row) return Status::NotFound();
  if (!row->deadline) return kForever;
  return *row->deadline - view.now;
}

Result<std::unique_ptr<Cursor>> OpenCursor(const View& view, const CursorOptions& options) {
  MAYFLY_TRY(View frozen, Freeze(view, StateKind::kCursor));
  const auto open = [&](const View& from) -> Result<std::unique_ptr<Cursor>> {
    if (!options.as_of) return RowCursor::Open(from, options);
    MAYFLY_RETURN_IF_ERROR(CheckAsOf(from, *options.as_of));
    return HistoryCursor::Open(from, options);
  };
  MAYFLY_TRY(auto cursor, open(frozen));
  if (!view.store.options().state_age_max) return cursor;
  return RevocableCursor::Over(std::move(cursor), std::move(frozen.state));
}

}  // namespace mayfly::core
