// history_cursor.h - a cursor over the rows of a keyspace as they were at an instant of the past.
// A key that had a row then has one in `rows` now, or versions or a marker in `members`: both are
// scanned together, and each key found in either is looked up. Costs a few lookups per row; reads
// of the past are rare.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/reads/reads.h"
#include "core/reads/row_cursor.h"
#include "mayfly/cursor.h"

namespace mayfly::core {

class HistoryCursor final : public Cursor {
 public:
  // `options` must have an as_of that the view can answer.
  static Result<std::unique_ptr<Cursor>> Open(const View& frozen, const CursorOptions& options);

  bool Valid() const override { return row_.has_value(); }
  void SeekToFirst() override;
  void SeekToLast() override;
  void SeekAtOrAfter(Bytes target) override;
  void SeekAtOrBefore(Bytes target) override;
  void Next() override;
  void Prev() override;
  Bytes key() const override { return key_; }
  Bytes value() const override { return row_->payload; }
  std::optional<WallTime> deadline() const override { return row_->deadline; }
  std::optional<WallTime> timestamp() const override { return row_->timestamp; }
  Status status() const override { return status_; }

 private:
  HistoryCursor(View frozen, const CursorOptions& options, RowBounds bounds,
                std::unique_ptr<engine::Cursor> rows, std::unique_ptr<engine::Cursor> members);

  // FindForward() moves to the first key at or after `from` that had a row; FindBackward() to the
  // last one before, or if `with` is set at, `from` (nothing: the end of the keyspace).
  void FindForward(Bytes from);
  void FindBackward(const std::optional<std::string>& from, bool with);

  // The first and last key that either source has, within the bounds.
  std::optional<std::string> FirstNamed(const std::string& from);
  std::optional<std::string> LastNamed(const std::optional<std::string>& from, bool with);

  std::optional<std::string> UserKeyOfEnd() const;
  std::optional<std::string> KeyOfMember();
  bool Good();
  bool Take(const std::string& key);

  // The keyspace of view_. Shared with the catalog and handles, which may release it first.
  const std::shared_ptr<const KeyspaceState> keyspace_;
  View view_;  // Without the snapshot lent to the call that opened it.
  const WallTime as_of_;
  const RowFilter filter_;
  const RowBounds bounds_;
  const std::unique_ptr<engine::Cursor> rows_;
  const std::unique_ptr<engine::Cursor> members_;

  std::string key_;
  PinnedBytes pin_;
  std::optional<RowView> row_;
  Status status_;
};

}  // namespace mayfly::core
