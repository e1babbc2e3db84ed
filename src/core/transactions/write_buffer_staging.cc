// Large collections within a latched transaction: members go to the engine before their row.
// A latched transaction commits one batch, and a batch is bounded, as memory is. Members are only
// read through a row of their collection, so the members of a collection that this transaction
// makes can be written before the commit, in batches of their own; the commit adds the row. Until
// then they are an orphan to other threads, and they stay one if the transaction is abandoned or
// the process dies.
#include "core/commit/member_plan.h"
#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/transactions/write_buffers.h"

namespace mayfly::core {

Status WriteBuffer::StageIfMany(Bytes key, std::uint64_t collection_id, std::size_t bytes) {
  const auto found = collections_.find(collection_id);
  BufferedCollection& parts = found->second;
  if (!parts.is_new) [[likely]]
    return {};
  ++parts.draft_parts;
  parts.draft_bytes += bytes;
  const DraftBounds& bounds = store_.draft_bounds();
  if (parts.draft_parts < bounds.parts_max && parts.draft_bytes < bounds.bytes_max) return {};
  // Changes that a rollback may undo without their collection stay in memory, and so do those that
  // must not be written before the keyspace is cleared, or before a conflict is ruled out.
  if (parts.made_in != transaction_.epoch() || cleared_ || !source().is_latched()) {
    return {};
  }
  Rows& row = *rows_.Find(key);
  if (!row.second.is_collection() || row.second.draft.collection_id != collection_id) return {};
  return Stage(row, parts);
}

Status WriteBuffer::Stage(Rows& row, BufferedCollection& parts) {
  const std::uint64_t collection_id = row.second.draft.collection_id;
  CommitPlan plan(transaction_.now());
  const bool first = !parts.staged;
  if (first) {
    store_.staged().Add(collection_id);
    plan.batch().Put(kMeta, OrphanKey(state_.id(), collection_id),
                     EncodeOrphan(transaction_.now()));
  }
  if (row.second.draft.mortal > 0) {
    row.second.draft.named = true;  // Even if no mortal member remains.
    MemberPlan(plan, state_, row.second.stripe, row.first, parts.keys).PutName();
  }
  PlanParts(plan, row, parts, /*staged=*/true);
  // The row follows it in the log, so the row's durability covers it.
  const Status written = store_.Commit(plan, Durability::kProcess);
  if (!written.ok()) {
    if (first) store_.staged().Remove(collection_id);
    return written;
  }
  if (first) staged_.insert(collection_id);
  parts.staged = true;
  parts.stored = true;
  parts.draft_parts = 0;
  parts.draft_bytes = 0;
  parts.members.KeepIf(
      [&](const auto& member) { return member.second.IsBornDead(transaction_.now()); });
  parts.sides.clear();
  return {};
}

void WriteBuffer::EndStaging(bool committed) {
  bool left = false;
  for (const std::uint64_t collection_id : staged_) {
    store_.staged().Remove(collection_id);
    if (committed && (cleared_ || adopted_.contains(collection_id))) continue;
    state_.AddOrphans(1);
    left = true;
  }
  staged_.clear();
  if (left) store_.watch().Written(WallTimeFromMs(0));  // Due at once, like every orphan.
}

}  // namespace mayfly::core
