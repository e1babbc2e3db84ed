// publisher.h - publishes messages to the subscribers of channels.
#pragma once

#include <cstddef>
#include <functional>

#include "mayfly/bytes.h"

namespace mayfly::server {

// Safe to call from any thread.
class Publisher {
 public:
  virtual ~Publisher() = default;

  // To every client subscribed to the channel at this moment, by name or by pattern.
  virtual void Publish(Bytes channel, Bytes message) = 0;

  // Ends the subscriptions of shard channels for which it is true, and tells their clients.
  virtual void EndShardChannels(const std::function<bool(Bytes channel)>& /*ends*/) {}

  // For INFO and CLIENT LIST.
  struct Counts {
    std::size_t channels = 0;
    std::size_t patterns = 0;
    std::size_t shard_channels = 0;
  };
  virtual Counts counts() const = 0;
};

// Has no subscribers.
class NoPublisher final : public Publisher {
 public:
  void Publish(Bytes /*channel*/, Bytes /*message*/) override {}
  Counts counts() const override { return {}; }
};

}  // namespace mayfly::server
