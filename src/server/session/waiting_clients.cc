#include "server/session/waiting_clients.h"

#include <algorithm>

namespace mayfly::server {

void WaitingClients::Add(const std::shared_ptr<Waiter>& waiter) {
  const std::lock_guard lock(mutex_);
  for (const std::string& key : waiter->keys) {
    Queue& queue = by_key_[{waiter->database, key}];
    // A key named twice is waited for once.
    if (queue.empty() || queue.back() != waiter) queue.push_back(waiter);
  }
  if (waiter->keys.empty()) keyless_.insert(waiter.get());
  ++waiters_;
}

void WaitingClients::Remove(const std::shared_ptr<Waiter>& waiter) {
  const std::lock_guard lock(mutex_);
  bool was_there = waiter->keys.empty() && keyless_.erase(waiter.get()) > 0;
  for (const std::string& key : waiter->keys) {
    const auto found = by_key_.find(DatabaseKeyView{waiter->database, key});
    if (found == by_key_.end()) continue;
    was_there = found->second.remove(waiter) > 0 || was_there;
    if (found->second.empty()) by_key_.erase(found);
  }
  if (was_there) --waiters_;
}

bool WaitingClients::AnyoneFor(int database, Bytes key) const {
  const std::lock_guard lock(mutex_);
  return by_key_.contains(DatabaseKeyView{database, key});
}

std::vector<std::shared_ptr<Waiter>> WaitingClients::On(const DatabaseKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::vector<DatabaseKey> WaitingClients::KeysOf(int database) const {
  const std::lock_guard lock(mutex_);
  std::vector<DatabaseKey> keys;
  for (const auto& [key, queue] : by_key_) {
    if (key.database == database) keys.push_back(key);
  }
  return keys;
}

}  // namespace mayfly::server
