// merged_cursor.h - a cursor over stored rows and a transaction's own writes, both ways.
// A name is a stored key without the prefix that all keys of the cursor share. A write of the
// transaction's own shadows the stored row of its name. The writes must not change while the cursor
// is in use.
#pragma once

#include <cassert>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "core/layout/liveness.h"
#include "core/layout/row_codec.h"
#include "core/reads/draft_map.h"
#include "engine/engine.h"

namespace mayfly::core {

template <typename Own>
class MergedCursor {
 public:
  using Owns = DraftMap<Own>;
  using Position = typename Owns::const_iterator;

  // `stored` may be null: nothing is stored. `begin` and `end` bound the own rows by name; an empty
  // one is no bound.
  MergedCursor(std::string prefix, std::unique_ptr<engine::Cursor> stored, const Owns& own,
               Bytes begin, Bytes end, WallTime now, std::uint64_t dead_max = UINT64_MAX)
      : prefix_(std::move(prefix)),
        stored_(std::move(stored)),
        own_(own),
        first_(begin.empty() ? own.begin() : own.lower_bound(begin)),
        last_(end.empty() ? own.end() : own.lower_bound(end)),
        now_(now),
        dead_max_(dead_max),
        position_(first_) {}

  bool Valid() const { return at_ != At::kNowhere; }

  // The dead row at which the bound was reached, if that is why the cursor is not valid.
  std::optional<Bytes> stopped_at() const {
    return !Valid() && stopped_ ? std::optional(StoredName()) : std::nullopt;
  }

  void SeekToFirst() {
    passed_ = 0;
    if (stored_) stored_->SeekToFirst();
    position_ = first_;
    PickForward();
  }
  void SeekToLast() {
    passed_ = 0;
    if (stored_) stored_->SeekToLast();
    position_ = last_;
    PickBackward();
  }
  void SeekAtOrAfter(Bytes target) {
    passed_ = 0;
    if (stored_) SeekStoredAtOrAfter(target);
    position_ = Within(own_.lower_bound(target));
    PickForward();
  }
  void SeekAtOrBefore(Bytes target) {
    passed_ = 0;
    if (stored_) SeekStoredAtOrBefore(target);
    position_ = Within(own_.upper_bound(target));
    PickBackward();
  }
  void Next() {
    assert(Valid());
    if (!forward_) {
      // A change of direction: the other source is behind this row, so both seek again.
      const std::string here(name());
      if (stored_) {
        SeekStoredAtOrAfter(here);
        if (stored_->Valid() && StoredName() == here) stored_->Next();
      }
      position_ = Within(own_.upper_bound(here));
    } else if (at_ == At::kStored) {
      stored_->Next();
    } else {
      ++position_;
    }
    PickForward();
  }
  void Prev() {
    assert(Valid());
    if (forward_) {
      const std::string here(name());
      if (stored_) {
        SeekStoredAtOrBefore(here);
        if (stored_->Valid() && StoredName() == here) stored_->Prev();
      }
      position_ = Within(own_.lower_bound(here));
    } else if (at_ == At::kStored) {
      stored_->Prev();
    } else {
      --position_;
    }
    PickBackward();
  }

  Bytes name() const { return at_ == At::kStored ? StoredName() : Bytes(OwnHere()->first); }

  // The current row: one of the two is null.
  const RowView* stored_row() const { return at_ == At::kStored ? &row_ : nullptr; }
  const Own* own_row() const { return at_ == At::kOwn ? &OwnHere()->second : nullptr; }

  const Status& status() const { return status_; }

 private:
  enum class At : std::uint8_t { kNowhere, kStored, kOwn };

  // Without a prefix, a name is a key and needs no copy.
  void SeekStoredAtOrAfter(Bytes name) {
    if (prefix_.empty()) return stored_->SeekAtOrAfter(name);
    stored_->SeekAtOrAfter(prefix_ + std::string(name));
  }
  void SeekStoredAtOrBefore(Bytes name) {
    if (prefix_.empty()) return stored_->SeekAtOrBefore(name);
    stored_->SeekAtOrBefore(prefix_ + std::string(name));
  }
  Bytes StoredName() const { return stored_->key().substr(prefix_.size()); }
  Position OwnHere() const { return forward_ ? position_ : std::prev(position_); }

  // Positions of own rows outside the bounds become the nearest bound.
  Position Within(Position at) const {
    if (first_ == last_) return first_;
    if (at == own_.end() || (last_ != own_.end() && at->first >= last_->first)) return last_;
    return at->first < first_->first ? first_ : at;
  }

  void PickForward() {
    forward_ = true;
    Settle();
    while (position_ != last_ && !ShowsOwn(position_->second)) ++position_;
    const bool has_stored = stored_ && stored_->Valid() && status_.ok();
    const bool has_own = position_ != last_ && status_.ok();
    if (has_own && (!has_stored || Bytes(position_->first) < StoredName())) {
      at_ = At::kOwn;
    } else {
      at_ = has_stored && !stopped_ ? At::kStored : At::kNowhere;
    }
  }
  void PickBackward() {
    forward_ = false;
    Settle();
    while (position_ != first_ && !ShowsOwn(std::prev(position_)->second)) --position_;
    const bool has_stored = stored_ && stored_->Valid() && status_.ok();
    const bool has_own = position_ != first_ && status_.ok();
    if (has_own && (!has_stored || Bytes(std::prev(position_)->first) > StoredName())) {
      at_ = At::kOwn;
    } else {
      at_ = has_stored && !stopped_ ? At::kStored : At::kNowhere;
    }
  }

  bool ShowsOwn(const Own& own) const { return own.dirty() && own.Shows(now_); }

  // Moves the stored source to the next visible row, or to where the bound is reached.
  void Settle() {
    status_ = Status();
    stopped_ = false;
    if (!stored_) return;
    for (; stored_->Valid(); forward_ ? stored_->Next() : stored_->Prev()) {
      if (IsShadowed()) continue;
      auto row = DecodeRow(stored_->value());
      if (!row) {
        status_ = row.error();
        return;
      }
      row_ = *row;
      if (!IsDead(row_.deadline, now_)) return;
      stopped_ = passed_ == dead_max_;
      if (stopped_) return;
      ++passed_;
    }
    status_ = stored_->status();
  }

  bool IsShadowed() const {
    if (first_ == last_) return false;
    const auto* const own = own_.Find(StoredName());
    return own != nullptr && own->second.dirty();
  }

  const std::string prefix_;
  std::unique_ptr<engine::Cursor> stored_;
  const Owns& own_;
  const Position first_;
  const Position last_;
  const WallTime now_;
  const std::uint64_t dead_max_;

  std::uint64_t passed_ = 0;  // Dead rows, since the last seek.
  bool stopped_ = false;      // The stored source is on a dead row, at the bound.
  RowView row_;               // The stored source's current row.
  Position position_;         // In reverse, the element after the current one.
  At at_ = At::kNowhere;
  bool forward_ = true;
  Status status_;
};

}  // namespace mayfly::core
