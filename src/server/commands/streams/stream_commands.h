// stream_commands.h - the handlers of the stream family, by file, and the functions they share.
#pragma once

#include <string_view>

#include "server/command/command.h"
#include "types/streams/stream.h"
#include "types/streams/stream_group.h"

namespace mayfly::server {

// The stream under `key`.
Result<types::Stream> StreamAt(Call& call, Bytes key);

void ReplyId(Call& call, types::StreamId id);

// An id and the strings of an entry, as a pair.
void ReplyEntry(Call& call, types::StreamId id, Bytes entry);

void NotifyStream(Call& call, Bytes key, std::string_view event);

// Finds a consumer that is about to get entries, or makes it; it was seen now.
Result<types::Consumer*> SeenConsumer(Call& call, Bytes key, types::StreamGroup& group, Bytes name);

// Writes the group, and the stream if numbers were taken from it.
Status SaveGroup(types::Stream& stream, types::StreamGroup& group);

// "NOGROUP No such key ... or consumer group ...".
Answer NoGroup(Bytes key, Bytes group);
// "NOGROUP No such consumer group ... for key name ...".
Answer NoGroupOfKey(Bytes key, Bytes group);

std::int64_t NowMs(const Call& call);

// For calls with a feed: that a consumer was given an entry; and how far its group has been given
// any.
struct Given {
  types::StreamId id;
  std::int64_t delivered_ms = 0;
  std::uint64_t deliveries = 0;
};
void FeedGiven(const Call& call, Bytes key, const types::StreamGroup& group, Bytes consumer,
               const Given& given);
void FeedPosition(const Call& call, Bytes key, const types::StreamGroup& group);

// stream_commands_entries.cc
Answer XAdd(Call& call);
Answer XDel(Call& call);
Answer XLen(Call& call);
Answer XMaxAge(Call& call);
Answer XRange(Call& call);
Answer XRevRange(Call& call);
Answer XSetId(Call& call);
Answer XTrim(Call& call);

// stream_commands_reads.cc
Answer XRead(Call& call);
Answer XReadGroup(Call& call);

// stream_commands_groups.cc
Answer XAck(Call& call);
Answer XGroupCreate(Call& call);
Answer XGroupCreateConsumer(Call& call);
Answer XGroupDelConsumer(Call& call);
Answer XGroupDestroy(Call& call);
Answer XGroupHelp(Call& call);
Answer XGroupSetId(Call& call);

// stream_commands_pending.cc
Answer XAutoClaim(Call& call);
Answer XClaim(Call& call);
Answer XPending(Call& call);

// stream_commands_info.cc
Answer XInfoConsumers(Call& call);
Answer XInfoGroups(Call& call);
Answer XInfoHelp(Call& call);
Answer XInfoStream(Call& call);

}  // namespace mayfly::server
