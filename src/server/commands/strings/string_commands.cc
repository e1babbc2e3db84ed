// string_commands.cc - the string family's table, and the commands that read strings or change a
// part.
#include "server/commands/strings/string_commands.h"

#include <algorithm>
#include <string>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/support/families.h"
#include "server/commands/support/string_rows.h"
#include "server/commands/support/variable_keys.h"

namespace mayfly::server {
namespace {

constexpr std::uint32_t kReads = kReadOnly | kFast;
constexpr std::uint32_t kChanges = kWrite | kFast;
constexpr std::uint32_t kWrites = kWrite | kDenyOom;
constexpr std::uint32_t kQuickWrites = kWrites | kFast;

// clang-format off
constexpr CommandSpec kStringCommands[] = {
    {"append",      3,  kQuickWrites, OneKey(kRW | kInsert),                             Append,
     {"Add bytes to the end of a string.", "2.0.0", "O(1), and O(n) in the bytes added", "key value"}},
    {"decr",        2,  kQuickWrites, OneKey(kRW | kAccess | kUpdate),                   Decr,
     {"Take one from the integer a key holds.", "1.0.0", "O(1)", "key"}},
    {"decrby",      3,  kQuickWrites, OneKey(kRW | kAccess | kUpdate),                   DecrBy,
     {"Take a number from the integer a key holds.", "1.0.0", "O(1)", "key decrement:int"}},
    {"delex",       -2, kChanges,     VariableKey(kRW | kAccess | kDelete, DelExKeyFlags), DelEx,
     {"Delete a key if it holds what the client expects.", "8.4.0",
      "O(1); O(n) in the bytes of the string for digests",
      "key condition=[IFEQ ifeq-value | IFNE ifne-value | IFDEQ ifdeq-digest | IFDNE ifdne-digest]"}},
    {"delifeq",     3,  kChanges,     OneKey(kRW | kAccess | kDelete),                   DelIfEq,
     {"Delete a string if it has this value; as Valkey does.", "9.0.0", "O(1)", "key value"}},
    {"digest",      2,  kReads,       OneKey(kRO | kAccess),                             Digest,
     {"Return a digest of a string, to be compared by SET and DELEX.", "8.4.0", "O(n) in the bytes of the string",
      "key"}},
    {"get",         2,  kReads,       OneKey(kRO | kAccess),                             Get,
     {"Return the string a key holds.", "1.0.0", "O(1)", "key"}},
    {"getdel",      2,  kChanges,     OneKey(kRW | kAccess | kDelete | kCounted),        GetDel,
     {"Return a string and delete the key.", "6.2.0", "O(1)", "key"}},
    {"getex",       -2, kChanges,     OneKey(kRW | kAccess | kUpdate | kCounted),        GetEx,
     {"Return a string and change the key's deadline.", "6.2.0", "O(1)",
      "key expiration=[EX seconds:int | PX milliseconds:int | EXAT unix-time-seconds:time | PXAT "
      "unix-time-milliseconds:time | PERSIST]"}},
    {"getrange",    4,  kReadOnly,    OneKey(kRO | kAccess),                             GetRange,
     {"Return a part of a string.", "2.4.0", "O(n) in the bytes of the string or range", "key start:int end:int"}},
    {"getset",      3,  kQuickWrites, OneKey(kRW | kAccess | kUpdate | kCounted),        GetSet,
     {"Write a string and return the one before.", "1.0.0", "O(1)", "key value"}},
    {"incr",        2,  kQuickWrites, OneKey(kRW | kAccess | kUpdate),                   Incr,
     {"Add one to the integer a key holds.", "1.0.0", "O(1)", "key"}},
    {"incrby",      3,  kQuickWrites, OneKey(kRW | kAccess | kUpdate),                   IncrBy,
     {"Add a number to the integer a key holds.", "1.0.0", "O(1)", "key increment:int"}},
    {"incrbyfloat", 3,  kQuickWrites, OneKey(kRW | kAccess | kUpdate),                   IncrByFloat,
     {"Add a decimal number to the one a key holds.", "2.6.0", "O(1)", "key increment:double"}},
    {"lcs",         -3, kReadOnly,    TwoAlike(kRO | kAccess),                           Lcs,
     {"Find the longest sequence two strings share.", "7.0.0", "O(n m) in the bytes of both strings",
      "key1:key key2:key0 [LEN] [IDX] [MINMATCHLEN len:int] [WITHMATCHLEN]"}},
    {"mget",        -2, kReads,       AllKeys(kRO | kAccess),                            MGet,
     {"Return the strings that keys hold.", "1.0.0", "O(n) in the keys given", "key..."}},
    {"mset",        -3, kWrites,      KeyValuePairs(kOW | kUpdate),                      MSet,
     {"Write several strings.", "1.0.1", "O(n) in the keys given", "key_value=(key value)..."}},
    {"msetex",      -4, kWrites,      NumberedPairs(kOW | kUpdate),                      MSetEx,
     {"Write several strings with one deadline, if all of the keys are there, or none.", "8.4.0",
      "O(n) in the keys given",
      "numkeys:int data=(key value)... condition=[NX | XX] expiration=[EX seconds:int | PX milliseconds:int | EXAT "
      "unix-time-seconds:time | PXAT unix-time-milliseconds:time | KEEPTTL]"}},
    {"msetnx",      -3, kWrites,      KeyValuePairs(kOW | kInsert),                      MSetNx,
     {"Write several strings if no key is there.", "1.0.1", "O(n) in the keys given", "key_value=(key value)..."}},
    {"psetex",      4,  kWrites,      OneKey(kOW | kUpdate),                             PSetEx,
     {"Write a string that lives for milliseconds.", "2.6.0", "O(1)", "key milliseconds:int value"}},
    {"set",         -3, kWrites,      VariableKey(kRW | kAccess | kUpdate, SetKeyFlags), Set,
     {"Write a string, whatever the key held.", "1.0.0", "O(1)",
      "key value condition=[NX | XX | IFEQ ifeq-value | IFNE ifne-value | IFDEQ ifdeq-digest | IFDNE ifdne-digest] "
      "[GET] expiration=[EX seconds:int | PX milliseconds:int | EXAT unix-time-seconds:time | PXAT "
      "unix-time-milliseconds:time | KEEPTTL]"}},
    {"setex",       4,  kWrites,      OneKey(kOW | kUpdate),                             SetEx,
     {"Write a string that lives for seconds.", "2.0.0", "O(1)", "key seconds:int value"}},
    {"setnx",       3,  kQuickWrites, OneKey(kOW | kInsert),                             SetNx,
     {"Write a string if the key is not there.", "1.0.0", "O(1)", "key value"}},
    {"setrange",    4,  kWrites,      OneKey(kRW | kUpdate),                             SetRange,
     {"Write over a part of a string.", "2.2.0", "O(n) in the bytes written", "key offset:int value"}},
    {"strlen",      2,  kReads,       OneKey(kRO),                                       StrLen,
     {"Tell how many bytes a string has.", "2.2.0", "O(1)", "key"}},
    {"substr",      4,  kReadOnly,    OneKey(kRO | kAccess),                             GetRange,
     {"Return a part of a string; older than GETRANGE.", "1.0.0", "O(n) in the bytes of the string or range",
      "key start:int end:int"}},
};
// clang-format on

}  // namespace

CommandFamily StringFamily() { return {"string", Category::kString, kStringCommands}; }

Answer Get(Call& call) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindString(call, call.args[1], row));
  ReplyString(call, row);
  return {};
}

Answer GetDel(Call& call) {
  const Bytes key = call.args[1];
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindString(call, key, row));
  ReplyString(call, row);
  if (!row.exists) return {};
  MAYFLY_RETURN_IF_ERROR(call.space().Delete(key).status());
  call.Notify(NotifyClass::kGeneric, "del", key);
  return {};
}

Answer MGet(Call& call) {
  call.reply.Array(call.args.size() - 1);
  for (const Bytes key : call.args.subspan(1)) {
    core::FoundRow row;
    MAYFLY_RETURN_IF_ERROR(call.space().Find(key, row));
    MAYFLY_RETURN_IF_ERROR(types::ShowString(call.space(), key, row));
    // Another type counts as missing here: the other keys still have values.
    if (row.is_collection) row.exists = false;
    ReplyString(call, row);
  }
  return {};
}

Answer StrLen(Call& call) {
  types::String string(call.space(), call.args[1]);
  MAYFLY_RETURN_IF_ERROR(string.Open());
  call.reply.Integer(static_cast<std::int64_t>(string.size()));
  return {};
}

Answer Append(Call& call) {
  const Bytes key = call.args[1];
  types::String string(call.space(), key);
  MAYFLY_RETURN_IF_ERROR(string.Open());
  MAYFLY_RETURN_IF_ERROR(CheckStringBytes(string.size() + call.args[2].size()));
  const std::uint64_t size = string.size() + call.args[2].size();
  if (!string.exists() && call.args[2].size() <= types::kWholeStringBytesMax) {
    MAYFLY_RETURN_IF_ERROR(PutString(call, key, call.args[2], Lifetime::Keep()));
  } else {
    MAYFLY_RETURN_IF_ERROR(WriteString(call, key, string, string.size(), call.args[2]));
  }
  call.Notify(NotifyClass::kString, "append", key);
  call.reply.Integer(static_cast<std::int64_t>(size));
  return {};
}

Answer GetRange(Call& call) {
  MAYFLY_TRY(std::int64_t first, IntegerArgument(call.args[2]));
  MAYFLY_TRY(std::int64_t last, IntegerArgument(call.args[3]));
  types::String string(call.space(), call.args[1]);
  MAYFLY_RETURN_IF_ERROR(string.Open());
  const auto size = static_cast<std::int64_t>(string.size());
  // Both counted from the end and reversed: empty, even where clamping to the first byte would give
  // one byte.
  const bool reversed = first < 0 && last < 0 && first > last;
  if (first < 0) first = std::max<std::int64_t>(first + size, 0);
  if (last < 0) last = std::max<std::int64_t>(last + size, 0);
  last = std::min(last, size - 1);
  if (reversed || first > last) {
    call.reply.Bulk({});
  } else {
    std::string room;
    MAYFLY_TRY(const Bytes part, string.Read(static_cast<std::uint64_t>(first),
                                             static_cast<std::uint64_t>(last - first + 1), room));
    call.reply.Bulk(part);
  }
  return {};
}

Answer SetRange(Call& call) {
  const Bytes key = call.args[1];
  const Bytes part = call.args[3];
  MAYFLY_TRY(const std::int64_t offset, IntegerArgument(call.args[2]));
  if (offset < 0) return Status::Invalid("offset is out of range");
  types::String string(call.space(), key);
  MAYFLY_RETURN_IF_ERROR(string.Open());
  if (part.empty()) {
    call.reply.Integer(static_cast<std::int64_t>(string.size()));
    return {};
  }
  const auto begin = static_cast<std::uint64_t>(offset);
  MAYFLY_RETURN_IF_ERROR(CheckStringBytes(begin + part.size()));
  MAYFLY_RETURN_IF_ERROR(WriteString(call, key, string, begin, part));
  call.Notify(NotifyClass::kString, "setrange", key);
  call.reply.Integer(static_cast<std::int64_t>(string.size()));
  return {};
}

}  // namespace mayfly::server
