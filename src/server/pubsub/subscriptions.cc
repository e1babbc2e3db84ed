#include "server/pubsub/subscriptions.h"

namespace mayfly::server {

Subscriptions::Subscriptions(PubSub& registry, Subscriber& subscriber)
    : registry_(registry), subscriber_(subscriber) {
  const std::lock_guard lock(registry_.mutex_);
  id_ = registry_.next_id_++;
}

Subscriptions::~Subscriptions() { Leave(); }

bool Subscriptions::Subscribe(ChannelKind kind, Bytes name) {
  const std::lock_guard lock(registry_.mutex_);
  if (deaf_) return false;
  const auto [at, is_new] = of(kind).emplace(name);
  if (is_new) registry_.book(kind)[*at].emplace(id_, this);
  NoteSize(kind);
  return is_new;
}

bool Subscriptions::Unsubscribe(ChannelKind kind, Bytes name) {
  const std::lock_guard lock(registry_.mutex_);
  const auto found = of(kind).find(name);
  if (found == of(kind).end()) return false;
  registry_.Remove(kind, *found, id_);
  of(kind).erase(found);
  NoteSize(kind);
  return true;
}

void Subscriptions::Leave() {
  const std::lock_guard lock(registry_.mutex_);
  LeaveLocked();
}

void Subscriptions::LeaveLocked() {
  for (int i = 0; i < kChannelKinds; ++i) {
    const auto kind = static_cast<ChannelKind>(i);
    for (const std::string& name : of(kind)) registry_.Remove(kind, name, id_);
    of(kind).clear();
    NoteSize(kind);
  }
}

std::vector<std::string> Subscriptions::names(ChannelKind kind) const {
  const std::lock_guard lock(registry_.mutex_);
  return {of(kind).begin(), of(kind).end()};
}

std::size_t Subscriptions::count(ChannelKind kind) const {
  if (kind == ChannelKind::kShard) return size(kind);
  return size(ChannelKind::kChannel) + size(ChannelKind::kPattern);
}

bool Subscriptions::any() const {
  return count(ChannelKind::kChannel) + count(ChannelKind::kShard) > 0;
}

}  // namespace mayfly::server
