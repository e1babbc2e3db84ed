#include "server/session/watches.h"

#include <algorithm>
#include <utility>

namespace mayfly::server {

std::shared_ptr<Watch> Watches::Add(DatabaseKey key, bool alive, std::uint64_t tenure) {
  auto watch = std::make_shared<Watch>(key, alive, tenure);
  const std::lock_guard lock(mutex_);
  by_key_[std::move(key)].push_back(watch);
  ++count_;
  return watch;
}

void Watches::Remove(const std::shared_ptr<Watch>& watch) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(watch->key);
  if (found == by_key_.end()) return;
  count_ -= std::erase(found->second, watch);
  if (found->second.empty()) by_key_.erase(found);
}

void Watches::Touch(int database, Bytes key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(DatabaseKeyView{database, key});
  if (found == by_key_.end()) return;
  for (const auto& watch : found->second) watch->touched = true;
}

void Watches::TouchIf(int database, FunctionRef<bool(const Watch&)> changed) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, watchers] : by_key_) {
    if (key.database != database) continue;
    for (const auto& watch : watchers) {
      if (changed(*watch)) watch->touched = true;
    }
  }
}

}  // namespace mayfly::server
