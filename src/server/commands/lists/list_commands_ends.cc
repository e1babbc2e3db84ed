// list_commands_ends.cc - the ends of lists: push, pop, and move from one list to another.
#include <string>
#include <utility>
#include <vector>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/lists/list_commands.h"
#include "server/commands/support/count_arguments.h"

namespace mayfly::server {
namespace {

using types::ListEnd;

constexpr Bytes NameOf(ListEnd end) { return end == ListEnd::kHead ? "LEFT" : "RIGHT"; }

enum class IfMissing : std::uint8_t { kMake, kLeave };

Answer Push(Call& call, ListEnd end, IfMissing if_missing) {
  MAYFLY_TRY(types::List list, ListOf(call));
  if (!list.empty() || if_missing == IfMissing::kMake) {
    MAYFLY_RETURN_IF_ERROR(list.Push(end, call.args.subspan(2)));
    NotifyPush(call, list, call.args[1], end);
  }
  call.reply.Integer(static_cast<std::int64_t>(list.size()));
  return {};
}

void ReplyValues(Call& call, const std::vector<std::string>& values) {
  call.reply.Array(values.size());
  for (const std::string& value : values) call.reply.Bulk(value);
}

// LPOP and RPOP with a count: an array, even if empty, and a null for no list.
Answer PopSome(Call& call, ListEnd end) {
  MAYFLY_TRY(const std::int64_t count, NaturalArgument(call.args[2], NotPositive()));
  MAYFLY_TRY(types::List list, ListOf(call));
  if (list.empty()) {
    call.reply.NullArray();
    return {};
  }
  if (count == 0) {
    call.reply.Array(0);
    return {};
  }
  MAYFLY_TRY(const auto values, list.Pop(end, static_cast<std::uint64_t>(count)));
  NotifyPop(call, list, call.args[1], end);
  ReplyValues(call, values);
  return {};
}

Answer Pop(Call& call, ListEnd end, std::string_view command) {
  if (call.args.size() > 3) return WrongArity(command);
  if (call.args.size() == 3) return PopSome(call, end);
  MAYFLY_TRY(types::List list, ListOf(call));
  if (list.empty()) {
    call.reply.Null();
    return {};
  }
  MAYFLY_TRY(const auto values, list.Pop(end, 1));
  NotifyPop(call, list, call.args[1], end);
  call.reply.Bulk(values.front());
  return {};
}

Answer Move(Call& call, const MoveRequest& request) {
  MAYFLY_TRY(types::List from, ListOf(call));
  MAYFLY_TRY(const bool moved, MoveValue(call, request, from));
  if (!moved) call.reply.Null();
  return {};
}

}  // namespace

Result<PopRequest> ReadPopRequest(std::span<const Bytes> args) {
  MAYFLY_TRY(const std::int64_t number, PositiveArgument(args[0], "numkeys"));
  const auto keys = static_cast<std::uint64_t>(number);
  auto rest = args.subspan(1);
  if (keys >= rest.size()) return SyntaxError();
  PopRequest request{.keys = rest.first(keys)};
  rest = rest.subspan(keys);
  MAYFLY_TRY(request.end, EndArgument(rest[0]));
  rest = rest.subspan(1);
  if (rest.empty()) return request;
  if (rest.size() < 2 || !IsWord(rest[0], "count")) return SyntaxError();
  MAYFLY_TRY(const std::int64_t count, PositiveArgument(rest[1], "count"));
  request.count = static_cast<std::uint64_t>(count);
  if (rest.size() > 2) return SyntaxError();
  return request;
}

Result<bool> MoveValue(Call& call, const MoveRequest& request, types::List& from) {
  if (from.empty()) return false;
  const std::uint64_t position = request.from_end == ListEnd::kHead ? 0 : from.size() - 1;
  MAYFLY_TRY(const std::string value, from.At(position));
  const Bytes pushed = value;
  // Pushed before it is popped: a list rotated in itself is never empty, and keeps its deadline.
  if (request.from == request.to) {
    MAYFLY_RETURN_IF_ERROR(from.Push(request.to_end, std::span(&pushed, 1)));
    NotifyPush(call, from, request.to, request.to_end);
  } else {
    MAYFLY_TRY(types::List to, types::List::Open(call.space(), request.to));
    MAYFLY_RETURN_IF_ERROR(to.Push(request.to_end, std::span(&pushed, 1)));
    NotifyPush(call, to, request.to, request.to_end);
  }
  MAYFLY_RETURN_IF_ERROR(from.Pop(request.from_end, 1).status());
  NotifyPop(call, from, request.from, request.from_end);
  if (call.feed != nullptr) {
    call.feed->Instead(
        {"LMOVE", request.from, request.to, NameOf(request.from_end), NameOf(request.to_end)});
  }
  call.reply.Bulk(value);
  return true;
}

Result<bool> PopFirst(Call& call, const PopRequest& request, PopReply shape) {
  for (const Bytes key : request.keys) {
    Result<types::List> opened = types::List::Open(call.space(), key);
    if (!opened && opened.error().code() == StatusCode::kWrongType && call.retried) continue;
    MAYFLY_TRY(types::List list, std::move(opened));
    if (list.empty()) continue;
    MAYFLY_TRY(const auto values, list.Pop(request.end, request.count));
    NotifyPop(call, list, key, request.end);
    if (call.feed != nullptr) {
      call.feed->Instead(
          {request.end == ListEnd::kHead ? "LPOP" : "RPOP", key, std::to_string(values.size())});
    }
    call.reply.Array(2);
    call.reply.Bulk(key);
    if (shape == PopReply::kKeyAndValue) {
      call.reply.Bulk(values.front());
    } else {
      ReplyValues(call, values);
    }
    return true;
  }
  return false;
}

Answer LPush(Call& call) { return Push(call, ListEnd::kHead, IfMissing::kMake); }
Answer RPush(Call& call) { return Push(call, ListEnd::kTail, IfMissing::kMake); }
Answer LPushX(Call& call) { return Push(call, ListEnd::kHead, IfMissing::kLeave); }
Answer RPushX(Call& call) { return Push(call, ListEnd::kTail, IfMissing::kLeave); }
Answer LPop(Call& call) { return Pop(call, ListEnd::kHead, "lpop"); }
Answer RPop(Call& call) { return Pop(call, ListEnd::kTail, "rpop"); }

Answer LLen(Call& call) {
  MAYFLY_TRY(const types::List list, ListOf(call));
  call.reply.Integer(static_cast<std::int64_t>(list.size()));
  return {};
}

Answer LMove(Call& call) {
  MAYFLY_TRY(const ListEnd from_end, EndArgument(call.args[3]));
  MAYFLY_TRY(const ListEnd to_end, EndArgument(call.args[4]));
  return Move(call, {call.args[1], call.args[2], from_end, to_end});
}

Answer RPopLPush(Call& call) {
  return Move(call, {call.args[1], call.args[2], ListEnd::kTail, ListEnd::kHead});
}

Answer LMPop(Call& call) {
  MAYFLY_TRY(const PopRequest request, ReadPopRequest(call.args.subspan(1)));
  MAYFLY_TRY(const bool popped, PopFirst(call, request, PopReply::kKeyAndValues));
  if (!popped) call.reply.NullArray();
  return {};
}

}  // namespace mayfly::server
