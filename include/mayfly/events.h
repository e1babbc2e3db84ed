// events.h - expiry events: what expired, in order, exactly once.
// An event is written in the same batch that removes the dead row: by a purge, the reaper, a read,
// or a write over the dead row. So a row that expires has one event, with one sequence number, also
// when the process is killed in between. So has a member of a collection that has a deadline of its
// own. Rows deleted while alive, cleared or dropped have none. The policy of a keyspace turns
// events on. Those of a keyspace with purge_within are kept for at least a quarter of it, and then
// trimmed: they contain bytes of the row.
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
  kEvicted = 4,   // A server made room (maxmemory): the row was living.
};

struct Event {
  std::uint64_t sequence = 0;  // From 1 on, without gaps except for trimmed events.
  std::uint32_t keyspace = 0;  // The keyspace's number; names may be reused, numbers are not.
  std::string keyspace_name;   // Empty when it was dropped since.
  std::string key;
  WallTime deadline;
  WallTime purged_at;
  EventCause cause = EventCause::kPurged;
  std::optional<std::string> value;  // As the policy asks; a collection has none.
  // The member that died, as its type stores it: of a hash, Hash::FieldOf() in types.h has the name.
  // A member that died before its collection, or with it, has an event of its own, which may come
  // after that of the collection. Nothing: the event is about the whole row.
  std::optional<std::string> member = std::nullopt;
};

// Called after the batch is committed, on the thread that purged or one that is delivering to the
// same callback at that moment: by one thread at a time, in order of sequence for each batch. It
// may call into the database; Reclaim() and RevertClock() answer Busy while its own thread reclaims
// space. That thread may be a reaper's: see class Reaper. Exceptions are logged and dropped.
using EventCallback = std::function<void(const Event&)>;

// The destructor ends the calls; it waits for a call that runs on another thread.
class EventSubscription {
 public:
  virtual ~EventSubscription() = default;
};

// The events that TrimEvents() removes: those that match any of the first three fields.
struct EventTrim {
  std::optional<std::uint64_t> through_sequence = std::nullopt;  // Up to and with this one.
  std::optional<Millis> older_than = std::nullopt;               // By the time of the purge.
  std::optional<std::uint64_t> keep_newest = std::nullopt;       // All but this many.
  // At most this many of those, the oldest: no event is written while some are removed. To remove
  // all in steps, repeat until a step removes none.
  std::optional<std::uint64_t> events_max = std::nullopt;
};

}  // namespace mayfly
