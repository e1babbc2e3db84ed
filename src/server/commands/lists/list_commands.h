// list_commands.h - what the files of the list family share: its handlers, by file, and a few steps
// that most of them take.
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

// Tell what happened to the list under `key`: that it is new, or went, too.
void NotifyList(Call& call, const types::List& list, Bytes key, std::string_view event);
void NotifyPush(Call& call, const types::List& list, Bytes key, types::ListEnd end);
void NotifyPop(Call& call, const types::List& list, Bytes key, types::ListEnd end);

// What is popped, and from where.
struct PopRequest {
  std::span<const Bytes> keys;
  types::ListEnd end = types::ListEnd::kHead;
  std::uint64_t count = 1;
};

// The arguments of LMPOP from numkeys on.
Result<PopRequest> ReadPopRequest(std::span<const Bytes> args);

// A value taken off one list and put on another, or on the same.
struct MoveRequest {
  Bytes from;
  Bytes to;
  types::ListEnd from_end = types::ListEnd::kHead;
  types::ListEnd to_end = types::ListEnd::kHead;
};

// Moves and replies with the value. False, without a reply, when there is nothing to move.
Result<bool> MoveValue(Call& call, const MoveRequest& request, types::List& from);

// Pops from the first list that has something, and replies with its key and what was popped: as
// LMPOP, or as BLPOP. False, without a reply, when none has. A key of another type is an error,
// unless the command waited and looks again: then it is passed over, as Redis does.
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
