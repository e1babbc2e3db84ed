// hyperloglog_debug.cc - commands for tests: how a HyperLogLog is stored, and whether counting
// works.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "server/command/arguments.h"
#include "server/commands/hyperloglog/hyperloglog_commands.h"

namespace mayfly::server {
namespace {

using types::HyperLogLog;

// As Redis does, it leaves the value dense.
Answer ShowRegisters(Call& call, HyperLogLog& value) {
  const Result<bool> converted = value.MakeDense();
  if (!converted) return Answer::Error(kDamagedHyperLogLog);
  if (*converted) MAYFLY_RETURN_IF_ERROR(StoreHyperLogLog(call, call.args[2], value));
  types::Registers registers = {};
  if (!value.MergeInto(registers).ok()) return Answer::Error(kDamagedHyperLogLog);
  call.reply.Array(registers.size());
  for (const std::uint8_t one : registers) call.reply.Integer(one);
  return {};
}

Answer ShowRuns(Call& call, const HyperLogLog& value) {
  if (value.encoding() == HyperLogLog::Encoding::kDense) {
    return Status::Invalid("HLL encoding is not sparse");
  }
  const Result<std::string> runs = value.DescribeRuns();
  if (!runs) return Answer::Error(kDamagedHyperLogLog);
  call.reply.Bulk(*runs);
  return {};
}

Answer ToDense(Call& call, HyperLogLog& value) {
  const Result<bool> converted = value.MakeDense();
  if (!converted) return Answer::Error(kDamagedHyperLogLog);
  if (*converted) MAYFLY_RETURN_IF_ERROR(StoreHyperLogLog(call, call.args[2], value));
  call.reply.Integer(*converted ? 1 : 0);
  return {};
}

// Six standard errors: no seed fails by chance.
std::uint64_t ErrorMax(std::uint64_t elements) {
  const double standard_error = 1.04 / std::sqrt(static_cast<double>(types::kRegisters));
  return static_cast<std::uint64_t>(std::ceil(standard_error * 6 * static_cast<double>(elements)));
}

// Both must be what `elements` different elements make.
Status CheckCounts(const HyperLogLog& sparse_first, const HyperLogLog& dense,
                   std::uint64_t elements) {
  MAYFLY_TRY(const std::uint64_t count, dense.Count());
  MAYFLY_TRY(const std::uint64_t other, sparse_first.Count());
  if (count != other) return Status::Invalid("TESTFAILED dense/sparse disagree");
  const std::uint64_t error = count > elements ? count - elements : elements - count;
  if (error <= ErrorMax(elements)) return {};
  return Status::Invalid(
      fmt::format("TESTFAILED Too big error. card:{} abserr:{}", elements, error));
}

}  // namespace

Answer PfDebug(Call& call) {
  FoundHyperLogLog found;
  if (Answer answer = FindHyperLogLog(call, call.args[2], found); !answer.ok()) return answer;
  if (!found.value) return Status::Invalid("The specified key does not exist");
  const Bytes what = call.args[1];
  if (IsWord(what, "getreg")) return ShowRegisters(call, *found.value);
  if (IsWord(what, "decode")) return ShowRuns(call, *found.value);
  if (IsWord(what, "todense")) return ToDense(call, *found.value);
  if (IsWord(what, "encoding")) {
    const bool dense = found.value->encoding() == HyperLogLog::Encoding::kDense;
    call.reply.SimpleString(dense ? "dense" : "sparse");
    return {};
  }
  return Status::Invalid(fmt::format("Unknown PFDEBUG subcommand '{}'", what));
}

// Redis tries ten million elements; these take a tenth of the time, and the thread serves nobody
// meanwhile.
Answer PfSelfTest(Call& call) {
  constexpr std::uint64_t kElements = 1'000'000;
  constexpr std::uint64_t kGrowth = 10;
  const std::uint64_t seed = call.host.random().Next();
  HyperLogLog sparse_first;
  HyperLogLog dense;
  MAYFLY_RETURN_IF_ERROR(dense.MakeDense().status());
  std::uint64_t next_check = 1;
  for (std::uint64_t i = 1; i <= kElements; ++i) {
    const std::uint64_t number = i ^ seed;
    const Bytes element(reinterpret_cast<const char*>(&number), sizeof(number));
    MAYFLY_RETURN_IF_ERROR(sparse_first.Add(element, SparseBytesMax(call)).status());
    MAYFLY_RETURN_IF_ERROR(dense.Add(element, 0).status());
    if (i != next_check) continue;
    MAYFLY_RETURN_IF_ERROR(CheckCounts(sparse_first, dense, i));
    next_check *= kGrowth;
  }
  call.reply.Ok();
  return {};
}

}  // namespace mayfly::server
