// reads.h - every read there is, over one view of a keyspace.
// A view is a state and an instant. Keyspaces, snapshots and transactions differ in the view they
// give and in nothing else, so that a rule of visibility holds in all three or in none.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/keyspace_state.h"
#include "core/overlay.h"
#include "core/store.h"
#include "mayfly/keyspace.h"

namespace mayfly::core {

// Row keys a transaction has looked at.
using ReadSet = std::set<std::string, std::less<>>;

struct View {
  Store& store;
  KeyspaceState& keyspace;
  WallTime now;
  const engine::Snapshot* snapshot = nullptr;  // Null: the newest state.
  const Overlay* overlay = nullptr;            // Null outside transactions.
  ReadSet* reads = nullptr;                    // Null outside transactions.
  bool over = false;                           // Of a transaction that has ended.
  bool may_purge = false;  // Outside snapshots and transactions a read may tidy up behind itself.
};

// Ok when there is something to read from.
Status CheckView(const View& view);

// A view that stands still, for calls that look at more than one row.
struct FrozenView {
  std::unique_ptr<engine::Snapshot> own;  // Null when the view was frozen before.
  View view;
};

// The instant is read after the state is taken: a row that was purged before that is dead at it,
// too. The other way round, of two rows with one deadline one could be gone and the other alive.
Result<FrozenView> Freeze(const View& view);

// Finds the living row; nothing when there is none. The row points into `pin` or the overlay.
Status FindRow(const View& view, Bytes key, PinnedBytes& pin, std::optional<RowView>& row);

Status ReadValue(const View& view, Bytes key, PinnedBytes& value);
Result<Row> ReadRow(const View& view, Bytes key);
Result<std::vector<Result<std::string>>> ReadMany(const View& view, std::span<const Bytes> keys);
Result<Millis> ReadTtl(const View& view, Bytes key);
Result<std::uint64_t> CountRows(const View& view);
Result<std::unique_ptr<Cursor>> OpenCursor(const View& view, const CursorOptions& options);
Result<std::vector<DeadlineEntry>> ReadDeadlines(const View& view, const DeadlineWindow& window);
Result<std::vector<ForecastBucket>> ReadForecast(const View& view, const ForecastOptions& options);

}  // namespace mayfly::core
