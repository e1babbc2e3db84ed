// row_cursor.h - the living rows of a view, in key order.
// Merges two sorted sources: stored rows, and a copy of the transaction's own writes in the range,
// which shadow stored rows of the same key. Outside transactions the second is empty.
#pragma once

#include <memory>
#include <string>

#include "core/reads.h"
#include "engine/engine.h"
#include "mayfly/cursor.h"

namespace mayfly::core {

class RowCursor final : public Cursor {
 public:
  static Result<std::unique_ptr<Cursor>> Open(FrozenView frozen, const CursorOptions& options);

  bool Valid() const override { return at_ != At::kNowhere; }
  void SeekToFirst() override;
  void SeekToLast() override;
  void SeekAtOrAfter(Bytes target) override;
  void SeekAtOrBefore(Bytes target) override;
  void Next() override;
  void Prev() override;
  Bytes key() const override;
  Bytes value() const override;
  std::optional<WallTime> deadline() const override;
  Status status() const override;

 private:
  enum class At : std::uint8_t { kNowhere, kStored, kOwn };

  RowCursor(FrozenView frozen, RowFilter filter, std::unique_ptr<engine::Cursor> stored,
            Overlay own);

  // Moves a source to the next row that can be shown.
  void SettleStored(bool forward);
  void SettleOwn(bool forward);
  bool Shows(const RowView& row) const;

  // Chooses between the sources, which stand at or behind the current position.
  void PickForward();
  void PickBackward();
  Bytes RowKeyHere() const;

  const std::unique_ptr<engine::Snapshot> state_;  // Null when somebody else holds it.
  const KeyspaceId keyspace_;
  const WallTime now_;
  const RowFilter filter_;
  const std::unique_ptr<engine::Cursor> stored_;
  const Overlay own_;

  RowView stored_row_;                    // Of the stored source, where it stands.
  Overlay::const_iterator own_position_;  // In reverse, the element after the one it stands on.
  At at_ = At::kNowhere;
  bool forward_ = true;
  Status status_;
};

}  // namespace mayfly::core
