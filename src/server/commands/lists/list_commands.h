// list_commands.h - the handlers of the list family, by file, and the functions they share.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "server/command/command.h"
#include "types/list.h"

namespace mayfly::server {

// The list under the command's first key.
Result<types::List> ListOf(Call& call);

// LEFT or RIGHT; a syntax error otherwise.
Result<types::ListEnd> EndArgument(Bytes argument);

// Notify of what happened to the list under `key`, also if it is new or was deleted.
void NotifyList(Call& call, const types::List& list, Bytes key, std::string_view event);
void NotifyPush(Call& call, const types::List& list, Bytes key, types::ListEnd end);
void NotifyPop(Call& call, const types::List& list, Bytes key, types::ListEnd end);

// How many values to pop, and from which end.
struct PopRequest {
  std::span<const Bytes> keys;
  types::ListEnd end = types::ListEnd::kHead;
  std::uint64_t count = 1;
};

// The arguments of LMPOP from numkeys on.
Result<PopRequest> ReadPopRequest(std::span<const Bytes> args);

// A move of a value from one list to another, or within one.
struct MoveRequest {
  Bytes from;
  Bytes to;
  types::ListEnd from_end = types::ListEnd::kHead;
  types::ListEnd to_end = types::ListEnd::kHead;
};

// Moves and replies with the value. False, without a reply, when there is nothing to move.
Result<bool> MoveValue(Call& call, const MoveRequest& request, types::List& from);

// Pops from the first list that is not empty, and replies with its key and the values: as LMPOP, or
// as BLPOP. False, without a reply, when there is none. A key of another type is an error, unless
// the command has waited: then it is skipped, as in Redis.
enum class PopReply : std::uint8_t { kKeyAndValues, kKeyAndValue };
Result<bool> PopFirst(Call& call, const PopRequest& request, PopReply shape);

// list_commands_ends.cc
Answer LPush(Call& call);
Answer RPush(Call& call);
Answer LPushX(Call& call);
Answer RPushX(Call& call);
Answer LPop(Call& call);
Answer RPop(Call& call);
Answer LLen(Call& call);
Answer LMove(Call& call);
Answer RPopLPush(Call& call);
Answer LMPop(Call& call);

// list_commands_positions.cc
Answer LIndex(Call& call);
Answer LSet(Call& call);
Answer LRange(Call& call);
Answer LTrim(Call& call);
Answer LRem(Call& call);
Answer LInsert(Call& call);
Answer LPos(Call& call);

// list_commands_blocking.cc
Answer BLPop(Call& call);
Answer BRPop(Call& call);
Answer BLMove(Call& call);
Answer BRPopLPush(Call& call);
Answer BLMPop(Call& call);

}  // namespace mayfly::server
