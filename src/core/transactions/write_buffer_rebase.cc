// Carries the drafts of an optimistic transaction from its frozen state to the present. By now
// nobody has changed what it read, but time has passed: ttls count from the commit, and members may
// have died or been purged.
#include <fmt/format.h>

#include "base/printable.h"
#include "core/layout/keys.h"
#include "core/transactions/write_buffers.h"

namespace mayfly::core {

Status WriteBuffer::Rebase() {
  policy_.reset();
  for (Rows& row : rows_) {
    if (row.second.dirty()) MAYFLY_RETURN_IF_ERROR(RebaseRow(row));
  }
  // By now the timestamp that should hold a write back may be forgotten.
  for (const auto& [at, draft] : late_) {
    if (!draft.own_timestamp) continue;
    MAYFLY_RETURN_IF_ERROR(CheckTimestamp(*draft.timestamp, *Rule(), transaction_.now()));
  }
  return {};
}

Status WriteBuffer::RebaseRow(Rows& row) {
  RowDraft& draft = row.second.draft;
  if (draft.own_timestamp) {
    MAYFLY_RETURN_IF_ERROR(CheckTimestamp(*draft.timestamp, *Rule(), transaction_.now()));
  }
  if (draft.kind == RowDraft::Kind::kAbsent) return {};
  MAYFLY_TRY(draft.deadline, DeadlineOf(draft.span, draft.TtlFrom(transaction_.now())));
  return row.second.is_collection() ? RebaseCollection(row) : Status();
}

Status WriteBuffer::RebaseCollection(Rows& row) {
  const WallTime now = transaction_.now();
  auto& [key, own] = row;
  const auto found = collections_.find(own.draft.collection_id);
  BufferedCollection* const parts = found == collections_.end() ? nullptr : &found->second;
  if (parts != nullptr && parts->is_new) {
    MAYFLY_RETURN_IF_ERROR(SetCounts(key, {}, own.draft));
  } else {
    const RowView* const stored = own.key_state.Living(now);
    if (stored == nullptr || stored->collection_id != own.draft.collection_id) {
      return Status::Conflict(fmt::format(
          "the collection '{}' in keyspace '{}' died before it was changed; begin again",
          Printable(key), Printable(state_.name())));
    }
    MAYFLY_TRY(const Collection collection, DecodeCollection(stored->payload));
    MAYFLY_RETURN_IF_ERROR(SetCounts(key, collection, own.draft));
    own.stored_parts = collection.packed;
    if (parts != nullptr) parts->packed = collection.packed;
  }
  if (parts == nullptr) return {};
  for (auto& [name, member] : parts->members) {
    if (!member.dirty()) continue;
    if (member.draft.ttl) {
      const Span span{Span::Kind::kFor, member.draft.ttl->count()};
      MAYFLY_TRY(member.draft.deadline, DeadlineOf(span, now));
    }
    if (parts->stored) MAYFLY_RETURN_IF_ERROR(ReadMember(key, *parts, name, member));
    if (member.stored) own.draft.CountOut(member.stored->deadline, now);
    if (member.Shows(now)) own.draft.CountIn(member.draft.deadline);
  }
  return {};
}

}  // namespace mayfly::core
