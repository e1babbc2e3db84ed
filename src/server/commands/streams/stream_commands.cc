#include "server/commands/streams/stream_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "server/commands/streams/stream_arguments.h"
#include "server/commands/support/families.h"

namespace mayfly::server {
namespace {

constexpr std::uint32_t kAdds = kWrite | kDenyOom | kFast;
constexpr std::uint32_t kChanges = kWrite | kFast;

constexpr KeySpecs ReadKeys(int from, void (*find)(std::span<const Bytes>, std::vector<KeyUse>&)) {
  return {.specs = {KeysBehindWord("STREAMS", from, kRO | kAccess)}, .find = find};
}

// Clients may set a count to the last integer, from which it goes on here; a follower takes none
// beyond it.
std::string FedCount(std::uint64_t count) {
  constexpr std::uint64_t kLast = std::numeric_limits<std::int64_t>::max();
  return std::to_string(std::min(count, kLast));
}

// clang-format off
constexpr CommandSpec kGroupSubcommands[] = {
    {"create",         -5, kWrite | kDenyOom, SubcommandKey(kRW | kInsert), XGroupCreate,
     {"Make a group of consumers.", "5.0.0", "O(1)",
      "key groupname id=(id | new_id=$) [MKSTREAM] [ENTRIESREAD entries_read:int]"}},
    {"createconsumer", 5,  kWrite | kDenyOom, SubcommandKey(kRW | kInsert), XGroupCreateConsumer,
     {"Make a consumer in a group.", "6.2.0", "O(1)", "key groupname consumername"}},
    {"delconsumer",    5,  kWrite,            SubcommandKey(kRW | kDelete), XGroupDelConsumer,
     {"Remove a consumer from a group.", "5.0.0", "O(n) in the entries pending", "key groupname consumername"}},
    {"destroy",        4,  kWrite,            SubcommandKey(kRW | kDelete), XGroupDestroy,
     {"Remove a group.", "5.0.0", "O(n) in the entries pending", "key groupname"}},
    {"help",           2,  kLoading | kStale | kNoRows, kNoKeys,            XGroupHelp,
     {"Show the forms of XGROUP.", "5.0.0", "O(1)"}},
    {"setid",          -5, kWrite,            SubcommandKey(kRW | kUpdate), XGroupSetId,
     {"Set the last entry that a group was given.", "5.0.0", "O(1)",
      "key groupname id=(id | new_id=$) [ENTRIESREAD entries_read:int]"}},
};

constexpr CommandSpec kInfoSubcommands[] = {
    {"consumers", 4,  kReadOnly,          SubcommandKey(kRO | kAccess), XInfoConsumers,
     {"Describe the consumers of a group.", "5.0.0", "O(n) in the consumers", "key groupname"}},
    {"groups",    3,  kReadOnly,          SubcommandKey(kRO | kAccess), XInfoGroups,
     {"Describe the groups of a stream.", "5.0.0", "O(n) in the groups", "key"}},
    {"help",      2,  kLoading | kStale | kNoRows, kNoKeys,             XInfoHelp,
     {"Show the forms of XINFO.", "5.0.0", "O(1)"}},
    {"stream",    -3, kReadOnly,          SubcommandKey(kRO | kAccess), XInfoStream,
     {"Describe a stream.", "5.0.0", "O(1), and O(n) in the entries shown", "key [FULL full=([COUNT count:int])]"}},
};

constexpr CommandSpec kStreamCommands[] = {
    {"xack",       -4, kChanges,          OneKey(kRW | kUpdate | kCounted),   XAck,
     {"Acknowledge entries that a group was given.", "5.0.0", "O(n) in the ids given", "key group id..."}},
    {"xadd",       -5, kAdds,             OneKey(kRW | kUpdate),              XAdd,
     {"Add an entry to a stream.", "5.0.0", "O(1), and O(n) in the entries that are trimmed",
      "key [NOMKSTREAM] [MAXAGE milliseconds:int] trim=[strategy=(MAXLEN | MINID) operator=[equal== | "
      "approximately=~] threshold [LIMIT count:int]] id_or_auto=(auto_id=* | id) field_value=(field value)..."}},
    {"xautoclaim", -6, kChanges,          OneKey(kRW | kDelete | kCounted),   XAutoClaim,
     {"Take over entries that other consumers have not acknowledged for long.", "6.2.0",
      "O(n) in the entries returned", "key group consumer min-idle-time start [COUNT count:int] [JUSTID]"}},
    {"xclaim",     -6, kChanges,          OneKey(kRW | kUpdate | kCounted),   XClaim,
     {"Take over entries that other consumers have not acknowledged.", "5.0.0", "O(n) in the ids given",
      "key group consumer min-idle-time id... [IDLE ms:int] [TIME unix-time-milliseconds:time] [RETRYCOUNT "
      "count:int] [FORCE] [JUSTID] [LASTID id]"}},
    {"xdel",       -3, kChanges,          OneKey(kRW | kDelete),              XDel,
     {"Remove entries from a stream.", "5.0.0", "O(n) in the ids given", "key id..."}},
    {"xgroup",     -2, 0,                 kNoKeys,                            nullptr,
     {"Commands on groups of consumers.", "5.0.0", "O(1)"}, kGroupSubcommands},
    {"xinfo",      -2, 0,                 kNoKeys,                            nullptr,
     {"Commands that describe streams.", "5.0.0", "O(1)"}, kInfoSubcommands},
    {"xlen",       2,  kReadOnly | kFast, OneKey(kRO),                        XLen,
     {"Count the entries of a stream.", "5.0.0", "O(1)", "key"}},
    {"xmaxage",    -2, kAdds,             OneKey(kRW | kAccess | kUpdate),    XMaxAge,
     {"Get or set how long new entries of a stream live.", "0.1.0", "O(1)", "key [milliseconds:int]"}},
    {"xpending",   -3, kReadOnly,         OneKey(kRO | kAccess),              XPending,
     {"Show entries that a group was given and has not acknowledged.", "5.0.0", "O(n) in the entries pending",
      "key group filters=[[IDLE min-idle-time:int] start end count:int [consumer]]"}},
    {"xrange",     -4, kReadOnly,         OneKey(kRO | kAccess),              XRange,
     {"Get the entries between two ids.", "5.0.0", "O(n) in the entries returned", "key start end [COUNT count:int]"}},
    {"xread",      -4, kReadOnly | kBlocking, ReadKeys(1, FindReadKeys),      XRead,
     {"Get the entries behind an id of one or more streams, or wait for one.", "5.0.0",
      "O(n) in the entries returned", "[COUNT count:int] [BLOCK milliseconds:int] STREAMS streams=(key... id...)"}},
    {"xreadgroup", -7, kWrite | kBlocking, ReadKeys(4, FindGroupReadKeys),    XReadGroup,
     {"Get entries for a consumer of a group, or wait for one.", "5.0.0", "O(n) in the entries returned",
      "GROUP group_consumer=(group consumer) [COUNT count:int] [BLOCK milliseconds:int] [NOACK] STREAMS "
      "streams=(key... id...)"}},
    {"xrevrange",  -4, kReadOnly,         OneKey(kRO | kAccess),              XRevRange,
     {"Get the entries between two ids, the newest first.", "5.0.0", "O(n) in the entries returned",
      "key end start [COUNT count:int]"}},
    {"xsetid",     -3, kAdds,             OneKey(kRW | kUpdate),              XSetId,
     {"Set the last id of a stream.", "5.0.0", "O(1)",
      "key last-id [ENTRIESADDED entries_added:int] [MAXDELETEDID max_deleted_entry_id]"}},
    {"xtrim",      -4, kWrite,            OneKey(kRW | kDelete),              XTrim,
     {"Remove the oldest entries of a stream.", "5.0.0", "O(n) in the entries that are trimmed",
      "key trim=(strategy=(MAXLEN | MINID) operator=[equal== | approximately=~] threshold [LIMIT count:int])"}},
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
                      std::to_string(given.delivered_ms), "RETRYCOUNT", FedCount(given.deliveries),
                      "FORCE", "JUSTID", "LASTID", last});
}

void FeedPosition(const Call& call, Bytes key, const types::StreamGroup& group) {
  const auto& read = group.state().read;
  call.feed->Instead({"XGROUP", "SETID", key, group.name(), types::ToText(group.state().last),
                      "ENTRIESREAD", read ? FedCount(*read) : std::string("-1")});
}

std::int64_t NowMs(const Call& call) { return ToMs(call.now()); }

}  // namespace mayfly::server
