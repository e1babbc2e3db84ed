// Cursors over members and rows as a transaction sees them.
#include <algorithm>

#include "core/layout/keys.h"
#include "core/reads/merged_cursor.h"
#include "core/reads/row_cursor.h"
#include "core/transactions/write_buffers.h"

namespace mayfly::core {
namespace {

class MergedMemberCursor final : public MemberCursor {
 public:
  explicit MergedMemberCursor(MergedCursor<BufferedMember> merged) : merged_(std::move(merged)) {}

  bool Valid() const override { return merged_.Valid(); }
  void SeekToFirst() override { merged_.SeekToFirst(); }
  void SeekToLast() override { merged_.SeekToLast(); }
  void SeekAtOrAfter(Bytes target) override { merged_.SeekAtOrAfter(target); }
  void SeekAtOrBefore(Bytes target) override { merged_.SeekAtOrBefore(target); }
  void Next() override { merged_.Next(); }
  void Prev() override { merged_.Prev(); }
  Bytes member() const override { return merged_.name(); }
  Bytes value() const override {
    const RowView* const stored = merged_.stored_row();
    return stored != nullptr ? stored->payload : merged_.own_row()->value();
  }
  std::optional<WallTime> deadline() const override {
    const RowView* const stored = merged_.stored_row();
    // NOLINTNEXTLINE(clang-analyzer-*): a row that is not stored is the transaction's own.
    return stored != nullptr ? stored->deadline : merged_.own_row()->draft.deadline;
  }
  Status status() const override { return merged_.status(); }

 private:
  MergedCursor<BufferedMember> merged_;
};

class MergedRowCursor final : public TransactionCursor {
 public:
  MergedRowCursor(std::shared_ptr<const engine::Snapshot> state, MergedCursor<BufferedRow> merged,
                  RowFilter filter)
      : state_(std::move(state)), merged_(std::move(merged)), filter_(filter) {}

  bool Valid() const override { return status_.ok() && merged_.Valid(); }
  void SeekToFirst() override {
    merged_.SeekToFirst();
    Settle();
  }
  void SeekAtOrAfter(Bytes target) override {
    merged_.SeekAtOrAfter(target);
    Settle();
  }
  void Next() override {
    merged_.Next();
    Settle();
  }
  std::optional<Bytes> stopped_at() const override { return merged_.stopped_at(); }
  Bytes key() const override { return merged_.name(); }
  bool is_collection() const override { return is_collection_; }
  Bytes value() const override { return value_; }
  std::optional<WallTime> deadline() const override { return deadline_; }
  Status status() const override { return status_.ok() ? merged_.status() : status_; }

 private:
  // Moves to the next row that passes the filter, and reads it.
  void Settle() {
    status_ = Status();
    for (; merged_.Valid(); merged_.Next()) {
      status_ = Look();
      if (!status_.ok() || PassesFilter(deadline_, filter_)) return;
    }
  }

  Status Look() {
    if (const BufferedRow* const own = merged_.own_row()) {
      is_collection_ = own->is_collection();
      value_ = own->value();
      deadline_ = own->draft.deadline;
      return {};
    }
    const RowView& stored = *merged_.stored_row();
    is_collection_ = stored.collection_id.has_value();
    value_ = stored.payload;
    deadline_ = stored.deadline;
    if (!is_collection_) return {};
    MAYFLY_TRY(const Collection collection, DecodeCollection(stored.payload));
    value_ = collection.head;
    deadline_ = collection.own_deadline;
    return {};
  }

  const std::shared_ptr<const engine::Snapshot> state_;  // Shared with the transaction.
  MergedCursor<BufferedRow> merged_;
  const RowFilter filter_;
  bool is_collection_ = false;
  Bytes value_;  // Like the others, of the current row; a view into merged_.
  std::optional<WallTime> deadline_;
  Status status_;
};

}  // namespace

Result<std::unique_ptr<MemberCursor>> WriteBuffer::NewMemberCursor(Bytes key, Part part,
                                                                   const MemberRange& range) {
  Living living;
  MAYFLY_RETURN_IF_ERROR(LivingCollection(key, Access::kRead, living));
  const PartKeys& keys = living.parts->keys;
  const PartKind kind = part == Part::kMembers ? PartKind::kMember : PartKind::kSide;
  // A reversed range is empty.
  const Bytes last = range.end.empty() ? range.end : std::max(range.begin, range.end);
  std::unique_ptr<engine::Cursor> stored;
  if (living.parts->stored) {
    const RowKey begin = keys.Of(kind, range.begin);
    const std::string end = last.empty() ? keys.End(kind) : std::string(Bytes(keys.Of(kind, last)));
    MAYFLY_TRY(stored,
               source().NewPartCursor(state_, key, keys, living.parts->packed, {begin, end}));
  }
  return std::unique_ptr<MemberCursor>(std::make_unique<MergedMemberCursor>(
      MergedCursor<BufferedMember>(keys.Begin(kind), std::move(stored), MapOf(*living.parts, part),
                                   range.begin, last, transaction_.now())));
}

Result<std::unique_ptr<TransactionCursor>> WriteBuffer::NewCursor(const CursorOptions& options,
                                                                  std::uint64_t dead_max) {
  MAYFLY_RETURN_IF_ERROR(source().CheckUse(state_));
  if (options.as_of) {
    return Status::Invalid("the keyspace orders its rows by arrival and has no past");
  }
  MAYFLY_TRY(const RowBounds bounds, RowBounds::Of(state_.id(), options));
  MAYFLY_TRY(auto state, source().StateOfRows());
  std::unique_ptr<engine::Cursor> stored;
  if (!cleared_) {
    const engine::CursorOptions walk{.range = {bounds.begin, bounds.end}, .snapshot = state.get()};
    MAYFLY_TRY(stored, store_.engine().NewCursor({engine::Role::kRows}, walk));
  }
  const bool endless = bounds.end == KeyspaceEnd(state_.id());
  const Bytes begin = UserKeyOf(bounds.begin);
  const Bytes end = endless ? Bytes() : UserKeyOf(bounds.end);
  return std::unique_ptr<TransactionCursor>(std::make_unique<MergedRowCursor>(
      std::move(state),
      MergedCursor<BufferedRow>(KeyspaceBegin(state_.id()), std::move(stored), rows_, begin, end,
                                transaction_.now(), dead_max),
      options.filter));
}

Result<std::optional<std::string>> WriteBuffer::MortalKey(std::uint64_t n) {
  MAYFLY_RETURN_IF_ERROR(source().CheckUse(state_));
  MAYFLY_TRY(auto state, source().StateOfRows());
  if (cleared_) return std::optional<std::string>();
  // Entries of dead rows lie before.
  const std::string begin = EntryBegin(state_.id(), transaction_.now() + Millis(1));
  const std::string end = KeyspaceEnd(state_.id());
  const engine::CursorOptions walk{.range = {begin, end}, .snapshot = state.get()};
  MAYFLY_TRY(const auto cursor, store_.engine().NewCursor({engine::Role::kExpiry}, walk));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const auto entry = DecodeEntry(cursor->key());
    if (!entry) {
      return Status::Corruption("an entry of the expiry index is damaged; run a check with repair");
    }
    const Rows* const own = rows_.Find(entry->key);
    if (own != nullptr && own->second.dirty()) continue;
    if (n-- == 0) return std::optional(std::string(entry->key));
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return std::optional<std::string>();
}

}  // namespace mayfly::core
