// event_log.h - numbers events, keeps them, and tells who wants to know.
// Sequence numbers are given out under a lock that is held until the batch is committed, so that
// events become visible in their order and a reader who has seen n will never meet one below n
// again. Lock order: ARCHITECTURE.md, 13; held while the engine commits, but not while it syncs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
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

  // Finds the last sequence number given out. Before anything else.
  Status Load();

  // Numbers the events, adds them to the batch and commits it. On failure no number is used up. A
  // number that somebody has seen must not be given out again after a crash, so with events it is
  // kProcess at least.
  Status Commit(engine::Batch& batch, Durability durability, std::vector<Event>& events);

  // Calls the subscribers; after latches are released. A subscriber is called by one thread at a
  // time, with no lock held: what others bring meanwhile, that thread delivers.
  void Deliver(const std::vector<Event>& events);

  std::unique_ptr<EventSubscription> Subscribe(EventCallback callback);

  Result<std::vector<Event>> Read(std::uint64_t after, std::size_t events_max) const;
  std::uint64_t LastSequence() const;
  // Behind this one only TrimKeyspace() has removed events.
  std::uint64_t TrimmedThrough() const;
  Result<std::uint64_t> Trim(const EventTrim& trim, WallTime now);

  // As Load(), for who reads beside a writer.
  Status Reload() {
    const std::lock_guard lock(sequence_mutex_);
    return Load();
  }

  // Numbers up to this one count as given out, their events as trimmed.
  Status GoOnBehind(std::uint64_t sequence);

  // What is left of a keyspace's events after TrimKeyspace().
  struct Kept {
    std::uint64_t removed = 0;
    std::optional<WallTime> first_purged_at;  // Nothing: none is left.
    std::optional<WallTime> first_deadline;
  };

  // Removes the events of a keyspace that were purged up to `purged_by`, and those from a time that
  // was taken back before `now`. Walks over all events, in steps between which commits with events
  // go on.
  Result<Kept> TrimKeyspace(KeyspaceId keyspace, WallTime purged_by, WallTime now);

  // Sequences of the oldest and newest event kept; both 0 when there is none.
  Result<std::pair<std::uint64_t, std::uint64_t>> Extent() const;

 private:
  // Shared by the log, the subscription and a delivery that is under way.
  struct Subscriber {
    explicit Subscriber(EventCallback call) : callback(std::move(call)) {}
    const EventCallback callback;

    std::mutex mutex;
    std::condition_variable quiet;   // Nobody calls any more.
    std::deque<Event> waiting;       // Guarded by mutex, like the next two.
    std::thread::id calling_thread;  // Nobody: the default one.
    bool ended = false;
  };
  class Subscription;

  // What TrimKeyspace() was asked for.
  struct KeyspaceTrim {
    KeyspaceId keyspace;
    WallTime purged_by;
    WallTime now;
  };

  void CallAll(Subscriber& subscriber);
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
