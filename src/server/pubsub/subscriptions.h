// subscriptions.h - the subscriptions of one subscriber. The destructor ends them.
// Only the owner calls it; a publisher may end the subscriptions meanwhile when the subscriber
// refuses a message, so everything but the two references is under the registry's mutex.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "server/pubsub/pubsub.h"

namespace mayfly::server {

class Subscriptions {
 public:
  // Both must outlive it.
  Subscriptions(PubSub& registry, Subscriber& subscriber);
  ~Subscriptions();
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  // True when this changed it.
  bool Subscribe(ChannelKind kind, Bytes name);
  bool Unsubscribe(ChannelKind kind, Bytes name);

  void Leave();

  // In their order as bytes.
  std::vector<std::string> names(ChannelKind kind) const;

  // How many of a kind. Takes no lock: called before every command.
  std::size_t size(ChannelKind kind) const {
    return sizes_[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
  }

  // As replies count them: shard channels by themselves, channels and patterns together.
  std::size_t count(ChannelKind kind) const;

  // Whether there is any, so that a RESP2 client may run no other commands.
  bool any() const;

 private:
  friend class PubSub;
  using Names = std::set<std::string, std::less<>>;

  Names& of(ChannelKind kind) { return names_[static_cast<std::size_t>(kind)]; }
  const Names& of(ChannelKind kind) const { return names_[static_cast<std::size_t>(kind)]; }
  void LeaveLocked();
  void NoteSize(ChannelKind kind) { sizes_[static_cast<std::size_t>(kind)] = of(kind).size(); }

  PubSub& registry_;
  Subscriber& subscriber_;

  // Guarded by the registry's mutex.
  std::uint64_t id_;
  std::array<Names, kChannelKinds> names_;
  std::array<std::atomic<std::size_t>, kChannelKinds> sizes_{};  // Read without it.
  bool deaf_ = false;  // Refused a message: gets no more, and subscribes to nothing more.
};

}  // namespace mayfly::server
