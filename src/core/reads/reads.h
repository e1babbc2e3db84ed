// reads.h - every read there is, over one view of a keyspace.
// A view is a state and an instant. Keyspaces, snapshots and transactions differ in the view they
// give and in nothing else, so that a rule of visibility holds in all three or in none.
#pragma once

#include <string>
#include <vector>

#include "core/keyspaces/keyspace_state.h"
#include "core/reads/overlay.h"
#include "core/reads/read_set.h"
#include "core/store/store.h"
#include "mayfly/keyspace.h"

namespace mayfly::core {

struct View {
  Store& store;
  KeyspaceState& keyspace;
  WallTime now;
  const engine::Snapshot* snapshot = nullptr;          // Null: the newest state.
  std::shared_ptr<OpenStates::State> state = nullptr;  // Where the snapshot comes from. Shared with
                                                       // its owner and cursors over it.
  std::shared_ptr<const engine::Snapshot> lent = nullptr;  // Keeps the snapshot for this call.
  const Overlay* overlay = nullptr;                        // Null outside transactions.
  ReadSet* reads = nullptr;                                // Null outside transactions.
  bool over = false;                                       // Of a transaction that has ended.
  Status trouble = {};                                     // Why there is nothing to read from.
  bool may_purge = false;  // Outside snapshots and transactions a read may tidy up behind itself.

  // Reads from the state from now on, if it was not taken away.
  void ReadFrom(std::shared_ptr<OpenStates::State> from) {
    if (store.is_open()) lent = from->Lend();
    snapshot = lent.get();
    state = std::move(from);
  }
};

// Ok when there is something to read from.
Status CheckView(const View& view);

// What calls answer whose state was taken away.
Status StateRevoked();

// What calls answer that need a value and meet a collection.
Status CollectionHasNoValue();

// A view that stands still, for calls that look at more than one row.
// The instant is read after the state is taken: a row that was purged before that is dead at it,
// too. The other way round, of two rows with one deadline one could be gone and the other alive.
Result<View> Freeze(const View& view, StateKind kind = StateKind::kCall);

// Finds the living row; nothing when there is none. The row points into `pin` or the overlay.
Status FindRow(const View& view, Bytes key, PinnedBytes& pin, std::optional<RowView>& row);

// The same, and a value in chunks is the plain row that it stands for, in `pin`.
Status FindPlainRow(const View& view, Bytes key, PinnedBytes& pin, std::optional<RowView>& row);

Status ReadValue(const View& view, Bytes key, PinnedBytes& value);
Result<Row> ReadRow(const View& view, Bytes key);
Result<std::vector<Result<std::string>>> ReadMany(const View& view, std::span<const Bytes> keys);
Result<Millis> ReadTtl(const View& view, Bytes key);
Result<Row> ReadAsOf(const View& view, Bytes key, WallTime as_of);

// Ok when the view can tell how things were at `as_of`.
Status CheckAsOf(const View& view, WallTime as_of);

// The row as it was then, if it is not dead by now; nothing when there is none. In a frozen view.
Status FindAsOf(const View& view, Bytes key, WallTime as_of, PinnedBytes& pin,
                std::optional<RowView>& row);
Result<std::uint64_t> CountRows(const View& view);

Result<std::unique_ptr<Cursor>> OpenCursor(const View& view, const CursorOptions& options);
Result<std::vector<DeadlineEntry>> ReadDeadlines(const View& view, const DeadlineWindow& window);
Result<std::vector<ForecastBucket>> ReadForecast(const View& view, const ForecastOptions& options);

}  // namespace mayfly::core
