// pubsub.h - the registry of subscribers by channel, and the delivery of messages.
// One mutex covers the registry and a publication as a whole. So all subscribers see the messages
// of a channel in one order, and a subscriber that has left is not called any more: once its
// Subscriptions are destroyed, it may be, too. Lock order: the registry's mutex comes before any
// lock that Deliver() takes. Safe to call from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "mayfly/bytes.h"
#include "server/pubsub/message.h"

namespace mayfly::server {

class Subscriptions;

// The receiver of messages: a connection.
class Subscriber {
 public:
  virtual ~Subscriber() = default;

  // Copies the message to a queue. Called by publishers, on their threads and under the registry's
  // mutex: be quick, and do not call back. A message that arrives while a command of the subscriber
  // runs must be sent after the command's reply: it may be the one that subscribes. False: takes no
  // more messages; all its subscriptions end.
  [[nodiscard]] virtual bool Deliver(const PubSubMessage& message) = 0;
};

class PubSub {
 public:
  // Delivers to subscribers of the channel and then to those of patterns that match it; one with
  // both gets both. Returns how many messages were delivered.
  std::size_t Publish(Bytes channel, Bytes payload);
  std::size_t PublishShard(Bytes channel, Bytes payload);

  // Ends the subscriptions of the shard channels for which it is true, and tells each subscriber.
  void EndShardChannels(const std::function<bool(Bytes channel)>& ends);

  // What Publish() would return now.
  std::size_t CountReceivers(ChannelKind kind, Bytes channel) const;

  // Channels, or shard channels, that have a subscriber and match, in no order.
  std::vector<std::string> Names(ChannelKind kind, std::optional<Bytes> pattern) const;

  // Subscribers of exactly this name.
  std::size_t CountSubscribers(ChannelKind kind, Bytes name) const;

  // Different patterns that have a subscriber.
  std::size_t CountPatterns() const;

 private:
  friend class Subscriptions;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(Bytes name) const { return std::hash<Bytes>()(name); }
  };
  using Listeners = std::map<std::uint64_t, Subscriptions*>;  // By their ids: oldest first.
  using Book = std::unordered_map<std::string, Listeners, Hash, std::equal_to<>>;

  Book& book(ChannelKind kind) { return books_[static_cast<std::size_t>(kind)]; }
  const Book& book(ChannelKind kind) const { return books_[static_cast<std::size_t>(kind)]; }

  // Call these with the mutex held.
  void DeliverTo(const Listeners& listeners, const PubSubMessage& message, std::size_t& delivered);
  void DeliverTo(Subscriptions& listener, const PubSubMessage& message, std::size_t& delivered);
  void ForgetDeaf();
  void Remove(ChannelKind kind, const std::string& name, std::uint64_t id);

  mutable std::mutex mutex_;

  // Guarded by mutex_, as are the Subscriptions registered here.
  std::array<Book, kChannelKinds> books_;
  std::vector<Subscriptions*> deaf_;  // Refused a message of the current publication.
  std::uint64_t next_id_ = 1;
};

}  // namespace mayfly::server
