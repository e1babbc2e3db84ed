#include "server/commands/keys/dump_streams.h"

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "types/streams/stream.h"
#include "types/streams/stream_group.h"
#include "types/streams/stream_lag.h"

namespace mayfly::server {
namespace {

types::StreamId Mine(const rdb::StreamId& id) { return {id.ms, id.sequence}; }
rdb::StreamId Dumped(types::StreamId id) { return {id.ms, id.sequence}; }

Status NoDeadlines() {
  return Status::Unsupported(
      "DUMP of a stream with a max age is not offered: no dump holds the deadlines of entries; "
      "NOMAXAGE leaves them out");
}

Status ReadEntries(core::TransactionKeyspace& space, Bytes key, DumpedValue& value,
                   MaxAges max_ages) {
  MAYFLY_TRY(const auto cursor, space.NewMemberCursor(key, core::Part::kMembers));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const auto id = types::Stream::EntryOf(cursor->member());
    if (!id) continue;  // The member that keeps the stream's row.
    if (cursor->deadline() && max_ages == MaxAges::kRefuse) return NoDeadlines();
    rdb::StreamEntry& entry = value.entries.emplace_back();
    entry.id = Dumped(*id);
    types::EntryStrings strings(cursor->value());
    for (std::uint64_t i = 0; i + 1 < strings.count(); i += 2) {
      std::string name(strings.Next());
      entry.fields.emplace_back(std::move(name), strings.Next());
    }
  }
  return cursor->status();
}

Status ReadGroup(types::StreamGroup& group, rdb::StreamGroup& dumped) {
  dumped.name = group.name();
  dumped.last = Dumped(group.state().last);
  dumped.entries_read = group.state().read;
  std::unordered_map<std::uint64_t, std::string> names;
  MAYFLY_RETURN_IF_ERROR(group.WalkConsumers([&](types::Consumer& consumer) -> Status {
    names.emplace(consumer.number, consumer.name);
    dumped.consumers.push_back(
        {.name = consumer.name, .seen = WallTimeFromMs(consumer.seen_ms), .active = {}});
    return {};
  }));
  const auto add = [&](types::StreamId id, const types::PendingEntry& entry) -> Result<bool> {
    dumped.pending.push_back({.id = Dumped(id),
                              .delivered = WallTimeFromMs(entry.delivered_ms),
                              .deliveries = entry.deliveries,
                              .consumer = names[entry.consumer]});
    return true;
  };
  return group.WalkPending(nullptr, {}, types::kStreamIdMax, add);
}

Status WriteGroup(types::Stream& stream, const rdb::StreamGroup& dumped,
                  std::optional<std::uint64_t> read) {
  MAYFLY_RETURN_IF_ERROR(
      types::StreamGroup::Make(stream, dumped.name, Mine(dumped.last), read).status());
  MAYFLY_TRY(auto group, types::StreamGroup::Find(stream, dumped.name));
  if (!group) return Status::Internal("a group that was made is not there");
  std::unordered_map<std::string_view, types::Consumer*> consumers;
  for (const rdb::StreamConsumer& one : dumped.consumers) {
    MAYFLY_TRY(consumers[one.name], group->MakeConsumer(one.name, ToMs(one.seen)));
  }
  for (const rdb::PendingEntry& entry : dumped.pending) {
    MAYFLY_RETURN_IF_ERROR(group->PutPending(Mine(entry.id), *consumers.at(entry.consumer),
                                             ToMs(entry.delivered), entry.deliveries, nullptr));
  }
  return group->Save();
}

Status WriteState(types::Stream& stream, const rdb::StreamState& state) {
  stream.SetLast(Mine(state.last));
  // Dumps of Redis 5 to 6.2 do not count: then the stream begins with what it has.
  stream.SetAdded(state.entries_added.value_or(stream.size()));
  stream.SetNewestRemoved(Mine(state.last_deleted.value_or(rdb::StreamId())));
  MAYFLY_TRY(const types::StreamFacts facts, types::FactsOf(stream));
  for (const rdb::StreamGroup& group : state.groups) {
    const auto read =
        state.entries_added ? group.entries_read : types::PositionOf(facts, Mine(group.last));
    MAYFLY_RETURN_IF_ERROR(WriteGroup(stream, group, read));
  }
  return {};
}

}  // namespace

Status ReadStreamRows(core::TransactionKeyspace& space, Bytes key, WallTime now, DumpedValue& value,
                      MaxAges max_ages) {
  MAYFLY_TRY(types::Stream stream, types::Stream::Open(space, key, now));
  if (stream.head().max_age.count() > 0 && max_ages == MaxAges::kRefuse) return NoDeadlines();
  MAYFLY_RETURN_IF_ERROR(ReadEntries(space, key, value, max_ages));
  rdb::StreamState& state = value.stream.emplace();
  state.entries = value.entries.size();
  state.last = Dumped(stream.head().last);
  if (!value.entries.empty()) state.first = value.entries.front().id;
  state.last_deleted = Dumped(stream.head().newest_removed);
  state.entries_added = stream.head().added;
  return types::StreamGroup::WalkGroups(stream, [&](types::StreamGroup& group) {
    return ReadGroup(group, state.groups.emplace_back());
  });
}

Status AddStreamRows(core::TransactionKeyspace& space, Bytes key, const DumpedValue& value,
                     WallTime now) {
  MAYFLY_TRY(types::Stream stream, types::Stream::Open(space, key, now));
  if (!stream.exists()) MAYFLY_RETURN_IF_ERROR(stream.Make());
  std::vector<Bytes> strings;
  for (const rdb::StreamEntry& entry : value.entries) {
    strings.clear();
    for (const auto& [name, text] : entry.fields) strings.insert(strings.end(), {name, text});
    MAYFLY_RETURN_IF_ERROR(stream.Add(Mine(entry.id), strings));
  }
  if (value.stream) MAYFLY_RETURN_IF_ERROR(WriteState(stream, *value.stream));
  return stream.Save();
}

}  // namespace mayfly::server
