#include "core/reclaim/member_purge.h"

#include "core/commit/member_plan.h"
#include "core/layout/addresses.h"
#include "core/store/collection_reads.h"

namespace mayfly::core {

Result<Stripe> MemberStripes::Of(Bytes member_key) {
  // A collection without a name has no key, and any latch will do.
  const auto part = DecodePartKey(member_key);
  if (!part) return StripeOf(keyspace_.id(), member_key);
  if (last_collection_ == part->collection_id) return last_stripe_;
  const PartKeys keys(keyspace_.id(), part->collection_id);
  MAYFLY_TRY(const auto name, NameOf(store_.engine(), keys));
  last_stripe_ = StripeOf(keyspace_.id(), name ? Bytes(*name) : Bytes(keys.begin()));
  last_collection_ = part->collection_id;
  return last_stripe_;
}

Result<bool> MemberPurge::Remove(Bytes member_key, WallTime deadline) {
  const auto part = DecodePartKey(member_key);
  if (!part || part->part != PartKind::kMember) return false;
  PinnedBytes pin;
  const Status read = store_.engine().Get(kMembers, RowKey(keyspace_.id(), member_key), pin);
  if (read.IsNotFound()) return false;
  MAYFLY_RETURN_IF_ERROR(read);
  MAYFLY_TRY(const RowView row, DecodeRow(pin.view()));
  if (row.deadline != deadline) return false;
  MAYFLY_TRY(Touched * touched, Touch(*part));
  MemberPlan members(plan_, keyspace_, touched->stripe, touched->key, touched->keys);
  if (touched->is_orphan) {
    const bool died = touched->named && touched->ended && IsDead(deadline, *touched->ended);
    members.RemoveOrphaned(part->name, row, died, touched->ended.value_or(deadline));
    return true;
  }
  members.Remove(part->name, row, EventCause::kPurged);
  ++touched->removed;
  if (deaths_ != nullptr && touched->named) {
    deaths_->push_back({keyspace_.name(), touched->key, std::string(part->name)});
  }
  return true;
}

Result<MemberPurge::Touched*> MemberPurge::Touch(const PartKeyView& part) {
  const auto [at, fresh] =
      touched_.try_emplace(part.collection_id, keyspace_.id(), part.collection_id);
  Touched& touched = at->second;
  if (!fresh) return &touched;
  MAYFLY_TRY(const auto name, NameOf(store_.engine(), touched.keys));
  touched.named = name.has_value();
  touched.key = name.value_or(touched.keys.begin());
  touched.stripe = StripeOf(keyspace_.id(), touched.key);
  if (name)
    MAYFLY_RETURN_IF_ERROR(store_.ReadKeyState(keyspace_, *name, nullptr, touched.key_state));
  const auto& stored = touched.key_state.stored;
  touched.is_orphan = !stored || stored->collection_id != part.collection_id;
  if (touched.is_orphan) {
    MAYFLY_RETURN_IF_ERROR(ReadOrphan(part.collection_id, touched));
  } else {
    MAYFLY_TRY(touched.collection, DecodeCollection(stored->payload));
  }
  return &touched;
}

Status MemberPurge::ReadOrphan(std::uint64_t collection_id, Touched& touched) const {
  PinnedBytes pin;
  const std::string record = OrphanKey(keyspace_.id(), collection_id);
  const Status read = store_.engine().Get(kMeta, record, pin);
  if (read.IsNotFound()) return {};  // A check reports it as stray.
  MAYFLY_RETURN_IF_ERROR(read);
  MAYFLY_TRY(const Orphan orphan, DecodeOrphan(record, pin.view()));
  touched.ended = orphan.ended;
  return {};
}

Result<std::uint64_t> MemberPurge::Finish() {
  std::uint64_t gone = 0;
  for (auto& [collection_id, touched] : touched_) {
    if (touched.is_orphan || touched.removed == 0) continue;
    MAYFLY_TRY(const bool went, FinishOne(touched));
    gone += went ? 1 : 0;
  }
  return gone;
}

// True when the row was removed.
Result<bool> MemberPurge::FinishOne(Touched& touched) {
  const RowView& old = *touched.key_state.stored;
  Collection& collection = touched.collection;
  const std::uint64_t removed = touched.removed;
  // Before the counts change, so that each dead member is scanned once over all batches.
  MAYFLY_TRY(const DeadMembers found,
             CountDeadMembers(store_.engine(), touched.keys, collection, plan_.now()));
  if (collection.mortal < removed || found.dead < removed) {
    return Status::Corruption("the counts of a collection do not fit; run a check with repair");
  }
  collection.members -= removed;
  collection.mortal -= removed;
  // A dead row is not written again.
  if (collection.members == 0 || IsDead(old.deadline, plan_.now())) {
    plan_.Remove(keyspace_, touched.stripe, touched.key, old, EventCause::kPurged);
    // Members that are left belong to an orphan from now on, whose deaths are not told.
    if (deaths_ != nullptr && collection.members > 0) {
      deaths_->push_back({keyspace_.name(), touched.key, std::nullopt});
    }
    return true;
  }
  if (collection.mortal > 0) {
    collection.dead = found.dead - removed;
    collection.first_deadline = found.first_deadline;
    if (collection.dead == 0 && found.next) collection.first_deadline = found.next;
  } else {
    collection.dead = 0;
    collection.first_deadline.reset();
  }
  // Whether all members are mortal, and which dies last, has not changed; so neither has the
  // deadline.
  std::string payload;
  AppendCollection(payload, collection);
  const RowView fresh{
      .deadline = old.deadline, .payload = payload, .collection_id = old.collection_id};
  plan_.Put(keyspace_, touched.stripe, touched.key, &old, fresh);
  return false;
}

}  // namespace mayfly::core
