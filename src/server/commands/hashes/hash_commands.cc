#include "server/commands/hashes/hash_commands.h"

#include <string>

#include "server/command/errors.h"
#include "server/commands/support/families.h"

namespace mayfly::server {
namespace {

constexpr std::uint32_t kAdds = kWrite | kDenyOom | kFast;
constexpr std::uint32_t kChanges = kWrite | kFast;
constexpr std::uint32_t kReads = kReadOnly | kFast;

// clang-format off
constexpr CommandSpec kHashCommands[] = {
    {"hdel",         -3, kChanges,  OneKey(kRW | kDelete),           HDel,
     {"Remove fields of a hash.", "2.0.0", "O(n) in the fields given", "key field..."}},
    {"hexists",      3,  kReads,    OneKey(kRO),                     HExists,
     {"Tell whether a hash has a field.", "2.0.0", "O(1)", "key field"}},
    {"hexpire",      -6, kAdds,     OneKey(kRW | kUpdate),           HExpire,
     {"Give fields a deadline, in seconds from now.", "7.4.0", "O(n) in the fields given",
      "key seconds:int condition=[NX | XX | GT | LT] FIELDS fields=(numfields:int field...)"}},
    {"hexpireat",    -6, kAdds,     OneKey(kRW | kUpdate),           HExpireAt,
     {"Give fields a deadline, in seconds since the epoch.", "7.4.0", "O(n) in the fields given",
      "key unix-time-seconds:time condition=[NX | XX | GT | LT] FIELDS fields=(numfields:int field...)"}},
    {"hexpiretime",  -5, kReads,    OneKey(kRO | kAccess),           HExpireTime,
     {"Tell when fields die, in seconds since the epoch.", "7.4.0", "O(n) in the fields given",
      "key FIELDS fields=(numfields:int field...)"}},
    {"hget",         3,  kReads,    OneKey(kRO | kAccess),           HGet,
     {"Get the value of a field.", "2.0.0", "O(1)", "key field"}},
    {"hgetall",      2,  kReadOnly, OneKey(kRO | kAccess),           HGetAll,
     {"Get all fields and values of a hash.", "2.0.0", "O(n) in the fields of the hash", "key"}},
    {"hgetdel",      -5, kChanges,  OneKey(kRW | kAccess | kDelete), HGetDel,
     {"Get the values of fields and remove these.", "8.0.0", "O(n) in the fields given",
      "key FIELDS fields=(numfields:int field...)"}},
    {"hgetex",       -5, kChanges,  OneKey(kRW | kAccess | kUpdate), HGetEx,
     {"Get the values of fields and change when these die.", "8.0.0", "O(n) in the fields given",
      "key expiration=[EX seconds:int | PX milliseconds:int | EXAT unix-time-seconds:time | PXAT "
      "unix-time-milliseconds:time | PERSIST] FIELDS fields=(numfields:int field...)"}},
    {"hincrby",      4,  kAdds,     OneKey(kRW | kAccess | kUpdate), HIncrBy,
     {"Add an integer to a field.", "2.0.0", "O(1)", "key field increment:int"}},
    {"hincrbyfloat", 4,  kAdds,     OneKey(kRW | kAccess | kUpdate), HIncrByFloat,
     {"Add a decimal number to a field.", "2.6.0", "O(1)", "key field increment:double"}},
    {"hkeys",        2,  kReadOnly, OneKey(kRO | kAccess),           HKeys,
     {"Get all fields of a hash.", "2.0.0", "O(n) in the fields of the hash", "key"}},
    {"hlen",         2,  kReads,    OneKey(kRO),                     HLen,
     {"Count the fields of a hash.", "2.0.0", "O(1)", "key"}},
    {"hmget",        -3, kReads,    OneKey(kRO | kAccess),           HMGet,
     {"Get the values of several fields.", "2.0.0", "O(n) in the fields given", "key field..."}},
    {"hmset",        -4, kAdds,     OneKey(kRW | kUpdate),           HMSet,
     {"Set several fields; HSET does the same.", "2.0.0", "O(n) in the fields given",
      "key field_value=(field value)..."}},
    {"hpersist",     -5, kChanges,  OneKey(kRW | kUpdate),           HPersist,
     {"Take the deadlines of fields away.", "7.4.0", "O(n) in the fields given",
      "key FIELDS fields=(numfields:int field...)"}},
    {"hpexpire",     -6, kAdds,     OneKey(kRW | kUpdate),           HPExpire,
     {"Give fields a deadline, in milliseconds from now.", "7.4.0", "O(n) in the fields given",
      "key milliseconds:int condition=[NX | XX | GT | LT] FIELDS fields=(numfields:int field...)"}},
    {"hpexpireat",   -6, kAdds,     OneKey(kRW | kUpdate),           HPExpireAt,
     {"Give fields a deadline, in milliseconds since the epoch.", "7.4.0", "O(n) in the fields given",
      "key unix-time-milliseconds:time condition=[NX | XX | GT | LT] FIELDS fields=(numfields:int field...)"}},
    {"hpexpiretime", -5, kReads,    OneKey(kRO | kAccess),           HPExpireTime,
     {"Tell when fields die, in milliseconds since the epoch.", "7.4.0", "O(n) in the fields given",
      "key FIELDS fields=(numfields:int field...)"}},
    {"hpttl",        -5, kReads,    OneKey(kRO | kAccess),           HPTtl,
     {"Tell how many milliseconds fields have left.", "7.4.0", "O(n) in the fields given",
      "key FIELDS fields=(numfields:int field...)"}},
    {"hrandfield",   -2, kReadOnly, OneKey(kRO | kAccess),           HRandField,
     {"Get fields drawn by chance.", "6.2.0", "O(n) in the members drawn", "key options=[count:int [WITHVALUES]]"}},
    {"hscan",        -3, kReadOnly, OneKey(kRO | kAccess),           HScan,
     {"Walk over the fields of a hash, page by page.", "2.8.0",
      "O(1) for each call, and O(n) for all of them in the members of the key",
      "key cursor:int [MATCH pattern:pattern] [COUNT count:int] [NOVALUES]"}},
    {"hset",         -4, kAdds,     OneKey(kRW | kUpdate),           HSet,
     {"Set fields of a hash.", "2.0.0", "O(n) in the fields given", "key field_value=(field value)..."}},
    {"hsetex",       -6, kAdds,     OneKey(kRW | kUpdate),           HSetEx,
     {"Set fields of a hash and when these die.", "8.0.0", "O(n) in the fields given",
      "key condition=[FNX | FXX] expiration=[EX seconds:int | PX milliseconds:int | EXAT unix-time-seconds:time | "
      "PXAT unix-time-milliseconds:time | KEEPTTL] FIELDS fields=(numfields:int data=(field value)...)"}},
    {"hsetnx",       4,  kAdds,     OneKey(kRW | kInsert),           HSetNx,
     {"Set a field that is not there yet.", "2.0.0", "O(1)", "key field value"}},
    {"hstrlen",      3,  kReads,    OneKey(kRO),                     HStrLen,
     {"Tell how long the value of a field is.", "3.2.0", "O(1)", "key field"}},
    {"httl",         -5, kReads,    OneKey(kRO | kAccess),           HTtl,
     {"Tell how many seconds fields have left.", "7.4.0", "O(n) in the fields given",
      "key FIELDS fields=(numfields:int field...)"}},
    {"hvals",        2,  kReadOnly, OneKey(kRO | kAccess),           HVals,
     {"Get all values of a hash.", "2.0.0", "O(n) in the fields of the hash", "key"}},
};
// clang-format on

}  // namespace

CommandFamily HashFamily() { return {"hash", Category::kHash, kHashCommands}; }

Result<types::Hash> HashOf(Call& call) { return types::Hash::Open(call.space(), call.args[1]); }

void NotifyHash(Call& call, const types::Hash& hash,
                std::initializer_list<std::string_view> events) {
  if (hash.is_new()) call.Notify(NotifyClass::kNew, "new", call.args[1]);
  for (const std::string_view event : events) {
    call.Notify(NotifyClass::kHash, event, call.args[1]);
  }
  if (hash.empty()) call.Notify(NotifyClass::kGeneric, "del", call.args[1]);
}

void ReplyField(Call& call, const core::FoundMember& found) {
  if (found.exists) {
    call.reply.Bulk(found.value);
  } else {
    call.reply.Null();
  }
}

Result<std::span<const Bytes>> FieldsClause(std::span<const Bytes> clause, std::string_view command,
                                            std::string_view count_error) {
  if (clause.empty() || !IsWord(clause[0], "fields")) {
    return Status::Invalid("Mandatory argument FIELDS is missing or not at the right position");
  }
  if (clause.size() < 2) return WrongArity(command);
  const Result<std::int64_t> count = IntegerArgument(clause[1]);
  if (!count || *count < 1) return Status::Invalid(std::string(count_error));
  const auto fields = clause.subspan(2);
  if (static_cast<std::uint64_t>(*count) != fields.size()) {
    return Status::Invalid("The `numfields` parameter must match the number of arguments");
  }
  return fields;
}

Result<WallTime> FieldInstant(Bytes argument, TimeUnit unit, WallTime now,
                              std::string_view command) {
  // Redis reserves two of its 48 bits; the year is 4199.
  constexpr WallTime kLast = WallTimeFromMs((std::int64_t{1} << 46) - 1);
  MAYFLY_TRY(const std::int64_t number, IntegerArgument(argument));
  if (number < 0) return Status::Invalid("invalid expire time, must be >= 0");
  MAYFLY_TRY(const WallTime instant, InstantArgument(argument, unit, now, command, false));
  if (instant > kLast) return InvalidExpireTime(command);
  return instant;
}

}  // namespace mayfly::server
