// sorted_set_commands.h - the handlers of the sorted set family, by file, and the functions they
// share.
#pragma once

#include <span>
#include <string_view>

#include "server/command/command.h"
#include "types/sorted_set.h"

namespace mayfly::server {

// The sorted set under the key.
Result<types::SortedSet> SortedSetOf(const Call& call, Bytes key);

// Pairs of name and score are flat, or each in an array of its own.
enum class PairShape : std::uint8_t { kFlat, kNested };

// RESP3 nests pairs, RESP2 does not.
PairShape ShapeFor(const Call& call);

void WritePair(Call& call, Bytes name, double score, PairShape shape);

// An array of these, with their scores or without.
void WriteScored(Call& call, std::span<const types::ScoredName> all, bool with_scores);

// Stores `all` under the key and replies with their number. If there are none the key is deleted.
Answer StoreScored(Call& call, Bytes key, std::span<const types::ScoredName> all,
                   std::string_view event);

struct NewScore {
  Bytes name;
  double score;
};

struct AddedScores {
  std::int64_t added = 0;    // Names that are new.
  std::int64_t changed = 0;  // Present ones that got another score.
  types::ScoreOutcome last;
};

// Writes scores by the rule, and notifies.
Result<AddedScores> AddScores(const Call& call, Bytes key, std::span<const NewScore> scores,
                              const types::ScoreRule& rule);

// Notifies of what happened to the sorted set: that it is new, the event itself, and that it was
// deleted, as far as they apply.
void NotifySortedSet(const Call& call, const types::SortedSet& sorted_set, std::string_view event,
                     Bytes key);

// sorted_set_commands_writes.cc
Answer ZAdd(Call& call);
Answer ZIncrBy(Call& call);
Answer ZRem(Call& call);
Answer ZRemRangeByLex(Call& call);
Answer ZRemRangeByRank(Call& call);
Answer ZRemRangeByScore(Call& call);

// sorted_set_commands_reads.cc
Answer ZCard(Call& call);
Answer ZCount(Call& call);
Answer ZLexCount(Call& call);
Answer ZMScore(Call& call);
Answer ZRandMember(Call& call);
Answer ZRank(Call& call);
Answer ZRevRank(Call& call);
Answer ZScan(Call& call);
Answer ZScore(Call& call);

// sorted_set_commands_ranges.cc
Answer ZRange(Call& call);
Answer ZRangeByLex(Call& call);
Answer ZRangeByScore(Call& call);
Answer ZRangeStore(Call& call);
Answer ZRevRange(Call& call);
Answer ZRevRangeByLex(Call& call);
Answer ZRevRangeByScore(Call& call);

// sorted_set_commands_pops.cc
Answer BZMPop(Call& call);
Answer BZPopMax(Call& call);
Answer BZPopMin(Call& call);
Answer ZMPop(Call& call);
Answer ZPopMax(Call& call);
Answer ZPopMin(Call& call);

// sorted_set_commands_algebra.cc
Answer ZDiff(Call& call);
Answer ZDiffStore(Call& call);
Answer ZInter(Call& call);
Answer ZInterCard(Call& call);
Answer ZInterStore(Call& call);
Answer ZUnion(Call& call);
Answer ZUnionStore(Call& call);

}  // namespace mayfly::server
