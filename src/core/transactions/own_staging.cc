// Large collections within a work: members go to the engine before their row.
// A work is one batch at its commit, and a batch has a bound, as memory has. Nobody reads members
// but through a row of their version: so those of a collection that this work makes can be written
// before the commit, in batches of their own, and the commit adds the row. Until then they are an
// orphan to everybody else, as they are for good if the work is given up or the process dies.
#include "core/commit/member_plan.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/transactions/own_space.h"
#include "core/transactions/work_calls.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kMeta{engine::Role::kMeta};

}  // namespace

Status OwnSpace::StageIfMany(Bytes key, std::uint64_t version, std::size_t bytes) {
  const auto found = collections_.find(version);
  OwnCollection& parts = found->second;
  if (!parts.is_new) [[likely]]
    return {};
  ++parts.draft_parts;
  parts.draft_bytes += bytes;
  const DraftBounds& bounds = store_.draft_bounds();
  if (parts.draft_parts < bounds.parts_max && parts.draft_bytes < bounds.bytes_max) return {};
  // What may be taken back without its collection stays in memory, and so does what must not be
  // there before the keyspace is cleared.
  if (parts.made_in != work_.epoch() || cleared_) return {};
  Rows& row = *rows_.find(key);
  if (!row.second.is_collection() || row.second.fate.version != version) return {};
  return Stage(row, parts);
}

Status OwnSpace::Stage(Rows& row, OwnCollection& parts) {
  const std::uint64_t version = row.second.fate.version;
  CommitPlan plan(work_.now());
  const bool first = !parts.staged;
  if (first) {
    store_.staged().Add(version);
    plan.batch().Put(kMeta, OrphanKey(state_.id(), version), EncodeOrphan(work_.now()));
  }
  if (row.second.fate.mortal > 0) {
    row.second.fate.named = true;  // Whatever becomes of its mortal members.
    MemberPlan(plan, state_, StripeOf(state_.id(), row.first), row.first, parts.keys).PutName();
  }
  PlanParts(plan, row.first, parts, /*staged=*/true);
  // The row comes behind it in the log, whatever it is committed with.
  const Status written = store_.Commit(plan, Durability::kProcess);
  if (!written.ok()) {
    if (first) store_.staged().Remove(version);
    return written;
  }
  if (first) staged_.insert(version);
  parts.staged = true;
  parts.stored = true;
  parts.draft_parts = 0;
  parts.draft_bytes = 0;
  std::erase_if(parts.members,
                [&](const auto& member) { return !member.second.IsBornDead(work_.now()); });
  parts.sides.clear();
  return {};
}

void OwnSpace::EndStaging(bool committed) {
  bool left = false;
  for (const std::uint64_t version : staged_) {
    store_.staged().Remove(version);
    if (committed && (cleared_ || adopted_.contains(version))) continue;
    state_.AddOrphans(1);
    left = true;
  }
  staged_.clear();
  if (left) store_.watch().Written(WallTimeFromMs(0));  // Due at once, as every orphan.
}

}  // namespace mayfly::core
