// tracking_table.h - which clients have read which keys, for client-side caching: CLIENT TRACKING.
// A client that tracks is entered for each key it reads, while its transaction holds the key's
// latch. A writer takes the key out before its own transaction ends, under the same latch, and the
// clients are notified afterwards. So whatever a client has read, a later change finds it here:
// no invalidation is lost. An entry also knows when what was read dies, at which instant it is taken
// out by TakeDead(). A client in broadcast mode has prefixes instead of entries.
// Invariants: (1) A key is here, or everyone who read it since it was taken out was sent a message.
// (2) Not more keys than `keys_max`: beyond that, keys are taken out as if they had changed.
// Clients that have gone are dropped when their keys are taken out. Safe to call from any thread;
// the mutex is a leaf.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "mayfly/clock.h"
#include "server/databases/database_key.h"

namespace mayfly::server {

// How a client tracks.
struct TrackingMode {
  std::uint64_t redirect = 0;  // The client that gets the messages; 0: the one that tracks.
  bool broadcast = false;
  bool opt_in = false;
  bool opt_out = false;
  bool no_loop = false;                    // Not told of its own changes.
  std::vector<std::string> prefixes = {};  // Of broadcast mode; one may be empty.
};

// A message for a client.
struct Invalidation {
  std::uint64_t client = 0;  // The one that tracks.
  std::uint64_t redirect = 0;
  std::vector<std::string> keys;  // Empty: all keys.
};

// Messages in the order in which they are sent: one for each key, but for those of one prefix in
// broadcast mode, and for those that died together.
class Invalidations {
 public:
  bool empty() const { return list_.empty(); }
  const std::vector<Invalidation>& list() const { return list_; }

  void Add(std::uint64_t client, const TrackingMode& mode, std::vector<std::string> keys) {
    list_.push_back({client, mode.redirect, std::move(keys)});
  }
  void AddTogether(std::uint64_t client, const TrackingMode& mode, const std::string& prefix,
                   Bytes key) {
    const auto [at, is_new] = together_.try_emplace({client, prefix}, list_.size());
    if (is_new) Add(client, mode, {});
    list_[at->second].keys.emplace_back(key);
  }

 private:
  std::vector<Invalidation> list_;
  std::map<std::pair<std::uint64_t, std::string>, std::size_t> together_;  // Places in list_.
};

class TrackingTable {
 public:
  // 0: no bound.
  explicit TrackingTable(std::size_t keys_max = 0) : keys_max_(keys_max), random_(FreshSeed()) {}

  bool any() const { return clients_.load(std::memory_order_acquire) != 0; }
  bool any_broadcast() const { return prefixes_.load(std::memory_order_acquire) != 0; }

  // A client begins to track, goes on in another way, or ends.
  void Enable(std::uint64_t client, const TrackingMode& mode);
  void Disable(std::uint64_t client);

  // Under the key's latch: the client reads it. `dies`: what it reads does not change by itself
  // before. Adds to `out` when another key has to make room. True: an earlier death than any here.
  bool Remember(std::uint64_t client, const DatabaseKeyView& key, std::optional<WallTime> dies,
                Invalidations& out);

  // Under the key's latch: it changes by a command of `writer`; 0: of no client.
  void Take(const DatabaseKeyView& key, std::uint64_t writer, Invalidations& out);

  // A key has died: for clients in broadcast mode.
  void TakeForBroadcast(const DatabaseKeyView& key, Invalidations& out);

  // What is dead now.
  void TakeDead(WallTime now, Invalidations& out);
  std::optional<WallTime> next_death() const;

  // Anything may have changed: every client has to drop all.
  void TakeAll(Invalidations& out);

  void SetKeysMax(std::size_t keys_max, Invalidations& out);

  struct Figures {
    std::size_t clients = 0;
    std::size_t keys = 0;
    std::size_t items = 0;  // Clients of all keys.
    std::size_t prefixes = 0;
  };
  Figures figures() const;

 private:
  struct Entry {
    std::vector<std::uint64_t> clients;
    std::optional<WallTime> dies;
  };
  using Entries = std::unordered_map<DatabaseKey, Entry, DatabaseKeyHash, DatabaseKeyEqual>;

  // Call these with the mutex held.
  enum class Messages : std::uint8_t { kOneEach, kTogether };
  void TakeEntry(Entries::iterator entry, std::uint64_t writer, Messages messages,
                 Invalidations& out);
  void Broadcast(Bytes key, std::uint64_t writer, Invalidations& out);
  void ForgetDeath(const DatabaseKey& key, const Entry& entry);
  void MakeRoom(const DatabaseKey* keep, Invalidations& out);
  Entries::iterator Victim(const DatabaseKey* keep);

  std::atomic<std::size_t> clients_{0};   // Changed under mutex_, as the next one.
  std::atomic<std::size_t> prefixes_{0};  // Different ones.

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::size_t keys_max_;
  Random random_;
  std::map<std::uint64_t, TrackingMode> modes_;
  std::map<std::string, std::vector<std::uint64_t>, std::less<>> by_prefix_;
  Entries by_key_;
  std::size_t items_ = 0;
  std::set<std::pair<WallTime, DatabaseKey>> deaths_;  // One for each entry that dies.
};

}  // namespace mayfly::server
