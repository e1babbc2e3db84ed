#include "server/pubsub/pubsub_commands.h"

#include <fmt/format.h>

#include "server/command/manual/help.h"

namespace mayfly::server {
namespace {

constexpr std::uint32_t kFlags = kPubSub | kLoading | kStale | kNoRows;

Answer NotHere() { return Status::Unsupported("publish and subscribe are not offered here"); }

void Confirm(Call& call, std::string_view word, std::optional<Bytes> name, std::size_t count) {
  call.reply.Push(3);
  call.reply.Bulk(word);
  if (name) {
    call.reply.Bulk(*name);
  } else {
    call.reply.Null();
  }
  call.reply.Integer(static_cast<std::int64_t>(count));
}

Answer SubscribeAll(Call& call, ChannelKind kind, std::string_view word) {
  PubSubContext* const context = call.host.pubsub();
  if (context == nullptr || context->mine == nullptr) return NotHere();
  for (const Bytes name : call.args.subspan(1)) {
    context->mine->Subscribe(kind, name);
    Confirm(call, word, name, context->mine->count(kind));
  }
  return {};
}

Answer UnsubscribeAll(Call& call, ChannelKind kind, std::string_view word) {
  PubSubContext* const context = call.host.pubsub();
  if (context == nullptr || context->mine == nullptr) return NotHere();
  Subscriptions& mine = *context->mine;
  const std::vector<std::string> all =
      call.args.size() == 1 ? mine.names(kind) : std::vector<std::string>();
  std::vector<Bytes> names(all.begin(), all.end());
  names.insert(names.end(), call.args.begin() + 1, call.args.end());
  for (const Bytes name : names) {
    mine.Unsubscribe(kind, name);
    Confirm(call, word, name, mine.count(kind));
  }
  if (names.empty()) Confirm(call, word, std::nullopt, mine.count(kind));
  return {};
}

Answer Subscribe(Call& call) { return SubscribeAll(call, ChannelKind::kChannel, "subscribe"); }
Answer PSubscribe(Call& call) { return SubscribeAll(call, ChannelKind::kPattern, "psubscribe"); }
Answer SSubscribe(Call& call) { return SubscribeAll(call, ChannelKind::kShard, "ssubscribe"); }
Answer Unsubscribe(Call& call) {
  return UnsubscribeAll(call, ChannelKind::kChannel, "unsubscribe");
}
Answer PUnsubscribe(Call& call) {
  return UnsubscribeAll(call, ChannelKind::kPattern, "punsubscribe");
}
Answer SUnsubscribe(Call& call) {
  return UnsubscribeAll(call, ChannelKind::kShard, "sunsubscribe");
}

Answer PublishTo(Call& call, ChannelKind kind) {
  PubSubContext* const context = call.host.pubsub();
  if (context == nullptr) return NotHere();
  const Bytes channel = call.args[1];
  const Bytes payload = call.args[2];
  std::size_t receivers = 0;
  if (context->outbox != nullptr) {
    receivers = context->outbox->Add(kind, channel, payload);
  } else if (kind == ChannelKind::kShard) {
    receivers = context->registry.PublishShard(channel, payload);
  } else {
    receivers = context->registry.Publish(channel, payload);
  }
  call.reply.Integer(static_cast<std::int64_t>(receivers));
  return {};
}

Answer Publish(Call& call) { return PublishTo(call, ChannelKind::kChannel); }
Answer SPublish(Call& call) { return PublishTo(call, ChannelKind::kShard); }

Answer ListNames(Call& call, ChannelKind kind) {
  PubSubContext* const context = call.host.pubsub();
  if (context == nullptr) return NotHere();
  if (call.args.size() > 3) {
    return Answer::Error(fmt::format(
        "ERR unknown subcommand or wrong number of arguments for '{}'. Try PUBSUB HELP.",
        call.args[1]));
  }
  const auto pattern = call.args.size() == 3 ? std::optional(call.args[2]) : std::nullopt;
  const std::vector<std::string> names = context->registry.Names(kind, pattern);
  call.reply.Array(names.size());
  for (const std::string& name : names) call.reply.Bulk(name);
  return {};
}

Answer CountEach(Call& call, ChannelKind kind) {
  PubSubContext* const context = call.host.pubsub();
  if (context == nullptr) return NotHere();
  call.reply.Array(2 * (call.args.size() - 2));
  for (const Bytes name : call.args.subspan(2)) {
    call.reply.Bulk(name);
    call.reply.Integer(static_cast<std::int64_t>(context->registry.CountSubscribers(kind, name)));
  }
  return {};
}

Answer Channels(Call& call) { return ListNames(call, ChannelKind::kChannel); }
Answer ShardChannels(Call& call) { return ListNames(call, ChannelKind::kShard); }
Answer NumSub(Call& call) { return CountEach(call, ChannelKind::kChannel); }
Answer ShardNumSub(Call& call) { return CountEach(call, ChannelKind::kShard); }

Answer NumPat(Call& call) {
  PubSubContext* const context = call.host.pubsub();
  if (context == nullptr) return NotHere();
  call.reply.Integer(static_cast<std::int64_t>(context->registry.CountPatterns()));
  return {};
}

Answer Help(Call& call) {
  static constexpr std::string_view kLines[] = {
      "CHANNELS [<pattern>]",
      "    Names of channels with subscribers, all or those that match.",
      "NUMPAT",
      "    How many different patterns have subscribers.",
      "NUMSUB [<channel> ...]",
      "    How many listen to each of the channels, by its name alone.",
      "SHARDCHANNELS [<pattern>]",
      "    As CHANNELS, of shard channels.",
      "SHARDNUMSUB [<shardchannel> ...]",
      "    As NUMSUB, of shard channels.",
  };
  WriteHelp(call.reply, "PUBSUB", kLines);
  return {};
}

// clang-format off
constexpr CommandSpec kPubSubSubcommands[] = {
    {"channels",      -2, kFlags,                      kNoKeys, Channels,
     {"List channels with subscribers.", "2.8.0", "O(n) in the channels in use", "[pattern:pattern]"}},
    {"help",          2,  kLoading | kStale | kNoRows, kNoKeys, Help,
     {"List the subcommands.", "6.2.0", "O(1)"}},
    {"numpat",        2,  kFlags,                      kNoKeys, NumPat,
     {"Count the patterns with subscribers.", "2.8.0", "O(1)"}},
    {"numsub",        -2, kFlags,                      kNoKeys, NumSub,
     {"Count the subscribers of channels.", "2.8.0", "O(n) in the channels given", "[channel]..."}},
    {"shardchannels", -2, kFlags,                      kNoKeys, ShardChannels,
     {"List shard channels with subscribers.", "7.0.0", "O(n) in the channels in use", "[pattern:pattern]"}},
    {"shardnumsub",   -2, kFlags,                      kNoKeys, ShardNumSub,
     {"Count the subscribers of shard channels.", "7.0.0", "O(n) in the channels given", "[shardchannel]..."}},
};

constexpr CommandSpec kPubSubCommands[] = {
    {"psubscribe",   -2, kFlags | kNoScript | kPatterns | kWhileSubscribed,   kNoKeys,          PSubscribe,
     {"Listen to channels by patterns.", "2.0.0", "O(n) in the patterns given", "pattern=(pattern:pattern)..."}},
    {"publish",      3,  kFlags | kFast | kPublishes,                         kNoKeys,          Publish,
     {"Send a message to a channel.", "2.0.0",
      "O(n + m) in the subscribers of the channel, and in the patterns of all clients", "channel message"}},
    {"pubsub",       -2, kNoRows,                                             kNoKeys,          nullptr,
     {"Look at channels.", "2.8.0", "O(1)"}, kPubSubSubcommands},
    {"punsubscribe", -1, kFlags | kNoScript | kWhileSubscribed,               kNoKeys,          PUnsubscribe,
     {"Stop listening by patterns.", "2.0.0", "O(n) in the patterns given", "[pattern:pattern]..."}},
    {"spublish",     3,  kFlags | kFast | kPublishes,                         OneKey(kNotKey),  SPublish,
     {"Send a message to a shard channel.", "7.0.0", "O(n) in the subscribers of the channel", "shardchannel message"}},
    {"ssubscribe",   -2, kFlags | kNoScript | kSubscribes | kWhileSubscribed, AllKeys(kNotKey), SSubscribe,
     {"Listen to shard channels.", "7.0.0", "O(n) in the channels given", "shardchannel..."}},
    {"subscribe",    -2, kFlags | kNoScript | kSubscribes | kWhileSubscribed, kNoKeys,          Subscribe,
     {"Listen to channels.", "2.0.0", "O(n) in the channels given", "channel..."}},
    {"sunsubscribe", -1, kFlags | kNoScript | kWhileSubscribed,               AllKeys(kNotKey), SUnsubscribe,
     {"Leave shard channels.", "7.0.0", "O(n) in the channels given", "[shardchannel]..."}},
    {"unsubscribe",  -1, kFlags | kNoScript | kWhileSubscribed,               kNoKeys,          Unsubscribe,
     {"Leave channels.", "2.0.0", "O(n) in the channels given", "[channel]..."}},
};
// clang-format on

}  // namespace

CommandFamily PubSubFamily() { return {"pubsub", Category::kPubSub, kPubSubCommands}; }

}  // namespace mayfly::server
