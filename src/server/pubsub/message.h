// message.h - one published message, as a subscriber gets it.
//   message   channel payload              to subscribers of the channel
//   pmessage  pattern channel payload      to those of a pattern that matches it
//   smessage  channel payload              to those of the shard channel, a namespace of its own
//   sunsubscribe channel left              to these when the channel's slot has moved to another server
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mayfly/bytes.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

enum class ChannelKind : std::uint8_t { kChannel, kPattern, kShard };
inline constexpr int kChannelKinds = 3;

// The views are valid during the call.
struct PubSubMessage {
  ChannelKind kind;
  Bytes pattern;  // Empty unless the kind is kPattern.
  Bytes channel;
  Bytes payload;
  // The subscription is over, and the client has so many of its kind left.
  std::optional<std::size_t> left = std::nullopt;
};

// As a push of RESP3 or an array of RESP2.
void WriteMessage(const PubSubMessage& message, ReplyWriter& writer);

}  // namespace mayfly::server
