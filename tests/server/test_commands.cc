#include "server/test_commands.h"

#include "server/admin/admin_families.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"

namespace mayfly::server {
namespace {

constexpr double kMsPerSecond = 1000;

Answer Set(Call& call) {
  Lifetime lifetime = Lifetime::Forever();
  if (call.args.size() == 4) {
    MAYFLY_TRY(const std::int64_t ms, IntegerArgument(call.args[3]));
    lifetime = Lifetime::For(Millis(ms));
  }
  MAYFLY_RETURN_IF_ERROR(call.space().Put(call.args[1], call.args[2], lifetime));
  call.Notify(NotifyClass::kString, "set", call.args[1]);
  call.reply.Ok();
  return {};
}

Answer Get(Call& call) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(call.args[1], row));
  if (row.exists) {
    call.reply.Bulk(row.value);
  } else {
    call.reply.Null();
  }
  return {};
}

Answer Del(Call& call) {
  std::int64_t deleted = 0;
  for (const Bytes key : call.args.subspan(1)) {
    MAYFLY_TRY(const bool was_there, call.space().Delete(key));
    deleted += was_there ? 1 : 0;
  }
  call.reply.Integer(deleted);
  return {};
}

Answer Fail(Call& call) {
  MAYFLY_RETURN_IF_ERROR(call.space().Put(call.args[1], call.args[2], Lifetime::Forever()));
  call.Notify(NotifyClass::kString, "fail", call.args[1]);
  call.reply.Array(3);
  return Status::Invalid("it is not to be");
}

std::function<void(const std::string&)> on_slow;

Answer Slow(Call& call) {
  if (on_slow) on_slow(std::string(call.args[1]));
  call.reply.Bulk(call.args[1]);
  return {};
}

Answer Rows(Call& call) {
  MAYFLY_TRY(const std::uint64_t rows, call.space().Count());
  call.reply.Integer(static_cast<std::int64_t>(rows));
  return {};
}

Answer Wait(Call& call, std::vector<std::string> keys) {
  MAYFLY_TRY(const double seconds, DoubleArgument(call.args.back()));
  if (!call.may_block) {
    call.reply.NullArray();
    return {};
  }
  BlockRequest request{.keys = std::move(keys), .timeout = {}, .null_array = true};
  if (seconds > 0) {
    request.timeout = Millis(static_cast<std::int64_t>(seconds * kMsPerSecond));
  }
  call.host.Block(std::move(request));
  return Answer::Later();
}

Result<std::optional<std::string>> Take(Call& call, Bytes key) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(key, row));
  if (!row.exists) return std::optional<std::string>();
  const bool wrong_type = row.value.starts_with('!');
  if (wrong_type && call.retried) return std::optional<std::string>();  // Not what it waits for.
  if (wrong_type) return Status::WrongType("not for waiting");
  std::string value(row.value);
  MAYFLY_TRY([[maybe_unused]] const bool there, call.space().Delete(key));
  return std::optional(std::move(value));
}

Answer BPop(Call& call) {
  const auto keys = call.args.subspan(1, call.args.size() - 2);
  for (const Bytes key : keys) {
    MAYFLY_TRY(const auto value, Take(call, key));
    if (!value) continue;
    call.reply.Array(2);
    call.reply.Bulk(key);
    call.reply.Bulk(*value);
    return {};
  }
  return Wait(call, {keys.begin(), keys.end()});
}

Answer BMove(Call& call) {
  MAYFLY_TRY(const auto value, Take(call, call.args[1]));
  if (!value) return Wait(call, {std::string(call.args[1])});
  MAYFLY_RETURN_IF_ERROR(call.space().Put(call.args[2], *value, Lifetime::Forever()));
  call.reply.Bulk(*value);
  return {};
}

constexpr KeyFlags kTake = kRW | kAccess | kDelete;

// clang-format off
constexpr CommandSpec kCommands[] = {
    {"bmove", 4,  kWrite | kBlocking,      TwoKeys(kTake, kRW | kInsert), BMove, "Move a row."},
    {"bpop",  -3, kWrite | kBlocking,      AllButLast(kTake),             BPop,  "Take a row."},
    {"del",   -2, kWrite,                  AllKeys(kRM | kDelete),        Del,   "Delete rows."},
    {"fail",  3,  kWrite,                  OneKey(kOW | kUpdate),         Fail,  "Write and fail."},
    {"get",   2,  kReadOnly | kFast,       OneKey(kRO | kAccess),         Get,   "Return a row."},
    {"rows",  1,  kReadOnly | kEverything, kNoKeys,                       Rows,  "Count the rows."},
    {"set",   -3, kWrite | kDenyOom,       OneKey(kOW | kUpdate),         Set,   "Write a row."},
    {"slow",  2,  kWrite,                  OneKey(kOW | kUpdate),         Slow,  "Take time."},
};
// clang-format on

std::vector<CommandFamily> AllFamilies() {
  std::vector<CommandFamily> families = AdminFamilies();
  families.push_back({"test", Category::kString, kCommands});
  return families;
}

}  // namespace

void OnSlow(std::function<void(const std::string&)> function) { on_slow = std::move(function); }

const CommandTable& TestTable() {
  static const CommandTable table(AllFamilies());
  return table;
}

}  // namespace mayfly::server
