// key_commands.cc - the keyspace family's table, and the handlers about existence and type of keys.
#include "server/commands/keys/key_commands.h"

#include "server/commands/support/families.h"
#include "server/commands/support/variable_keys.h"
#include "types/value_type.h"

namespace mayfly::server {
namespace {

constexpr std::uint32_t kReads = kReadOnly | kFast;
constexpr std::uint32_t kChanges = kWrite | kFast;
constexpr std::uint32_t kSorts = kDangerous | kEverything | kSortsMembers;

// Commands on two databases, or on keys that a pattern leads to, latch all keys.
// clang-format off
constexpr CommandSpec kKeyCommands[] = {
    {"copy",      -3, kWrite | kDenyOom | kEverything, TwoKeys(kRO | kAccess, kOW | kUpdate),           Copy,
     {"Put a copy of a key under another name.", "6.2.0", "O(n) in the elements of the value",
      "source:key destination:key [DB destination-db:int] [REPLACE]"}},
    {"dbsize",    1,  kReads | kWalks,                 kNoKeys,                                         DbSize,
     {"Count the keys.", "1.0.0", "O(1)"}},
    {"del",       -2, kWrite,                          AllKeys(kRM | kDelete),                          Del,
     {"Delete keys.", "1.0.0", "O(n) in the keys given; their members are removed later", "key..."}},
    {"dump",      -2, kReadOnly,                       OneKey(kRO | kAccess),                           Dump,
     {"Return a value as bytes that Redis takes, too.", "2.6.0", "O(n) in the elements of the value",
      "key [NOMAXAGE]"}},
    {"exists",    -2, kReads,                          AllKeys(kRO | kUnused),                          Exists,
     {"Count how many of the keys are there.", "1.0.0", "O(n) in the keys given", "key..."}},
    {"keys",      2,  kReadOnly | kDangerous | kWalks, kNoKeys,                                         Keys,
     {"List the keys that match a pattern.", "1.0.0", "O(n) in the keys of the database", "pattern:pattern"}},
    {"move",      3,  kChanges | kEverything,          OneKey(kRW | kAccess | kUpdate),                 Move,
     {"Move a key to another database.", "1.0.0", "O(1)", "key db:int"}},
    {"randomkey", 1,  kReadOnly | kWalks,              kNoKeys,                                         RandomKey,
     {"Return some key.", "1.0.0", "O(1)"}},
    {"rename",    3,  kWrite,                          TwoKeys(kRW | kAccess | kDelete, kOW | kUpdate), Rename,
     {"Give a key another name.", "1.0.0", "O(1)", "key newkey:key"}},
    {"renamenx",  3,  kChanges,                        TwoKeys(kRW | kAccess | kDelete, kOW | kInsert), RenameNx,
     {"Give a key another name if nothing has it.", "1.0.0", "O(1)", "key newkey:key"}},
    {"restore",   -4, kWrite | kDenyOom | kDangerous,  OneKey(kOW | kUpdate),                           Restore,
     {"Make a key from the bytes of DUMP.", "2.6.0", "O(n) in the elements of the value",
      "key ttl:int serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds:int] [FREQ frequency:int]"}},
    {"scan",      -2, kReadOnly | kWalks,              kNoKeys,                                         Scan,
     {"List keys, a part with each call.", "2.8.0",
      "O(1) for each call, and O(n) for all of them in the keys of the database",
      "cursor:int [MATCH pattern:pattern] [COUNT count:int] [TYPE type]"}},
    {"sort",      -2, kSorts | kWrite | kDenyOom,      kSortKeys,                                       Sort,
     {"Return or store elements in order.", "1.0.0",
      "O(n + m log m) in the elements of the key, and in those that are sorted",
      "key [BY pattern:pattern1] [LIMIT offset_count=(offset:int count:int)] [GET pattern:pattern1]+ order=[ASC | "
      "DESC] [sorting=ALPHA] [STORE destination:key2]"}},
    {"sort_ro",   -2, kSorts | kReadOnly,              kSortReadOnlyKeys,                               SortReadOnly,
     {"Return elements in order.", "7.0.0", "O(n + m log m) in the elements of the key, and in those that are sorted",
      "key [BY pattern:pattern1] [LIMIT offset_count=(offset:int count:int)] [GET pattern:pattern1]+ order=[ASC | "
      "DESC] [sorting=ALPHA]"}},
    {"touch",     -2, kReads,                          AllKeys(kRO),                                    Exists,
     {"Count how many of the keys are there.", "3.2.1", "O(n) in the keys given", "key..."}},
    {"type",      2,  kReads,                          OneKey(kRO | kUnused),                           Type,
     {"Tell what kind of value a key holds.", "1.0.0", "O(1)", "key"}},
    {"unlink",    -2, kChanges,                        AllKeys(kRM | kDelete),                          Del,
     {"Delete keys; DEL waits for no members either.", "4.0.0",
      "O(n) in the keys given; their members are removed later", "key..."}},
};
// clang-format on

}  // namespace

CommandFamily KeyFamily() { return {"generic", Category::kKeyspace, kKeyCommands}; }

Answer Del(Call& call) {
  std::vector<Bytes> deleted;
  for (const Bytes key : call.args.subspan(1)) {
    MAYFLY_TRY(const bool lived, call.space().Delete(key));
    if (lived) deleted.push_back(key);
  }
  for (const Bytes key : deleted) call.Notify(NotifyClass::kGeneric, "del", key);
  call.reply.Integer(static_cast<std::int64_t>(deleted.size()));
  return {};
}

Answer Exists(Call& call) {
  std::int64_t found = 0;
  for (const Bytes key : call.args.subspan(1)) {
    core::FoundRow row;
    MAYFLY_RETURN_IF_ERROR(call.space().Find(key, row));
    if (row.exists) ++found;
  }
  call.reply.Integer(found);
  return {};
}

Answer Type(Call& call) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(call.args[1], row));
  if (!row.exists) {
    call.reply.SimpleString("none");
    return {};
  }
  MAYFLY_TRY(const types::ValueType type, types::TypeOf(row.is_collection, row.value));
  call.reply.SimpleString(types::NameOf(type));
  return {};
}

Answer DbSize(Call& call) {
  MAYFLY_TRY(const std::uint64_t rows, call.space().Count());
  call.reply.Integer(static_cast<std::int64_t>(rows));
  return {};
}

}  // namespace mayfly::server
