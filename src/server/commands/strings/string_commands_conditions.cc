// string_commands_conditions.cc - DIGEST, and deleting a string if it is what the client expects.
#include <string>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/strings/string_commands.h"
#include "server/commands/strings/value_condition.h"
#include "server/commands/support/string_rows.h"

namespace mayfly::server {
namespace {

Answer Remove(Call& call, bool wanted) {
  if (wanted) {
    MAYFLY_TRY(wanted, call.space().Delete(call.args[1]));
    if (wanted) call.Notify(NotifyClass::kGeneric, "del", call.args[1]);
    // A Redis of 7.0 knows none of these commands.
    if (wanted && call.feed != nullptr) call.feed->Instead({"DEL", call.args[1]});
  }
  call.reply.Integer(wanted ? 1 : 0);
  return {};
}

Answer RemoveIf(Call& call, const ValueCondition& condition) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindString(call, call.args[1], row));
  MAYFLY_TRY(const bool holds, Holds(condition, row));
  return Remove(call, row.exists && holds);
}

}  // namespace

Answer Digest(Call& call) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindString(call, call.args[1], row));
  row.exists ? call.reply.Bulk(DigestOf(row.value)) : call.reply.Null();
  return {};
}

// Without a condition, a key of any type.
Answer DelEx(Call& call) {
  constexpr std::size_t kArgsWithCondition = 4;
  if (call.args.size() == 2) return Remove(call, true);
  if (call.args.size() != kArgsWithCondition) return WrongArity("delex");
  const auto kind = ValueConditionOf(call.args[2]);
  if (!kind) return Status::Invalid("Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE");
  core::FoundRow row;
  const Status found = FindString(call, call.args[1], row);
  if (found.code() == StatusCode::kWrongType) {
    return Status::Invalid("Key should be of string type if conditions are specified");
  }
  return RemoveIf(call, {*kind, call.args[3]});
}

Answer DelIfEq(Call& call) { return RemoveIf(call, {ValueCondition::Kind::kEqual, call.args[2]}); }

}  // namespace mayfly::server
