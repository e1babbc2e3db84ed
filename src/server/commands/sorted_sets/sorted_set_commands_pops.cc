// sorted_set_commands_pops.cc - pops members from an end of a sorted set, at once or by blocking.
#include "server/command/arguments.h"
#include "server/command/block_timeout.h"
#include "server/command/errors.h"
#include "server/commands/sorted_sets/sorted_set_arguments.h"
#include "server/commands/sorted_sets/sorted_set_commands.h"
#include "server/commands/support/count_arguments.h"
#include "types/sorted_set.h"

namespace mayfly::server {
namespace {

using types::ScoredName;
using types::SortedSet;

enum class End : std::uint8_t { kMin, kMax };

struct PopRequest {
  std::span<const Bytes> keys;
  End end;
  std::int64_t count = 1;
};

struct Popped {
  Bytes key;  // The request's. The rest is empty when no key has a sorted set.
  std::vector<ScoredName> members;
};

Result<std::vector<ScoredName>> PopFrom(Call& call, Bytes key, SortedSet& sorted_set, End end,
                                        std::int64_t count) {
  if (sorted_set.empty() || count == 0) return std::vector<ScoredName>();
  const types::RangeQuery query{.range = types::RankRange{.first = 0, .last = count - 1},
                                .reverse = end == End::kMax};
  MAYFLY_TRY(auto members, sorted_set.Take(query));
  NotifySortedSet(call, sorted_set, end == End::kMin ? "zpopmin" : "zpopmax", key);
  if (call.feed != nullptr) {
    call.feed->Instead(
        {end == End::kMin ? "ZPOPMIN" : "ZPOPMAX", key, std::to_string(members.size())});
  }
  return members;
}

// From the first key that has any. A client that has waited keeps waiting when its key holds
// another type.
Result<Popped> PopFirst(Call& call, const PopRequest& request) {
  for (const Bytes key : request.keys) {
    Result<SortedSet> found = SortedSet::Open(call.space(), key);
    if (!found && found.error().code() == StatusCode::kWrongType && call.retried) continue;
    MAYFLY_TRY(SortedSet sorted_set, std::move(found));
    if (sorted_set.empty()) continue;
    MAYFLY_TRY(auto members, PopFrom(call, key, sorted_set, request.end, request.count));
    return Popped{key, std::move(members)};
  }
  return Popped{};
}

Answer PopOne(Call& call, End end) {
  if (call.args.size() > 3) return SyntaxError();
  const bool counted = call.args.size() == 3;
  std::int64_t count = 1;
  if (counted) {
    MAYFLY_TRY(count, NaturalArgument(call.args[2], NotPositive()));
  }
  MAYFLY_TRY(SortedSet sorted_set, SortedSet::Open(call.space(), call.args[1]));
  MAYFLY_TRY(const auto members, PopFrom(call, call.args[1], sorted_set, end, count));
  const PairShape shape = counted ? ShapeFor(call) : PairShape::kFlat;
  call.reply.Array(shape == PairShape::kFlat ? 2 * members.size() : members.size());
  for (const ScoredName& one : members) WritePair(call, one.name, one.score, shape);
  return {};
}

Answer Wait(Call& call, std::span<const Bytes> keys, std::optional<Millis> timeout) {
  if (!call.may_block) {
    call.reply.NullArray();
    return {};
  }
  call.host.Block({.keys = {keys.begin(), keys.end()}, .timeout = timeout});
  return Answer::Later();
}

Answer PopOrWait(Call& call, End end) {
  const auto keys = call.args.subspan(1, call.args.size() - 2);
  MAYFLY_TRY(const auto timeout, BlockTimeout(call.args.back(), call.now()));
  MAYFLY_TRY(const Popped popped, PopFirst(call, {.keys = keys, .end = end}));
  if (popped.members.empty()) return Wait(call, keys, timeout);
  call.reply.Array(3);
  call.reply.Bulk(popped.key);
  WritePair(call, popped.members.front().name, popped.members.front().score, PairShape::kFlat);
  return {};
}

// From "numkeys key... MIN|MAX [COUNT count]".
Result<PopRequest> ParseRequest(std::span<const Bytes> args) {
  MAYFLY_TRY(const std::int64_t number, PositiveArgument(args[0], "numkeys"));
  if (number >= static_cast<std::int64_t>(args.size()) - 1) return SyntaxError();
  PopRequest request{.keys = args.subspan(1, static_cast<std::size_t>(number)), .end = End::kMin};
  const auto rest = args.subspan(1 + request.keys.size());
  if (IsWord(rest[0], "max")) {
    request.end = End::kMax;
  } else if (!IsWord(rest[0], "min")) {
    return SyntaxError();
  }
  if (rest.size() == 1) return request;
  if (!IsWord(rest[1], "count") || rest.size() == 2) return SyntaxError();
  MAYFLY_TRY(request.count, PositiveArgument(rest[2], "count"));
  if (rest.size() > 3) return SyntaxError();
  return request;
}

void WritePopped(Call& call, const Popped& popped) {
  call.reply.Array(2);
  call.reply.Bulk(popped.key);
  call.reply.Array(popped.members.size());
  for (const ScoredName& one : popped.members) {
    WritePair(call, one.name, one.score, PairShape::kNested);
  }
}

}  // namespace

Answer ZPopMin(Call& call) { return PopOne(call, End::kMin); }

Answer ZPopMax(Call& call) { return PopOne(call, End::kMax); }

Answer BZPopMin(Call& call) { return PopOrWait(call, End::kMin); }

Answer BZPopMax(Call& call) { return PopOrWait(call, End::kMax); }

Answer ZMPop(Call& call) {
  MAYFLY_TRY(const PopRequest request, ParseRequest(call.args.subspan(1)));
  MAYFLY_TRY(const Popped popped, PopFirst(call, request));
  popped.members.empty() ? call.reply.NullArray() : WritePopped(call, popped);
  return {};
}

Answer BZMPop(Call& call) {
  MAYFLY_TRY(const PopRequest request, ParseRequest(call.args.subspan(2)));
  MAYFLY_TRY(const auto timeout, BlockTimeout(call.args[1], call.now()));
  MAYFLY_TRY(const Popped popped, PopFirst(call, request));
  if (popped.members.empty()) return Wait(call, request.keys, timeout);
  WritePopped(call, popped);
  return {};
}

}  // namespace mayfly::server
