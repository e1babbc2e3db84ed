// outbox.h - messages of a transaction or script, held until its writes are committed.
// A subscriber may read at once when it gets a message, and must find the writes made before it.
#pragma once

#include <string>
#include <vector>

#include "base/function_ref.h"
#include "server/pubsub/pubsub.h"

namespace mayfly::server {

// One thread at a time.
class Outbox {
 public:
  explicit Outbox(PubSub& registry) : registry_(registry) {}

  // Returns how many subscribers it has now, which is what PUBLISH answers.
  std::size_t Add(ChannelKind kind, Bytes channel, Bytes payload);

  // Publishes everything, in the order it came. Call it after the commit.
  void Send();
  void Discard() { held_.clear(); }

  // Calls `take` with each message that is not to a shard's channel, before Send().
  bool empty() const { return held_.empty(); }
  void ForEach(FunctionRef<void(Bytes channel, Bytes payload)> take) const {
    for (const Held& message : held_) {
      if (message.kind != ChannelKind::kShard) take(message.channel, message.payload);
    }
  }

 private:
  struct Held {
    ChannelKind kind;
    std::string channel;
    std::string payload;
  };

  PubSub& registry_;
  std::vector<Held> held_;
};

}  // namespace mayfly::server
