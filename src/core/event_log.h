// event_log.h - numbers events, keeps them, and tells who wants to know.
// Sequence numbers are given out under a lock that is held until the batch is committed, so that
// events become visible in their order and a reader who has seen n will never meet one below n
// again. Lock order: after key latches; held while the engine commits.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

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

  // Calls the subscribers; after latches are released.
  void Deliver(const std::vector<Event>& events);

  std::unique_ptr<EventSubscription> Subscribe(EventCallback callback);

  Result<std::vector<Event>> Read(std::uint64_t after, std::size_t events_max) const;
  Result<std::uint64_t> Trim(const EventTrim& trim, WallTime now);

  // Sequences of the oldest and newest event kept; both 0 when there is none.
  Result<std::pair<std::uint64_t, std::uint64_t>> Extent() const;

 private:
  // Shared by the log, the subscription and a delivery that is under way.
  struct Subscriber {
    explicit Subscriber(EventCallback call) : callback(std::move(call)) {}
    std::recursive_mutex mutex;  // A callback may end its own subscription.
    const EventCallback callback;
    bool ended = false;  // Guarded by mutex. The callback stays: it may be what runs.
  };
  class Subscription;

  Result<std::uint64_t> TrimThrough(const EventTrim& trim, WallTime now) const;

  engine::Engine& engine_;
  Logger& logger_;

  std::mutex sequence_mutex_;
  std::uint64_t last_sequence_ = 0;  // Guarded by sequence_mutex_.

  std::mutex subscribers_mutex_;
  std::vector<std::weak_ptr<Subscriber>> subscribers_;  // Guarded by subscribers_mutex_.
};

}  // namespace mayfly::core
