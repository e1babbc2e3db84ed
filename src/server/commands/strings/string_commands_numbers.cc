// string_commands_numbers.cc - commands on strings that are numbers. A number is stored as plain
// digits, which other commands can read.
#include <cmath>
#include <limits>
#include <string>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/long_double.h"
#include "server/commands/strings/string_commands.h"
#include "server/commands/support/string_rows.h"
#include "wire/decimal.h"

namespace mayfly::server {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

Answer Add(Call& call, std::int64_t step) {
  const Bytes key = call.args[1];
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindString(call, key, row));
  std::int64_t value = 0;
  if (row.exists && !ReadInteger(row.value, value)) return NotAnInteger();
  if (__builtin_add_overflow(value, step, &value)) {
    return Status::Invalid("increment or decrement would overflow");
  }
  char digits[kDecimalBytesMax];
  const Bytes text(digits, static_cast<std::size_t>(WriteInteger(digits, value) - digits));
  MAYFLY_RETURN_IF_ERROR(PutString(call, key, text, Lifetime::Keep()));
  call.Notify(NotifyClass::kString, "incrby", key);
  call.reply.Integer(value);
  return {};
}

}  // namespace

Answer Incr(Call& call) { return Add(call, 1); }

Answer Decr(Call& call) { return Add(call, -1); }

Answer IncrBy(Call& call) {
  MAYFLY_TRY(const std::int64_t step, IntegerArgument(call.args[2]));
  return Add(call, step);
}

Answer DecrBy(Call& call) {
  MAYFLY_TRY(const std::int64_t step, IntegerArgument(call.args[2]));
  if (step == kMin) return Status::Invalid("decrement would overflow");
  return Add(call, -step);
}

Answer IncrByFloat(Call& call) {
  const Bytes key = call.args[1];
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindString(call, key, row));
  long double value = 0;
  long double step = 0;
  if (row.exists && !ReadLongDouble(row.value, value)) return NotAFloat();
  if (!ReadLongDouble(call.args[2], step)) return NotAFloat();
  value += step;
  if (std::isnan(value) || std::isinf(value)) {
    return Status::Invalid("increment would produce NaN or Infinity");
  }
  const std::string text = WriteLongDouble(value);
  MAYFLY_RETURN_IF_ERROR(PutString(call, key, text, Lifetime::Keep()));
  if (call.feed != nullptr) call.feed->Instead({"SET", key, text, "KEEPTTL"});
  call.Notify(NotifyClass::kString, "incrbyfloat", key);
  call.reply.Bulk(text);
  return {};
}

}  // namespace mayfly::server
