// tracking.h - client-side caching: tells clients of changes and deaths of the keys they read.
//   read     the executor, under the latch     Remember        the table has the client
//   write    the executor, under the latch     Take            then, after the commit, Deliver
//   death    a thread of its own, which sleeps until the next death in the table, whether or not
//            anything has been purged
// Clients in broadcast mode hear of deaths from the events of the keyspaces instead: by the
// reaper, or by the write that meets the dead key. Messages pass through Session::PostMessage, so
// they come behind the replies that were written before. Safe to call from any thread.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "mayfly/clock.h"
#include "mayfly/database.h"
#include "server/session/clients.h"
#include "server/tracking/tracking_table.h"

namespace mayfly::server {

class Tracking {
 public:
  // All must outlive it.
  Tracking(Database& database, const Clock& clock, Clients& clients)
      : database_(database), clock_(clock), clients_(clients) {}
  ~Tracking();
  Tracking(const Tracking&) = delete;
  Tracking& operator=(const Tracking&) = delete;

  // Called for every transaction that changed something: costs no lock.
  bool any() const { return table_.any(); }
  bool any_broadcast() const { return table_.any_broadcast(); }

  // The first client that enters the table starts the thread.
  void Enable(std::uint64_t client, const TrackingMode& mode);
  void Disable(std::uint64_t client) { table_.Disable(client); }

  // As the calls of the table.
  void Remember(std::uint64_t client, const DatabaseKeyView& key, std::optional<WallTime> dies,
                Invalidations& out);
  void Take(const DatabaseKeyView& key, std::uint64_t writer, Invalidations& out) {
    table_.Take(key, writer, out);
  }
  void TakeAll(Invalidations& out) { table_.TakeAll(out); }
  TrackingTable::Figures figures() const { return table_.figures(); }

  // Sends the messages. The caller may hold latches, but no mutex.
  void Deliver(const Invalidations& messages);

  void SetKeysMax(std::size_t keys_max);
  void KeyDied(const DatabaseKeyView& key);
  void EverythingChanged();

 private:
  void Run();

  Database& database_;
  const Clock& clock_;
  Clients& clients_;
  TrackingTable table_;
  Waker waker_;
  std::atomic<bool> stopping_{false};
  std::mutex starting_;
  std::thread thread_;  // Guarded by starting_.
};

}  // namespace mayfly::server
