#include "core/transactions/snapshot_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "core/commit/version_plan.h"
#include "core/commit/whole_value.h"
#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/reads/packed_cursor.h"
#include "core/store/collection_reads.h"

namespace mayfly::core {
namespace {

// Passes on the moves of another cursor, and adds the range it has seen to the read set.
class NotedCursor final : public engine::Cursor {
 public:
  // All references must outlive the cursor.
  NotedCursor(std::unique_ptr<engine::Cursor> inner, std::shared_ptr<const engine::Snapshot> state,
              ReadSet& reads, Bytes row_key, Bytes begin, Bytes end)
      : state_(std::move(state)),
        inner_(std::move(inner)),
        reads_(reads),
        row_key_(row_key),
        begin_(begin),
        end_(end) {}
  ~NotedCursor() override {
    if (seen_) reads_.AddParts(row_key_, first_, last_);
  }

  Status status() const override { return inner_->status(); }

 private:
  void DoSeekToFirst() override {
    inner_->SeekToFirst();
    See(begin_);
    SeeForward();
  }
  void DoSeekToLast() override {
    inner_->SeekToLast();
    See(end_);
    SeeBackward();
  }
  void DoSeekAtOrAfter(Bytes target) override {
    See(std::clamp<Bytes>(target, begin_, end_));
    inner_->SeekAtOrAfter(target);
    SeeForward();
  }
  void DoSeekAtOrBefore(Bytes target) override {
    See(std::clamp<Bytes>(target, begin_, end_));
    inner_->SeekAtOrBefore(target);
    SeeBackward();
  }
  void DoNext() override {
    inner_->Next();
    SeeForward();
  }
  void DoPrev() override {
    inner_->Prev();
    SeeBackward();
  }

  void SeeForward() { ShowHere(end_); }
  void SeeBackward() { ShowHere(begin_); }
  void ShowHere(Bytes bound) {
    See(inner_->Valid() ? inner_->key() : bound);
    inner_->Valid() ? Show(inner_->key(), inner_->value()) : Hide();
  }
  void See(Bytes key) {
    if (!seen_ || key < first_) first_ = key;
    if (!seen_ || key > last_) last_ = key;
    seen_ = true;
  }

  const std::shared_ptr<const engine::Snapshot> state_;  // Shared with the transaction's state.
  const std::unique_ptr<engine::Cursor> inner_;
  ReadSet& reads_;
  const std::string row_key_;
  const std::string begin_;
  const std::string end_;
  bool seen_ = false;
  std::string first_;  // The keys between these two were seen, and these two.
  std::string last_;
};

// Moves to a living part.
Status SkipDead(engine::Cursor& cursor, WallTime now) {
  for (; cursor.Valid(); cursor.Next()) {
    MAYFLY_TRY(const RowView row, DecodeRow(cursor.value()));
    if (!IsDead(row.deadline, now)) return {};
  }
  return cursor.status();
}

// Whether two cursors over parts show the same living ones.
Result<bool> ShowTheSame(engine::Cursor& one, engine::Cursor& other, WallTime now) {
  one.SeekToFirst();
  other.SeekToFirst();
  while (true) {
    MAYFLY_RETURN_IF_ERROR(SkipDead(one, now));
    MAYFLY_RETURN_IF_ERROR(SkipDead(other, now));
    if (!one.Valid() || !other.Valid()) return one.Valid() == other.Valid();
    if (one.key() != other.key() || one.value() != other.value()) return false;
    one.Next();
    other.Next();
  }
}

// Whether two rows of one collection show the same, but for members that have died.
Result<bool> IsSameCollection(const engine::Engine& engine, KeyspaceId keyspace,
                              const RowView& before, const RowView& today,
                              const engine::Snapshot& then, WallTime now) {
  MAYFLY_TRY(const Collection was, DecodeCollection(before.payload));
  MAYFLY_TRY(const Collection is, DecodeCollection(today.payload));
  if (before.deadline != today.deadline) return false;  // Members can change it, too.
  if (was.own_deadline != is.own_deadline || was.head != is.head) return false;
  const PartKeys keys(keyspace, *today.collection_id);
  MAYFLY_TRY(const DeadMembers dead_then, CountDeadMembers(engine, keys, was, now, &then));
  MAYFLY_TRY(const DeadMembers dead_now, CountDeadMembers(engine, keys, is, now));
  return was.members - dead_then.dead == is.members - dead_now.dead &&
         was.mortal - dead_then.dead == is.mortal - dead_now.dead;
}

}  // namespace

void SnapshotRows::End() {
  state_.reset();
  reads_.Clear();
}

Status SnapshotRows::CheckActive() const {
  MAYFLY_RETURN_IF_ERROR(store_.CheckOpen());
  if (state_ != nullptr) [[likely]]
    return {};
  return Status::Invalid("the transaction is over; begin another");
}

View SnapshotRows::ViewOf(KeyspaceState& keyspace, const BufferedRows* drafts) {
  View view{.store = store_,
            .keyspace = keyspace,
            .now = now_,
            .drafts = drafts,
            .reads = &reads_,
            .over = state_ == nullptr};
  if (state_ != nullptr) view.ReadFrom(state_);
  return view;
}

Status SnapshotRows::CheckUse(const KeyspaceState& keyspace) const {
  MAYFLY_RETURN_IF_ERROR(CheckActive());
  return store_.CheckUsable(keyspace);
}

Status SnapshotRows::CheckRead(const KeyspaceState& keyspace, Bytes key, Stripe) const {
  MAYFLY_RETURN_IF_ERROR(CheckUse(keyspace));
  MAYFLY_RETURN_IF_ERROR(State().status());
  return CheckUserKey(key);
}

Status SnapshotRows::CheckWrite(const KeyspaceState& keyspace, Bytes key, Stripe stripe) const {
  MAYFLY_RETURN_IF_ERROR(CheckRead(keyspace, key, stripe));
  MAYFLY_RETURN_IF_ERROR(store_.CheckWritable());
  if (reads_.size() < kTransactionKeysMax) [[likely]]
    return {};
  return Status::Invalid(fmt::format(
      "the transaction touches more than {} keys; commit it in parts", kTransactionKeysMax));
}

Status SnapshotRows::CheckClear(const KeyspaceState&) const {
  return Status::Unsupported("a transaction cannot clear a keyspace; use Keyspace::Clear()");
}

Status SnapshotRows::ReadRow(KeyspaceState& keyspace, Bytes key, PinnedBytes& pin,
                             std::optional<RowView>& row) {
  row.reset();
  ReadSet::Seen& seen = reads_.At(RowKey(keyspace.id(), key));
  if (!seen.known) {
    MAYFLY_TRY(const auto state, State());
    MAYFLY_RETURN_IF_ERROR(store_.ReadStored(keyspace, key, state.get(), pin, row));
    reads_.Remember(seen, row ? std::optional(pin.view()) : std::nullopt);
  }
  if (seen.known) {
    if (seen.stored) {
      MAYFLY_TRY(row, DecodeRow(*seen.stored));
    }
    pin.Reset();  // The read set keeps the bytes.
    return {};
  }
  // The row may stay until the commit, and with it the engine's block around it, if it is pinned.
  if (!row || pin.view().size() > kSeenRowBytesMax) return {};
  std::string copy(pin.view());
  auto& held = pin.Hold<std::string>();
  held = std::move(copy);
  pin.Show(held);
  MAYFLY_TRY(row, DecodeRow(held));
  return {};
}

Status SnapshotRows::ShowWhole(const KeyspaceState& keyspace, PinnedBytes& pin, RowView& row) {
  MAYFLY_TRY(const auto state, State());
  return core::ShowWhole(store_.engine(), keyspace.id(), state.get(), pin, row);
}

Status SnapshotRows::ReadPart(const KeyspaceState& keyspace, Bytes key, Bytes part_key,
                              PinnedBytes& pin) {
  MAYFLY_TRY(const auto state, State());
  NotePart(keyspace, key, part_key);
  return store_.engine().Get(kMembers, part_key, pin, state.get());
}

void SnapshotRows::NotePart(const KeyspaceState& keyspace, Bytes key, Bytes part_key) {
  reads_.AddParts(RowKey(keyspace.id(), key), part_key, part_key);
}

Result<std::unique_ptr<engine::Cursor>> SnapshotRows::NewPartCursor(const KeyspaceState& keyspace,
                                                                    Bytes key, const PartKeys& keys,
                                                                    std::optional<Bytes> packed,
                                                                    const engine::KeyRange& range) {
  MAYFLY_TRY(auto state, State());
  const engine::CursorOptions walk{.range = range, .snapshot = state.get()};
  MAYFLY_TRY(auto inner, core::NewPartCursor(store_.engine(), keys, packed, walk));
  return std::unique_ptr<engine::Cursor>(
      std::make_unique<NotedCursor>(std::move(inner), std::move(state), reads_,
                                    RowKey(keyspace.id(), key), range.begin, range.end));
}

Result<std::shared_ptr<const engine::Snapshot>> SnapshotRows::State() const {
  auto lent = state_ == nullptr ? nullptr : state_->Lend();
  if (lent == nullptr) return StateRevoked();
  return lent;
}

Status SnapshotRows::ReadMarker(const KeyspaceState& keyspace, Bytes key,
                                std::optional<VersionView>& marker) {
  MAYFLY_TRY(const auto state, State());
  PinnedBytes pin;  // A marker has no payload to point at.
  return store_.ReadVersion(keyspace, MarkerKey(key), state.get(), pin, marker);
}

Status SnapshotRows::CheckUnchanged(KeyspaceState& keyspace, Bytes key, const ReadSet::Seen& seen,
                                    const KeyState& today, WallTime now) const {
  MAYFLY_TRY(const auto then, State());
  // The same bytes, and no timestamped write of the key beside them.
  bool same = seen.known && !keyspace.by_timestamp() &&
              seen.stored.has_value() == today.stored.has_value() &&
              (!seen.stored || *seen.stored == today.pin.view());
  KeyState before;
  const KeyState* was = same ? &today : &before;
  if (!same) {
    MAYFLY_RETURN_IF_ERROR(store_.ReadKeyState(keyspace, key, then.get(), before));
    MAYFLY_TRY(same, IsSameRow(keyspace, before, today, *then, now));
  }
  if (same && !seen.parts.empty() && today.Living(now) != nullptr) {
    MAYFLY_TRY(same, AreSameParts(keyspace, seen.parts, *was->stored, *today.stored, *then, now));
  }
  if (same) return {};
  return Status::Conflict(
      fmt::format("key '{}' in keyspace '{}' was changed by another write; begin again",
                  Printable(key), Printable(keyspace.name())));
}

Result<bool> SnapshotRows::IsSameRow(KeyspaceState& keyspace, const KeyState& before,
                                     const KeyState& today, const engine::Snapshot& then,
                                     WallTime now) const {
  const RowView* const was = before.Living(now);
  const RowView* const is = today.Living(now);
  if ((was == nullptr) != (is == nullptr)) return false;
  if (was != nullptr && before.pin.view() != today.pin.view()) {
    if (!was->collection_id || was->collection_id != is->collection_id) return false;
    return IsSameCollection(store_.engine(), keyspace.id(), *was, *is, then, now);
  }
  // Where order is by timestamp, a delete counts even if it removed nothing. A purge does not: it
  // keeps the timestamp, or forgets it once no write is held back by it. From then on the timestamp
  // does not count, forgotten or not.
  const auto last_word = [&](const KeyState& key_state) {
    const auto newest = key_state.newest();
    if (!newest || key_state.Living(now) != nullptr) return newest;
    const bool holds_back = !IsDead(MarkerOf(keyspace.policy(), *newest).kept_until, now);
    return holds_back ? newest : std::nullopt;
  };
  return last_word(today) == last_word(before);
}

// Whether the living parts in these ranges are the same in both states.
Result<bool> SnapshotRows::AreSameParts(const KeyspaceState& keyspace,
                                        const ReadSet::PartRanges& ranges, const RowView& before,
                                        const RowView& today, const engine::Snapshot& then,
                                        WallTime now) const {
  MAYFLY_TRY(const Collection was, DecodeCollection(before.payload));
  MAYFLY_TRY(const Collection is, DecodeCollection(today.payload));
  const PartKeys keys(keyspace.id(), *today.collection_id);
  for (const auto& [first, last] : ranges) {
    const std::string end = last + '\0';
    engine::CursorOptions walk{.range = {first, end}};
    MAYFLY_TRY(const auto now_there, core::NewPartCursor(store_.engine(), keys, is.packed, walk));
    walk.snapshot = &then;
    MAYFLY_TRY(const auto then_there, core::NewPartCursor(store_.engine(), keys, was.packed, walk));
    MAYFLY_TRY(const bool same, ShowTheSame(*now_there, *then_there, now));
    if (!same) return false;
  }
  return true;
}

}  // namespace mayfly::core
