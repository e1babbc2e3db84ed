// latched_rows.h - the present, as a transaction reads it under the latches of its keys.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "core/transactions/held_keys.h"
#include "core/transactions/row_source.h"

namespace mayfly::core {

class LatchedRows final : public RowSource {
 public:
  // Both must outlive this object.
  LatchedRows(Store& store, const HeldKeys& held)
      : RowSource(/*is_latched=*/true), store_(store), held_(held) {}

  // Prepares walks over rows, which are not latched: they are read from a snapshot of this moment,
  // which shows the latched ones as they will stay.
  Status Freeze();

  // Refuses all calls from now on.
  void End();

  Status CheckUse(const KeyspaceState& keyspace) const override;
  Status CheckRead(const KeyspaceState& keyspace, Bytes key, Stripe stripe) const override {
    return Check(keyspace, key, stripe);
  }
  Status CheckWrite(const KeyspaceState& keyspace, Bytes key, Stripe stripe) const override;
  Status CheckClear(const KeyspaceState& keyspace) const override;
  bool HoldsAlone(Stripe stripe) const override { return held_.HoldsAlone(stripe); }
  Status ReadRow(KeyspaceState& keyspace, Bytes key, PinnedBytes& pin,
                 std::optional<RowView>& row) override {
    return store_.ReadStored(keyspace, key, nullptr, pin, row);
  }
  Status ShowWhole(const KeyspaceState& keyspace, PinnedBytes& pin, RowView& row) override;
  Status ReadPart(const KeyspaceState& keyspace, Bytes key, Bytes part_key,
                  PinnedBytes& pin) override;
  Result<std::unique_ptr<engine::Cursor>> NewPartCursor(const KeyspaceState& keyspace, Bytes key,
                                                        const PartKeys& keys,
                                                        std::optional<Bytes> packed,
                                                        const engine::KeyRange& range) override;
  Result<std::shared_ptr<const engine::Snapshot>> State() const override;
  Result<std::shared_ptr<const engine::Snapshot>> StateOfRows() const override;
  WallTime FirstDeadline(const KeyspaceState& keyspace) const override;

 private:
  Status Check(const KeyspaceState& keyspace, Bytes key, Stripe stripe) const;
  Status ReadMarker(const KeyspaceState& keyspace, Bytes key,
                    std::optional<VersionView>& marker) override;

  Store& store_;
  const HeldKeys& held_;
  bool over_ = false;
  std::shared_ptr<OpenStates::State> state_;   // Set by Freeze(). Not shared.
  std::map<KeyspaceId, WallTime> watermarks_;  // From before the state was taken.
};

}  // namespace mayfly::core
