#include "core/reads/row_cursor.h"

#include <cassert>
#include <iterator>

#include "core/commit/whole_value.h"
#include "core/layout/keys.h"
#include "core/layout/liveness.h"

namespace mayfly::core {
namespace {

// The end of all keys with this prefix; empty when there is no end, which a keyspace prefix always
// has.
std::string PrefixEnd(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

}  // namespace

Result<RowBounds> RowBounds::Of(KeyspaceId keyspace, const CursorOptions& options) {
  if (!options.begin.empty() && !options.end.empty() && options.end < options.begin) {
    return Status::Invalid("range is reversed: its end lies before its begin; swap them");
  }
  const std::string begin = KeyspaceBegin(keyspace);
  RowBounds bounds{begin + std::string(options.prefix),
                   PrefixEnd(begin + std::string(options.prefix))};
  // What is left when nothing of the prefix is may be shorter than a keyspace's id.
  if (bounds.end.size() <= begin.size()) bounds.end = KeyspaceEnd(keyspace);
  if (!options.begin.empty()) {
    bounds.begin = std::max(bounds.begin, begin + std::string(options.begin));
  }
  if (!options.end.empty()) bounds.end = std::min(bounds.end, begin + std::string(options.end));
  if (bounds.end < bounds.begin) bounds.end = bounds.begin;  // Nothing fits both: an empty walk.
  return bounds;
}

bool PassesFilter(const RowView& row, RowFilter filter) {
  switch (filter) {
    case RowFilter::kAll: return true;
    case RowFilter::kMortal: return row.deadline.has_value();
    case RowFilter::kImmortal: return !row.deadline.has_value();
  }
  return true;
}

Result<std::unique_ptr<Cursor>> RowCursor::Open(const View& view, const CursorOptions& options) {
  MAYFLY_TRY(const RowBounds bounds, RowBounds::Of(view.keyspace.id(), options));
  const engine::CursorOptions walk{.range = {bounds.begin, bounds.end}, .snapshot = view.snapshot};
  MAYFLY_TRY(auto stored, view.store.engine().NewCursor({engine::Role::kRows}, walk));
  Overlay own;
  if (view.overlay != nullptr) {
    own.insert(view.overlay->lower_bound(bounds.begin), view.overlay->lower_bound(bounds.end));
  }
  return std::unique_ptr<Cursor>(
      new RowCursor(view, options.filter, std::move(stored), std::move(own)));
}

RowCursor::RowCursor(const View& frozen, RowFilter filter, std::unique_ptr<engine::Cursor> stored,
                     Overlay own)
    : engine_(frozen.store.engine()),
      state_(frozen.state),
      keyspace_(frozen.keyspace.id()),
      now_(frozen.now),
      filter_(filter),
      stored_(std::move(stored)),
      own_(std::move(own)),
      own_position_(own_.begin()) {}

void RowCursor::SeekToFirst() {
  stored_->SeekToFirst();
  own_position_ = own_.begin();
  PickForward();
}

void RowCursor::SeekToLast() {
  stored_->SeekToLast();
  own_position_ = own_.end();
  PickBackward();
}

void RowCursor::SeekAtOrAfter(Bytes target) {
  const RowKey row_key(keyspace_, target);
  stored_->SeekAtOrAfter(row_key);
  own_position_ = own_.lower_bound(Bytes(row_key));
  PickForward();
}

void RowCursor::SeekAtOrBefore(Bytes target) {
  const RowKey row_key(keyspace_, target);
  stored_->SeekAtOrBefore(row_key);
  own_position_ = own_.upper_bound(Bytes(row_key));
  PickBackward();
}

void RowCursor::Next() {
  assert(Valid());
  if (!forward_) {
    // Turning round: the other source stands behind us, so both are placed anew.
    const std::string here(RowKeyHere());
    stored_->SeekAtOrAfter(here);
    if (stored_->Valid() && stored_->key() == here) stored_->Next();
    own_position_ = own_.upper_bound(here);
  } else if (at_ == At::kStored) {
    stored_->Next();
  } else {
    ++own_position_;
  }
  PickForward();
}

void RowCursor::Prev() {
  assert(Valid());
  if (forward_) {
    const std::string here(RowKeyHere());
    stored_->SeekAtOrBefore(here);
    if (stored_->Valid() && stored_->key() == here) stored_->Prev();
    own_position_ = own_.lower_bound(here);
  } else if (at_ == At::kStored) {
    stored_->Prev();
  } else {
    --own_position_;
  }
  PickBackward();
}

void RowCursor::PickForward() {
  forward_ = true;
  at_ = At::kNowhere;
  status_ = Status();
  SettleStored(true);
  SettleOwn(true);
  if (!status_.ok()) return;
  const bool has_own = own_position_ != own_.end();
  if (!stored_->Valid()) {
    if (has_own) at_ = At::kOwn;
    return;
  }
  at_ = has_own && Bytes(own_position_->first) < stored_->key() ? At::kOwn : At::kStored;
}

void RowCursor::PickBackward() {
  forward_ = false;
  at_ = At::kNowhere;
  status_ = Status();
  SettleStored(false);
  SettleOwn(false);
  if (!status_.ok()) return;
  const bool has_own = own_position_ != own_.begin();
  if (!stored_->Valid()) {
    if (has_own) at_ = At::kOwn;
    return;
  }
  at_ = has_own && Bytes(std::prev(own_position_)->first) > stored_->key() ? At::kOwn : At::kStored;
}

void RowCursor::SettleStored(bool forward) {
  whole_is_here_ = false;
  for (; stored_->Valid(); forward ? stored_->Next() : stored_->Prev()) {
    if (!own_.empty() && own_.contains(stored_->key())) continue;  // Shadowed.
    auto row = DecodeRow(stored_->value());
    if (!row) {
      status_ = row.error();
      return;
    }
    stored_row_ = *row;
    if (!IsDead(stored_row_.deadline, now_) && PassesFilter(stored_row_, filter_)) return;
  }
  status_ = stored_->status();
}

void RowCursor::SettleOwn(bool forward) {
  const auto shows = [this](const Pending& pending) {
    return pending.present && !IsDead(pending.deadline, now_) &&
           PassesFilter(pending.view(), filter_);
  };
  if (forward) {
    while (own_position_ != own_.end() && !shows(own_position_->second)) ++own_position_;
    return;
  }
  while (own_position_ != own_.begin() && !shows(std::prev(own_position_)->second)) {
    --own_position_;
  }
}

Bytes RowCursor::RowKeyHere() const {
  assert(Valid());
  if (at_ == At::kStored) return stored_->key();
  return forward_ ? own_position_->first : std::prev(own_position_)->first;
}

Bytes RowCursor::key() const { return UserKeyOf(RowKeyHere()); }

Bytes RowCursor::value() const {
  assert(Valid());
  if (is_collection()) return {};
  if (at_ == At::kStored) return stored_row_.collection_id ? WholeHere() : stored_row_.payload;
  return (forward_ ? own_position_ : std::prev(own_position_))->second.payload;
}

// Put together only for those who ask.
Bytes RowCursor::WholeHere() const {
  if (!whole_is_here_) {
    const auto snapshot = state_->Lend();
    RowView row = stored_row_;
    status_ = snapshot == nullptr ? StateRevoked()
                                  : ShowWhole(engine_, keyspace_, snapshot.get(), whole_, row);
    if (!status_.ok()) return {};
    whole_is_here_ = true;
  }
  return whole_.view();
}

std::optional<WallTime> RowCursor::deadline() const {
  assert(Valid());
  if (at_ == At::kStored) return stored_row_.deadline;
  return (forward_ ? own_position_ : std::prev(own_position_))->second.deadline;
}

std::optional<WallTime> RowCursor::timestamp() const {
  assert(Valid());
  if (at_ == At::kStored) return stored_row_.timestamp;
  return (forward_ ? own_position_ : std::prev(own_position_))->second.timestamp;
}

bool RowCursor::is_collection() const {
  assert(Valid());
  if (at_ == At::kStored) return stored_row_.collection_id && !ChunksOf(stored_row_);
  return (forward_ ? own_position_ : std::prev(own_position_))->second.collection_id.has_value();
}

Status RowCursor::status() const { return status_; }

}  // namespace mayfly::core
