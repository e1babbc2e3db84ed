#include "server/pubsub/outbox.h"

#include <utility>

namespace mayfly::server {

std::size_t Outbox::Add(ChannelKind kind, Bytes channel, Bytes payload) {
  held_.push_back({kind, std::string(channel), std::string(payload)});
  return registry_.CountReceivers(kind, channel);
}

void Outbox::Send() {
  const std::vector<Held> held = std::exchange(held_, {});
  for (const Held& message : held) {
    if (message.kind == ChannelKind::kShard) {
      registry_.PublishShard(message.channel, message.payload);
    } else {
      registry_.Publish(message.channel, message.payload);
    }
  }
}

}  // namespace mayfly::server
