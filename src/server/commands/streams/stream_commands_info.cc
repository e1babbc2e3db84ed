// stream_commands_info.cc - XINFO.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/manual/help.h"
#include "server/commands/streams/stream_arguments.h"
#include "server/commands/streams/stream_commands.h"
#include "types/streams/stream_lag.h"

namespace mayfly::server {
namespace {

using types::Consumer;
using types::PendingEntry;
using types::Stream;
using types::StreamGroup;
using types::StreamId;

constexpr std::uint64_t kFullDefault = 10;

Status WrongForm(const Call& call) {
  return Status::Invalid(fmt::format(
      "unknown subcommand or wrong number of arguments for '{}'. Try XINFO HELP.", call.args[1]));
}

void ReplyNumber(Call& call, std::string_view name, std::uint64_t number) {
  call.reply.Bulk(name);
  call.reply.Integer(static_cast<std::int64_t>(number));
}

void ReplyCount(Call& call, std::string_view name, std::optional<std::uint64_t> count) {
  if (count) return ReplyNumber(call, name, *count);
  call.reply.Bulk(name);
  call.reply.Null();
}

void ReplyNamedId(Call& call, std::string_view name, StreamId id) {
  call.reply.Bulk(name);
  ReplyId(call, id);
}

// Lines that XINFO STREAM has in both forms. Redis keeps entries in nodes of a tree; the numbers
// are those of a tree with full nodes.
void ReplyCommon(Call& call, const Stream& stream, const types::StreamFacts& facts) {
  const auto limit = std::max<std::int64_t>(call.host.encoding_limits().stream_node_entries, 1);
  const std::uint64_t nodes =
      (stream.size() + static_cast<std::uint64_t>(limit) - 1) / static_cast<std::uint64_t>(limit);
  const types::StreamHead& head = stream.head();
  ReplyNumber(call, "length", stream.size());
  ReplyNumber(call, "radix-tree-keys", nodes);
  ReplyNumber(call, "radix-tree-nodes", nodes + 1);
  ReplyNamedId(call, "last-generated-id", head.last);
  ReplyNamedId(call, "max-deleted-entry-id", head.newest_removed);
  ReplyNumber(call, "entries-added", head.added);
  ReplyNamedId(call, "recorded-first-entry-id", facts.first.value_or(StreamId()));
}

// mayfly's own, where there is one.
void ReplyMaxAge(Call& call, const Stream& stream) {
  if (stream.head().max_age.count() == 0) return;
  ReplyNumber(call, "max-age", static_cast<std::uint64_t>(stream.head().max_age.count()));
}

Status ReplyEnd(Call& call, const Stream& stream, std::string_view name, types::StreamOrder order) {
  call.reply.Bulk(name);
  MAYFLY_TRY(const std::uint64_t shown,
             stream.Walk({}, types::kStreamIdMax, 1, order,
                         [&](StreamId id, Bytes entry) { ReplyEntry(call, id, entry); }));
  if (shown == 0) call.reply.Null();
  return {};
}

// Up to `count` pending entries (0: all) of a group, or of one consumer.
Status ReplyPendingOf(Call& call, StreamGroup& group, const Consumer* owner, std::uint64_t count) {
  call.reply.Bulk("pending");
  const auto entries = call.reply.BeginDeferred(Aggregate::kArray);
  std::uint64_t shown = 0;
  MAYFLY_RETURN_IF_ERROR(group.WalkPending(
      owner, {}, types::kStreamIdMax, [&](StreamId id, const PendingEntry& entry) -> Result<bool> {
        call.reply.Array(owner != nullptr ? 3 : 4);
        ReplyId(call, id);
        if (owner == nullptr) {
          MAYFLY_TRY(const Consumer* const consumer, group.ConsumerOf(entry.consumer));
          call.reply.Bulk(consumer->name);
        }
        call.reply.Integer(entry.delivered_ms);
        call.reply.Integer(static_cast<std::int64_t>(entry.deliveries));
        return ++shown != count;
      }));
  call.reply.EndDeferred(entries, shown);
  return {};
}

Status ReplyGroupInFull(Call& call, const types::StreamFacts& facts, StreamGroup& group,
                        std::uint64_t count) {
  const types::GroupState& state = group.state();
  call.reply.Map(7);
  call.reply.Bulk("name");
  call.reply.Bulk(group.name());
  ReplyNamedId(call, "last-delivered-id", state.last);
  ReplyCount(call, "entries-read", state.read);
  ReplyCount(call, "lag", types::LagOf(facts, state));
  ReplyNumber(call, "pel-count", state.pending);
  MAYFLY_RETURN_IF_ERROR(ReplyPendingOf(call, group, nullptr, count));
  call.reply.Bulk("consumers");
  call.reply.Array(state.consumers);
  return group.WalkConsumers([&](const Consumer& consumer) {
    call.reply.Map(4);
    call.reply.Bulk("name");
    call.reply.Bulk(consumer.name);
    ReplyNumber(call, "seen-time", static_cast<std::uint64_t>(consumer.seen_ms));
    ReplyNumber(call, "pel-count", consumer.pending);
    return ReplyPendingOf(call, group, &consumer, count);
  });
}

Answer ReplyInFull(Call& call, Stream& stream, std::uint64_t count) {
  MAYFLY_TRY(const types::StreamFacts facts, types::FactsOf(stream));
  call.reply.Map(9 + (stream.head().max_age.count() > 0 ? 1 : 0));
  ReplyCommon(call, stream, facts);
  call.reply.Bulk("entries");
  const auto entries = call.reply.BeginDeferred(Aggregate::kArray);
  MAYFLY_TRY(const std::uint64_t shown,
             stream.Walk({}, types::kStreamIdMax, count == 0 ? UINT64_MAX : count,
                         types::StreamOrder::kAscending,
                         [&](StreamId id, Bytes entry) { ReplyEntry(call, id, entry); }));
  call.reply.EndDeferred(entries, shown);
  call.reply.Bulk("groups");
  call.reply.Array(stream.head().groups);
  MAYFLY_RETURN_IF_ERROR(StreamGroup::WalkGroups(
      stream, [&](StreamGroup& group) { return ReplyGroupInFull(call, facts, group, count); }));
  ReplyMaxAge(call, stream);
  return {};
}

}  // namespace

Answer XInfoStream(Call& call) {
  std::optional<std::uint64_t> full;
  const auto options = call.args.subspan(3);
  MAYFLY_TRY(Stream stream, StreamAt(call, call.args[2]));
  if (!stream.exists()) return NoSuchKey();
  if (!options.empty()) {
    if (options.size() != 1 && options.size() != 3) return WrongForm(call);
    if (!IsWord(options[0], "full")) return WrongForm(call);
    full = kFullDefault;
    if (options.size() == 3) {
      if (!IsWord(options[1], "count")) return WrongForm(call);
      MAYFLY_TRY(const std::int64_t count, IntegerArgument(options[2]));
      if (count >= 0) full = static_cast<std::uint64_t>(count);
    }
  }
  if (full) return ReplyInFull(call, stream, *full);
  MAYFLY_TRY(const types::StreamFacts facts, types::FactsOf(stream));
  call.reply.Map(10 + (stream.head().max_age.count() > 0 ? 1 : 0));
  ReplyCommon(call, stream, facts);
  ReplyNumber(call, "groups", stream.head().groups);
  MAYFLY_RETURN_IF_ERROR(ReplyEnd(call, stream, "first-entry", types::StreamOrder::kAscending));
  MAYFLY_RETURN_IF_ERROR(ReplyEnd(call, stream, "last-entry", types::StreamOrder::kDescending));
  ReplyMaxAge(call, stream);
  return {};
}

Answer XInfoGroups(Call& call) {
  MAYFLY_TRY(Stream stream, StreamAt(call, call.args[2]));
  if (!stream.exists()) return NoSuchKey();
  MAYFLY_TRY(const types::StreamFacts facts, types::FactsOf(stream));
  call.reply.Array(stream.head().groups);
  return StreamGroup::WalkGroups(stream, [&](const StreamGroup& group) -> Status {
    const types::GroupState& state = group.state();
    call.reply.Map(6);
    call.reply.Bulk("name");
    call.reply.Bulk(group.name());
    ReplyNumber(call, "consumers", state.consumers);
    ReplyNumber(call, "pending", state.pending);
    ReplyNamedId(call, "last-delivered-id", state.last);
    ReplyCount(call, "entries-read", state.read);
    ReplyCount(call, "lag", types::LagOf(facts, state));
    return {};
  });
}

Answer XInfoConsumers(Call& call) {
  MAYFLY_TRY(Stream stream, StreamAt(call, call.args[2]));
  if (!stream.exists()) return NoSuchKey();
  MAYFLY_TRY(auto group, StreamGroup::Find(stream, call.args[3]));
  if (!group) return NoGroupOfKey(call.args[2], call.args[3]);
  call.reply.Array(group->state().consumers);
  return group->WalkConsumers([&](const Consumer& consumer) -> Status {
    call.reply.Map(3);
    call.reply.Bulk("name");
    call.reply.Bulk(consumer.name);
    ReplyNumber(call, "pending", consumer.pending);
    call.reply.Bulk("idle");
    call.reply.Integer(std::max<std::int64_t>(NowMs(call) - consumer.seen_ms, 0));
    return {};
  });
}

Answer XInfoHelp(Call& call) {
  static constexpr std::string_view kLines[] = {
      "CONSUMERS <key> <groupname>",
      "    Describe the consumers of the group.",
      "GROUPS <key>",
      "    Describe the groups of the stream.",
      "STREAM <key> [FULL [COUNT <count>]]",
      "    Describe the stream; with FULL also its entries and groups.",
  };
  WriteHelp(call.reply, "XINFO", kLines);
  return {};
}

}  // namespace mayfly::server
