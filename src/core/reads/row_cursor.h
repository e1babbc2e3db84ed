// row_cursor.h - a cursor over the living rows of a view, in key order.
// Merges two sorted sources: stored rows, and a copy of the transaction's own writes in the range,
// which shadow stored rows of the same key. Outside transactions the second is empty.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/reads/merged_cursor.h"
#include "core/reads/reads.h"
#include "engine/engine.h"
#include "mayfly/cursor.h"

namespace mayfly::core {

// The key range of a cursor in `rows`.
struct RowBounds {
  std::string begin;
  std::string end;

  // Invalid when the options' range is reversed.
  static Result<RowBounds> Of(KeyspaceId keyspace, const CursorOptions& options);
};

// Whether a cursor with this filter shows a row with this deadline, if it lives.
bool PassesFilter(const std::optional<WallTime>& deadline, RowFilter filter);

// A copy of a transaction's draft.
struct OwnRow {
  bool shows = false;  // False: deleted, or dead.
  std::string payload = {};
  std::optional<WallTime> deadline = std::nullopt;
  std::optional<WallTime> timestamp = std::nullopt;
  bool is_collection = false;

  // For MergedCursor: it shadows the stored row.
  static constexpr bool dirty() { return true; }
  bool Shows(WallTime) const { return shows; }
};
using OwnRows = DraftMap<OwnRow>;  // By row key.

class RowCursor final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> Open(const View& frozen, const CursorOptions& options);

  bool Valid() const override { return merged_.Valid(); }
  void SeekToFirst() override;
  void SeekToLast() override;
  void SeekAtOrAfter(Bytes target) override;
  void SeekAtOrBefore(Bytes target) override;
  void Next() override;
  void Prev() override;
  Bytes key() const override;
  Bytes value() const override;
  std::optional<WallTime> deadline() const override;
  std::optional<WallTime> timestamp() const override;
  bool is_collection() const override;
  Status status() const override;

 private:
  RowCursor(const View& frozen, RowFilter filter, std::unique_ptr<engine::Cursor> stored,
            OwnRows own);

  // Moves forward, or back, to a row that passes the filter.
  void SettleForward();
  void SettleBackward();
  bool IsFilteredOut() const;
  const OwnRow& Own() const;
  Bytes WholeHere() const;

  const engine::Engine& engine_;
  const std::shared_ptr<OpenStates::State> state_;  // Shared with the snapshot, if there is one.
  const KeyspaceId keyspace_;
  const RowFilter filter_;
  const OwnRows own_;  // The transaction's writes in the range.
  MergedCursor<OwnRow> merged_;
  mutable Status whole_status_;
  mutable PinnedBytes whole_;  // A value in chunks, once value() was called.
  mutable bool whole_is_here_ = false;
};

}  // namespace mayfly::core
