// snapshot_rows.h - a frozen state, as an optimistic transaction reads it.
// Everything that is read goes into the read set. At the commit, under the latches of all these
// keys, the set tells whether another writer has changed any of it. Expiry and purging are no such
// change: both states are judged at the commit's instant.
#pragma once

#include <memory>
#include <optional>

#include "core/reads/read_set.h"
#include "core/reads/reads.h"
#include "core/transactions/row_source.h"

namespace mayfly::core {

class SnapshotRows final : public RowSource {
 public:
  SnapshotRows(Store& store, std::shared_ptr<OpenStates::State> state, WallTime now)
      : RowSource(/*is_latched=*/false), store_(store), state_(std::move(state)), now_(now) {}

  // Refuses all calls from now on.
  void End();

  // Ok when the transaction has not ended.
  Status CheckActive() const;

  // The state as a view of one keyspace, with the transaction's drafts of it.
  View ViewOf(KeyspaceState& keyspace, const BufferedRows* drafts);

  const ReadSet& reads() const { return reads_; }

  // Ok when what was read of a key has not changed. `today` is the key's state now, under its
  // latch, and `now` the commit's instant. Conflict otherwise.
  Status CheckUnchanged(KeyspaceState& keyspace, Bytes key, const ReadSet::Seen& seen,
                        const KeyState& today, WallTime now) const;

  Status CheckUse(const KeyspaceState& keyspace) const override;
  Status CheckRead(const KeyspaceState& keyspace, Bytes key, Stripe stripe) const override;
  Status CheckWrite(const KeyspaceState& keyspace, Bytes key, Stripe stripe) const override;
  Status CheckClear(const KeyspaceState& keyspace) const override;
  bool HoldsAlone(Stripe) const override { return false; }
  Status ReadRow(KeyspaceState& keyspace, Bytes key, PinnedBytes& pin,
                 std::optional<RowView>& row) override;
  Status ShowWhole(const KeyspaceState& keyspace, PinnedBytes& pin, RowView& row) override;
  Status ReadPart(const KeyspaceState& keyspace, Bytes key, Bytes part_key,
                  PinnedBytes& pin) override;
  void NotePart(const KeyspaceState& keyspace, Bytes key, Bytes part_key) override;
  Result<std::unique_ptr<engine::Cursor>> NewPartCursor(const KeyspaceState& keyspace, Bytes key,
                                                        const PartKeys& keys,
                                                        std::optional<Bytes> packed,
                                                        const engine::KeyRange& range) override;
  // Conflict when the state was revoked.
  Result<std::shared_ptr<const engine::Snapshot>> State() const override;
  Result<std::shared_ptr<const engine::Snapshot>> StateOfRows() const override { return State(); }
  WallTime FirstDeadline(const KeyspaceState&) const override { return WallTimeFromMs(0); }

 private:
  Status ReadMarker(const KeyspaceState& keyspace, Bytes key,
                    std::optional<VersionView>& marker) override;
  Result<bool> IsSameRow(KeyspaceState& keyspace, const KeyState& before, const KeyState& today,
                         const engine::Snapshot& then, WallTime now) const;
  Result<bool> AreSameParts(const KeyspaceState& keyspace, const ReadSet::PartRanges& ranges,
                            const RowView& before, const RowView& today,
                            const engine::Snapshot& then, WallTime now) const;

  Store& store_;
  std::shared_ptr<OpenStates::State> state_;  // Shared with cursors. Null once it is over.
  const WallTime now_;
  ReadSet reads_;
};

}  // namespace mayfly::core
