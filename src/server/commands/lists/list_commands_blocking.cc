// list_commands_blocking.cc - commands that wait for a list to have an element. When their keys are
// empty they ask their host to block; after a change they run again from the start. Where blocking
// is not allowed, in a transaction or a script, they time out at once.
#include <optional>
#include <utility>

#include "server/command/block_timeout.h"
#include "server/commands/lists/list_commands.h"

namespace mayfly::server {
namespace {

using types::ListEnd;

Answer Block(HostClient& client, std::span<const Bytes> keys, std::optional<Millis> timeout) {
  client.Block({.keys = {keys.begin(), keys.end()}, .timeout = timeout, .null_array = true});
  return Answer::Later();
}

Answer PopOrBlock(Call& call, const PopRequest& request, Bytes timeout_argument, PopReply shape) {
  MAYFLY_TRY(const auto timeout, BlockTimeout(timeout_argument, call.now()));
  MAYFLY_TRY(const bool popped, PopFirst(call, request, shape));
  if (popped) return {};
  if (call.may_block) return Block(call.host, request.keys, timeout);
  call.reply.NullArray();
  return {};
}

Answer PopOneOrBlock(Call& call, ListEnd end) {
  const auto keys = call.args.subspan(1, call.args.size() - 2);
  return PopOrBlock(call, {.keys = keys, .end = end}, call.args.back(), PopReply::kKeyAndValue);
}

Answer MoveOrBlock(Call& call, const MoveRequest& request) {
  MAYFLY_TRY(const auto timeout, BlockTimeout(call.args.back(), call.now()));
  Result<types::List> from = ListOf(call);
  const bool passed_over = !from && from.error().code() == StatusCode::kWrongType && call.retried;
  if (!from && !passed_over) return std::move(from).error();
  if (from) {
    MAYFLY_TRY(const bool moved, MoveValue(call, request, *from));
    if (moved) return {};
  }
  if (call.may_block) return Block(call.host, std::span(&request.from, 1), timeout);
  call.reply.Null();
  return {};
}

}  // namespace

Answer BLPop(Call& call) { return PopOneOrBlock(call, ListEnd::kHead); }
Answer BRPop(Call& call) { return PopOneOrBlock(call, ListEnd::kTail); }

Answer BLMove(Call& call) {
  MAYFLY_TRY(const ListEnd from_end, EndArgument(call.args[3]));
  MAYFLY_TRY(const ListEnd to_end, EndArgument(call.args[4]));
  return MoveOrBlock(call, {call.args[1], call.args[2], from_end, to_end});
}

Answer BRPopLPush(Call& call) {
  return MoveOrBlock(call, {call.args[1], call.args[2], ListEnd::kTail, ListEnd::kHead});
}

Answer BLMPop(Call& call) {
  MAYFLY_TRY(const PopRequest request, ReadPopRequest(call.args.subspan(2)));
  return PopOrBlock(call, request, call.args[1], PopReply::kKeyAndValues);
}

}  // namespace mayfly::server
