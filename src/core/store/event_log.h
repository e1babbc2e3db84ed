// event_log.h - numbers events, stores them, and delivers them to subscribers.
// Sequence numbers are given out under a lock that is held until the batch is committed, so that
// events become visible in their order and a reader that has seen n never sees a new one below n.
// The lock is held while the engine commits, but not while it syncs. Lock order: ARCHITECTURE.md.
// Threads: any, after Load().
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/layout/keys.h"
#include "engine/engine.h"
#include "mayfly/events.h"
#include "mayfly/logger.h"
#include "mayfly/result.h"

namespace mayfly::core {

class EventLog {
 public:
  EventLog(engine::Engine& engine, Logger& logger) : engine_(engine), logger_(logger) {}

  // Finds the last sequence number given out. Call it first.
  Status Load();

  // Numbers the events, adds them to the batch and commits it. On failure no number is used up. A
  // number that a reader has seen must not be given out again after a crash, so a batch with events
  // is committed with kProcess at least.
  Status Commit(engine::Batch& batch, Durability durability, std::vector<Event>& events);

  // Calls the subscribers; to be called after the latches are released. A subscriber is called by
  // one thread at a time, with no lock held; that thread also delivers what other threads add.
  void Deliver(std::vector<Event>&& events);

  std::unique_ptr<EventSubscription> Subscribe(EventCallback callback);

  Result<std::vector<Event>> Read(std::uint64_t after, std::size_t events_max) const;
  std::uint64_t LastSequence() const;
  // All events up to this sequence are trimmed. Above it only TrimKeyspace() has removed events.
  std::uint64_t TrimmedThrough() const;
  Result<std::uint64_t> Trim(const EventTrim& trim, WallTime now);

  // As Load(), for a reader beside a writer.
  Status Reload() {
    const std::lock_guard lock(sequence_mutex_);
    return Load();
  }

  // Counts numbers up to this one as given out and their events as trimmed.
  Status GoOnBehind(std::uint64_t sequence);

  // The outcome of TrimKeyspace(): what it removed, and the oldest times among the events left.
  struct Kept {
    std::uint64_t removed = 0;
    std::optional<WallTime> first_purged_at;  // Nothing: no event is left.
    std::optional<WallTime> first_deadline;
  };

  // Removes the events of a keyspace that were purged up to `purged_by`, and those with a purge
  // time ahead of `now`, which was reverted since. Scans all events, in steps between which commits
  // with events proceed.
  Result<Kept> TrimKeyspace(KeyspaceId keyspace, WallTime purged_by, WallTime now);

  // Sequence numbers of the oldest and newest event kept; both 0 when there is none.
  Result<std::pair<std::uint64_t, std::uint64_t>> Extent() const;

 private:
  // Shared by the log, the subscription and a delivery that is under way.
  struct Subscriber {
    explicit Subscriber(EventCallback call) : callback(std::move(call)) {}
    const EventCallback callback;

    std::mutex mutex;
    std::condition_variable quiet;   // No thread calls it any more.
    std::vector<Event> waiting;      // Guarded by mutex, like the next.
    std::thread::id calling_thread;  // Default: none.
    std::atomic<bool> ended{false};  // Set under mutex.
  };
  class Subscription;

  // The arguments of TrimKeyspace().
  struct KeyspaceTrim {
    KeyspaceId keyspace;
    WallTime purged_by;
    WallTime now;
  };

  void CallAll(Subscriber& subscriber);
  void Call(const Subscriber& subscriber, const Event& event);
  Result<std::optional<std::uint64_t>> TrimSome(const KeyspaceTrim& trim, std::uint64_t first,
                                                Kept& kept);
  Result<std::uint64_t> TrimThrough(const EventTrim& trim, WallTime now) const;
  Status LoadTrimmed(Bytes record);
  static void PutTrimmed(engine::Batch& batch, std::uint64_t last, std::uint64_t through);

  engine::Engine& engine_;
  Logger& logger_;

  mutable std::mutex sequence_mutex_;
  // Guarded by sequence_mutex_.
  std::uint64_t last_sequence_ = 0;
  std::uint64_t trimmed_through_ = 0;

  std::mutex subscribers_mutex_;
  std::vector<std::weak_ptr<Subscriber>> subscribers_;  // Guarded by subscribers_mutex_.
};

}  // namespace mayfly::core
