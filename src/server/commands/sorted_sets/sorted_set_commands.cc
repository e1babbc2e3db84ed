// sorted_set_commands.cc - the sorted set family's table, and the functions its files share.
#include "server/commands/sorted_sets/sorted_set_commands.h"

#include "server/commands/support/families.h"

namespace mayfly::server {
namespace {

constexpr std::uint32_t kStore = kWrite | kDenyOom;
constexpr std::uint32_t kWaits = kWrite | kNoScript | kBlocking | kFast;

// clang-format off
constexpr CommandSpec kSortedSetCommands[] = {
    {"bzmpop",           -5, kWrite | kBlocking, NumberedKeys(kRW | kAccess | kDelete, 2),            BZMPop,
     {"Remove members from the end of the first sorted set that has any; wait for one.", "7.0.0",
      "O(k + m log n) in the keys given, the members removed and those of the sorted set",
      "timeout:double numkeys:int key... where=(MIN | MAX) [COUNT count:int]"}},
    {"bzpopmax",         -3, kWaits,             AllButLast(kRW | kAccess | kDelete),                 BZPopMax,
     {"Remove the member of the highest score from the first sorted set that has any; wait for one.", "5.0.0",
      "O(log n) in the members of the sorted set", "key... timeout:double"}},
    {"bzpopmin",         -3, kWaits,             AllButLast(kRW | kAccess | kDelete),                 BZPopMin,
     {"Remove the member of the lowest score from the first sorted set that has any; wait for one.", "5.0.0",
      "O(log n) in the members of the sorted set", "key... timeout:double"}},
    {"zadd",             -4, kStore | kFast,     OneKey(kRW | kUpdate),                               ZAdd,
     {"Add members to a sorted set, or change their scores.", "1.2.0",
      "O(m log n) in the members given, and in those of the sorted set",
      "key condition=[NX | XX] comparison=[GT | LT] [change=CH] [increment=INCR] score_member=(score:double "
      "member)..."}},
    {"zcard",            2,  kReadOnly | kFast,  OneKey(kRO),                                         ZCard,
     {"Count the members of a sorted set.", "1.2.0", "O(1)", "key"}},
    {"zcount",           4,  kReadOnly | kFast,  OneKey(kRO | kAccess),                               ZCount,
     {"Count the members in a range of scores.", "2.0.0", "O(log n) in the members of the sorted set",
      "key min:double max:double"}},
    {"zdiff",            -3, kReadOnly,          NumberedKeys(kRO | kAccess),                         ZDiff,
     {"Tell the members of a sorted set that no other has.", "6.2.0", "O(n log n) in the members of all sorted sets",
      "numkeys:int key... [WITHSCORES]"}},
    {"zdiffstore",       -4, kStore,             TargetAndNumberedKeys(kOW | kUpdate, kRO | kAccess), ZDiffStore,
     {"Store the members of a sorted set that no other has.", "6.2.0", "O(n log n) in the members of all sorted sets",
      "destination:key numkeys:int key..."}},
    {"zincrby",          4,  kStore | kFast,     OneKey(kRW | kAccess | kUpdate),                     ZIncrBy,
     {"Add to the score of a member.", "1.2.0", "O(log n) in the members of the sorted set",
      "key increment:int member"}},
    {"zinter",           -3, kReadOnly,          NumberedKeys(kRO | kAccess),                         ZInter,
     {"Tell the members that all sorted sets have.", "6.2.0",
      "O(n k + m log m) in the members of the smallest sorted set, the sorted sets and the result",
      "numkeys:int key... [WEIGHTS weight:int]... [AGGREGATE aggregate=(SUM | MIN | MAX)] [WITHSCORES]"}},
    {"zintercard",       -3, kReadOnly,          NumberedKeys(kRO | kAccess),                         ZInterCard,
     {"Count the members that all sorted sets have, up to a limit.", "7.0.0",
      "O(n k) in the members of the smallest sorted set, and in the sorted sets",
      "numkeys:int key... [LIMIT limit:int]"}},
    {"zinterstore",      -4, kStore,             TargetAndNumberedKeys(kOW | kUpdate, kRO | kAccess), ZInterStore,
     {"Store the members that all sorted sets have.", "2.0.0",
      "O(n k + m log m) in the members of the smallest sorted set, the sorted sets and the result",
      "destination:key numkeys:int key... [WEIGHTS weight:int]... [AGGREGATE aggregate=(SUM | MIN | MAX)]"}},
    {"zlexcount",        4,  kReadOnly | kFast,  OneKey(kRO | kAccess),                               ZLexCount,
     {"Count the members in a range of names.", "2.8.9", "O(log n) in the members of the sorted set", "key min max"}},
    {"zmpop",            -4, kWrite,             NumberedKeys(kRW | kAccess | kDelete),               ZMPop,
     {"Remove members from the end of the first sorted set that has any.", "7.0.0",
      "O(k + m log n) in the keys given, the members removed and those of the sorted set",
      "numkeys:int key... where=(MIN | MAX) [COUNT count:int]"}},
    {"zmscore",          -3, kReadOnly | kFast,  OneKey(kRO | kAccess),                               ZMScore,
     {"Tell the scores of several members.", "6.2.0", "O(n) in the members given", "key member..."}},
    {"zpopmax",          -2, kWrite | kFast,     OneKey(kRW | kAccess | kDelete),                     ZPopMax,
     {"Remove the members of the highest scores.", "5.0.0",
      "O(m log n) in the members removed, and in those of the sorted set", "key [count:int]"}},
    {"zpopmin",          -2, kWrite | kFast,     OneKey(kRW | kAccess | kDelete),                     ZPopMin,
     {"Remove the members of the lowest scores.", "5.0.0",
      "O(m log n) in the members removed, and in those of the sorted set", "key [count:int]"}},
    {"zrandmember",      -2, kReadOnly,          OneKey(kRO | kAccess),                               ZRandMember,
     {"Tell members drawn by chance.", "6.2.0", "O(n) in the members drawn", "key options=[count:int [WITHSCORES]]"}},
    {"zrange",           -4, kReadOnly,          OneKey(kRO | kAccess),                               ZRange,
     {"Tell the members in a range of ranks, scores or names.", "1.2.0",
      "O(log n + m) in the members of the sorted set, and in those of the range",
      "key start stop sortby=[BYSCORE | BYLEX] [REV] [LIMIT offset_count=(offset:int count:int)] [WITHSCORES]"}},
    {"zrangebylex",      -4, kReadOnly,          OneKey(kRO | kAccess),                               ZRangeByLex,
     {"Tell the members in a range of names.", "2.8.9",
      "O(log n + m) in the members of the sorted set, and in those of the range",
      "key min max [LIMIT offset_count=(offset:int count:int)]"}},
    {"zrangebyscore",    -4, kReadOnly,          OneKey(kRO | kAccess),                               ZRangeByScore,
     {"Tell the members in a range of scores.", "1.0.5",
      "O(log n + m) in the members of the sorted set, and in those of the range",
      "key min:double max:double [WITHSCORES] [LIMIT offset_count=(offset:int count:int)]"}},
    {"zrangestore",      -5, kStore,             TwoKeys(kOW | kUpdate, kRO | kAccess),               ZRangeStore,
     {"Store the members in a range of ranks, scores or names.", "6.2.0",
      "O(log n + m) in the members of the sorted set, and in those of the range",
      "dst:key src:key min max sortby=[BYSCORE | BYLEX] [REV] [LIMIT offset_count=(offset:int count:int)]"}},
    {"zrank",            -3, kReadOnly | kFast,  OneKey(kRO | kAccess),                               ZRank,
     {"Tell the rank of a member, the lowest score first.", "2.0.0", "O(log n) in the members of the sorted set",
      "key member"}},
    {"zrem",             -3, kWrite | kFast,     OneKey(kRW | kDelete),                               ZRem,
     {"Remove members from a sorted set.", "1.2.0", "O(m log n) in the members given, and in those of the sorted set",
      "key member..."}},
    {"zremrangebylex",   4,  kWrite,             OneKey(kRW | kDelete),                               ZRemRangeByLex,
     {"Remove the members in a range of names.", "2.8.9",
      "O(log n + m) in the members of the sorted set, and in those of the range", "key min max"}},
    {"zremrangebyrank",  4,  kWrite,             OneKey(kRW | kDelete),                               ZRemRangeByRank,
     {"Remove the members in a range of ranks.", "2.0.0",
      "O(log n + m) in the members of the sorted set, and in those of the range", "key start:int stop:int"}},
    {"zremrangebyscore", 4,  kWrite,             OneKey(kRW | kDelete),                               ZRemRangeByScore,
     {"Remove the members in a range of scores.", "1.2.0",
      "O(log n + m) in the members of the sorted set, and in those of the range", "key min:double max:double"}},
    {"zrevrange",        -4, kReadOnly,          OneKey(kRO | kAccess),                               ZRevRange,
     {"Tell the members in a range of ranks, the highest score first.", "1.2.0",
      "O(log n + m) in the members of the sorted set, and in those of the range",
      "key start:int stop:int [WITHSCORES]"}},
    {"zrevrangebylex",   -4, kReadOnly,          OneKey(kRO | kAccess),                               ZRevRangeByLex,
     {"Tell the members in a range of names, the last first.", "2.8.9",
      "O(log n + m) in the members of the sorted set, and in those of the range",
      "key max min [LIMIT offset_count=(offset:int count:int)]"}},
    {"zrevrangebyscore", -4, kReadOnly,          OneKey(kRO | kAccess),                               ZRevRangeByScore,
     {"Tell the members in a range of scores, the highest first.", "2.2.0",
      "O(log n + m) in the members of the sorted set, and in those of the range",
      "key max:double min:double [WITHSCORES] [LIMIT offset_count=(offset:int count:int)]"}},
    {"zrevrank",         -3, kReadOnly | kFast,  OneKey(kRO | kAccess),                               ZRevRank,
     {"Tell the rank of a member, the highest score first.", "2.0.0", "O(log n) in the members of the sorted set",
      "key member"}},
    {"zscan",            -3, kReadOnly,          OneKey(kRO | kAccess),                               ZScan,
     {"Tell the members of a sorted set and their scores, a page at a time.", "2.8.0",
      "O(1) for each call, and O(n) for all of them in the members of the key",
      "key cursor:int [MATCH pattern:pattern] [COUNT count:int]"}},
    {"zscore",           3,  kReadOnly | kFast,  OneKey(kRO | kAccess),                               ZScore,
     {"Tell the score of a member.", "1.2.0", "O(1)", "key member"}},
    {"zunion",           -3, kReadOnly,          NumberedKeys(kRO | kAccess),                         ZUnion,
     {"Tell the members that any of the sorted sets has.", "6.2.0", "O(n log n) in the members of all sorted sets",
      "numkeys:int key... [WEIGHTS weight:int]... [AGGREGATE aggregate=(SUM | MIN | MAX)] [WITHSCORES]"}},
    {"zunionstore",      -4, kStore,             TargetAndNumberedKeys(kOW | kUpdate, kRO | kAccess), ZUnionStore,
     {"Store the members that any of the sorted sets has.", "2.0.0", "O(n log n) in the members of all sorted sets",
      "destination:key numkeys:int key... [WEIGHTS weight:int]... [AGGREGATE aggregate=(SUM | MIN | MAX)]"}},
};
// clang-format on

}  // namespace

Result<types::SortedSet> SortedSetOf(const Call& call, Bytes key) {
  return types::SortedSet::Open(call.space(), key);
}

PairShape ShapeFor(const Call& call) {
  return call.reply.version() == ProtocolVersion::kResp3 ? PairShape::kNested : PairShape::kFlat;
}

void WritePair(Call& call, Bytes name, double score, PairShape shape) {
  if (shape == PairShape::kNested) call.reply.Array(2);
  call.reply.Bulk(name);
  call.reply.Double(score);
}

void WriteScored(Call& call, std::span<const types::ScoredName> all, bool with_scores) {
  const PairShape shape = ShapeFor(call);
  const bool doubled = with_scores && shape == PairShape::kFlat;
  call.reply.Array(doubled ? 2 * all.size() : all.size());
  for (const types::ScoredName& one : all) {
    with_scores ? WritePair(call, one.name, one.score, shape) : call.reply.Bulk(one.name);
  }
}

Answer StoreScored(Call& call, Bytes key, std::span<const types::ScoredName> all,
                   std::string_view event) {
  MAYFLY_TRY(const bool existed, call.space().Delete(key));
  if (!all.empty()) {
    MAYFLY_RETURN_IF_ERROR(types::SortedSet::Replace(call.space(), key, all));
    if (!existed) call.Notify(NotifyClass::kNew, "new", key);
    call.Notify(NotifyClass::kSortedSet, event, key);
  } else if (existed) {
    call.Notify(NotifyClass::kGeneric, "del", key);
  }
  call.reply.Integer(static_cast<std::int64_t>(all.size()));
  return {};
}

void NotifySortedSet(const Call& call, const types::SortedSet& sorted_set, std::string_view event,
                     Bytes key) {
  if (sorted_set.is_new()) call.Notify(NotifyClass::kNew, "new", key);
  call.Notify(NotifyClass::kSortedSet, event, key);
  if (sorted_set.empty()) call.Notify(NotifyClass::kGeneric, "del", key);
}

CommandFamily SortedSetFamily() { return {"sorted-set", Category::kSortedSet, kSortedSetCommands}; }

}  // namespace mayfly::server
