// sorted_set_commands.h - what the files of the sorted set family share: its handlers, by file, and
// a few steps.
#pragma once

#include <span>
#include <string_view>

#include "server/command/command.h"
#include "types/sorted_set.h"

namespace mayfly::server {

// The sorted set under the key.
Result<types::SortedSet> SortedSetOf(const Call& call, Bytes key);

// Pairs of name and score stand in a row, or each in an array of its own.
enum class PairShape : std::uint8_t { kFlat, kNested };

// What RESP3 nests and RESP2 does not.
PairShape ShapeFor(const Call& call);

void WritePair(Call& call, Bytes name, double score, PairShape shape);

// An array of these, with their scores or without.
void WriteScored(Call& call, std::span<const types::ScoredName> all, bool with_scores);

// Puts `all` under the key and replies how many these are. Without any the key goes.
Answer StoreScored(Call& call, Bytes key, std::span<const types::ScoredName> all,
                   std::string_view event);

// Tells what happened to the sorted set: that it is new, the event itself, and that it went,
// whichever is so.
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
