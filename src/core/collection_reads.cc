#include "core/collection_reads.h"

#include "core/liveness.h"
#include "core/row_codec.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kMembers{engine::Role::kMembers};

Result<std::unique_ptr<engine::Cursor>> WalkOrder(const engine::Engine& engine,
                                                  const PartKeys& keys, WallTime from) {
  const std::string begin = keys.OfOrder(from, {});
  const std::string end = keys.End(PartKind::kOrder);
  const engine::CursorOptions walk{
      .range = {begin, end}
  };
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

Result<std::uint64_t> CountDeadMembers(const engine::Engine& engine, const PartKeys& keys,
                                       const Collection& collection, WallTime now) {
  std::uint64_t dead = 0;
  if (collection.mortal == 0 || !IsDead(collection.first_deadline, now)) return dead;
  MAYFLY_TRY(const auto cursor, WalkOrder(engine, keys, *collection.first_deadline));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_TRY(const OrderName order, NameHere(*cursor, keys));
    if (!IsDead(order.deadline, now)) break;
    ++dead;
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return dead;
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
                                                   const PartKeys& keys, SkipMember skip) {
  MAYFLY_TRY(const auto cursor, WalkOrder(engine, keys, WallTimeFromMs(0)));
  for (cursor->SeekToLast(); cursor->Valid(); cursor->Prev()) {
    MAYFLY_TRY(const OrderName order, NameHere(*cursor, keys));
    if (!skip(order.member)) return std::optional(order.deadline);
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return std::optional<WallTime>();
}

Result<std::optional<WallTime>> FirstMemberDeadline(const engine::Engine& engine,
                                                    const PartKeys& keys, WallTime from,
                                                    SkipMember skip) {
  MAYFLY_TRY(const auto cursor, WalkOrder(engine, keys, from));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    MAYFLY_TRY(const OrderName order, NameHere(*cursor, keys));
    if (!skip(order.member)) return std::optional(order.deadline);
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return std::optional<WallTime>();
}

}  // namespace mayfly::core
