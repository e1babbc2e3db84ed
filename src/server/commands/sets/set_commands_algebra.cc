// set_commands_algebra.cc - unions, intersections and differences of sets.
#include <algorithm>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/sets/set_commands.h"
#include "server/commands/support/count_arguments.h"
#include "server/commands/support/held_result.h"
#include "types/set.h"
#include "types/set_algebra.h"

namespace mayfly::server {
namespace {

using Operands = std::vector<types::Operand>;
using Walk = Status (*)(core::TransactionKeyspace&, std::span<const types::Operand>,
                        types::ShowShared);

Result<Operands> FindOperands(Call& call, std::span<const Bytes> keys) {
  Operands operands;
  for (const Bytes key : keys) {
    MAYFLY_TRY(const types::Operand operand,
               types::FindOperand(call.space(), key, types::OperandKind::kSets));
    operands.push_back(operand);
  }
  return operands;
}

Answer ReplyMembers(Call& call, Walk walk) {
  MAYFLY_TRY(const Operands operands, FindOperands(call, call.args.subspan(1)));
  const auto members = call.reply.BeginDeferred(Aggregate::kSet);
  std::size_t count = 0;
  MAYFLY_RETURN_IF_ERROR(walk(call.space(), operands, [&](Bytes name, auto) {
    call.reply.Bulk(name);
    ++count;
    return true;
  }));
  call.reply.EndDeferred(members, count);
  return {};
}

// Writes members as they are found: much of it is written before the commit.
Result<std::uint64_t> StoreWalked(Call& call, Walk walk, const Operands& operands, Bytes target) {
  types::NewSet fresh(call.space(), target);
  Status status;
  MAYFLY_RETURN_IF_ERROR(walk(call.space(), operands, [&](Bytes name, auto) {
    status = fresh.Add(name);
    return status.ok();
  }));
  MAYFLY_RETURN_IF_ERROR(status);
  return fresh.size();
}

// Holds the names until the iteration ends: the target is one of the operands.
Result<std::uint64_t> StoreHeld(Call& call, Walk walk, const Operands& operands, Bytes target) {
  std::vector<std::string> names;
  HeldResult held;
  MAYFLY_RETURN_IF_ERROR(walk(call.space(), operands, [&](Bytes name, auto) {
    const bool fits = held.Add(name.size(), sizeof(std::string));
    if (fits) names.emplace_back(name);
    return fits;
  }));
  MAYFLY_RETURN_IF_ERROR(held.status());
  MAYFLY_RETURN_IF_ERROR(call.space().Delete(target).status());
  types::NewSet fresh(call.space(), target);
  for (const std::string& name : names) MAYFLY_RETURN_IF_ERROR(fresh.Add(name));
  return fresh.size();
}

Answer Store(Call& call, Walk walk, std::string_view event) {
  const Bytes target = call.args[1];
  MAYFLY_TRY(const Operands operands, FindOperands(call, call.args.subspan(2)));
  const bool in_place = std::any_of(operands.begin(), operands.end(),
                                    [&](const auto& operand) { return operand.key == target; });
  core::FoundRow old;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(target, old));
  const bool existed = old.exists;
  if (!in_place && existed) MAYFLY_RETURN_IF_ERROR(call.space().Delete(target).status());
  MAYFLY_TRY(const std::uint64_t size, in_place ? StoreHeld(call, walk, operands, target)
                                                : StoreWalked(call, walk, operands, target));
  if (size > 0) {
    if (!existed) call.Notify(NotifyClass::kNew, "new", target);
    call.Notify(NotifyClass::kSet, event, target);
  } else if (existed) {
    call.Notify(NotifyClass::kGeneric, "del", target);
  }
  call.reply.Integer(static_cast<std::int64_t>(size));
  return {};
}

}  // namespace

Answer SDiff(Call& call) { return ReplyMembers(call, types::WalkDifference); }
Answer SInter(Call& call) { return ReplyMembers(call, types::WalkIntersection); }
Answer SUnion(Call& call) { return ReplyMembers(call, types::WalkUnion); }

Answer SDiffStore(Call& call) { return Store(call, types::WalkDifference, "sdiffstore"); }
Answer SInterStore(Call& call) { return Store(call, types::WalkIntersection, "sinterstore"); }
Answer SUnionStore(Call& call) { return Store(call, types::WalkUnion, "sunionstore"); }

Answer SInterCard(Call& call) {
  MAYFLY_TRY(const std::int64_t number, PositiveArgument(call.args[1], "numkeys"));
  const auto rest = call.args.subspan(2);
  if (number > static_cast<std::int64_t>(rest.size())) {
    return Status::Invalid("Number of keys can't be greater than number of args");
  }
  const auto keys = rest.first(static_cast<std::size_t>(number));
  const auto options = rest.subspan(keys.size());
  std::int64_t limit = 0;  // 0: none.
  for (std::size_t i = 0; i < options.size(); i += 2) {
    if (!IsWord(options[i], "limit") || i + 1 == options.size()) return SyntaxError();
    MAYFLY_TRY(limit, NaturalArgument(options[i + 1], Status::Invalid("LIMIT can't be negative")));
  }
  MAYFLY_TRY(const Operands operands, FindOperands(call, keys));
  std::int64_t count = 0;
  MAYFLY_RETURN_IF_ERROR(types::WalkIntersection(call.space(), operands,
                                                 [&](Bytes, auto) { return ++count != limit; }));
  call.reply.Integer(count);
  return {};
}

}  // namespace mayfly::server
