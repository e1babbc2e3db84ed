#include "server/pubsub/pubsub.h"

#include "base/glob.h"
#include "server/pubsub/subscriptions.h"

namespace mayfly::server {
namespace {

// As KEYS does: "*" matches everything, also an empty name, which the matcher would not match.
bool Matches(Bytes pattern, Bytes name) { return pattern == "*" || GlobMatches(pattern, name); }

}  // namespace

std::size_t PubSub::Publish(Bytes channel, Bytes payload) {
  const std::lock_guard lock(mutex_);
  std::size_t delivered = 0;
  const Book& channels = book(ChannelKind::kChannel);
  if (const auto found = channels.find(channel); found != channels.end()) {
    DeliverTo(found->second, {ChannelKind::kChannel, {}, channel, payload}, delivered);
  }
  for (const auto& [pattern, listeners] : book(ChannelKind::kPattern)) {
    if (!Matches(pattern, channel)) continue;
    DeliverTo(listeners, {ChannelKind::kPattern, pattern, channel, payload}, delivered);
  }
  ForgetDeaf();
  return delivered;
}

std::size_t PubSub::PublishShard(Bytes channel, Bytes payload) {
  const std::lock_guard lock(mutex_);
  std::size_t delivered = 0;
  const Book& shards = book(ChannelKind::kShard);
  if (const auto found = shards.find(channel); found != shards.end()) {
    DeliverTo(found->second, {ChannelKind::kShard, {}, channel, payload}, delivered);
  }
  ForgetDeaf();
  return delivered;
}

void PubSub::EndShardChannels(const std::function<bool(Bytes channel)>& ends) {
  const std::lock_guard lock(mutex_);
  std::size_t told = 0;
  Book& shards = book(ChannelKind::kShard);
  for (auto at = shards.begin(); at != shards.end();) {
    if (!ends(at->first)) {
      ++at;
      continue;
    }
    const auto channel = shards.extract(at++);
    for (const auto& [id, listener] : channel.mapped()) {
      listener->of(ChannelKind::kShard).erase(channel.key());
      listener->NoteSize(ChannelKind::kShard);
      DeliverTo(*listener,
                {ChannelKind::kShard, {}, channel.key(), {}, listener->size(ChannelKind::kShard)},
                told);
    }
  }
  ForgetDeaf();
}

std::size_t PubSub::CountReceivers(ChannelKind kind, Bytes channel) const {
  std::size_t receivers = CountSubscribers(kind, channel);
  if (kind == ChannelKind::kShard) return receivers;
  const std::lock_guard lock(mutex_);
  for (const auto& [pattern, listeners] : book(ChannelKind::kPattern)) {
    if (Matches(pattern, channel)) receivers += listeners.size();
  }
  return receivers;
}

std::vector<std::string> PubSub::Names(ChannelKind kind, std::optional<Bytes> pattern) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, listeners] : book(kind)) {
    if (!pattern || Matches(*pattern, name)) names.push_back(name);
  }
  return names;
}

std::size_t PubSub::CountSubscribers(ChannelKind kind, Bytes name) const {
  const std::lock_guard lock(mutex_);
  const auto found = book(kind).find(name);
  return found == book(kind).end() ? 0 : found->second.size();
}

std::size_t PubSub::CountPatterns() const {
  const std::lock_guard lock(mutex_);
  return book(ChannelKind::kPattern).size();
}

void PubSub::DeliverTo(const Listeners& listeners, const PubSubMessage& message,
                       std::size_t& delivered) {
  for (const auto& [id, listener] : listeners) DeliverTo(*listener, message, delivered);
}

void PubSub::DeliverTo(Subscriptions& listener, const PubSubMessage& message,
                       std::size_t& delivered) {
  if (listener.deaf_) return;
  if (listener.subscriber_.Deliver(message)) {
    ++delivered;
  } else {
    listener.deaf_ = true;
    deaf_.push_back(&listener);
  }
}

void PubSub::ForgetDeaf() {
  for (Subscriptions* const listener : deaf_) listener->LeaveLocked();
  deaf_.clear();
}

void PubSub::Remove(ChannelKind kind, const std::string& name, std::uint64_t id) {
  const auto found = book(kind).find(name);
  found->second.erase(id);
  if (found->second.empty()) book(kind).erase(found);
}

}  // namespace mayfly::server
