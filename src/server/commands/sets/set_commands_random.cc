// set_commands_random.cc - random members of sets.
#include "server/command/errors.h"
#include "server/commands/sets/set_commands.h"
#include "server/commands/support/count_arguments.h"
#include "types/set.h"

namespace mayfly::server {
namespace {

// Removes `count` members and returns them.
Result<std::vector<std::string>> Take(types::Set& set, std::uint64_t count, Random& random) {
  std::vector<std::string> names;
  MAYFLY_RETURN_IF_ERROR(
      set.DrawDistinct(count, random, [&](Bytes name) { names.emplace_back(name); }));
  if (names.size() == set.size()) {
    MAYFLY_RETURN_IF_ERROR(set.Clear());
    return names;
  }
  for (const std::string& name : names) {
    MAYFLY_RETURN_IF_ERROR(set.Remove(name).status());
  }
  return names;
}

void FeedRemoved(const Call& call, const types::Set& set, const std::vector<std::string>& names) {
  if (set.empty()) return call.feed->Instead({"DEL", call.args[1]});
  std::vector<Bytes> command = {"SREM", call.args[1]};
  command.insert(command.end(), names.begin(), names.end());
  call.feed->Instead(command);
}

}  // namespace

Answer SPop(Call& call) {
  if (call.args.size() > 3) return SyntaxError();
  const bool single = call.args.size() == 2;
  std::int64_t count = 1;
  if (!single) {
    MAYFLY_TRY(count, NaturalArgument(call.args[2], NotPositive()));
  }
  MAYFLY_TRY(types::Set set, types::Set::Open(call.space(), call.args[1]));
  std::vector<std::string> names;
  if (!set.empty() && count > 0) {
    MAYFLY_TRY(names, Take(set, static_cast<std::uint64_t>(count), call.host.random()));
    NotifySet(call, set, "spop", call.args[1]);
    if (call.feed != nullptr) FeedRemoved(call, set, names);
  }
  if (single) {
    names.empty() ? call.reply.Null() : call.reply.Bulk(names.front());
    return {};
  }
  call.reply.Set(names.size());
  for (const std::string& name : names) call.reply.Bulk(name);
  return {};
}

Answer SRandMember(Call& call) {
  if (call.args.size() > 3) return SyntaxError();
  const bool single = call.args.size() == 2;
  DrawCount count{.draws = 1, .with_repetition = false};
  if (!single) {
    MAYFLY_TRY(count, DrawCountArgument(call, call.args[2]));
  }
  MAYFLY_TRY(const types::Set set, SetOf(call, call.args[1]));
  if (single && set.empty()) {
    call.reply.Null();
    return {};
  }
  const std::uint64_t wanted = count.Of(set.size());
  if (!single) call.reply.Array(wanted);
  std::uint64_t shown = 0;
  const auto show = [&](Bytes name) {
    call.reply.Bulk(name);
    ++shown;
  };
  Random& random = call.host.random();
  MAYFLY_RETURN_IF_ERROR(count.with_repetition ? set.DrawWithRepetition(wanted, random, show)
                                               : set.DrawDistinct(wanted, random, show));
  return CheckShown(wanted, shown);
}

}  // namespace mayfly::server
