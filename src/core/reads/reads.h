// reads.h - all public reads, over one view of a keyspace.
// A view is a state and an instant. Reads of keyspaces, snapshots and transactions differ only in
// their view, so that a rule of visibility holds in all three or in none.
#pragma once

#include <string>
#include <vector>

#include "core/keyspaces/keyspace_state.h"
#include "core/reads/drafts.h"
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
  const BufferedRows* drafts = nullptr;                    // Null outside transactions.
  ReadSet* reads = nullptr;                                // Null outside transactions.
  bool over = false;                                       // The transaction has ended.
  Status trouble = {};                                     // Why the view cannot be read.
  bool may_purge = false;  // Outside snapshots and transactions a read may purge a dead row.

  // The transaction's own draft of the key, if it changed it.
  const BufferedRow* Draft(Bytes key) const {
    if (drafts == nullptr || drafts->empty()) return nullptr;
    const auto* const found = drafts->Find(key);
    return found != nullptr && found->second.dirty() ? &found->second : nullptr;
  }

  // Reads from this state from now on, if it was not revoked.
  void ReadFrom(std::shared_ptr<OpenStates::State> from) {
    if (store.is_open()) lent = from->Lend();
    snapshot = lent.get();
    state = std::move(from);
  }
};

// Ok when the view can be read.
Status CheckView(const View& view);

// The error of calls whose state was revoked.
Status StateRevoked();

// The error of calls that need a value and find a collection.
Status CollectionHasNoValue();

// A frozen view, for calls that read more than one row.
// The instant is read after the state is taken: a row that was purged before is then dead at the
// instant, too. In the other order, of two rows with one deadline one could be gone and one alive.
Result<View> Freeze(const View& view, StateKind kind = StateKind::kCall);

// Reads the stored row, dead or not. A transaction keeps what it read in its read set.
Status ReadStored(const View& view, Bytes key, PinnedBytes& pin, std::optional<RowView>& row);

// Finds the living row; nothing when there is none. The row points into `pin` or the drafts.
Status FindRow(const View& view, Bytes key, PinnedBytes& pin, std::optional<RowView>& row);

// As FindRow(), with a value in chunks assembled in `pin`.
Status FindPlainRow(const View& view, Bytes key, PinnedBytes& pin, std::optional<RowView>& row);

Status ReadValue(const View& view, Bytes key, PinnedBytes& value);
Result<Row> ReadRow(const View& view, Bytes key);
Result<std::vector<Result<std::string>>> ReadMany(const View& view, std::span<const Bytes> keys);
Result<Millis> ReadTtl(const View& view, Bytes key);
Result<Row> ReadAsOf(const View& view, Bytes key, WallTime as_of);

// Ok when the view can be read as of `as_of`.
Status CheckAsOf(const View& view, WallTime as_of);

// The row as it was then, if it is not dead by now; nothing when there is none. In a frozen view.
Status FindAsOf(const View& view, Bytes key, WallTime as_of, PinnedBytes& pin,
                std::optional<RowView>& row);
Result<std::uint64_t> CountRows(const View& view);

Result<std::unique_ptr<Cursor>> OpenCursor(const View& view, const CursorOptions& options);
Result<std::vector<DeadlineEntry>> ReadDeadlines(const View& view, const DeadlineWindow& window);
Result<std::vector<ForecastBucket>> ReadForecast(const View& view, const ForecastOptions& options);

}  // namespace mayfly::core
