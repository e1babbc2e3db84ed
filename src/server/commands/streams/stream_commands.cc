#include "server/commands/streams/stream_commands.h"

#include <fmt/format.h>

#include "server/commands/streams/stream_arguments.h"
#include "server/commands/support/families.h"

namespace mayfly::server {
namespace {

constexpr std::uint32_t kAdds = kWrite | kDenyOom | kFast;
constexpr std::uint32_t kChanges = kWrite | kFast;

constexpr KeySpecs ReadKeys(int from, void (*find)(std::span<const Bytes>, std::vector<KeyUse>&)) {
  return {.specs = {KeysBehindWord("STREAMS", from, kRO | kAccess)}, .find = find};
}

// clang-format off
constexpr CommandSpec kGroupSubcommands[] = {
    {"create",         -5, kWrite | kDenyOom, SubcommandKey(kRW | kInsert), XGroupCreate,
     "Make a group of consumers."},
    {"createconsumer", 5,  kWrite | kDenyOom, SubcommandKey(kRW | kInsert), XGroupCreateConsumer,
     "Make a consumer in a group."},
    {"delconsumer",    5,  kWrite,            SubcommandKey(kRW | kDelete), XGroupDelConsumer,
     "Remove a consumer from a group."},
    {"destroy",        4,  kWrite,            SubcommandKey(kRW | kDelete), XGroupDestroy,
     "Remove a group."},
    {"help",           2,  kLoading | kStale | kNoRows, kNoKeys,            XGroupHelp,
     "Show the forms of XGROUP."},
    {"setid",          -5, kWrite,            SubcommandKey(kRW | kUpdate), XGroupSetId,
     "Set the last entry that a group was given."},
};

constexpr CommandSpec kInfoSubcommands[] = {
    {"consumers", 4,  kReadOnly,          SubcommandKey(kRO | kAccess), XInfoConsumers,
     "Describe the consumers of a group."},
    {"groups",    3,  kReadOnly,          SubcommandKey(kRO | kAccess), XInfoGroups,
     "Describe the groups of a stream."},
    {"help",      2,  kLoading | kStale | kNoRows, kNoKeys,             XInfoHelp,
     "Show the forms of XINFO."},
    {"stream",    -3, kReadOnly,          SubcommandKey(kRO | kAccess), XInfoStream,
     "Describe a stream."},
};

constexpr CommandSpec kStreamCommands[] = {
    {"xack",       -4, kChanges,          OneKey(kRW | kUpdate | kCounted),   XAck,
     "Acknowledge entries that a group was given."},
    {"xadd",       -5, kAdds,             OneKey(kRW | kUpdate),              XAdd,
     "Add an entry to a stream."},
    {"xautoclaim", -6, kChanges,          OneKey(kRW | kDelete | kCounted),   XAutoClaim,
     "Take over entries that other consumers have not acknowledged for long."},
    {"xclaim",     -6, kChanges,          OneKey(kRW | kUpdate | kCounted),   XClaim,
     "Take over entries that other consumers have not acknowledged."},
    {"xdel",       -3, kChanges,          OneKey(kRW | kDelete),              XDel,
     "Remove entries from a stream."},
    {"xgroup",     -2, 0,                 kNoKeys,                            nullptr,
     "Commands on groups of consumers.", kGroupSubcommands},
    {"xinfo",      -2, 0,                 kNoKeys,                            nullptr,
     "Commands that describe streams.", kInfoSubcommands},
    {"xlen",       2,  kReadOnly | kFast, OneKey(kRO),                        XLen,
     "Count the entries of a stream."},
    {"xmaxage",    -2, kAdds,             OneKey(kRW | kAccess | kUpdate),    XMaxAge,
     "Get or set how long new entries of a stream live."},
    {"xpending",   -3, kReadOnly,         OneKey(kRO | kAccess),              XPending,
     "Show entries that a group was given and has not acknowledged."},
    {"xrange",     -4, kReadOnly,         OneKey(kRO | kAccess),              XRange,
     "Get the entries between two ids."},
    {"xread",      -4, kReadOnly | kBlocking, ReadKeys(1, FindReadKeys),      XRead,
     "Get the entries behind an id of one or more streams, or wait for one."},
    {"xreadgroup", -7, kWrite | kBlocking, ReadKeys(4, FindGroupReadKeys),    XReadGroup,
     "Get entries for a consumer of a group, or wait for one."},
    {"xrevrange",  -4, kReadOnly,         OneKey(kRO | kAccess),              XRevRange,
     "Get the entries between two ids, the newest first."},
    {"xsetid",     -3, kAdds,             OneKey(kRW | kUpdate),              XSetId,
     "Set the last id of a stream."},
    {"xtrim",      -4, kWrite,            OneKey(kRW | kDelete),              XTrim,
     "Remove the oldest entries of a stream."},
};
// clang-format on

}  // namespace

CommandFamily StreamFamily() { return {"stream", Category::kStream, kStreamCommands}; }

Result<types::Stream> StreamAt(Call& call, Bytes key) {
  return types::Stream::Open(call.space(), key, call.now());
}

void ReplyId(Call& call, types::StreamId id) {
  types::StreamIdText text;
  call.reply.Bulk(WriteText(id, text));
}

void ReplyEntry(Call& call, types::StreamId id, Bytes entry) {
  call.reply.Array(2);
  ReplyId(call, id);
  types::EntryStrings strings(entry);
  call.reply.Array(strings.count());
  for (std::uint64_t i = 0; i < strings.count(); ++i) call.reply.Bulk(strings.Next());
}

void NotifyStream(Call& call, Bytes key, std::string_view event) {
  call.Notify(NotifyClass::kStream, event, key);
}

Result<types::Consumer*> SeenConsumer(Call& call, Bytes key, types::StreamGroup& group,
                                      Bytes name) {
  MAYFLY_TRY(types::Consumer * consumer, group.FindConsumer(name));
  if (consumer == nullptr) {
    MAYFLY_TRY(consumer, group.MakeConsumer(name, NowMs(call)));
    NotifyStream(call, key, "xgroup-createconsumer");
    if (call.feed != nullptr) {
      call.feed->Instead({"XGROUP", "CREATECONSUMER", key, group.name(), name});
    }
  }
  if (call.feed != nullptr) call.feed->Nothing();  // But what it is given.
  consumer->seen_ms = NowMs(call);
  return consumer;
}

Status SaveGroup(types::Stream& stream, types::StreamGroup& group) {
  MAYFLY_RETURN_IF_ERROR(group.Save());
  return group.took_numbers() ? stream.Save() : Status();
}

Answer NoGroup(Bytes key, Bytes group) {
  return Answer::Error(fmt::format("NOGROUP No such key '{}' or consumer group '{}'", key, group));
}

Answer NoGroupOfKey(Bytes key, Bytes group) {
  return Answer::Error(
      fmt::format("NOGROUP No such consumer group '{}' for key name '{}'", group, key));
}

void FeedGiven(const Call& call, Bytes key, const types::StreamGroup& group, Bytes consumer,
               const Given& given) {
  const std::string id = types::ToText(given.id);
  const std::string last = types::ToText(group.state().last);
  call.feed->Instead({"XCLAIM", key, group.name(), consumer, "0", id, "TIME",
                      std::to_string(given.delivered_ms), "RETRYCOUNT",
                      std::to_string(given.deliveries), "FORCE", "JUSTID", "LASTID", last});
}

void FeedPosition(const Call& call, Bytes key, const types::StreamGroup& group) {
  const auto& read = group.state().read;
  call.feed->Instead({"XGROUP", "SETID", key, group.name(), types::ToText(group.state().last),
                      "ENTRIESREAD", read ? std::to_string(*read) : std::string("-1")});
}

std::int64_t NowMs(const Call& call) { return ToMs(call.now()); }

}  // namespace mayfly::server
