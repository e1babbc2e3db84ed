#include "core/store/collection_reads.h"

#include "core/layout/addresses.h"
#include "core/layout/liveness.h"
#include "core/layout/row_codec.h"

namespace mayfly::core {
namespace {

Result<std::unique_ptr<engine::Cursor>> WalkOrder(const engine::Engine& engine,
                                                  const PartKeys& keys, WallTime from,
                                                  const engine::Snapshot* snapshot) {
  const std::string begin = keys.OfOrder(from, {});
  const std::string end = keys.End(PartKind::kOrder);
  const engine::CursorOptions walk{.range = {begin, end}, .snapshot = snapshot};
  return engine.NewCursor(kMembers, walk);
}

Result<OrderName> NameHere(const engine::Cursor& cursor, const PartKeys& keys) {
  const auto order = DecodeOrderName(cursor.key().substr(keys.name_at()));
  if (!order) {
    return Status::Corruption("the order of a collection is damaged; run a check with repair");
  }
  return *order;
}

}  // namespace

Result<DeadMembers> CountDeadMembers(const engine::Engine& engine, const PartKeys& keys,
                                     const Collection& collection, WallTime now,
                                     const engine::Snapshot* snapshot) {
  DeadMembers found{.dead = collection.dead, .first_deadline = collection.first_deadline};
  if (collection.mortal == 0) return found;
  WallTime from = collection.first_deadline.value_or(WallTimeFromMs(0));
  if (collection.dead > 0 && from - Millis(1) > now) {
    found.dead = 0;
    from = WallTimeFromMs(0);
  } else if (!IsDead(from, now)) {
    return found;
  }
  MAYFLY_TRY(const auto cursor, WalkOrder(engine, keys, from, snapshot));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_TRY(const OrderName order, NameHere(*cursor, keys));
    if (!IsDead(order.deadline, now)) {
      found.next = order.deadline;
      break;
    }
    ++found.dead;
    ++found.walked;
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  found.first_deadline = found.dead > 0 || !found.next ? now + Millis(1) : *found.next;
  return found;
}

Status VisitDeadMembers(const engine::Engine& engine, const PartKeys& keys, WallTime now,
                        FunctionRef<void(Bytes member)> visit, const engine::Snapshot* snapshot) {
  MAYFLY_TRY(const auto cursor, WalkOrder(engine, keys, WallTimeFromMs(0), snapshot));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_TRY(const OrderName order, NameHere(*cursor, keys));
    if (!IsDead(order.deadline, now)) break;
    visit(order.member);
  }
  return cursor->status();
}

Result<std::optional<std::string>> NameOf(const engine::Engine& engine, const PartKeys& keys) {
  PinnedBytes pin;
  const Status read = engine.Get(kMembers, keys.OfName(), pin);
  if (read.IsNotFound()) return std::optional<std::string>();
  MAYFLY_RETURN_IF_ERROR(read);
  MAYFLY_TRY(const RowView row, DecodeRow(pin.view()));
  return std::optional(std::string(row.payload));
}

Result<std::optional<WallTime>> LastMemberDeadline(const engine::Engine& engine,
                                                   const PartKeys& keys, SkipMember skip,
                                                   const engine::Snapshot* snapshot) {
  MAYFLY_TRY(const auto cursor, WalkOrder(engine, keys, WallTimeFromMs(0), snapshot));
  for (cursor->SeekToLast(); cursor->Valid(); cursor->Prev()) {
    MAYFLY_TRY(const OrderName order, NameHere(*cursor, keys));
    if (!skip(order.member)) return std::optional(order.deadline);
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return std::optional<WallTime>();
}

}  // namespace mayfly::core
