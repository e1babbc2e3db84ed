// sorted_set_commands_algebra.cc - unions, intersections and differences of sorted sets and sets.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/sorted_sets/sorted_set_arguments.h"
#include "server/commands/sorted_sets/sorted_set_commands.h"
#include "server/commands/support/count_arguments.h"
#include "server/commands/support/held_result.h"
#include "types/set_algebra.h"
#include "types/sorted_set.h"

namespace mayfly::server {
namespace {

using types::ScoredName;
using Scores = std::span<const std::optional<double>>;
using Walk = Status (*)(core::TransactionKeyspace&, std::span<const types::Operand>,
                        types::ShowShared);

enum class Aggregation : std::uint8_t { kSum, kMin, kMax };

// The form of a command, by its name.
struct AlgebraForm {
  std::string_view name;
  Walk walk;
  bool weighted = true;  // Takes WEIGHTS and AGGREGATE.
  bool store = false;
  bool count_only = false;
};

struct AlgebraRequest {
  std::vector<types::Operand> operands;
  std::vector<double> weights;  // By operand; so are the scores shown.
  Aggregation aggregation = Aggregation::kSum;
  bool with_scores = false;
  std::int64_t limit = 0;  // 0: none.
};

// The sum of opposite infinities is no number. Redis takes 0 for it, and so for products.
double NumberOrZero(double value) { return std::isnan(value) ? 0 : value; }

double Combine(Aggregation aggregation, double a, double b) {
  switch (aggregation) {
    case Aggregation::kSum: return NumberOrZero(a + b);
    case Aggregation::kMin: return std::min(a, b);
    case Aggregation::kMax: break;
  }
  return std::max(a, b);
}

double ScoreFrom(const AlgebraRequest& request, Scores scores) {
  std::optional<double> result;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!scores[i]) continue;
    const double score = NumberOrZero(request.weights[i] * *scores[i]);
    result = result ? Combine(request.aggregation, *result, score) : score;
  }
  return result.value_or(0);
}

Result<Aggregation> AggregationArgument(Bytes argument) {
  if (IsWord(argument, "sum")) return Aggregation::kSum;
  if (IsWord(argument, "min")) return Aggregation::kMin;
  if (IsWord(argument, "max")) return Aggregation::kMax;
  return SyntaxError();
}

Status ParseOptions(const AlgebraForm& form, std::span<const Bytes> args, AlgebraRequest& request) {
  while (!args.empty()) {
    const Bytes word = args.front();
    args = args.subspan(1);
    if (form.weighted && args.size() >= request.operands.size() && IsWord(word, "weights")) {
      for (double& weight : request.weights) {
        const Result<double> read = ScoreArgument(args.front());
        if (!read) return Status::Invalid("weight value is not a float");
        weight = *read;
        args = args.subspan(1);
      }
    } else if (form.weighted && !args.empty() && IsWord(word, "aggregate")) {
      MAYFLY_TRY(request.aggregation, AggregationArgument(args.front()));
      args = args.subspan(1);
    } else if (!form.store && !form.count_only && IsWord(word, "withscores")) {
      request.with_scores = true;
    } else if (form.count_only && !args.empty() && IsWord(word, "limit")) {
      MAYFLY_TRY(request.limit,
                 NaturalArgument(args.front(), Status::Invalid("LIMIT can't be negative")));
      args = args.subspan(1);
    } else {
      return SyntaxError();
    }
  }
  return {};
}

// From "numkeys key... [options]".
Result<AlgebraRequest> ParseRequest(Call& call, const AlgebraForm& form,
                                    std::span<const Bytes> args) {
  MAYFLY_TRY(const std::int64_t number, IntegerArgument(args[0]));
  if (number < 1) {
    return Status::Invalid(
        fmt::format("at least 1 input key is needed for '{}' command", form.name));
  }
  if (number > static_cast<std::int64_t>(args.size()) - 1) return SyntaxError();
  AlgebraRequest request;
  const auto keys = args.subspan(1, static_cast<std::size_t>(number));
  for (const Bytes key : keys) {
    MAYFLY_TRY(const types::Operand operand,
               types::FindOperand(call.space(), key, types::OperandKind::kSetsAndSortedSets));
    request.operands.push_back(operand);
  }
  request.weights.assign(keys.size(), 1);
  MAYFLY_RETURN_IF_ERROR(ParseOptions(form, args.subspan(1 + keys.size()), request));
  return request;
}

// Sums of doubles depend on their order, and Redis begins with the smallest operand.
void SortBySize(AlgebraRequest& request) {
  std::vector<std::pair<types::Operand, double>> weighted;
  for (std::size_t i = 0; i < request.operands.size(); ++i) {
    weighted.emplace_back(request.operands[i], request.weights[i]);
  }
  std::stable_sort(weighted.begin(), weighted.end(),
                   [](const auto& a, const auto& b) { return a.first.members < b.first.members; });
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    std::tie(request.operands[i], request.weights[i]) = weighted[i];
  }
}

Answer Compute(Call& call, const AlgebraForm& form) {
  const std::size_t number_at = form.store ? 2 : 1;
  MAYFLY_TRY(AlgebraRequest request, ParseRequest(call, form, call.args.subspan(number_at)));
  if (form.weighted) SortBySize(request);
  if (form.count_only) {
    std::int64_t count = 0;
    MAYFLY_RETURN_IF_ERROR(form.walk(call.space(), request.operands,
                                     [&](Bytes, Scores) { return ++count != request.limit; }));
    call.reply.Integer(count);
    return {};
  }
  // The result is held until the end: it is sorted, and the target may be one of the operands.
  std::vector<ScoredName> result;
  HeldResult held;
  MAYFLY_RETURN_IF_ERROR(form.walk(call.space(), request.operands, [&](Bytes name, Scores scores) {
    const bool fits = held.Add(name.size(), sizeof(ScoredName));
    if (fits) result.push_back({std::string(name), ScoreFrom(request, scores)});
    return fits;
  }));
  MAYFLY_RETURN_IF_ERROR(held.status());
  if (form.store) return StoreScored(call, call.args[1], result, form.name);
  std::sort(result.begin(), result.end(), [](const ScoredName& a, const ScoredName& b) {
    return a.score != b.score ? a.score < b.score : a.name < b.name;
  });
  WriteScored(call, result, request.with_scores);
  return {};
}

}  // namespace

Answer ZDiff(Call& call) {
  return Compute(call, {.name = "zdiff", .walk = types::WalkDifference, .weighted = false});
}

Answer ZDiffStore(Call& call) {
  return Compute(
      call,
      {.name = "zdiffstore", .walk = types::WalkDifference, .weighted = false, .store = true});
}

Answer ZInter(Call& call) {
  return Compute(call, {.name = "zinter", .walk = types::WalkIntersection});
}

Answer ZInterCard(Call& call) {
  return Compute(call, {.name = "zintercard",
                        .walk = types::WalkIntersection,
                        .weighted = false,
                        .count_only = true});
}

Answer ZInterStore(Call& call) {
  return Compute(call, {.name = "zinterstore", .walk = types::WalkIntersection, .store = true});
}

Answer ZUnion(Call& call) { return Compute(call, {.name = "zunion", .walk = types::WalkUnion}); }

Answer ZUnionStore(Call& call) {
  return Compute(call, {.name = "zunionstore", .walk = types::WalkUnion, .store = true});
}

}  // namespace mayfly::server
