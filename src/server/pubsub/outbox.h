// outbox.h - messages of a transaction or script, held until its writes are there.
// Whoever gets a message may read at once, and must find what was written before it was published.
#pragma once

#include <string>
#include <vector>

#include "server/pubsub/pubsub.h"

namespace mayfly::server {

// One thread at a time.
class Outbox {
 public:
  explicit Outbox(PubSub& registry) : registry_(registry) {}

  // Returns how many would get it now, which is what PUBLISH answers.
  std::size_t Add(ChannelKind kind, Bytes channel, Bytes payload);

  // Publishes everything, in the order it came. To be called after the commit.
  void Send();
  void Discard() { held_.clear(); }

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
