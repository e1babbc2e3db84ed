// sorted_set_commands_ranges.cc - ZRANGE, its forerunners, and ZRANGESTORE.
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/sorted_sets/sorted_set_arguments.h"
#include "server/commands/sorted_sets/sorted_set_commands.h"
#include "server/commands/support/held_result.h"
#include "types/sorted_set.h"

namespace mayfly::server {
namespace {

using types::SortedSet;

enum class RangeBy : std::uint8_t { kRank, kScore, kName };

// What the command's name fixes, and what it leaves to options.
struct RangeForm {
  std::optional<RangeBy> by = {};
  std::optional<bool> reverse = {};
  bool store = false;
};

struct RangeRequest {
  types::RangeQuery query;
  bool with_scores = false;
};

struct RangeOptions {
  RangeBy by = RangeBy::kRank;
  bool reverse = false;
  bool with_scores = false;
  std::int64_t offset = 0;
  std::int64_t limit = -1;
};

// An option must not repeat the name or an earlier option: REV twice is a syntax error.
Result<RangeOptions> ParseOptions(RangeForm form, std::span<const Bytes> args) {
  RangeOptions options;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!form.store && IsWord(args[i], "withscores")) {
      options.with_scores = true;
    } else if (IsWord(args[i], "limit") && i + 2 < args.size()) {
      MAYFLY_TRY(options.offset, IntegerArgument(args[i + 1]));
      MAYFLY_TRY(options.limit, IntegerArgument(args[i + 2]));
      i += 2;
    } else if (!form.reverse && IsWord(args[i], "rev")) {
      form.reverse = true;
    } else if (!form.by && IsWord(args[i], "bylex")) {
      form.by = RangeBy::kName;
    } else if (!form.by && IsWord(args[i], "byscore")) {
      form.by = RangeBy::kScore;
    } else {
      return SyntaxError();
    }
  }
  options.by = form.by.value_or(RangeBy::kRank);
  options.reverse = form.reverse.value_or(false);
  if (options.limit != -1 && options.by == RangeBy::kRank) {
    return Status::Invalid(
        "syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
  }
  if (options.with_scores && options.by == RangeBy::kName) {
    return Status::Invalid("syntax error, WITHSCORES not supported in combination with BYLEX");
  }
  return options;
}

// From "begin end [options]". In descending order the bounds are reversed: the larger comes first.
Result<RangeRequest> ParseRange(const RangeForm& form, std::span<const Bytes> args) {
  MAYFLY_TRY(const RangeOptions options, ParseOptions(form, args.subspan(2)));
  RangeRequest request{.query = {.range = types::RankRange{},
                                 .reverse = options.reverse,
                                 .offset = options.offset,
                                 .limit = options.limit},
                       .with_scores = options.with_scores};
  const Bytes min = args[options.reverse ? 1 : 0];
  const Bytes max = args[options.reverse ? 0 : 1];
  switch (options.by) {
    case RangeBy::kRank: {
      MAYFLY_TRY(request.query.range, RankRangeArguments(args[0], args[1]));
      break;
    }
    case RangeBy::kScore: {
      MAYFLY_TRY(request.query.range, ScoreRangeArguments(min, max));
      break;
    }
    case RangeBy::kName: {
      MAYFLY_TRY(request.query.range, NameRangeArguments(min, max));
      break;
    }
  }
  return request;
}

Answer ReplyRange(Call& call, const RangeForm& form) {
  MAYFLY_TRY(const RangeRequest request, ParseRange(form, call.args.subspan(2)));
  MAYFLY_TRY(const SortedSet sorted_set, SortedSetOf(call, call.args[1]));
  const PairShape shape = ShapeFor(call);
  const auto members = call.reply.BeginDeferred(Aggregate::kArray);
  std::size_t count = 0;
  MAYFLY_RETURN_IF_ERROR(sorted_set.Walk(request.query, [&](Bytes name, double score) {
    request.with_scores ? WritePair(call, name, score, shape) : call.reply.Bulk(name);
    ++count;
  }));
  const bool doubled = request.with_scores && shape == PairShape::kFlat;
  call.reply.EndDeferred(members, doubled ? 2 * count : count);
  return {};
}

}  // namespace

Answer ZRange(Call& call) { return ReplyRange(call, {}); }

Answer ZRevRange(Call& call) { return ReplyRange(call, {.by = RangeBy::kRank, .reverse = true}); }

Answer ZRangeByScore(Call& call) {
  return ReplyRange(call, {.by = RangeBy::kScore, .reverse = false});
}

Answer ZRevRangeByScore(Call& call) {
  return ReplyRange(call, {.by = RangeBy::kScore, .reverse = true});
}

Answer ZRangeByLex(Call& call) {
  return ReplyRange(call, {.by = RangeBy::kName, .reverse = false});
}

Answer ZRevRangeByLex(Call& call) {
  return ReplyRange(call, {.by = RangeBy::kName, .reverse = true});
}

Answer ZRangeStore(Call& call) {
  MAYFLY_TRY(const RangeRequest request, ParseRange({.store = true}, call.args.subspan(3)));
  MAYFLY_TRY(const SortedSet source, SortedSetOf(call, call.args[2]));
  std::vector<types::ScoredName> found;
  HeldResult held;
  MAYFLY_RETURN_IF_ERROR(source.Walk(request.query, [&](Bytes name, double score) {
    if (held.Add(name.size(), sizeof(types::ScoredName))) {
      found.push_back({std::string(name), score});
    }
  }));
  MAYFLY_RETURN_IF_ERROR(held.status());
  return StoreScored(call, call.args[1], found, "zrangestore");
}

}  // namespace mayfly::server
