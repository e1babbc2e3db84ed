#include "core/reclaim/orphan_purge.h"

#include <algorithm>
#include <shared_mutex>

#include "core/commit/member_plan.h"
#include "core/layout/addresses.h"
#include "core/store/collection_reads.h"

namespace mayfly::core {
namespace {

// The name is removed with the last part, and does not count as one.
bool IsName(const PartKeys& keys, Bytes key) {
  return static_cast<PartKind>(key[keys.name_at() - 1]) == PartKind::kName;
}

}  // namespace

Result<std::optional<std::uint64_t>> OrphanPurge::Step(KeyspaceState& keyspace,
                                                       std::size_t parts_max) {
  if (keyspace.orphans() <= 0) return std::optional<std::uint64_t>();
  Place& place = places_[keyspace.id()];
  MAYFLY_TRY(const auto orphan, Next(keyspace.id(), place));
  if (!orphan) return std::optional<std::uint64_t>();
  MAYFLY_TRY(const std::uint64_t removed, Remove(keyspace, *orphan, place, parts_max));
  return std::optional(removed);
}

// The orphan of the last step, or the next one; after the last, the first again.
Result<std::optional<Orphan>> OrphanPurge::Next(KeyspaceId keyspace, Place& place) const {
  const std::string begin = MetaKey(kMetaOrphan, keyspace);
  MAYFLY_TRY(auto orphan, FirstFrom(keyspace, std::max(begin, place.record)));
  if (!orphan && place.record > begin) {
    MAYFLY_TRY(orphan, FirstFrom(keyspace, begin));
  }
  if (!orphan) {
    place = {};
    return orphan;
  }
  std::string record = OrphanKey(keyspace, orphan->collection_id);
  if (place.record != record) place = {std::move(record), {}};
  return orphan;
}

Result<std::optional<Orphan>> OrphanPurge::FirstFrom(KeyspaceId keyspace,
                                                     const std::string& begin) const {
  const std::string end = MetaKey(kMetaOrphan, keyspace + 1);
  const engine::CursorOptions walk{.range = {begin, end}};
  MAYFLY_TRY(const auto cursor, store_.engine().NewCursor(kMeta, walk));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_TRY(const Orphan orphan, DecodeOrphan(cursor->key(), cursor->value()));
    if (!store_.staged().Contains(orphan.collection_id)) return std::optional(orphan);
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return std::optional<Orphan>();
}

Result<std::uint64_t> OrphanPurge::Remove(KeyspaceState& keyspace, const Orphan& orphan,
                                          Place& place, std::size_t parts_max) {
  const PartKeys keys(keyspace.id(), orphan.collection_id);
  std::vector<Event> events;
  std::uint64_t removed = 0;
  {
    const std::shared_lock gate(keyspace.gate());
    if (keyspace.dropped()) return removed;
    // An orphan cannot move to another key. One without mortal members has no name: only steps like
    // this one read its parts.
    MAYFLY_TRY(const auto name, NameOf(store_.engine(), keys));
    const Leftover leftover{orphan, keys, name ? Bytes(*name) : Bytes(keys.begin()),
                            name.has_value()};
    const Stripe stripe = StripeOf(keyspace.id(), leftover.key);
    const KeyLatches::One latch = store_.latches().Lock(stripe);
    PinnedBytes pin;
    const Status read = store_.engine().Get(kMeta, place.record, pin);
    if (read.IsNotFound()) return removed;  // Another purge was faster.
    MAYFLY_RETURN_IF_ERROR(read);
    CommitPlan plan(store_.clock().Now());
    const std::string begin = std::max(keys.begin(), place.part);
    const std::string end = keys.end();
    const engine::CursorOptions walk{.range = {begin, end}, .fill_cache = false};
    MAYFLY_TRY(const auto cursor, store_.engine().NewCursor(kMembers, walk));
    std::string last;
    for (cursor->SeekToFirst(); cursor->Valid() && removed < parts_max; cursor->Next()) {
      MAYFLY_RETURN_IF_ERROR(
          PlanPart(plan, keyspace, stripe, leftover, cursor->key(), cursor->value()));
      last = cursor->key();
      if (!IsName(keys, last)) ++removed;
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    const bool whole = !cursor->Valid();
    if (whole) plan.RemoveOrphan(keyspace, stripe, orphan.collection_id);
    MAYFLY_RETURN_IF_ERROR(store_.Commit(plan, Durability::kNone));
    if (whole) ++store_.counts().removed_collections;
    if (!last.empty()) place.part = std::move(last);
    events = std::move(plan.events());
  }
  store_.events().Deliver(std::move(events));
  return removed;
}

Status OrphanPurge::PlanPart(CommitPlan& plan, KeyspaceState& keyspace, Stripe stripe,
                             const Leftover& leftover, Bytes key, Bytes value) const {
  const auto& [orphan, keys, user_key, named] = leftover;
  const auto part = static_cast<PartKind>(key[keys.name_at() - 1]);
  if (part != PartKind::kMember) {
    plan.batch().Delete(kMembers, key);
    plan.NoteRemoval(keyspace, stripe, orphan.ended);
    return {};
  }
  MAYFLY_TRY(const RowView row, DecodeRow(value));
  const bool died = named && IsDead(row.deadline, orphan.ended);
  MemberPlan(plan, keyspace, stripe, user_key, keys)
      .RemoveOrphaned(key.substr(keys.name_at()), row, died, orphan.ended);
  return {};
}

}  // namespace mayfly::core
