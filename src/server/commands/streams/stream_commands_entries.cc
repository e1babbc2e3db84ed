// stream_commands_entries.cc - commands on the entries of one stream.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/streams/stream_arguments.h"
#include "server/commands/streams/stream_commands.h"

namespace mayfly::server {
namespace {

using types::Stream;
using types::StreamId;

Status NotBehindTheLast() {
  return Status::Invalid(
      "The ID specified in XADD is equal or smaller than the target stream top item");
}

// The id of the new entry, which must lie behind the last one.
Result<StreamId> NewId(const Stream& stream, const NewIdArgument& wanted) {
  const StreamId last = stream.head().last;
  std::optional<StreamId> id = wanted.id;
  if (!id) {
    id = stream.NextId();
  } else if (!wanted.has_sequence && id->ms == last.ms) {
    if (last.sequence == UINT64_MAX) return NotBehindTheLast();
    id = StreamId{last.ms, last.sequence + 1};
  }
  if (!id || *id <= last) return NotBehindTheLast();
  return *id;
}

TrimRules RulesOf(const Call& call) {
  return {.node_entries = call.host.encoding_limits().stream_node_entries,
          .from_leader = call.host.is_leader()};
}

// Followers hear of entries that have died before a change that depends on which there are: to them
// they may be living.
Status TellDeaths(const Call& call, const Stream& stream) {
  return stream.head().aged ? call.space().MeetDeadMembers(call.args[1]) : Status();
}

// What a trim has left: the newest entries, so many.
Status FeedTrimmed(const Call& call, const Stream& stream) {
  call.feed->Instead({"XTRIM", call.args[1], "MAXLEN", "=", std::to_string(stream.size())});
  return TellDeaths(call, stream);
}

// With the id that was given out. A max age does not travel; the deaths that it causes do.
void FeedAdded(const Call& call, StreamId id, std::span<const Bytes> fields) {
  const std::string text = types::ToText(id);
  std::vector<Bytes> command = {"XADD", call.args[1], text};
  command.insert(command.end(), fields.begin(), fields.end());
  call.feed->Instead(command);
}

struct RangeOptions {
  std::uint64_t count = UINT64_MAX;
  bool nothing = false;  // COUNT 0 or below.
};

Result<RangeOptions> ParseRangeOptions(std::span<const Bytes> args) {
  RangeOptions options;
  for (std::size_t i = 0; i < args.size(); i += 2) {
    if (!IsWord(args[i], "count") || i + 1 == args.size()) return SyntaxError();
    MAYFLY_TRY(const std::int64_t count, IntegerArgument(args[i + 1]));
    options.nothing = count <= 0;
    options.count = static_cast<std::uint64_t>(count);
  }
  return options;
}

Answer Range(Call& call, types::StreamOrder order) {
  const bool ascending = order == types::StreamOrder::kAscending;
  MAYFLY_TRY(const StreamId first, RangeStartArgument(call.args[ascending ? 2 : 3]));
  MAYFLY_TRY(const StreamId last, RangeEndArgument(call.args[ascending ? 3 : 2]));
  MAYFLY_TRY(const RangeOptions options, ParseRangeOptions(call.args.subspan(4)));
  MAYFLY_TRY(const Stream stream, StreamAt(call, call.args[1]));
  if (!stream.exists()) {
    call.reply.Array(0);
    return {};
  }
  if (options.nothing) {
    call.reply.NullArray();
    return {};
  }
  const auto shown = call.reply.BeginDeferred(Aggregate::kArray);
  MAYFLY_TRY(const std::uint64_t count,
             stream.Walk(first, last, options.count, order,
                         [&](StreamId id, Bytes entry) { ReplyEntry(call, id, entry); }));
  call.reply.EndDeferred(shown, count);
  return {};
}

struct SetIdOptions {
  std::optional<std::uint64_t> added;
  std::optional<StreamId> newest_removed;
};

Result<SetIdOptions> ParseSetIdOptions(std::span<const Bytes> args, StreamId id) {
  SetIdOptions options;
  for (std::size_t i = 0; i < args.size(); i += 2) {
    if (i + 1 == args.size()) return SyntaxError();
    if (IsWord(args[i], "entriesadded")) {
      MAYFLY_TRY(const std::int64_t added, IntegerArgument(args[i + 1]));
      if (added < 0) return Status::Invalid("entries_added must be positive");
      options.added = static_cast<std::uint64_t>(added);
    } else if (IsWord(args[i], "maxdeletedid")) {
      MAYFLY_TRY(options.newest_removed, StreamIdArgument(args[i + 1]));
      if (id < *options.newest_removed) {
        return Status::Invalid(
            "The ID specified in XSETID is smaller than the provided max_deleted_entry_id");
      }
    } else {
      return SyntaxError();
    }
  }
  return options;
}

}  // namespace

Answer XAdd(Call& call) {
  MAYFLY_TRY(const StreamOptions options,
             ParseStreamOptions(call.args, StreamOptionsOf::kXAdd, RulesOf(call)));
  const std::size_t at = options.fields_at;
  if (at + 2 > call.args.size() || (call.args.size() - at) % 2 != 0) return WrongArity("xadd");
  if (options.id.id && options.id.has_sequence && options.id.id->is_zero()) {
    return Status::Invalid("The ID specified in XADD must be greater than 0-0");
  }
  const Bytes key = call.args[1];
  MAYFLY_TRY(Stream stream, StreamAt(call, key));
  if (!stream.exists()) {
    if (!options.make_stream) {
      call.reply.Null();
      return {};
    }
    MAYFLY_RETURN_IF_ERROR(stream.Make());
  }
  if (stream.head().last == types::kStreamIdMax) {
    return Status::Invalid(
        "The stream has exhausted the last possible ID, unable to add more items");
  }
  MAYFLY_TRY(const StreamId id, NewId(stream, options.id));
  if (options.max_age) stream.SetMaxAge(*options.max_age);
  MAYFLY_RETURN_IF_ERROR(stream.Add(id, call.args.subspan(at)));
  if (stream.is_new()) call.Notify(NotifyClass::kNew, "new", key);
  NotifyStream(call, key, "xadd");
  if (call.feed != nullptr) FeedAdded(call, id, call.args.subspan(at));
  if (options.trim) {
    MAYFLY_TRY(const std::uint64_t removed, stream.Trim(*options.trim));
    if (removed > 0) NotifyStream(call, key, "xtrim");
    if (removed > 0 && call.feed != nullptr) MAYFLY_RETURN_IF_ERROR(FeedTrimmed(call, stream));
  }
  MAYFLY_RETURN_IF_ERROR(stream.Save());
  ReplyId(call, id);
  return {};
}

Answer XLen(Call& call) {
  MAYFLY_TRY(const Stream stream, StreamAt(call, call.args[1]));
  call.reply.Integer(static_cast<std::int64_t>(stream.size()));
  return {};
}

Answer XRange(Call& call) { return Range(call, types::StreamOrder::kAscending); }
Answer XRevRange(Call& call) { return Range(call, types::StreamOrder::kDescending); }

Answer XDel(Call& call) {
  MAYFLY_TRY(Stream stream, StreamAt(call, call.args[1]));
  if (!stream.exists()) {
    call.reply.Integer(0);
    return {};
  }
  MAYFLY_TRY(const auto ids, StreamIdArguments(call.args.subspan(2)));
  std::int64_t count = 0;
  for (const StreamId id : ids) {
    MAYFLY_TRY(const bool removed, stream.Remove(id));
    count += removed ? 1 : 0;
  }
  if (count > 0) {
    MAYFLY_RETURN_IF_ERROR(stream.Save());
    NotifyStream(call, call.args[1], "xdel");
  }
  call.reply.Integer(count);
  return {};
}

Answer XTrim(Call& call) {
  MAYFLY_TRY(const StreamOptions options,
             ParseStreamOptions(call.args, StreamOptionsOf::kXTrim, RulesOf(call)));
  MAYFLY_TRY(Stream stream, StreamAt(call, call.args[1]));
  std::uint64_t removed = 0;
  if (stream.exists()) {
    MAYFLY_TRY(removed, stream.Trim(*options.trim));
  }
  if (removed > 0) {
    MAYFLY_RETURN_IF_ERROR(stream.Save());
    NotifyStream(call, call.args[1], "xtrim");
    if (call.feed != nullptr) MAYFLY_RETURN_IF_ERROR(FeedTrimmed(call, stream));
  }
  call.reply.Integer(static_cast<std::int64_t>(removed));
  return {};
}

Answer XSetId(Call& call) {
  MAYFLY_TRY(const StreamId id, StreamIdArgument(call.args[2]));
  MAYFLY_TRY(const SetIdOptions options, ParseSetIdOptions(call.args.subspan(3), id));
  MAYFLY_TRY(Stream stream, StreamAt(call, call.args[1]));
  if (!stream.exists()) return NoSuchKey();
  MAYFLY_TRY(const auto last, stream.LastId());
  if (last && id < *last) {
    return Status::Invalid("The ID specified in XSETID is smaller than the target stream top item");
  }
  if (last && options.added && *options.added < stream.size()) {
    return Status::Invalid(
        "The entries_added specified in XSETID is smaller than the target stream length");
  }
  if (call.feed != nullptr) MAYFLY_RETURN_IF_ERROR(TellDeaths(call, stream));
  stream.SetLast(id);
  if (options.added) stream.SetAdded(*options.added);
  if (options.newest_removed && !options.newest_removed->is_zero()) {
    stream.SetNewestRemoved(*options.newest_removed);
  }
  MAYFLY_RETURN_IF_ERROR(stream.Save());
  NotifyStream(call, call.args[1], "xsetid");
  call.reply.Ok();
  return {};
}

// XMAXAGE key [milliseconds]
Answer XMaxAge(Call& call) {
  if (call.args.size() > 3) return WrongArity("xmaxage");
  std::optional<Millis> max_age;
  if (call.args.size() == 3) {
    MAYFLY_TRY(max_age, MaxAgeArgument(call.args[2]));
  }
  MAYFLY_TRY(Stream stream, StreamAt(call, call.args[1]));
  if (!stream.exists()) return NoSuchKey();
  if (!max_age) {
    call.reply.Integer(stream.head().max_age.count());
    return {};
  }
  stream.SetMaxAge(*max_age);
  if (call.feed != nullptr) call.feed->Nothing();
  MAYFLY_RETURN_IF_ERROR(stream.Save());
  NotifyStream(call, call.args[1], "xmaxage");
  call.reply.Ok();
  return {};
}

}  // namespace mayfly::server
