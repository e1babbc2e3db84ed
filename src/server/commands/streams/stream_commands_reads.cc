// stream_commands_reads.cc - XREAD and XREADGROUP. When there is nothing to read they ask their
// host to block, with the ids they have resolved; after a change they run again from the start.
// Where blocking is not allowed, in a transaction or a script, they time out at once.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "server/command/errors.h"
#include "server/commands/streams/stream_arguments.h"
#include "server/commands/streams/stream_commands.h"
#include "types/streams/stream_lag.h"

namespace mayfly::server {
namespace {

using types::Stream;
using types::StreamGroup;
using types::StreamId;

// Entries that a client gets at once that has waited and named no count.
constexpr std::uint64_t kBlockedCount = 1000;

// One of the streams to read, with its group if there is one.
struct Source {
  Stream stream;
  std::optional<StreamGroup> group = {};
  StreamId after = {};  // What is behind it is read.
  bool is_new = false;  // ">": what no consumer of the group was given.
};

Answer NoSuchGroup(Bytes key, Bytes group) {
  return Answer::Error(
      fmt::format("NOGROUP No such key '{}' or consumer group '{}' in XREADGROUP with GROUP option",
                  key, group));
}

// "$" is the end of the stream, "+" its last entry.
Result<StreamId> ResolveId(const Stream& stream, Bytes argument, bool grouped) {
  if (argument == "$") {
    if (grouped) {
      return Status::Invalid(
          "The $ ID is meaningless in the context of XREADGROUP: you want to read the history of "
          "this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID "
          "would just return an empty result set.");
    }
    return stream.head().last;
  }
  if (argument == "+" && !grouped) {
    MAYFLY_TRY(const auto last, stream.LastId());
    return last ? types::Before(*last).value_or(StreamId()) : stream.head().last;
  }
  if (argument == ">") {
    return Status::Invalid(
        "The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> "
        "option.");
  }
  return StreamIdArgument(argument);
}

// The error for a client that waited for `key` when its stream or group is gone.
Answer Unblocked() { return Answer::Error("UNBLOCKED the stream key no longer exists"); }
Answer GroupGone() {
  return Answer::Error("NOGROUP the consumer group this client was blocked on no longer exists");
}

Answer OpenSource(Call& call, const ReadRequest& request, std::size_t i, Source& source) {
  const Bytes key = request.keys[i];
  Result<Stream> opened = StreamAt(call, key);
  if (opened) {
    source.stream = *std::move(opened);
  } else {
    if (!call.retried || opened.error().code() != StatusCode::kWrongType) return opened.error();
    // A key of another type: to a waiting XREAD it is as good as none.
    if (request.group) return Unblocked();
  }
  if (request.group) {
    if (call.retried && !source.stream.exists()) return Unblocked();
    MAYFLY_TRY(source.group, StreamGroup::Find(source.stream, *request.group));
    if (!source.group) return call.retried ? GroupGone() : NoSuchGroup(key, *request.group);
    source.is_new = request.ids[i] == ">";
  }
  if (source.is_new) {
    source.after = source.group->state().last;
  } else {
    MAYFLY_TRY(source.after, ResolveId(source.stream, request.ids[i], request.group.has_value()));
  }
  return {};
}

// The entries that the consumer was given and has not acknowledged.
Status ReplyHistory(Call& call, Source& source, types::Consumer& consumer, std::uint64_t count) {
  const auto first = types::After(source.after);
  const auto entries = call.reply.BeginDeferred(Aggregate::kArray);
  std::uint64_t shown = 0;
  if (first) {
    MAYFLY_RETURN_IF_ERROR(source.group->WalkPending(
        &consumer, *first, types::kStreamIdMax,
        [&](StreamId id, const types::PendingEntry& pending) -> Result<bool> {
          core::FoundMember found;
          MAYFLY_RETURN_IF_ERROR(source.stream.Find(id, found));
          if (found.exists) {
            ReplyEntry(call, id, found.value);
            const Given given{id, NowMs(call), pending.deliveries + 1};
            MAYFLY_RETURN_IF_ERROR(source.group->PutPending(id, consumer, given.delivered_ms,
                                                            given.deliveries, &pending));
            if (call.feed != nullptr) {
              FeedGiven(call, source.stream.key(), *source.group, consumer.name, given);
            }
          } else {
            call.reply.Array(2);
            ReplyId(call, id);
            call.reply.NullArray();
          }
          return ++shown != count;
        }));
  }
  call.reply.EndDeferred(entries, shown);
  return {};
}

// Notes that the consumer was given these entries.
Status Deliver(Call& call, Source& source, types::Consumer& consumer,
               const std::vector<StreamId>& ids, bool no_ack) {
  StreamGroup& group = *source.group;
  const bool counts_on = types::CountsOn(source.stream.head(), group.state());
  types::StreamFacts facts;
  if (!counts_on) {
    MAYFLY_TRY(facts, types::FactsOf(source.stream));
  }
  for (const StreamId id : ids) {
    group.SetLast(id,
                  counts_on ? *group.state().read + 1 : types::ReadAfter(facts, group.state(), id));
    if (no_ack) continue;
    MAYFLY_TRY(const auto old, group.FindPending(id));
    MAYFLY_RETURN_IF_ERROR(group.PutPending(id, consumer, NowMs(call), 1, old ? &*old : nullptr));
    if (call.feed != nullptr) {
      FeedGiven(call, source.stream.key(), group, consumer.name, {id, NowMs(call), 1});
    }
  }
  if (call.feed != nullptr && !ids.empty()) FeedPosition(call, source.stream.key(), group);
  return {};
}

// Up to `count` entries behind the one that was read last. Adds their ids to `ids`, unless it is
// null.
Status ReplyNew(Call& call, const Source& source, std::uint64_t count, std::vector<StreamId>* ids) {
  const auto entries = call.reply.BeginDeferred(Aggregate::kArray);
  const StreamId first = types::After(source.after).value_or(types::kStreamIdMax);
  MAYFLY_TRY(const std::uint64_t shown,
             source.stream.Walk(first, types::kStreamIdMax, count, types::StreamOrder::kAscending,
                                [&](StreamId id, Bytes entry) {
                                  ReplyEntry(call, id, entry);
                                  if (ids != nullptr) ids->push_back(id);
                                }));
  call.reply.EndDeferred(entries, shown);
  return {};
}

// Whether there is something to reply with: behind the id that was read last, or of the history,
// which may be empty.
Result<bool> IsReady(const Source& source) {
  const Stream& stream = source.stream;
  if (!stream.exists()) return false;
  if (source.group && !source.is_new) return true;
  const auto first = types::After(source.after);
  if (!first || source.after >= stream.head().last) return false;
  MAYFLY_TRY(const bool has_last, stream.Contains(stream.head().last));
  if (has_last) return true;
  MAYFLY_TRY(const std::uint64_t found,
             stream.Walk(*first, types::kStreamIdMax, 1, types::StreamOrder::kAscending,
                         [](StreamId, Bytes) {}));
  return found > 0;
}

// Replies with the key and what there is to read.
Status Serve(Call& call, Bytes key, const ReadRequest& request, Source& source) {
  if (call.reply.version() == ProtocolVersion::kResp2) call.reply.Array(2);
  call.reply.Bulk(key);
  std::uint64_t count = request.count;
  if (count == 0) count = call.retried ? kBlockedCount : UINT64_MAX;
  if (!source.group) return ReplyNew(call, source, count, nullptr);
  MAYFLY_TRY(types::Consumer* const consumer,
             SeenConsumer(call, key, *source.group, request.consumer));
  if (source.is_new) {
    std::vector<StreamId> ids;
    MAYFLY_RETURN_IF_ERROR(ReplyNew(call, source, count, &ids));
    MAYFLY_RETURN_IF_ERROR(Deliver(call, source, *consumer, ids, request.no_ack));
  } else {
    MAYFLY_RETURN_IF_ERROR(ReplyHistory(call, source, *consumer, count));
  }
  return SaveGroup(source.stream, *source.group);
}

Answer Block(Call& call, const ReadRequest& request, const std::vector<Source>& sources) {
  BlockRequest block;
  block.keys = {request.keys.begin(), request.keys.end()};
  if (*request.block_ms > 0) block.timeout = Millis(*request.block_ms);
  block.also_removed = request.group.has_value();
  if (!request.group) {
    block.args = {call.args.begin(), call.args.end()};
    const auto first_id = static_cast<std::size_t>(request.ids.data() - call.args.data());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      block.args[first_id + i] = types::ToText(sources[i].after);
    }
  }
  call.host.Block(std::move(block));
  return Answer::Later();
}

Answer Read(Call& call, bool grouped) {
  MAYFLY_TRY(const ReadRequest request, ParseRead(call.args, grouped, call.from_script));
  std::vector<Source> sources;
  sources.reserve(request.keys.size());
  for (std::size_t i = 0; i < request.keys.size(); ++i) {
    sources.push_back({.stream = Stream(call.space(), request.keys[i], call.now())});
    if (Answer failed = OpenSource(call, request, i, sources.back()); !failed.ok()) return failed;
  }
  const bool resp2 = call.reply.version() == ProtocolVersion::kResp2;
  std::optional<ReplyWriter::Deferred> replies;
  std::size_t served = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    // The same stream may be named twice.
    if (grouped && served > 0) {
      if (Answer failed = OpenSource(call, request, i, sources[i]); !failed.ok()) return failed;
    }
    MAYFLY_TRY(const bool ready, IsReady(sources[i]));
    if (!ready) continue;
    if (!replies) replies = call.reply.BeginDeferred(resp2 ? Aggregate::kArray : Aggregate::kMap);
    MAYFLY_RETURN_IF_ERROR(Serve(call, request.keys[i], request, sources[i]));
    ++served;
  }
  if (replies) {
    call.reply.EndDeferred(*replies, served);
    return {};
  }
  if (request.block_ms && call.may_block) return Block(call, request, sources);
  call.reply.NullArray();
  return {};
}

}  // namespace

Answer XRead(Call& call) { return Read(call, false); }
Answer XReadGroup(Call& call) { return Read(call, true); }

}  // namespace mayfly::server
