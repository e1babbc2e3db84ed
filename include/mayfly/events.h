// events.h - what expired, in order, exactly once.
// An event is written in the same batch that removes the dead row's bytes, by whoever removes them:
// purge, reaper, a read, or a write over the dead row. So a row that expires has one event, with
// one sequence number, also when the process is killed in between. So has a member of a collection
// that has a deadline of its own. Rows deleted while alive, cleared or dropped have none. Keyspaces
// ask for events in their policy. Those of a keyspace with purge_within are kept for a quarter of
// it at least, and then trimmed: they are bytes of the row.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "mayfly/clock.h"

namespace mayfly {

// Stored; append, never renumber.
enum class EventCause : std::uint8_t {
  kPurged = 0,    // By Purge() or the reaper.
  kRead = 1,      // A read met the dead row.
  kReplaced = 2,  // A write or delete met it.
  kBornDead = 3,  // A write gave it a deadline that had passed.
};

struct Event {
  std::uint64_t sequence = 0;  // From 1 on, without gaps but for what was trimmed.
  std::uint32_t keyspace = 0;  // The keyspace's number; names may be reused, numbers are not.
  std::string keyspace_name;   // Empty when it was dropped since.
  std::string key;
  WallTime deadline;
  WallTime purged_at;
  EventCause cause = EventCause::kPurged;
  std::optional<std::string> value;  // As the policy asks; a collection has none.
  // The member of a collection that died, the collection itself being alive. Nothing: the row did.
  std::optional<std::string> member = std::nullopt;
};

// Called after the batch is committed, on the thread that purged or one that is delivering to the
// same callback at that moment: by one thread at a time, in order of sequence for each batch. It
// may call into the database. What it throws is logged and dropped.
using EventCallback = std::function<void(const Event&)>;

// Ends the calls when it goes; waits for one that runs on another thread.
class EventSubscription {
 public:
  virtual ~EventSubscription() = default;
};

// What TrimEvents() removes: events that fulfil any of the first three.
struct EventTrim {
  std::optional<std::uint64_t> through_sequence = std::nullopt;  // Up to and with this one.
  std::optional<Millis> older_than = std::nullopt;               // By the time of the purge.
  std::optional<std::uint64_t> keep_newest = std::nullopt;       // All but this many.
  // Of those no more than this, the oldest: new events wait while some are removed. To remove all
  // in steps, repeat until a step removes none.
  std::optional<std::uint64_t> events_max = std::nullopt;
};

}  // namespace mayfly
