// stream_commands_pending.cc - XPENDING, XCLAIM and XAUTOCLAIM: entries that were given to
// consumers and not acknowledged.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/streams/stream_arguments.h"
#include "server/commands/streams/stream_commands.h"

namespace mayfly::server {
namespace {

using types::Consumer;
using types::PendingEntry;
using types::Stream;
using types::StreamGroup;
using types::StreamId;

// Of XAUTOCLAIM: entries taken over unless COUNT says otherwise, and looked at for each.
constexpr std::int64_t kClaimedDefault = 100;
constexpr std::int64_t kLooksEach = 10;
constexpr std::int64_t kClaimedMax = std::numeric_limits<std::int64_t>::max() / 16;

struct PendingQuery {
  std::int64_t idle_min = 0;
  StreamId first = {};
  StreamId last = {};
  std::uint64_t count = 0;
  std::optional<Bytes> consumer = {};
};

Result<PendingQuery> ParsePendingQuery(std::span<const Bytes> args) {
  PendingQuery query;
  std::size_t at = 3;
  if (IsWord(args[at], "idle")) {
    MAYFLY_TRY(query.idle_min, IntegerArgument(args[at + 1]));
    if (args.size() < 8) return SyntaxError();
    at += 2;
  }
  MAYFLY_TRY(const std::int64_t count, IntegerArgument(args[at + 2]));
  query.count = static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
  MAYFLY_TRY(query.first, RangeStartArgument(args[at]));
  MAYFLY_TRY(query.last, RangeEndArgument(args[at + 1]));
  if (at + 3 < args.size()) query.consumer = args[at + 3];
  return query;
}

Status ReplySummary(Call& call, StreamGroup& group) {
  MAYFLY_TRY(const auto ends, group.Ends());
  call.reply.Array(4);
  call.reply.Integer(static_cast<std::int64_t>(group.state().pending));
  if (!ends) {
    call.reply.Null();
    call.reply.Null();
    call.reply.NullArray();
    return {};
  }
  ReplyId(call, ends->first);
  ReplyId(call, ends->last);
  const auto consumers = call.reply.BeginDeferred(Aggregate::kArray);
  std::size_t shown = 0;
  MAYFLY_RETURN_IF_ERROR(group.WalkConsumers([&](const Consumer& consumer) -> Status {
    if (consumer.pending == 0) return {};
    call.reply.Array(2);
    call.reply.Bulk(consumer.name);
    call.reply.Bulk(std::to_string(consumer.pending));
    ++shown;
    return {};
  }));
  call.reply.EndDeferred(consumers, shown);
  return {};
}

Status ReplyPending(Call& call, StreamGroup& group, const PendingQuery& query) {
  const Consumer* owner = nullptr;
  if (query.consumer) {
    MAYFLY_TRY(owner, group.FindConsumer(*query.consumer));
  }
  if (query.count == 0 || (query.consumer && owner == nullptr)) {
    call.reply.Array(0);
    return {};
  }
  const auto entries = call.reply.BeginDeferred(Aggregate::kArray);
  std::uint64_t shown = 0;
  MAYFLY_RETURN_IF_ERROR(group.WalkPending(
      owner, query.first, query.last, [&](StreamId id, const PendingEntry& entry) -> Result<bool> {
        const std::int64_t idle = NowMs(call) - entry.delivered_ms;
        if (query.idle_min != 0 && idle < query.idle_min) return true;
        MAYFLY_TRY(const Consumer* const consumer, group.ConsumerOf(entry.consumer));
        call.reply.Array(4);
        ReplyId(call, id);
        call.reply.Bulk(consumer->name);
        call.reply.Integer(std::max<std::int64_t>(idle, 0));
        call.reply.Integer(static_cast<std::int64_t>(entry.deliveries));
        return ++shown < query.count;
      }));
  call.reply.EndDeferred(entries, shown);
  return {};
}

struct ClaimOptions {
  std::vector<StreamId> ids = {};
  std::int64_t delivered_ms = 0;
  std::optional<std::uint64_t> deliveries = {};
  StreamId last = {};
  bool force = false;
  bool just_ids = false;
};

Result<std::int64_t> ClaimInteger(Bytes argument, std::string_view what) {
  const auto number = IntegerArgument(argument);
  if (!number) return Status::Invalid(fmt::format("Invalid {} argument for XCLAIM", what));
  return *number;
}

Result<ClaimOptions> ParseClaimOptions(std::span<const Bytes> args, std::int64_t now_ms) {
  ClaimOptions options{.delivered_ms = now_ms};
  std::size_t at = 5;
  for (; at < args.size(); ++at) {
    const auto id = StreamIdArgument(args[at]);
    if (!id) break;
    options.ids.push_back(*id);
  }
  for (; at < args.size(); ++at) {
    const bool more = at + 1 < args.size();
    if (IsWord(args[at], "force")) {
      options.force = true;
    } else if (IsWord(args[at], "justid")) {
      options.just_ids = true;
    } else if (IsWord(args[at], "idle") && more) {
      MAYFLY_TRY(const std::int64_t idle, ClaimInteger(args[++at], "IDLE option"));
      options.delivered_ms = idle < 0 || idle > now_ms ? now_ms : now_ms - idle;
    } else if (IsWord(args[at], "time") && more) {
      MAYFLY_TRY(const std::int64_t time, ClaimInteger(args[++at], "TIME option"));
      options.delivered_ms = time < 0 || time > now_ms ? now_ms : time;
    } else if (IsWord(args[at], "retrycount") && more) {
      MAYFLY_TRY(const std::int64_t count, ClaimInteger(args[++at], "RETRYCOUNT option"));
      options.deliveries =
          count < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(count));
    } else if (IsWord(args[at], "lastid") && more) {
      MAYFLY_TRY(options.last, StreamIdArgument(args[++at]));
    } else {
      return Status::Invalid(fmt::format("Unrecognized XCLAIM option '{}'", args[at]));
    }
  }
  return options;
}

// Gives pending entries of a group to one consumer, which is made with the first of them.
class Claim {
 public:
  Claim(Call& call, StreamGroup& group, Bytes consumer_name, std::int64_t idle_min)
      : call_(call), group_(group), name_(consumer_name), idle_min_(idle_min) {}

  std::size_t claimed() const { return claimed_; }

  CommandFeed* feed() const { return call_.feed; }
  void FeedGone(StreamId id) const {
    call_.feed->Instead({"XACK", call_.args[1], group_.name(), types::ToText(id)});
  }

  // Whether the consumer that has it was given it too lately.
  bool IsFresh(const PendingEntry& entry) const {
    return idle_min_ > 0 && NowMs(call_) - entry.delivered_ms < idle_min_;
  }

  // `old` is null for an entry that nobody has.
  Status Take(StreamId id, const PendingEntry* old, std::int64_t delivered_ms,
              std::optional<std::uint64_t> deliveries, bool just_id, Bytes entry) {
    if (consumer_ == nullptr) {
      MAYFLY_TRY(consumer_, SeenConsumer(call_, call_.args[1], group_, name_));
    }
    const std::uint64_t before = old != nullptr ? old->deliveries : 1;
    const std::uint64_t count = deliveries.value_or(just_id ? before : before + 1);
    if (just_id) {
      ReplyId(call_, id);
    } else {
      ReplyEntry(call_, id, entry);
    }
    ++claimed_;
    if (call_.feed != nullptr) {
      FeedGiven(call_, call_.args[1], group_, name_, {id, delivered_ms, count});
    }
    return group_.PutPending(id, *consumer_, delivered_ms, count, old);
  }

 private:
  Call& call_;
  StreamGroup& group_;
  Bytes name_;
  std::int64_t idle_min_;
  Consumer* consumer_ = nullptr;
  std::size_t claimed_ = 0;
};

Status ClaimOne(Stream& stream, StreamGroup& group, const ClaimOptions& options, StreamId id,
                Claim& claim) {
  MAYFLY_TRY(const auto old, group.FindPending(id));
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(stream.Find(id, found));
  // What is no longer in the stream is not pending any more.
  if (!found.exists) {
    if (old && claim.feed() != nullptr) claim.FeedGone(id);
    return old ? group.RemovePending(id, *old) : Status();
  }
  if ((!old && !options.force) || (old && claim.IsFresh(*old))) return {};
  return claim.Take(id, old ? &*old : nullptr, options.delivered_ms, options.deliveries,
                    options.just_ids, found.value);
}

struct AutoClaimOptions {
  std::int64_t idle_min = 0;
  StreamId first = {};
  std::int64_t count = kClaimedDefault;
  bool just_ids = false;
};

Result<std::int64_t> IdleMinimum(Bytes argument, std::string_view command) {
  const auto idle = IntegerArgument(argument);
  if (!idle) {
    return Status::Invalid(fmt::format("Invalid min-idle-time argument for {}", command));
  }
  return std::max<std::int64_t>(*idle, 0);
}

Result<AutoClaimOptions> ParseAutoClaim(std::span<const Bytes> args) {
  AutoClaimOptions options;
  MAYFLY_TRY(options.idle_min, IdleMinimum(args[4], "XAUTOCLAIM"));
  MAYFLY_TRY(options.first, RangeStartArgument(args[5]));
  for (std::size_t i = 6; i < args.size(); ++i) {
    if (IsWord(args[i], "count") && i + 1 < args.size()) {
      const auto count = IntegerArgument(args[++i], 1, kClaimedMax);
      if (!count) return Status::Invalid("COUNT must be > 0");
      options.count = *count;
    } else if (IsWord(args[i], "justid")) {
      options.just_ids = true;
    } else {
      return SyntaxError();
    }
  }
  return options;
}

}  // namespace

Answer XPending(Call& call) {
  const std::size_t count = call.args.size();
  if (count != 3 && (count < 6 || count > 9)) return SyntaxError();
  PendingQuery query;
  if (count > 3) {
    MAYFLY_TRY(query, ParsePendingQuery(call.args));
  }
  MAYFLY_TRY(Stream stream, StreamAt(call, call.args[1]));
  MAYFLY_TRY(auto group, StreamGroup::Find(stream, call.args[2]));
  if (!group) return NoGroup(call.args[1], call.args[2]);
  return count == 3 ? ReplySummary(call, *group) : ReplyPending(call, *group, query);
}

Answer XClaim(Call& call) {
  MAYFLY_TRY(Stream stream, StreamAt(call, call.args[1]));
  MAYFLY_TRY(auto group, StreamGroup::Find(stream, call.args[2]));
  if (!group) return NoGroup(call.args[1], call.args[2]);
  MAYFLY_TRY(const std::int64_t idle_min, IdleMinimum(call.args[4], "XCLAIM"));
  MAYFLY_TRY(const ClaimOptions options, ParseClaimOptions(call.args, NowMs(call)));
  if (call.feed != nullptr) call.feed->Nothing();  // But what follows.
  if (options.last > group->state().last) {
    group->SetLast(options.last, group->state().read);
    if (call.feed != nullptr) FeedPosition(call, call.args[1], *group);
  }
  Claim claim(call, *group, call.args[3], idle_min);
  const auto claimed = call.reply.BeginDeferred(Aggregate::kArray);
  for (const StreamId id : options.ids) {
    MAYFLY_RETURN_IF_ERROR(ClaimOne(stream, *group, options, id, claim));
  }
  call.reply.EndDeferred(claimed, claim.claimed());
  return SaveGroup(stream, *group);
}

Answer XAutoClaim(Call& call) {
  MAYFLY_TRY(const AutoClaimOptions options, ParseAutoClaim(call.args));
  MAYFLY_TRY(Stream stream, StreamAt(call, call.args[1]));
  MAYFLY_TRY(auto group, StreamGroup::Find(stream, call.args[2]));
  if (!group) return NoGroup(call.args[1], call.args[2]);
  // The reply begins with where to go on, which is known last: so it is put together here.
  OutputBuffer taken;
  ReplyWriter taken_reply(taken, call.reply.version());
  Call taking{.args = call.args,
              .reply = taken_reply,
              .transaction = call.transaction,
              .database = call.database,
              .host = call.host,
              .feed = call.feed};
  Claim claim(taking, *group, call.args[3], options.idle_min);
  if (call.feed != nullptr) call.feed->Nothing();  // But what follows.
  std::int64_t count = options.count;
  std::int64_t looks = options.count * kLooksEach;
  std::vector<StreamId> gone;
  StreamId next = {};
  MAYFLY_RETURN_IF_ERROR(
      group->WalkPending(nullptr, options.first, types::kStreamIdMax,
                         [&](StreamId id, const PendingEntry& old) -> Result<bool> {
                           if (count == 0 || looks-- == 0) {
                             next = id;
                             return false;
                           }
                           core::FoundMember found;
                           MAYFLY_RETURN_IF_ERROR(stream.Find(id, found));
                           if (!found.exists) {
                             if (claim.feed() != nullptr) claim.FeedGone(id);
                             MAYFLY_RETURN_IF_ERROR(group->RemovePending(id, old));
                             gone.push_back(id);
                             --count;
                           } else if (!claim.IsFresh(old)) {
                             MAYFLY_RETURN_IF_ERROR(claim.Take(id, &old, NowMs(call), std::nullopt,
                                                               options.just_ids, found.value));
                             --count;
                           }
                           return true;
                         }));
  MAYFLY_RETURN_IF_ERROR(SaveGroup(stream, *group));
  call.reply.Array(3);
  ReplyId(call, next);
  call.reply.Array(claim.claimed());
  call.reply.Written(taken.view());
  call.reply.Array(gone.size());
  for (const StreamId id : gone) ReplyId(call, id);
  return {};
}

}  // namespace mayfly::server
