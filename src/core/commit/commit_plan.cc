#include "core/commit/commit_plan.h"

#include <algorithm>
#include <cassert>

#include "core/commit/plan_check.h"
#include "core/commit/version_plan.h"
#include "core/commit/whole_value.h"
#include "core/keyspaces/catalog.h"
#include "core/layout/addresses.h"
#include "core/layout/limits.h"
#include "core/layout/liveness.h"

namespace mayfly::core {
namespace {

RowKey ShortEntryKey(KeyspaceId keyspace, WallTime deadline, Bytes key) {
  assert(ToMs(deadline) >= 0);
  return RowKey(EntryBegin(keyspace, deadline), {}, key);
}

}  // namespace

void CommitPlan::Put(KeyspaceState& keyspace, Stripe stripe, Bytes key, const RowView* old,
                     const RowView& fresh) {
  const bool old_is_dead = old != nullptr && IsDead(old->deadline, now_);
  if (IsDead(fresh.deadline, now_)) {
    // One event: for the old row if it was dead already, else for the new row, which never lived.
    if (old != nullptr) Remove(keyspace, stripe, key, *old, EventCause::kReplaced);
    if (!old_is_dead) {
      const bool is_stored = old != nullptr && old->collection_id == fresh.collection_id &&
                             ChunksOf(*old) == ChunksOf(fresh);
      AddEvent(keyspace, key, fresh, EventCause::kBornDead, is_stored);
    }
    return;
  }
  batch_.Put(kRows, RowKey(keyspace.id(), key), Encode(fresh));
  // The entry of an unchanged deadline exists already.
  const bool moved = old == nullptr || old->deadline != fresh.deadline;
  if (old != nullptr && old->deadline && moved) {
    RemoveRowEntry(keyspace, stripe, *old->deadline, key);
  }
  if (fresh.deadline && moved) PutRowEntry(keyspace, stripe, *fresh.deadline, key);
  if (old_is_dead) {
    AddEvent(keyspace, key, *old, EventCause::kReplaced);
    ++dead_removed_;
    NoteRemoval(keyspace, stripe, *old->deadline);
    BookingOf(keyspace, stripe).overwrote = true;
  } else if (old != nullptr &&
             (!old->collection_id || old->collection_id != fresh.collection_id || IsPacked(*old))) {
    // The row of a collection that stays one holds its head and counts; users' bytes are in its
    // members, unless these are in the row.
    NoteReplaced(keyspace, stripe, old->payload, fresh.payload);
  }
  if (old != nullptr && old->collection_id != fresh.collection_id)
    QueueOrphan(keyspace, stripe, *old);
  Count(keyspace, stripe, old, &fresh);
}

void CommitPlan::PutCollection(KeyspaceState& keyspace, Stripe stripe, Bytes key,
                               const RowView* old, std::uint64_t collection_id,
                               const Collection& collection, std::optional<WallTime> last) {
  payload_.clear();
  AppendCollection(payload_, collection);
  const RowView fresh{.deadline = DeadlineOf(collection, last),
                      .payload = payload_,
                      .collection_id = collection_id};
  const bool same = old != nullptr && old->deadline == fresh.deadline &&
                    old->collection_id == fresh.collection_id && old->payload == fresh.payload;
  if (!same) Put(keyspace, stripe, key, old, fresh);
}

void CommitPlan::Remove(KeyspaceState& keyspace, Stripe stripe, Bytes key, const RowView& old,
                        EventCause cause) {
  batch_.Delete(kRows, RowKey(keyspace.id(), key));
  if (old.deadline) RemoveRowEntry(keyspace, stripe, *old.deadline, key);
  if (IsDead(old.deadline, now_)) {
    AddEvent(keyspace, key, old, cause);
    ++dead_removed_;
  } else if (cause == EventCause::kEvicted) {
    AddEvent(keyspace, key, old, cause);
  }
  QueueOrphan(keyspace, stripe, old);
  Count(keyspace, stripe, &old, nullptr);
  NoteRemoval(keyspace, stripe, std::min(old.deadline.value_or(now_), now_));
}

void CommitPlan::RemoveStaleEntry(KeyspaceState& keyspace, Stripe stripe, bool of_member,
                                  WallTime deadline, Bytes key) {
  if (of_member) return RemoveMemberEntry(keyspace, deadline, key);
  RemoveRowEntry(keyspace, stripe, deadline, key);
}

void CommitPlan::PutVersion(KeyspaceState& keyspace, Stripe stripe, Bytes member_key,
                            const VersionView* old, const VersionView& fresh) {
  const RowKey stored_key(keyspace.id(), member_key);
  const KeyspaceId index = MembersOf(keyspace.id());
  const auto leaves_at = LeavesAt(fresh);
  const auto [put, first] = members_put_.try_emplace(std::string(Bytes(stored_key)));
  // Of two writes in one plan the later one counts, and replaces the first one's entry.
  const auto before = first ? (old != nullptr ? LeavesAt(*old) : std::nullopt) : put->second;
  if (before && before != leaves_at)
    batch_.Delete(kExpiry, ShortEntryKey(index, *before, member_key));
  put->second = leaves_at;
  row_.clear();
  AppendVersion(row_, fresh);
  batch_.Put(kMembers, stored_key, row_);
  if (old != nullptr) NoteReplaced(keyspace, stripe, old->row.payload, fresh.row.payload);
  if (leaves_at) PutEntry(index, *leaves_at, member_key);
}

void CommitPlan::RemoveVersion(KeyspaceState& keyspace, Stripe stripe, Bytes member_key,
                               const VersionView& old) {
  batch_.Delete(kMembers, RowKey(keyspace.id(), member_key));
  if (const auto leaves_at = LeavesAt(old)) {
    batch_.Delete(kExpiry, ShortEntryKey(MembersOf(keyspace.id()), *leaves_at, member_key));
  }
  // The row that the version was kept for ended before.
  WallTime since = std::min(old.row.deadline.value_or(now_), now_);
  const Millis behind = KeptBehind(keyspace.policy());
  if (old.kept_until && behind < *old.kept_until - WallTime()) {
    since = std::min(since, *old.kept_until - behind);
  }
  NoteRemoval(keyspace, stripe, since);
}

void CommitPlan::Clear(KeyspaceState& keyspace) {
  DeleteRowsOf(batch_, keyspace.id());
  Booking& booking = BookingOf(keyspace, 0);
  booking.cleared = true;
  NoteRemoval(keyspace, 0, now_);
  // However many members the rows had: their space is worth giving back.
  if (keyspace.TotalCounters().rows + keyspace.orphans() > 0) removed_ += kFlushAfterRows;
}

void CommitPlan::QueueOrphan(KeyspaceState& keyspace, Stripe stripe, const RowView& old) {
  if (!old.collection_id || IsPacked(old)) return;
  if (kept_versions_.contains(*old.collection_id)) return;
  const WallTime ended = std::min(old.deadline.value_or(now_), now_);
  batch_.Put(kMeta, OrphanKey(keyspace.id(), *old.collection_id), EncodeOrphan(ended));
  ++BookingOf(keyspace, stripe).orphans;
  NoteRemoval(keyspace, stripe, ended);
}

void CommitPlan::RemoveOrphan(KeyspaceState& keyspace, Stripe stripe, std::uint64_t collection_id) {
  batch_.Delete(kMeta, OrphanKey(keyspace.id(), collection_id));
  --BookingOf(keyspace, stripe).orphans;
}

bool CommitPlan::counts() const {
  return std::any_of(bookings_.begin(), bookings_.end(),
                     [](const Booking& booking) { return booking.change != Counters(); });
}

bool CommitPlan::orphans_queued() const {
  return std::any_of(bookings_.begin(), bookings_.end(),
                     [](const Booking& booking) { return booking.orphans > 0; });
}

bool CommitPlan::clears() const {
  return std::any_of(bookings_.begin(), bookings_.end(),
                     [](const Booking& booking) { return booking.cleared; });
}

void CommitPlan::PutMemberEntry(KeyspaceState& keyspace, Stripe stripe, WallTime deadline,
                                Bytes member_key) {
  assert(deadline >= keyspace.members_watermark());
  PutEntry(MembersOf(keyspace.id()), deadline, member_key);
  BookingOf(keyspace, stripe).mortal_members = true;
}

void CommitPlan::RemoveMemberEntry(const KeyspaceState& keyspace, WallTime deadline,
                                   Bytes member_key) {
  batch_.Delete(kExpiry, ShortEntryKey(MembersOf(keyspace.id()), deadline, member_key));
}

Status CommitPlan::Seal(const engine::Engine& engine) {
  MAYFLY_RETURN_IF_ERROR(AddChunkedValues(engine));
  for (const Booking& booking : bookings_) {
    KeyspaceState& keyspace = *booking.keyspace;
    // Before the commit is visible, so that a purge does not take the index of members for empty.
    if (booking.mortal_members) keyspace.NoteMortalMember();
    if (booking.change == Counters()) continue;
    // The number of removed rows is exact, since their latches are held.
    const Counters base = booking.cleared ? Counters() : keyspace.TotalCounters();
    const Counters total = base + booking.change;
    if (total.rows < 0 || total.mortal < 0) {
      return Status::Corruption("the counters do not fit the rows; run a check with repair");
    }
    const Counters booked = booking.cleared ? Counters() : keyspace.counters(counter_);
    batch_.Put(kMeta, CounterKey(keyspace.id(), counter_), EncodeCounters(booked + booking.change));
  }
  assert(FaultOf(batch_).empty());
  return {};
}

Status CommitPlan::AddChunkedValues(const engine::Engine& engine) {
  for (const ChunkedDeath& death : chunked_deaths_) {
    Event& event = events_[death.event];
    auto value = ReadWhole(engine, event.keyspace, death.collection_id, death.size, nullptr);
    // A damaged value must not keep the dead row from being removed.
    if (!value && value.status().code() == StatusCode::kCorruption) continue;
    MAYFLY_TRY(event.value, std::move(value));
  }
  return {};
}

std::optional<WallTime> CommitPlan::Applied() {
  std::optional<WallTime> promised;
  for (const Booking& booking : bookings_) {
    KeyspaceState& keyspace = *booking.keyspace;
    if (booking.cleared) {
      keyspace.ForgetOrphans();
      keyspace.ForgetDue();
      for (std::size_t i = 0; i < kCounters; ++i) keyspace.SetCounters(static_cast<Counter>(i), {});
    }
    if (booking.change != Counters()) {
      keyspace.SetCounters(counter_, keyspace.counters(counter_) + booking.change);
    }
    if (booking.orphans != 0) keyspace.AddOrphans(booking.orphans);
    if (!booking.removed_since) continue;
    const WallTime since = *booking.removed_since;
    const bool first =
        booking.overwrote ? keyspace.NoteOverwrite(since) : keyspace.NoteRemoval(since);
    if (!first || !keyspace.promises()) continue;
    const WallTime due = keyspace.RoundDue();
    promised = std::min(promised.value_or(due), due);
  }
  return promised;
}

void CommitPlan::NoteRemoval(KeyspaceState& keyspace, Stripe stripe, WallTime since) {
  auto& first = BookingOf(keyspace, stripe).removed_since;
  first = std::min(first.value_or(since), since);
  ++removed_;
}

void CommitPlan::NoteReplaced(KeyspaceState& keyspace, Stripe stripe, Bytes old, Bytes fresh) {
  if (!keyspace.promises() || old == fresh) return;
  Booking& booking = BookingOf(keyspace, stripe);
  booking.removed_since = std::min(booking.removed_since.value_or(now_), now_);
  booking.overwrote = true;
}

void CommitPlan::PutEntry(KeyspaceId keyspace, WallTime deadline, Bytes key) {
  batch_.Put(kExpiry, ShortEntryKey(keyspace, deadline, key), {});
  earliest_ = earliest_ ? std::min(*earliest_, deadline) : deadline;
}

void CommitPlan::PutRowEntry(KeyspaceState& keyspace, Stripe stripe, WallTime deadline, Bytes key) {
  assert(deadline >= keyspace.watermark());  // Or no purge would find it.
  PutEntry(keyspace.id(), deadline, key);
  CountEntry(keyspace, stripe, deadline, 1);
}

void CommitPlan::RemoveRowEntry(KeyspaceState& keyspace, Stripe stripe, WallTime deadline,
                                Bytes key) {
  batch_.Delete(kExpiry, ShortEntryKey(keyspace.id(), deadline, key));
  CountEntry(keyspace, stripe, deadline, -1);
}

void CommitPlan::CountEntry(KeyspaceState& keyspace, Stripe stripe, WallTime deadline, int change) {
  for (std::size_t field = 0; field < 2; ++field) {
    if (deadline > keyspace.due_through(field)) continue;
    BookingOf(keyspace, stripe).change.due[field] += change;
  }
}

void CommitPlan::Count(KeyspaceState& keyspace, Stripe stripe, const RowView* old,
                       const RowView* fresh) {
  Counters change;
  const auto add = [&](const RowView& row, int sign) {
    change.rows += sign;
    if (row.deadline) change.mortal += sign;
    if (HasMortalMembers(row)) change.with_mortal_members += sign;
  };
  if (old != nullptr) add(*old, -1);
  if (fresh != nullptr) add(*fresh, 1);
  if (change == Counters()) return;
  Counters& booked = BookingOf(keyspace, stripe).change;
  booked = booked + change;
}

CommitPlan::Booking& CommitPlan::BookingOf(KeyspaceState& keyspace, Stripe stripe) {
  // Changes come keyspace by keyspace, so it is mostly the last booking.
  const auto found = std::find_if(bookings_.rbegin(), bookings_.rend(),
                                  [&](const Booking& b) { return b.keyspace == &keyspace; });
  if (found != bookings_.rend()) return *found;
  if (bookings_.empty()) counter_ = CounterOf(stripe);
  return bookings_.emplace_back(Booking{&keyspace, {}});
}

void CommitPlan::AddEvent(const KeyspaceState& keyspace, Bytes key, const RowView& row,
                          EventCause cause, bool is_stored) {
  const EventDetail detail = keyspace.events();
  if (detail == EventDetail::kOff) return;
  Event event{.sequence = 0,
              .keyspace = keyspace.id(),
              .keyspace_name = keyspace.name(),
              .key = std::string(key),
              .deadline = row.deadline.value_or(now_),
              .purged_at = now_,
              .cause = cause,
              .value = std::nullopt};
  // A collection has no value: its members do.
  if (detail == EventDetail::kKeyAndValue) {
    if (!row.collection_id) {
      event.value = std::string(row.payload);
    } else if (const auto chunks = ChunksOf(row);
               chunks && is_stored && chunks->size <= kValueBytesMax) {  // Larger: fits no event.
      chunked_deaths_.push_back({events_.size(), *row.collection_id, chunks->size});
    }
  }
  events_.push_back(std::move(event));
}

void CommitPlan::AddMemberEvent(const KeyspaceState& keyspace, Bytes key, Bytes member,
                                WallTime deadline, Bytes value, EventCause cause) {
  const std::size_t before = events_.size();
  AddEvent(keyspace, key, {.deadline = deadline, .payload = value}, cause);
  if (events_.size() > before) events_.back().member = std::string(member);
}

}  // namespace mayfly::core
