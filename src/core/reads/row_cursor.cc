#include "core/reads/row_cursor.h"

#include <cassert>

#include "core/commit/whole_value.h"
#include "core/layout/keys.h"
#include "core/layout/liveness.h"

namespace mayfly::core {
namespace {

// The end of all keys with this prefix; empty when there is none. A keyspace's prefix has one.
std::string PrefixEnd(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

OwnRows CopyDrafts(const View& view, const RowBounds& bounds) {
  OwnRows own;
  if (view.drafts == nullptr) return own;
  const KeyspaceId id = view.keyspace.id();
  const bool endless = bounds.end == KeyspaceEnd(id);
  auto at = view.drafts->lower_bound(UserKeyOf(bounds.begin));
  const auto end = endless ? view.drafts->end() : view.drafts->lower_bound(UserKeyOf(bounds.end));
  for (; at != end; ++at) {
    const auto& [key, row] = *at;
    if (!row.dirty()) continue;
    OwnRow copy{.shows = row.Shows(view.now), .is_collection = row.is_collection()};
    if (copy.shows) {
      copy.payload = row.is_collection() ? Bytes() : row.value();
      copy.deadline = row.DiesAt();
      copy.timestamp = row.newest();
    }
    own.Emplace(RowKey(id, key), [] { return std::make_unique<OwnRows::value_type>(); })
        .first->second = std::move(copy);
  }
  return own;
}

}  // namespace

Result<RowBounds> RowBounds::Of(KeyspaceId keyspace, const CursorOptions& options) {
  if (!options.begin.empty() && !options.end.empty() && options.end < options.begin) {
    return Status::Invalid("range is reversed: its end lies before its begin; swap them");
  }
  const std::string begin = KeyspaceBegin(keyspace);
  RowBounds bounds{begin + std::string(options.prefix),
                   PrefixEnd(begin + std::string(options.prefix))};
  // If no byte of the prefix is left, the end may be shorter than a keyspace's id.
  if (bounds.end.size() <= begin.size()) bounds.end = KeyspaceEnd(keyspace);
  if (!options.begin.empty()) {
    bounds.begin = std::max(bounds.begin, begin + std::string(options.begin));
  }
  if (!options.end.empty()) bounds.end = std::min(bounds.end, begin + std::string(options.end));
  if (bounds.end < bounds.begin) bounds.end = bounds.begin;  // Disjoint bounds: an empty range.
  return bounds;
}

bool PassesFilter(const std::optional<WallTime>& deadline, RowFilter filter) {
  switch (filter) {
    case RowFilter::kAll: return true;
    case RowFilter::kMortal: return deadline.has_value();
    case RowFilter::kImmortal: return !deadline.has_value();
  }
  return true;
}

Result<std::unique_ptr<Cursor>> RowCursor::Open(const View& view, const CursorOptions& options) {
  MAYFLY_TRY(const RowBounds bounds, RowBounds::Of(view.keyspace.id(), options));
  const engine::CursorOptions walk{.range = {bounds.begin, bounds.end}, .snapshot = view.snapshot};
  MAYFLY_TRY(auto stored, view.store.engine().NewCursor({engine::Role::kRows}, walk));
  return std::unique_ptr<Cursor>(
      new RowCursor(view, options.filter, std::move(stored), CopyDrafts(view, bounds)));
}

RowCursor::RowCursor(const View& frozen, RowFilter filter, std::unique_ptr<engine::Cursor> stored,
                     OwnRows own)
    : engine_(frozen.store.engine()),
      state_(frozen.state),
      keyspace_(frozen.keyspace.id()),
      filter_(filter),
      own_(std::move(own)),
      merged_(/*prefix=*/"", std::move(stored), own_, /*begin=*/{}, /*end=*/{}, frozen.now) {}

void RowCursor::SeekToFirst() {
  merged_.SeekToFirst();
  SettleForward();
}

void RowCursor::SeekToLast() {
  merged_.SeekToLast();
  SettleBackward();
}

void RowCursor::SeekAtOrAfter(Bytes target) {
  merged_.SeekAtOrAfter(RowKey(keyspace_, target));
  SettleForward();
}

void RowCursor::SeekAtOrBefore(Bytes target) {
  merged_.SeekAtOrBefore(RowKey(keyspace_, target));
  SettleBackward();
}

void RowCursor::Next() {
  merged_.Next();
  SettleForward();
}

void RowCursor::Prev() {
  merged_.Prev();
  SettleBackward();
}

void RowCursor::SettleForward() {
  whole_is_here_ = false;
  whole_status_ = Status();
  while (merged_.Valid() && IsFilteredOut()) merged_.Next();
}

void RowCursor::SettleBackward() {
  whole_is_here_ = false;
  whole_status_ = Status();
  while (merged_.Valid() && IsFilteredOut()) merged_.Prev();
}

bool RowCursor::IsFilteredOut() const {
  return filter_ != RowFilter::kAll && !PassesFilter(deadline(), filter_);
}

// A row that is not stored is the transaction's own.
const OwnRow& RowCursor::Own() const { return *merged_.own_row(); }

Bytes RowCursor::key() const {
  assert(Valid());
  return UserKeyOf(merged_.name());
}

Bytes RowCursor::value() const {
  assert(Valid());
  const RowView* const stored = merged_.stored_row();
  if (stored == nullptr) return Own().payload;
  if (!stored->collection_id) return stored->payload;
  return is_collection() ? Bytes() : WholeHere();
}

// Assembled only when value() is called.
Bytes RowCursor::WholeHere() const {
  if (!whole_is_here_) {
    const auto snapshot = state_->Lend();
    RowView row = *merged_.stored_row();
    whole_status_ = snapshot == nullptr
                        ? StateRevoked()
                        : ShowWhole(engine_, keyspace_, snapshot.get(), whole_, row);
    if (!whole_status_.ok()) return {};
    whole_is_here_ = true;
  }
  return whole_.view();
}

std::optional<WallTime> RowCursor::deadline() const {
  assert(Valid());
  const RowView* const stored = merged_.stored_row();
  return stored != nullptr ? stored->deadline : Own().deadline;
}

std::optional<WallTime> RowCursor::timestamp() const {
  assert(Valid());
  const RowView* const stored = merged_.stored_row();
  return stored != nullptr ? stored->timestamp : Own().timestamp;
}

bool RowCursor::is_collection() const {
  assert(Valid());
  const RowView* const stored = merged_.stored_row();
  if (stored == nullptr) return Own().is_collection;
  return stored->collection_id && !ChunksOf(*stored);
}

Status RowCursor::status() const { return whole_status_.ok() ? merged_.status() : whole_status_; }

}  // namespace mayfly::core
