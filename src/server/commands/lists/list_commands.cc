#include "server/commands/lists/list_commands.h"

#include <vector>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/support/families.h"

namespace mayfly::server {
namespace {

constexpr std::uint32_t kPushes = kWrite | kDenyOom | kFast;
constexpr std::uint32_t kAdds = kWrite | kDenyOom;
constexpr std::uint32_t kPops = kWrite | kFast;
constexpr std::uint32_t kWaits = kWrite | kNoScript | kBlocking;

// clang-format off
constexpr CommandSpec kListCommands[] = {
    {"blmove",     6,  kWaits | kDenyOom,  TwoKeys(kRW | kAccess | kDelete, kRW | kInsert), BLMove,
     {"Move a value between lists, or wait for one.", "6.2.0", "O(1)",
      "source:key destination:key wherefrom=(LEFT | RIGHT) whereto=(LEFT | RIGHT) timeout:double"}},
    {"blmpop",     -5, kWrite | kBlocking, NumberedKeys(kRW | kAccess | kDelete, 2),        BLMPop,
     {"Pop from the first list that has values, or wait for one.", "7.0.0",
      "O(n) in the keys given and the elements removed",
      "timeout:double numkeys:int key... where=(LEFT | RIGHT) [COUNT count:int]"}},
    {"blpop",      -3, kWaits,             AllButLast(kRW | kAccess | kDelete),             BLPop,
     {"Pop the first value of a list, or wait for one.", "2.0.0", "O(n) in the keys given", "key... timeout:double"}},
    {"brpop",      -3, kWaits,             AllButLast(kRW | kAccess | kDelete),             BRPop,
     {"Pop the last value of a list, or wait for one.", "2.0.0", "O(n) in the keys given", "key... timeout:double"}},
    {"brpoplpush", 4,  kWaits | kDenyOom,  TwoKeys(kRW | kAccess | kDelete, kRW | kInsert), BRPopLPush,
     {"Move the last value of a list to the front of another, or wait for one.", "2.2.0", "O(1)",
      "source:key destination:key timeout:double"}},
    {"lindex",     3,  kReadOnly,          OneKey(kRO | kAccess),                           LIndex,
     {"Get the value at a position.", "1.0.0", "O(log n) in the pieces of the list", "key index:int"}},
    {"linsert",    5,  kAdds,              OneKey(kRW | kInsert),                           LInsert,
     {"Put a value before or after another.", "2.2.0", "O(n) in the elements that lie in front of the pivot",
      "key where=(BEFORE | AFTER) pivot element"}},
    {"llen",       2,  kReadOnly | kFast,  OneKey(kRO),                                     LLen,
     {"Tell how long a list is.", "1.0.0", "O(1)", "key"}},
    {"lmove",      5,  kAdds,              TwoKeys(kRW | kAccess | kDelete, kRW | kInsert), LMove,
     {"Move a value between lists.", "6.2.0", "O(1)",
      "source:key destination:key wherefrom=(LEFT | RIGHT) whereto=(LEFT | RIGHT)"}},
    {"lmpop",      -4, kWrite,             NumberedKeys(kRW | kAccess | kDelete),           LMPop,
     {"Pop from the first list that has values.", "7.0.0", "O(n) in the keys given and the elements removed",
      "numkeys:int key... where=(LEFT | RIGHT) [COUNT count:int]"}},
    {"lpop",       -2, kPops,              OneKey(kRW | kAccess | kDelete),                 LPop,
     {"Pop the first values of a list.", "1.0.0", "O(n) in the elements removed", "key [count:int]"}},
    {"lpos",       -3, kReadOnly,          OneKey(kRO | kAccess),                           LPos,
     {"Find the positions of a value.", "6.0.6", "O(n) in the elements that are looked at",
      "key element [RANK rank:int] [COUNT num-matches:int] [MAXLEN len:int]"}},
    {"lpush",      -3, kPushes,            OneKey(kRW | kInsert),                           LPush,
     {"Put values in front of a list.", "1.0.0", "O(n) in the elements given", "key element..."}},
    {"lpushx",     -3, kPushes,            OneKey(kRW | kInsert),                           LPushX,
     {"Put values in front of a list that is there.", "2.2.0", "O(n) in the elements given", "key element..."}},
    {"lrange",     4,  kReadOnly,          OneKey(kRO | kAccess),                           LRange,
     {"Get the values between two positions.", "1.0.0",
      "O(log n + m) in the pieces of the list, and in the elements returned", "key start:int stop:int"}},
    {"lrem",       4,  kWrite,             OneKey(kRW | kDelete),                           LRem,
     {"Remove values that equal another.", "1.0.0", "O(n) in the elements that are looked at",
      "key count:int element"}},
    {"lset",       4,  kAdds,              OneKey(kRW | kUpdate),                           LSet,
     {"Set the value at a position.", "1.0.0", "O(log n) in the pieces of the list", "key index:int element"}},
    {"ltrim",      4,  kWrite,             OneKey(kRW | kDelete),                           LTrim,
     {"Keep the values between two positions.", "1.0.0", "O(n) in the elements removed", "key start:int stop:int"}},
    {"rpop",       -2, kPops,              OneKey(kRW | kAccess | kDelete),                 RPop,
     {"Pop the last values of a list.", "1.0.0", "O(n) in the elements removed", "key [count:int]"}},
    {"rpoplpush",  3,  kAdds,              TwoKeys(kRW | kAccess | kDelete, kRW | kInsert), RPopLPush,
     {"Move the last value of a list to the front of another.", "1.2.0", "O(1)", "source:key destination:key"}},
    {"rpush",      -3, kPushes,            OneKey(kRW | kInsert),                           RPush,
     {"Put values behind a list.", "1.0.0", "O(n) in the elements given", "key element..."}},
    {"rpushx",     -3, kPushes,            OneKey(kRW | kInsert),                           RPushX,
     {"Put values behind a list that is there.", "2.2.0", "O(n) in the elements given", "key element..."}},
};
// clang-format on

}  // namespace

CommandFamily ListFamily() { return {"list", Category::kList, kListCommands}; }

Result<types::List> ListOf(Call& call) { return types::List::Open(call.space(), call.args[1]); }

Result<types::ListEnd> EndArgument(Bytes argument) {
  if (IsWord(argument, "left")) return types::ListEnd::kHead;
  if (IsWord(argument, "right")) return types::ListEnd::kTail;
  return SyntaxError();
}

void NotifyList(Call& call, const types::List& list, Bytes key, std::string_view event) {
  if (list.is_new()) call.Notify(NotifyClass::kNew, "new", key);
  call.Notify(NotifyClass::kList, event, key);
  if (list.empty()) call.Notify(NotifyClass::kGeneric, "del", key);
}

void NotifyPush(Call& call, const types::List& list, Bytes key, types::ListEnd end) {
  NotifyList(call, list, key, end == types::ListEnd::kHead ? "lpush" : "rpush");
}

void NotifyPop(Call& call, const types::List& list, Bytes key, types::ListEnd end) {
  NotifyList(call, list, key, end == types::ListEnd::kHead ? "lpop" : "rpop");
}

}  // namespace mayfly::server
