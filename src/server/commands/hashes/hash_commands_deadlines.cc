// hash_commands_deadlines.cc - deadlines of fields: sets, reads and removes them. Codes per field:
// -2 no such field, -1 no deadline, 0 the condition does not hold, 1 done, 2 dead at once and
// deleted.
#include <optional>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "core/layout/liveness.h"
#include "mayfly/keyspace.h"
#include "server/command/arguments.h"
#include "server/commands/hashes/hash_commands.h"

namespace mayfly::server {
namespace {

using FieldCode = std::int64_t;
constexpr FieldCode kNoField = -2;
constexpr FieldCode kNoDeadline = -1;
constexpr FieldCode kConditionFails = 0;
constexpr FieldCode kDone = 1;
constexpr FieldCode kGone = 2;

constexpr std::int64_t kMsPerSecond = 1000;

std::optional<DeadlineIf> ReadCondition(Bytes argument) {
  if (IsWord(argument, "nx")) return DeadlineIf::kNone;
  if (IsWord(argument, "xx")) return DeadlineIf::kPresent;
  if (IsWord(argument, "gt")) return DeadlineIf::kLater;
  if (IsWord(argument, "lt")) return DeadlineIf::kEarlier;
  return std::nullopt;
}

// No deadline counts as later than every deadline.
bool Holds(DeadlineIf condition, std::optional<WallTime> before, WallTime after) {
  switch (condition) {
    case DeadlineIf::kAlways: break;
    case DeadlineIf::kNone: return !before;
    case DeadlineIf::kPresent: return before.has_value();
    case DeadlineIf::kLater: return before && after > *before;
    case DeadlineIf::kEarlier: return !before || after < *before;
  }
  return true;
}

Result<FieldCode> SetDeadline(types::Hash& hash, Bytes field, WallTime instant,
                              DeadlineIf condition, WallTime now) {
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(hash.Find(field, found));
  if (!found.exists) return kNoField;
  if (!Holds(condition, found.deadline, instant)) return kConditionFails;
  if (core::IsDead(instant, now)) {
    MAYFLY_RETURN_IF_ERROR(hash.Remove(field).status());
    return kGone;
  }
  const std::string value(found.value);
  const auto lifetime = core::MemberLifetime::Until(instant);
  MAYFLY_RETURN_IF_ERROR(hash.Put(field, value, lifetime).status());
  return kDone;
}

// HEXPIRE and its kin: key time [NX | XX | GT | LT] FIELDS n field...
Answer ExpireFields(Call& call, TimeUnit unit, std::string_view command) {
  MAYFLY_TRY(types::Hash hash, HashOf(call));
  MAYFLY_TRY(const WallTime instant, FieldInstant(call.args[2], unit, call.now(), command));
  const auto condition = ReadCondition(call.args[3]);
  MAYFLY_TRY(const auto fields, FieldsClause(call.args.subspan(condition ? 4 : 3), command,
                                             "Parameter `numFields` should be greater than 0"));
  bool changed = false;
  bool removed = false;
  std::vector<Bytes> changed_fields;
  call.reply.Array(fields.size());
  for (const Bytes field : fields) {
    MAYFLY_TRY(const FieldCode code,
               SetDeadline(hash, field, instant, condition.value_or(DeadlineIf::kAlways),
                           call.judged_at()));
    changed = changed || code == kDone;
    removed = removed || code == kGone;
    if (code == kDone || code == kGone) changed_fields.push_back(field);
    call.reply.Integer(code);
  }
  if (call.feed != nullptr)
    FeedFieldDeadlines(call, changed_fields, removed ? std::nullopt : std::optional(instant));
  if (changed || removed) NotifyHash(call, hash, {removed ? "hdel" : "hexpire"});
  return {};
}

// Replies with a number per field; `number_of` makes it of the deadline.
Answer ReplyDeadlines(Call& call, std::string_view command,
                      FunctionRef<std::int64_t(WallTime deadline)> number_of) {
  MAYFLY_TRY(const types::Hash hash, HashOf(call));
  MAYFLY_TRY(const auto fields, FieldsClause(call.args.subspan(2), command, kFieldCountError));
  call.reply.Array(fields.size());
  for (const Bytes field : fields) {
    core::FoundMember found;
    MAYFLY_RETURN_IF_ERROR(hash.Find(field, found));
    if (!found.exists) {
      call.reply.Integer(kNoField);
    } else {
      call.reply.Integer(found.deadline ? number_of(*found.deadline) : kNoDeadline);
    }
  }
  return {};
}

// Rounded up: a field that is alive never shows zero.
std::int64_t Seconds(std::int64_t ms) { return (ms + kMsPerSecond - 1) / kMsPerSecond; }

}  // namespace

Answer HExpire(Call& call) { return ExpireFields(call, TimeUnit::kSeconds, "hexpire"); }
Answer HPExpire(Call& call) { return ExpireFields(call, TimeUnit::kMillis, "hpexpire"); }
Answer HExpireAt(Call& call) { return ExpireFields(call, TimeUnit::kUnixSeconds, "hexpireat"); }
Answer HPExpireAt(Call& call) { return ExpireFields(call, TimeUnit::kUnixMillis, "hpexpireat"); }

Answer HTtl(Call& call) {
  return ReplyDeadlines(
      call, "httl", [&](WallTime deadline) { return Seconds((deadline - call.now()).count()); });
}

Answer HPTtl(Call& call) {
  return ReplyDeadlines(call, "hpttl",
                        [&](WallTime deadline) { return (deadline - call.now()).count(); });
}

Answer HExpireTime(Call& call) {
  return ReplyDeadlines(call, "hexpiretime",
                        [](WallTime deadline) { return Seconds(ToMs(deadline)); });
}

Answer HPExpireTime(Call& call) {
  return ReplyDeadlines(call, "hpexpiretime", [](WallTime deadline) { return ToMs(deadline); });
}

Answer HPersist(Call& call) {
  MAYFLY_TRY(types::Hash hash, HashOf(call));
  MAYFLY_TRY(const auto fields, FieldsClause(call.args.subspan(2), "hpersist", kFieldCountError));
  bool changed = false;
  call.reply.Array(fields.size());
  for (const Bytes field : fields) {
    core::FoundMember found;
    MAYFLY_RETURN_IF_ERROR(hash.Find(field, found));
    if (found.exists && found.deadline) {
      const std::string value(found.value);
      MAYFLY_RETURN_IF_ERROR(hash.Put(field, value).status());
      changed = true;
      call.reply.Integer(kDone);
    } else {
      call.reply.Integer(found.exists ? kNoDeadline : kNoField);
    }
  }
  if (call.feed != nullptr) call.feed->Instead(call.args, CommandFeed::Known::kSince74);
  if (changed) NotifyHash(call, hash, {"hpersist"});
  return {};
}

void FeedFieldDeadlines(const Call& call, std::span<const Bytes> fields,
                        std::optional<WallTime> instant) {
  if (fields.empty()) return;
  const std::string ms = instant ? std::to_string(ToMs(*instant)) : "";
  const std::string count = std::to_string(fields.size());
  std::vector<Bytes> command;
  if (instant) {
    command = {"HPEXPIREAT", call.args[1], ms, "FIELDS", count};
  } else {
    command = {"HDEL", call.args[1]};
  }
  command.insert(command.end(), fields.begin(), fields.end());
  call.feed->Instead(command,
                     instant ? CommandFeed::Known::kSince74 : CommandFeed::Known::kSince70);
}

}  // namespace mayfly::server
