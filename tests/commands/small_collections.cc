#include "small_collections.h"

#include "server/command/arguments.h"
#include "server/commands/data_families.h"
#include "types/hash.h"
#include "types/list.h"
#include "types/set.h"
#include "types/sorted_set.h"

namespace mayfly::server {
namespace {

Answer RPush(Call& call) {
  MAYFLY_TRY(types::List list, types::List::Open(call.space(), call.args[1]));
  MAYFLY_RETURN_IF_ERROR(list.Push(types::ListEnd::kTail, call.args.subspan(2)));
  call.reply.Integer(static_cast<std::int64_t>(list.size()));
  return {};
}

Answer LAll(Call& call) {
  MAYFLY_TRY(const types::List list, types::List::Open(call.space(), call.args[1]));
  call.reply.Array(list.size());
  return list.WalkToTail(0, [&](std::uint64_t, Bytes value) {
    call.reply.Bulk(value);
    return true;
  });
}

Answer HSet(Call& call) {
  MAYFLY_TRY(types::Hash hash, types::Hash::Open(call.space(), call.args[1]));
  std::int64_t fresh = 0;
  for (std::size_t i = 2; i + 1 < call.args.size(); i += 2) {
    MAYFLY_TRY(const bool is_new, hash.Put(call.args[i], call.args[i + 1]));
    fresh += is_new ? 1 : 0;
  }
  call.reply.Integer(fresh);
  return {};
}

Answer HGet(Call& call) {
  MAYFLY_TRY(const types::Hash hash, types::Hash::Open(call.space(), call.args[1]));
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(hash.Find(call.args[2], found));
  if (found.exists) {
    call.reply.Bulk(found.value);
  } else {
    call.reply.Null();
  }
  return {};
}

Answer SAdd(Call& call) {
  MAYFLY_TRY(types::Set set, types::Set::Open(call.space(), call.args[1]));
  std::int64_t fresh = 0;
  for (const Bytes name : call.args.subspan(2)) {
    MAYFLY_TRY(const bool is_new, set.Add(name));
    fresh += is_new ? 1 : 0;
  }
  call.reply.Integer(fresh);
  return {};
}

Answer SCard(Call& call) {
  MAYFLY_TRY(const types::Set set, types::Set::Open(call.space(), call.args[1]));
  call.reply.Integer(static_cast<std::int64_t>(set.size()));
  return {};
}

Answer ZAdd(Call& call) {
  MAYFLY_TRY(types::SortedSet set, types::SortedSet::Open(call.space(), call.args[1]));
  std::int64_t fresh = 0;
  for (std::size_t i = 2; i + 1 < call.args.size(); i += 2) {
    MAYFLY_TRY(const double score, DoubleArgument(call.args[i]));
    MAYFLY_TRY(const types::ScoreOutcome outcome, set.Put(call.args[i + 1], score));
    fresh += outcome.added ? 1 : 0;
  }
  call.reply.Integer(fresh);
  return {};
}

Answer ZScore(Call& call) {
  MAYFLY_TRY(const types::SortedSet set, types::SortedSet::Open(call.space(), call.args[1]));
  MAYFLY_TRY(const std::optional<double> score, set.Score(call.args[2]));
  if (score) {
    call.reply.Double(*score);
  } else {
    call.reply.Null();
  }
  return {};
}

// clang-format off
constexpr CommandSpec kCommands[] = {
    {"hget",   3,  kReadOnly, OneKey(kRO | kAccess), HGet,   "As Redis has it."},
    {"hset",   -4, kWrite,    OneKey(kRW | kUpdate), HSet,   "As Redis has it."},
    {"lall",   2,  kReadOnly, OneKey(kRO | kAccess), LAll,   "LRANGE of all."},
    {"rpush",  -3, kWrite,    OneKey(kRW | kUpdate), RPush,  "As Redis has it."},
    {"sadd",   -3, kWrite,    OneKey(kRW | kUpdate), SAdd,   "As Redis has it."},
    {"scard",  2,  kReadOnly, OneKey(kRO | kAccess), SCard,  "As Redis has it."},
    {"zadd",   -4, kWrite,    OneKey(kRW | kUpdate), ZAdd,   "Without options."},
    {"zscore", 3,  kReadOnly, OneKey(kRO | kAccess), ZScore, "As Redis has it."},
};
// clang-format on

}  // namespace

CommandFamily SmallCollections() { return {"test", Category::kString, kCommands}; }

std::unique_ptr<CommandTester> NewDataTester(CommandTester::Rows rows) {
  std::vector<CommandFamily> families = DataFamilies();
  families.insert(families.begin(), SmallCollections());
  auto tester = std::make_unique<CommandTester>(families, rows);
  tester->SetEncodingLimits({.hash_entries = 512,
                             .hash_bytes = 64,
                             .set_integers = 512,
                             .sorted_set_entries = 128,
                             .sorted_set_bytes = 64});
  return tester;
}

}  // namespace mayfly::server
