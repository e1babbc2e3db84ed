// sorted_set_commands_reads.cc - sorted sets: sizes, scores, ranks, random members and ZSCAN.
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/sorted_sets/sorted_set_arguments.h"
#include "server/commands/sorted_sets/sorted_set_commands.h"
#include "server/commands/support/count_arguments.h"
#include "server/commands/support/member_scan.h"
#include "types/score.h"
#include "types/sorted_set.h"
#include "types/value_type.h"
#include "wire/decimal.h"

namespace mayfly::server {
namespace {

using types::SortedSet;

void WriteScore(Call& call, std::optional<double> score) {
  score ? call.reply.Double(*score) : call.reply.Null();
}

Answer Count(Call& call, const types::RangeQuery& query) {
  MAYFLY_TRY(const SortedSet sorted_set, SortedSetOf(call, call.args[1]));
  MAYFLY_TRY(const std::uint64_t count, sorted_set.Count(query));
  call.reply.Integer(static_cast<std::int64_t>(count));
  return {};
}

Answer ReplyRank(Call& call, std::string_view command, bool reverse) {
  const bool with_score = call.args.size() > 3;
  if (call.args.size() > 4) return WrongArity(command);
  if (with_score && !IsWord(call.args[3], "withscore")) return SyntaxError();
  MAYFLY_TRY(const SortedSet sorted_set, SortedSetOf(call, call.args[1]));
  MAYFLY_TRY(const std::optional<types::Rank> found, sorted_set.RankOf(call.args[2]));
  if (!found) {
    with_score ? call.reply.NullArray() : call.reply.Null();
    return {};
  }
  const std::uint64_t rank = reverse ? sorted_set.size() - 1 - found->rank : found->rank;
  if (with_score) call.reply.Array(2);
  call.reply.Integer(static_cast<std::int64_t>(rank));
  if (with_score) call.reply.Double(found->score);
  return {};
}

}  // namespace

Answer ZCard(Call& call) {
  MAYFLY_TRY(const SortedSet sorted_set, SortedSetOf(call, call.args[1]));
  call.reply.Integer(static_cast<std::int64_t>(sorted_set.size()));
  return {};
}

Answer ZScore(Call& call) {
  MAYFLY_TRY(const SortedSet sorted_set, SortedSetOf(call, call.args[1]));
  MAYFLY_TRY(const std::optional<double> score, sorted_set.Score(call.args[2]));
  WriteScore(call, score);
  return {};
}

Answer ZMScore(Call& call) {
  MAYFLY_TRY(const SortedSet sorted_set, SortedSetOf(call, call.args[1]));
  const auto names = call.args.subspan(2);
  call.reply.Array(names.size());
  for (const Bytes name : names) {
    MAYFLY_TRY(const std::optional<double> score, sorted_set.Score(name));
    WriteScore(call, score);
  }
  return {};
}

Answer ZRank(Call& call) { return ReplyRank(call, "zrank", false); }

Answer ZRevRank(Call& call) { return ReplyRank(call, "zrevrank", true); }

Answer ZCount(Call& call) {
  MAYFLY_TRY(const auto range, ScoreRangeArguments(call.args[2], call.args[3]));
  return Count(call, {.range = range});
}

Answer ZLexCount(Call& call) {
  MAYFLY_TRY(const auto range, NameRangeArguments(call.args[2], call.args[3]));
  return Count(call, {.range = range});
}

Answer ZRandMember(Call& call) {
  if (call.args.size() == 2) {
    MAYFLY_TRY(const SortedSet sorted_set, SortedSetOf(call, call.args[1]));
    if (sorted_set.empty()) {
      call.reply.Null();
      return {};
    }
    return sorted_set.DrawDistinct(1, call.host.random(),
                                   [&](Bytes name, double) { call.reply.Bulk(name); });
  }
  MAYFLY_TRY(const DrawCount count, DrawCountArgument(call, call.args[2]));
  const bool with_scores = call.args.size() == 4 && IsWord(call.args[3], "withscores");
  if (call.args.size() > 3 && !with_scores) return SyntaxError();
  if (with_scores && count.draws > kPairDrawsMax) return OutOfRange();

  MAYFLY_TRY(const SortedSet sorted_set, SortedSetOf(call, call.args[1]));
  std::vector<types::ScoredName> drawn;
  const auto keep = [&](Bytes name, double score) { drawn.push_back({std::string(name), score}); };
  MAYFLY_RETURN_IF_ERROR(count.with_repetition
                             ? sorted_set.DrawWithRepetition(count.draws, call.host.random(), keep)
                             : sorted_set.DrawDistinct(count.draws, call.host.random(), keep));
  WriteScored(call, drawn, with_scores);
  return {};
}

// Scores are strings here, in RESP3 too.
Answer ZScan(Call& call) {
  return ScanMembers(call, types::ValueType::kSortedSet,
                     [&](Bytes name, Bytes value) -> Result<std::size_t> {
                       MAYFLY_TRY(const double score, types::ScoreOf(value));
                       char text[kDecimalBytesMax];
                       const char* const end = WriteDouble(text, score);
                       call.reply.Bulk(name);
                       call.reply.Bulk(Bytes(text, static_cast<std::size_t>(end - text)));
                       return std::size_t{2};
                     });
}

}  // namespace mayfly::server
