// hyperloglog_commands.cc - the family's table, and the commands that applications use.
#include "server/commands/hyperloglog/hyperloglog_commands.h"

#include <string>

#include "server/command/pieced_strings.h"
#include "server/commands/support/families.h"
#include "server/commands/support/string_rows.h"

namespace mayfly::server {
namespace {

using types::HyperLogLog;

// PFCOUNT only reads, and yet stores the estimate it has made; so its key is one that changes.
constexpr KeyFlags kCountedKey = kRW | kAccess | kCounted;

// clang-format off
constexpr CommandSpec kHyperLogLogCommands[] = {
    {"pfadd",      -2, kWrite | kDenyOom | kFast,  OneKey(kRW | kInsert),        PfAdd,
     {"Count elements in a HyperLogLog.", "2.8.9", "O(n) in the elements given", "key [element]..."}},
    {"pfcount",    -2, kReadOnly,                  AllKeys(kCountedKey),         PfCount,
     {"Tell about how many different elements one HyperLogLog has met, or several together.", "2.8.9",
      "O(1) for one key; O(n) for several, with more work for each", "key..."}},
    {"pfdebug",    3,  kWrite | kDenyOom | kAdmin, SubcommandKey(kRW | kAccess), PfDebug,
     {"Show how a HyperLogLog is stored.", "2.8.9", "O(1)", "subcommand key"}},
    {"pfmerge",    -2, kWrite | kDenyOom,
     TargetAndKeys(kCountedKey | kInsert, kRO | kAccess | kMayBeNone),           PfMerge,
     {"Add the elements of HyperLogLogs to another one.", "2.8.9", "O(n) in the HyperLogLogs given",
      "destkey:key sourcekey:key..."}},
    {"pfselftest", 1,  kAdmin | kNoRows,           kNoKeys,                      PfSelfTest,
     {"Check that counting works.", "2.8.9", "O(1)"}},
};
// clang-format on

// An error of the registers in Redis' words.
Answer OrDamaged(const Status& status) {
  return status.ok() ? Answer() : Answer::Error(kDamagedHyperLogLog);
}

// Raises the registers to those of all keys from `first` on; `dense` tells whether any is dense.
Answer MergeKeys(const Call& call, std::size_t first, types::Registers& merged, bool& dense) {
  for (const Bytes key : call.args.subspan(first)) {
    FoundHyperLogLog found;
    if (Answer answer = FindHyperLogLog(call, key, found); !answer.ok()) return answer;
    if (!found.value) continue;
    dense = dense || found.value->encoding() == HyperLogLog::Encoding::kDense;
    if (Answer answer = OrDamaged(found.value->MergeInto(merged)); !answer.ok()) return answer;
  }
  return {};
}

}  // namespace

CommandFamily HyperLogLogFamily() {
  return {"hyperloglog", Category::kHyperLogLog, kHyperLogLogCommands};
}

Answer FindHyperLogLog(const Call& call, Bytes key, FoundHyperLogLog& found) {
  MAYFLY_RETURN_IF_ERROR(FindString(call, key, found.row));
  if (!found.row.exists) return {};
  found.value = HyperLogLog::Read(found.row.value);
  return found.value ? Answer() : Answer::Error(kNoHyperLogLog);
}

Status StoreHyperLogLog(const Call& call, Bytes key, const HyperLogLog& value) {
  MAYFLY_RETURN_IF_ERROR(PutString(call, key, value.value(), Lifetime::Keep()));
  call.host.pieced_strings().Note(call.database, key, value.value());
  return {};
}

std::size_t SparseBytesMax(const Call& call) {
  return static_cast<std::size_t>(call.host.encoding_limits().sparse_hyperloglog_bytes);
}

Answer PfAdd(Call& call) {
  const Bytes key = call.args[1];
  FoundHyperLogLog found;
  if (Answer answer = FindHyperLogLog(call, key, found); !answer.ok()) return answer;
  bool changed = !found.value;
  HyperLogLog value = found.value.value_or(HyperLogLog());
  for (const Bytes element : call.args.subspan(2)) {
    const Result<bool> added = value.Add(element, SparseBytesMax(call));
    if (!added) return Answer::Error(kDamagedHyperLogLog);
    changed = changed || *added;
  }
  if (changed) {
    value.ForgetEstimate();
    MAYFLY_RETURN_IF_ERROR(StoreHyperLogLog(call, key, value));
    call.Notify(NotifyClass::kString, "pfadd", key);
  }
  call.reply.Integer(changed ? 1 : 0);
  return {};
}

Answer PfCount(Call& call) {
  if (call.args.size() > 2) {
    types::Registers merged = {};
    bool dense = false;
    if (Answer answer = MergeKeys(call, 1, merged, dense); !answer.ok()) return answer;
    call.reply.Integer(static_cast<std::int64_t>(types::Estimate(types::CountsOf(merged))));
    return {};
  }
  FoundHyperLogLog found;
  if (Answer answer = FindHyperLogLog(call, call.args[1], found); !answer.ok()) return answer;
  std::optional<std::uint64_t> estimate = found.value ? found.value->stored_estimate() : 0;
  if (!estimate) {
    const Result<std::uint64_t> counted = found.value->Count();
    if (!counted) return Answer::Error(kDamagedHyperLogLog);
    estimate = *counted;
    found.value->StoreEstimate(*estimate);
    MAYFLY_RETURN_IF_ERROR(StoreHyperLogLog(call, call.args[1], *found.value));
  }
  call.reply.Integer(static_cast<std::int64_t>(*estimate));
  return {};
}

Answer PfMerge(Call& call) {
  const Bytes key = call.args[1];
  types::Registers merged = {};
  bool dense = false;
  if (Answer answer = MergeKeys(call, 1, merged, dense); !answer.ok()) return answer;
  FoundHyperLogLog target;
  if (Answer answer = FindHyperLogLog(call, key, target); !answer.ok()) return answer;
  HyperLogLog value = target.value.value_or(HyperLogLog());
  if (dense && !value.MakeDense()) return Answer::Error(kDamagedHyperLogLog);
  if (!value.Raise(merged, SparseBytesMax(call))) return Answer::Error(kDamagedHyperLogLog);
  value.ForgetEstimate();
  MAYFLY_RETURN_IF_ERROR(StoreHyperLogLog(call, key, value));
  call.Notify(NotifyClass::kString, "pfadd", key);
  call.reply.Ok();
  return {};
}

}  // namespace mayfly::server
