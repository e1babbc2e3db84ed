// sorted_set_commands_writes.cc - sorted sets: writes scores and removes members.
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/sorted_sets/sorted_set_arguments.h"
#include "server/commands/sorted_sets/sorted_set_commands.h"
#include "types/sorted_set.h"

namespace mayfly::server {
namespace {

using types::SortedSet;

struct AddOptions {
  types::ScoreRule rule;
  bool count_changes = false;
};

// True when the argument is an option.
bool ReadOption(Bytes argument, AddOptions& options) {
  const struct {
    std::string_view word;
    bool& option;
    // clang-format off
  } words[] = {
      {"nx",   options.rule.only_new},
      {"xx",   options.rule.only_present},
      {"gt",   options.rule.only_greater},
      {"lt",   options.rule.only_less},
      {"incr", options.rule.increment},
      {"ch",   options.count_changes},
  };
  // clang-format on
  for (const auto& [word, option] : words) {
    if (!IsWord(argument, word)) continue;
    option = true;
    return true;
  }
  return false;
}

Status CheckOptions(const types::ScoreRule& rule, std::size_t pairs) {
  if (rule.only_new && rule.only_present) {
    return Status::Invalid("XX and NX options at the same time are not compatible");
  }
  const int directions =
      (rule.only_new ? 1 : 0) + (rule.only_greater ? 1 : 0) + (rule.only_less ? 1 : 0);
  if (directions > 1) {
    return Status::Invalid("GT, LT, and/or NX options at the same time are not compatible");
  }
  if (rule.increment && pairs > 1) {
    return Status::Invalid("INCR option supports a single increment-element pair");
  }
  return {};
}

Answer Add(Call& call, AddOptions options) {
  const Bytes key = call.args[1];
  auto rest = call.args.subspan(2);
  while (!rest.empty() && ReadOption(rest.front(), options)) rest = rest.subspan(1);
  if (rest.empty() || rest.size() % 2 != 0) return SyntaxError();
  MAYFLY_RETURN_IF_ERROR(CheckOptions(options.rule, rest.size() / 2));
  std::vector<NewScore> scores;
  for (std::size_t i = 0; i < rest.size(); i += 2) {
    MAYFLY_TRY(const double score, ScoreArgument(rest[i]));
    scores.push_back({rest[i + 1], score});
  }
  MAYFLY_TRY(const AddedScores done, AddScores(call, key, scores, options.rule));
  if (!options.rule.increment) {
    call.reply.Integer(options.count_changes ? done.added + done.changed : done.added);
  } else {
    done.last.allowed ? call.reply.Double(done.last.score) : call.reply.Null();
  }
  return {};
}

Answer RemoveRange(Call& call, const types::RangeQuery& query, std::string_view event) {
  const Bytes key = call.args[1];
  MAYFLY_TRY(SortedSet sorted_set, SortedSet::Open(call.space(), key));
  MAYFLY_TRY(const auto removed, sorted_set.Take(query));
  if (!removed.empty()) NotifySortedSet(call, sorted_set, event, key);
  call.reply.Integer(static_cast<std::int64_t>(removed.size()));
  return {};
}

}  // namespace

Result<AddedScores> AddScores(const Call& call, Bytes key, std::span<const NewScore> scores,
                              const types::ScoreRule& rule) {
  MAYFLY_TRY(SortedSet sorted_set, SortedSet::Open(call.space(), key));
  AddedScores done;
  for (const NewScore& one : scores) {
    MAYFLY_TRY(done.last, sorted_set.Put(one.name, one.score, rule));
    done.added += done.last.added ? 1 : 0;
    done.changed += done.last.changed ? 1 : 0;
  }
  if (done.added + done.changed > 0) {
    NotifySortedSet(call, sorted_set, rule.increment ? "zincr" : "zadd", key);
  }
  return done;
}

Answer ZAdd(Call& call) { return Add(call, {}); }

Answer ZIncrBy(Call& call) { return Add(call, {.rule = {.increment = true}}); }

Answer ZRem(Call& call) {
  const Bytes key = call.args[1];
  MAYFLY_TRY(SortedSet sorted_set, SortedSet::Open(call.space(), key));
  std::int64_t removed = 0;
  for (const Bytes name : call.args.subspan(2)) {
    MAYFLY_TRY(const bool was_there, sorted_set.Remove(name));
    removed += was_there ? 1 : 0;
  }
  if (removed > 0) NotifySortedSet(call, sorted_set, "zrem", key);
  call.reply.Integer(removed);
  return {};
}

Answer ZRemRangeByRank(Call& call) {
  MAYFLY_TRY(const auto range, RankRangeArguments(call.args[2], call.args[3]));
  return RemoveRange(call, {.range = range}, "zremrangebyrank");
}

Answer ZRemRangeByScore(Call& call) {
  MAYFLY_TRY(const auto range, ScoreRangeArguments(call.args[2], call.args[3]));
  return RemoveRange(call, {.range = range}, "zremrangebyscore");
}

Answer ZRemRangeByLex(Call& call) {
  MAYFLY_TRY(const auto range, NameRangeArguments(call.args[2], call.args[3]));
  return RemoveRange(call, {.range = range}, "zremrangebylex");
}

}  // namespace mayfly::server
