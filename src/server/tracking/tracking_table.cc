#include "server/tracking/tracking_table.h"

#include <algorithm>

#include "core/layout/liveness.h"

namespace mayfly::server {

void TrackingTable::Enable(std::uint64_t client, const TrackingMode& mode) {
  const std::lock_guard lock(mutex_);
  modes_[client] = mode;
  for (const std::string& prefix : mode.prefixes) {
    std::vector<std::uint64_t>& clients = by_prefix_[prefix];
    if (std::find(clients.begin(), clients.end(), client) == clients.end()) {
      clients.push_back(client);
    }
  }
  clients_ = modes_.size();
  prefixes_ = by_prefix_.size();
}

void TrackingTable::Disable(std::uint64_t client) {
  const std::lock_guard lock(mutex_);
  const auto found = modes_.find(client);
  if (found == modes_.end()) return;
  for (const std::string& prefix : found->second.prefixes) {
    const auto clients = by_prefix_.find(prefix);
    if (clients == by_prefix_.end()) continue;
    std::erase(clients->second, client);
    if (clients->second.empty()) by_prefix_.erase(clients);
  }
  modes_.erase(found);
  if (modes_.empty()) {
    by_key_.clear();
    deaths_.clear();
    items_ = 0;
  }
  clients_ = modes_.size();
  prefixes_ = by_prefix_.size();
}

bool TrackingTable::Remember(std::uint64_t client, const DatabaseKeyView& key,
                             std::optional<WallTime> dies, Invalidations& out) {
  const std::lock_guard lock(mutex_);
  if (!modes_.contains(client)) return false;
  auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    found = by_key_.try_emplace(DatabaseKey{key.database, std::string(key.key)}).first;
  }
  Entry& entry = found->second;
  if (std::find(entry.clients.begin(), entry.clients.end(), client) == entry.clients.end()) {
    entry.clients.push_back(client);
    ++items_;
  }
  bool earliest = false;
  if (dies && (!entry.dies || *dies < *entry.dies)) {
    ForgetDeath(found->first, entry);
    entry.dies = dies;
    earliest = deaths_.empty() || *dies < deaths_.begin()->first;
    deaths_.emplace(*dies, found->first);
  }
  MakeRoom(&found->first, out);
  return earliest;
}

void TrackingTable::ForgetDeath(const DatabaseKey& key, const Entry& entry) {
  if (entry.dies) deaths_.erase({*entry.dies, key});
}

void TrackingTable::TakeEntry(Entries::iterator entry, std::uint64_t writer, Messages messages,
                              Invalidations& out) {
  for (const std::uint64_t client : entry->second.clients) {
    const auto mode = modes_.find(client);
    // One that has gone, or has begun to track in another way, does not rely on it.
    if (mode == modes_.end() || mode->second.broadcast) continue;
    if (mode->second.no_loop && client == writer) continue;
    if (messages == Messages::kTogether) {
      out.AddTogether(client, mode->second, {}, entry->first.key);
    } else {
      out.Add(client, mode->second, {entry->first.key});
    }
  }
  items_ -= entry->second.clients.size();
  ForgetDeath(entry->first, entry->second);
  by_key_.erase(entry);
}

void TrackingTable::Broadcast(Bytes key, std::uint64_t writer, Invalidations& out) {
  for (const auto& [prefix, clients] : by_prefix_) {
    if (!key.starts_with(prefix)) continue;
    for (const std::uint64_t client : clients) {
      const TrackingMode& mode = modes_.at(client);
      if (!mode.no_loop || client != writer) out.AddTogether(client, mode, prefix, key);
    }
  }
}

void TrackingTable::Take(const DatabaseKeyView& key, std::uint64_t writer, Invalidations& out) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end())
    TakeEntry(found, writer, Messages::kOneEach, out);
  Broadcast(key.key, writer, out);
}

void TrackingTable::TakeForBroadcast(const DatabaseKeyView& key, Invalidations& out) {
  const std::lock_guard lock(mutex_);
  Broadcast(key.key, 0, out);
}

void TrackingTable::TakeDead(WallTime now, Invalidations& out) {
  const std::lock_guard lock(mutex_);
  while (!deaths_.empty() && core::IsDead(deaths_.begin()->first, now)) {
    const auto found = by_key_.find(
        DatabaseKeyView{deaths_.begin()->second.database, deaths_.begin()->second.key});
    if (found == by_key_.end()) {
      deaths_.erase(deaths_.begin());
    } else {
      TakeEntry(found, 0, Messages::kTogether, out);
    }
  }
}

std::optional<WallTime> TrackingTable::next_death() const {
  const std::lock_guard lock(mutex_);
  return deaths_.empty() ? std::nullopt : std::optional(deaths_.begin()->first);
}

void TrackingTable::TakeAll(Invalidations& out) {
  const std::lock_guard lock(mutex_);
  by_key_.clear();
  deaths_.clear();
  items_ = 0;
  for (const auto& [client, mode] : modes_) {
    out.Add(client, mode, {});
  }
}

// Any other key than `keep`: from a random place of the hash table on.
TrackingTable::Entries::iterator TrackingTable::Victim(const DatabaseKey* keep) {
  std::size_t bucket = random_.Below(by_key_.bucket_count());
  while (true) {
    for (auto at = by_key_.begin(bucket); at != by_key_.end(bucket); ++at) {
      if (keep == nullptr || at->first != *keep) return by_key_.find(at->first);
    }
    bucket = (bucket + 1) % by_key_.bucket_count();
  }
}

void TrackingTable::MakeRoom(const DatabaseKey* keep, Invalidations& out) {
  if (keys_max_ == 0) return;
  while (by_key_.size() > keys_max_) TakeEntry(Victim(keep), 0, Messages::kOneEach, out);
}

void TrackingTable::SetKeysMax(std::size_t keys_max, Invalidations& out) {
  const std::lock_guard lock(mutex_);
  keys_max_ = keys_max;
  MakeRoom(nullptr, out);
}

TrackingTable::Figures TrackingTable::figures() const {
  const std::lock_guard lock(mutex_);
  return {.clients = modes_.size(),
          .keys = by_key_.size(),
          .items = items_,
          .prefixes = by_prefix_.size()};
}

}  // namespace mayfly::server
