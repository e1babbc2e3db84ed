// hash_commands_fields.cc - single fields: sets, reads, removes and increments them.
#include <cmath>
#include <limits>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/long_double.h"
#include "server/commands/hashes/hash_commands.h"
#include "wire/decimal.h"

namespace mayfly::server {
namespace {

// Sets the fields in order; returns how many of them are new.
Result<std::int64_t> SetFields(Call& call, std::string_view command) {
  const auto pairs = call.args.subspan(2);
  if (pairs.size() % 2 != 0) return WrongArity(command);
  MAYFLY_TRY(types::Hash hash, HashOf(call));
  std::int64_t added = 0;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    MAYFLY_TRY(const bool is_new, hash.Put(pairs[i], pairs[i + 1]));
    if (is_new) ++added;
  }
  NotifyHash(call, hash, {"hset"});
  return added;
}

bool Overflows(std::int64_t value, std::int64_t increment) {
  using Limits = std::numeric_limits<std::int64_t>;
  return increment > 0 ? value > Limits::max() - increment : value < Limits::min() - increment;
}

}  // namespace

Answer HSet(Call& call) {
  MAYFLY_TRY(const std::int64_t added, SetFields(call, "hset"));
  call.reply.Integer(added);
  return {};
}

Answer HMSet(Call& call) {
  MAYFLY_RETURN_IF_ERROR(SetFields(call, "hmset").status());
  call.reply.Ok();
  return {};
}

Answer HSetNx(Call& call) {
  MAYFLY_TRY(types::Hash hash, HashOf(call));
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(hash.Find(call.args[2], found));
  if (!found.exists) {
    MAYFLY_RETURN_IF_ERROR(hash.Put(call.args[2], call.args[3]).status());
    NotifyHash(call, hash, {"hset"});
  }
  call.reply.Integer(found.exists ? 0 : 1);
  return {};
}

Answer HGet(Call& call) {
  MAYFLY_TRY(const types::Hash hash, HashOf(call));
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(hash.Find(call.args[2], found));
  ReplyField(call, found);
  return {};
}

Answer HMGet(Call& call) {
  MAYFLY_TRY(const types::Hash hash, HashOf(call));
  const auto fields = call.args.subspan(2);
  call.reply.Array(fields.size());
  for (const Bytes field : fields) {
    core::FoundMember found;
    MAYFLY_RETURN_IF_ERROR(hash.Find(field, found));
    ReplyField(call, found);
  }
  return {};
}

Answer HDel(Call& call) {
  MAYFLY_TRY(types::Hash hash, HashOf(call));
  std::int64_t removed = 0;
  for (const Bytes field : call.args.subspan(2)) {
    MAYFLY_TRY(const bool was_there, hash.Remove(field));
    if (was_there) ++removed;
  }
  if (removed > 0) NotifyHash(call, hash, {"hdel"});
  call.reply.Integer(removed);
  return {};
}

Answer HLen(Call& call) {
  MAYFLY_TRY(const types::Hash hash, HashOf(call));
  call.reply.Integer(static_cast<std::int64_t>(hash.size()));
  return {};
}

Answer HStrLen(Call& call) {
  MAYFLY_TRY(const types::Hash hash, HashOf(call));
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(hash.Find(call.args[2], found));
  call.reply.Integer(found.exists ? static_cast<std::int64_t>(found.value.size()) : 0);
  return {};
}

Answer HExists(Call& call) {
  MAYFLY_TRY(const types::Hash hash, HashOf(call));
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(hash.Find(call.args[2], found));
  call.reply.Integer(found.exists ? 1 : 0);
  return {};
}

Answer HIncrBy(Call& call) {
  MAYFLY_TRY(const std::int64_t increment, IntegerArgument(call.args[3]));
  MAYFLY_TRY(types::Hash hash, HashOf(call));
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(hash.Find(call.args[2], found));
  std::int64_t value = 0;
  if (found.exists && !ReadInteger(found.value, value)) {
    return Status::Invalid("hash value is not an integer");
  }
  if (Overflows(value, increment)) {
    return Status::Invalid("increment or decrement would overflow");
  }
  value += increment;
  const std::string text = std::to_string(value);
  MAYFLY_RETURN_IF_ERROR(hash.Put(call.args[2], text, core::MemberLifetime::Keep()).status());
  NotifyHash(call, hash, {"hincrby"});
  call.reply.Integer(value);
  return {};
}

namespace {

// The field's value, and the deadline that it keeps: HSET would take it away.
void FeedField(const Call& call, Bytes field, Bytes value, std::optional<WallTime> deadline) {
  call.feed->Instead({"HSET", call.args[1], field, value});
  if (deadline) FeedFieldDeadlines(call, std::span(&field, 1), deadline);
}

}  // namespace

Answer HIncrByFloat(Call& call) {
  long double increment = 0;
  if (!ReadLongDouble(call.args[3], increment)) return NotAFloat();
  if (std::isinf(increment)) return Status::Invalid("value is NaN or Infinity");
  MAYFLY_TRY(types::Hash hash, HashOf(call));
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(hash.Find(call.args[2], found));
  long double value = 0;
  if (found.exists && !ReadLongDouble(found.value, value)) {
    return Status::Invalid("hash value is not a float");
  }
  value += increment;
  if (!std::isfinite(value)) return Status::Invalid("increment would produce NaN or Infinity");
  const std::string text = WriteLongDouble(value);
  const auto deadline = found.deadline;
  MAYFLY_RETURN_IF_ERROR(hash.Put(call.args[2], text, core::MemberLifetime::Keep()).status());
  NotifyHash(call, hash, {"hincrbyfloat"});
  if (call.feed != nullptr) FeedField(call, call.args[2], text, deadline);
  call.reply.Bulk(text);
  return {};
}

}  // namespace mayfly::server
