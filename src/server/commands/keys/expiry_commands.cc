// expiry_commands.cc - deadlines of keys: sets, removes and reads them.
#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "core/layout/liveness.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/support/families.h"
#include "server/commands/support/string_rows.h"

namespace mayfly::server {
namespace {

// Replies of TTL and its kin without a time left.
constexpr std::int64_t kNoKey = -2;
constexpr std::int64_t kNoDeadline = -1;

struct ExpireConditions {
  bool none = false;     // NX: only without a deadline.
  bool present = false;  // XX: only with a deadline.
  bool later = false;    // GT: the new one is later; no deadline is the latest.
  bool earlier = false;  // LT
};

Result<ExpireConditions> ParseConditions(std::span<const Bytes> words) {
  ExpireConditions conditions;
  for (const Bytes word : words) {
    if (IsWord(word, "nx")) {
      conditions.none = true;
    } else if (IsWord(word, "xx")) {
      conditions.present = true;
    } else if (IsWord(word, "gt")) {
      conditions.later = true;
    } else if (IsWord(word, "lt")) {
      conditions.earlier = true;
    } else {
      return Status::Invalid(fmt::format("Unsupported option {}", word));
    }
  }
  if (conditions.none && (conditions.present || conditions.later || conditions.earlier)) {
    return Status::Invalid("NX and XX, GT or LT options at the same time are not compatible");
  }
  if (conditions.later && conditions.earlier) {
    return Status::Invalid("GT and LT options at the same time are not compatible");
  }
  return conditions;
}

bool Hold(const ExpireConditions& conditions, std::optional<WallTime> old, WallTime fresh) {
  if (conditions.none && old) return false;
  if (conditions.present && !old) return false;
  if (conditions.later && (!old || fresh <= *old)) return false;
  if (conditions.earlier && old && fresh >= *old) return false;
  return true;
}

Answer ExpireIn(Call& call, TimeUnit unit, std::string_view command) {
  const Bytes key = call.args[1];
  MAYFLY_TRY(const ExpireConditions conditions, ParseConditions(call.args.subspan(3)));
  MAYFLY_TRY(const WallTime instant,
             InstantArgument(call.args[2], unit, call.now(), command, /*positive=*/false));
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(key, row));
  if (!row.exists || !Hold(conditions, row.deadline, instant)) {
    call.reply.Integer(0);
    return {};
  }
  if (core::IsDead(instant, call.judged_at())) {
    MAYFLY_RETURN_IF_ERROR(call.space().Delete(key).status());
    call.Notify(NotifyClass::kGeneric, "del", key);
  } else {
    const Lifetime lifetime = LifetimeUntil(instant, unit, call.judged_at());
    MAYFLY_RETURN_IF_ERROR(call.space().Expire(key, lifetime).status());
    call.Notify(NotifyClass::kGeneric, "expire", key);
  }
  if (call.feed != nullptr) MAYFLY_RETURN_IF_ERROR(FeedDeadline(call, key));
  call.reply.Integer(1);
  return {};
}

Answer Expire(Call& call) { return ExpireIn(call, TimeUnit::kSeconds, "expire"); }
Answer PExpire(Call& call) { return ExpireIn(call, TimeUnit::kMillis, "pexpire"); }
Answer ExpireAt(Call& call) { return ExpireIn(call, TimeUnit::kUnixSeconds, "expireat"); }
Answer PExpireAt(Call& call) { return ExpireIn(call, TimeUnit::kUnixMillis, "pexpireat"); }

Answer Persist(Call& call) {
  const Bytes key = call.args[1];
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(key, row));
  if (row.exists && row.deadline) {
    MAYFLY_RETURN_IF_ERROR(call.space().Expire(key, Lifetime::Forever()).status());
    call.Notify(NotifyClass::kGeneric, "persist", key);
    call.reply.Integer(1);
  } else {
    call.reply.Integer(0);
  }
  return {};
}

enum class TimeUnit : std::uint8_t { kSeconds, kMillis };

// Rounded half up, so that a key given 10 seconds has 10 left when asked at once.
std::int64_t In(TimeUnit unit, std::int64_t ms) {
  return unit == TimeUnit::kMillis ? ms : ms / 1000 + (ms % 1000 >= 500 ? 1 : 0);
}

Answer ReplyDeadline(Call& call, TimeUnit unit, WallTime from) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(call.args[1], row));
  if (!row.exists) {
    call.reply.Integer(kNoKey);
  } else if (!row.deadline) {
    call.reply.Integer(kNoDeadline);
  } else {
    call.reply.Integer(In(unit, (*row.deadline - from).count()));
  }
  return {};
}

Answer Ttl(Call& call) { return ReplyDeadline(call, TimeUnit::kSeconds, call.now()); }
Answer PTtl(Call& call) { return ReplyDeadline(call, TimeUnit::kMillis, call.now()); }
Answer ExpireTime(Call& call) { return ReplyDeadline(call, TimeUnit::kSeconds, WallTime()); }
Answer PExpireTime(Call& call) { return ReplyDeadline(call, TimeUnit::kMillis, WallTime()); }

// clang-format off
constexpr CommandSpec kExpiryCommands[] = {
    {"expire",      -3, kWrite | kFast,    OneKey(kRW | kUpdate), Expire,
     {"Give a key a deadline, in seconds from now.", "1.0.0", "O(1)", "key seconds:int condition=[NX | XX | GT | LT]"}},
    {"expireat",    -3, kWrite | kFast,    OneKey(kRW | kUpdate), ExpireAt,
     {"Give a key a deadline, in seconds since the epoch.", "1.2.0", "O(1)",
      "key unix-time-seconds:time condition=[NX | XX | GT | LT]"}},
    {"expiretime",  2,  kReadOnly | kFast, OneKey(kRO | kAccess | kUnused), ExpireTime,
     {"Tell a key's deadline, in seconds since the epoch.", "7.0.0", "O(1)", "key"}},
    {"persist",     2,  kWrite | kFast,    OneKey(kRW | kUpdate), Persist,
     {"Take a key's deadline away.", "2.2.0", "O(1)", "key"}},
    {"pexpire",     -3, kWrite | kFast,    OneKey(kRW | kUpdate), PExpire,
     {"Give a key a deadline, in ms from now.", "2.6.0", "O(1)", "key milliseconds:int condition=[NX | XX | GT | LT]"}},
    {"pexpireat",   -3, kWrite | kFast,    OneKey(kRW | kUpdate), PExpireAt,
     {"Give a key a deadline, in ms since the epoch.", "2.6.0", "O(1)",
      "key unix-time-milliseconds:time condition=[NX | XX | GT | LT]"}},
    {"pexpiretime", 2,  kReadOnly | kFast, OneKey(kRO | kAccess | kUnused), PExpireTime,
     {"Tell a key's deadline, in ms since the epoch.", "7.0.0", "O(1)", "key"}},
    {"pttl",        2,  kReadOnly | kFast, OneKey(kRO | kAccess | kUnused), PTtl,
     {"Tell how many milliseconds a key has left.", "2.6.0", "O(1)", "key"}},
    {"ttl",         2,  kReadOnly | kFast, OneKey(kRO | kAccess | kUnused), Ttl,
     {"Tell how many seconds a key has left.", "1.0.0", "O(1)", "key"}},
};
// clang-format on

}  // namespace

CommandFamily ExpiryFamily() { return {"generic", Category::kKeyspace, kExpiryCommands}; }

}  // namespace mayfly::server
