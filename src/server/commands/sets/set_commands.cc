// set_commands.cc - the set family's table, and the commands on single members.
#include "server/commands/sets/set_commands.h"

#include "server/commands/support/families.h"
#include "server/commands/support/member_scan.h"
#include "types/set.h"

namespace mayfly::server {
namespace {

constexpr std::uint32_t kReads = kReadOnly | kFast;
constexpr std::uint32_t kStore = kWrite | kDenyOom;

// clang-format off
constexpr CommandSpec kSetCommands[] = {
    {"sadd",        -3, kStore | kFast, OneKey(kRW | kInsert),                           SAdd,
     {"Add members to a set.", "1.0.0", "O(n) in the elements given", "key member..."}},
    {"scard",       2,  kReads,         OneKey(kRO),                                     SCard,
     {"Count the members of a set.", "1.0.0", "O(1)", "key"}},
    {"sdiff",       -2, kReadOnly,      AllKeys(kRO | kAccess),                          SDiff,
     {"Tell the members of a set that no other set has.", "1.0.0", "O(n) in the members of all sets", "key..."}},
    {"sdiffstore",  -3, kStore,         TargetAndKeys(kOW | kUpdate, kRO | kAccess),     SDiffStore,
     {"Store the members of a set that no other set has.", "1.0.0", "O(n) in the members of all sets",
      "destination:key key..."}},
    {"sinter",      -2, kReadOnly,      AllKeys(kRO | kAccess),                          SInter,
     {"Tell the members that all sets have.", "1.0.0", "O(n m) in the members of the smallest set, and in the sets",
      "key..."}},
    {"sintercard",  -3, kReadOnly,      NumberedKeys(kRO | kAccess),                     SInterCard,
     {"Count the members that all sets have, up to a limit.", "7.0.0",
      "O(n m) in the members of the smallest set, and in the sets", "numkeys:int key... [LIMIT limit:int]"}},
    {"sinterstore", -3, kStore,         TargetAndKeys(kRW | kUpdate, kRO | kAccess),     SInterStore,
     {"Store the members that all sets have.", "1.0.0", "O(n m) in the members of the smallest set, and in the sets",
      "destination:key key..."}},
    {"sismember",   3,  kReads,         OneKey(kRO),                                     SIsMember,
     {"Tell whether a set has a member.", "1.0.0", "O(1)", "key member"}},
    {"smembers",    2,  kReadOnly,      OneKey(kRO | kAccess),                           SMembers,
     {"Tell all members of a set.", "1.0.0", "O(n) in the members of the set", "key"}},
    {"smismember",  -3, kReads,         OneKey(kRO | kAccess),                           SMIsMember,
     {"Tell of several members whether a set has them.", "6.2.0", "O(n) in the elements given", "key member..."}},
    {"smove",       4,  kWrite | kFast, TwoKeys(kRW | kAccess | kDelete, kRW | kInsert), SMove,
     {"Move a member from one set to another.", "1.0.0", "O(1)", "source:key destination:key member"}},
    {"spop",        -2, kWrite | kFast, OneKey(kRW | kAccess | kDelete),                 SPop,
     {"Remove members drawn by chance, and tell them.", "1.0.0", "O(n) in the members drawn", "key [count:int]"}},
    {"srandmember", -2, kReadOnly,      OneKey(kRO | kAccess),                           SRandMember,
     {"Tell members drawn by chance.", "1.0.0", "O(n) in the members drawn", "key [count:int]"}},
    {"srem",        -3, kWrite | kFast, OneKey(kRW | kDelete),                           SRem,
     {"Remove members from a set.", "1.0.0", "O(n) in the elements given", "key member..."}},
    {"sscan",       -3, kReadOnly,      OneKey(kRO | kAccess),                           SScan,
     {"Tell the members of a set, a page at a time.", "2.8.0",
      "O(1) for each call, and O(n) for all of them in the members of the key",
      "key cursor:int [MATCH pattern:pattern] [COUNT count:int]"}},
    {"sunion",      -2, kReadOnly,      AllKeys(kRO | kAccess),                          SUnion,
     {"Tell the members that any of the sets has.", "1.0.0", "O(n) in the members of all sets", "key..."}},
    {"sunionstore", -3, kStore,         TargetAndKeys(kOW | kUpdate, kRO | kAccess),     SUnionStore,
     {"Store the members that any of the sets has.", "1.0.0", "O(n) in the members of all sets",
      "destination:key key..."}},
};
// clang-format on

}  // namespace

Result<types::Set> SetOf(const Call& call, Bytes key) {
  return types::Set::Open(call.space(), key);
}

void NotifySet(const Call& call, const types::Set& set, std::string_view event, Bytes key) {
  if (set.is_new()) call.Notify(NotifyClass::kNew, "new", key);
  call.Notify(NotifyClass::kSet, event, key);
  if (set.empty()) call.Notify(NotifyClass::kGeneric, "del", key);
}

Status CheckShown(std::uint64_t announced, std::uint64_t shown) {
  if (announced == shown) return {};
  return Status::Corruption("a set has other members than it counts; run a check");
}

CommandFamily SetFamily() { return {"set", Category::kSet, kSetCommands}; }

Answer SAdd(Call& call) {
  const Bytes key = call.args[1];
  MAYFLY_TRY(types::Set set, types::Set::Open(call.space(), key));
  std::int64_t added = 0;
  for (const Bytes name : call.args.subspan(2)) {
    MAYFLY_TRY(const bool fresh, set.Add(name));
    added += fresh ? 1 : 0;
  }
  if (added > 0) NotifySet(call, set, "sadd", key);
  call.reply.Integer(added);
  return {};
}

Answer SRem(Call& call) {
  const Bytes key = call.args[1];
  MAYFLY_TRY(types::Set set, types::Set::Open(call.space(), key));
  std::int64_t removed = 0;
  for (const Bytes name : call.args.subspan(2)) {
    MAYFLY_TRY(const bool was_there, set.Remove(name));
    removed += was_there ? 1 : 0;
  }
  if (removed > 0) NotifySet(call, set, "srem", key);
  call.reply.Integer(removed);
  return {};
}

Answer SCard(Call& call) {
  MAYFLY_TRY(const types::Set set, SetOf(call, call.args[1]));
  call.reply.Integer(static_cast<std::int64_t>(set.size()));
  return {};
}

Answer SIsMember(Call& call) {
  MAYFLY_TRY(const types::Set set, SetOf(call, call.args[1]));
  MAYFLY_TRY(const bool there, set.Contains(call.args[2]));
  call.reply.Integer(there ? 1 : 0);
  return {};
}

Answer SMIsMember(Call& call) {
  MAYFLY_TRY(const types::Set set, SetOf(call, call.args[1]));
  const auto names = call.args.subspan(2);
  call.reply.Array(names.size());
  for (const Bytes name : names) {
    MAYFLY_TRY(const bool there, set.Contains(name));
    call.reply.Integer(there ? 1 : 0);
  }
  return {};
}

Answer SMembers(Call& call) {
  MAYFLY_TRY(const types::Set set, SetOf(call, call.args[1]));
  call.reply.Set(set.size());
  std::uint64_t shown = 0;
  MAYFLY_RETURN_IF_ERROR(set.Walk([&](Bytes name) {
    call.reply.Bulk(name);
    ++shown;
  }));
  return CheckShown(set.size(), shown);
}

Answer SMove(Call& call) {
  const Bytes from_key = call.args[1];
  const Bytes to_key = call.args[2];
  const Bytes name = call.args[3];
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(from_key, row));
  if (!row.exists) {  // Whatever the other key holds.
    call.reply.Integer(0);
    return {};
  }
  MAYFLY_TRY(types::Set from, types::Set::Open(call.space(), from_key));
  MAYFLY_TRY(types::Set to, types::Set::Open(call.space(), to_key));
  MAYFLY_TRY(const bool there, from.Contains(name));
  if (there && from_key != to_key) {
    MAYFLY_RETURN_IF_ERROR(from.Remove(name).status());
    NotifySet(call, from, "srem", from_key);
    MAYFLY_TRY(const bool added, to.Add(name));
    if (added) NotifySet(call, to, "sadd", to_key);
  }
  call.reply.Integer(there ? 1 : 0);
  return {};
}

Answer SScan(Call& call) {
  return ScanMembers(call, types::ValueType::kSet, [&](Bytes name, Bytes) {
    call.reply.Bulk(name);
    return Result<std::size_t>(1);
  });
}

}  // namespace mayfly::server
