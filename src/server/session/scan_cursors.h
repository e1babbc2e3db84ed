// scan_cursors.h - positions of scans over keys, under numbers that clients send back.
// Keys lie in byte order and SCAN's cursor is a number, so the server remembers, in two steps:
//   places       where a scan stands, exactly: the last places_max that were given out or used
//   milestones   a key every `spacing` rows or so; a number tells which one its place lies behind
//   number       | milestone, 42 bits | place behind it, 11 bits; 0: the milestone itself |
// A scan whose place is forgotten goes on at its milestone, and does not stop before the next: it
// shows some keys again, leaves none out, and comes to an end, however many others scan. Milestones
// are one for so many rows, so few that they stay. A number from before a restart, or one that was
// never given out, begins again at the first key. Nothing is refused (docs/decisions/0023).
// Invariants: (1) No number has two meanings, across restarts too: milestones count on from the
// time. (2) All keys that a scan has not shown lie at or behind the place it is given.
// Safe to call from any thread.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"

namespace mayfly::server {

struct ScanCursorLimits {
  std::size_t places_max = 65'536;
  std::size_t milestones_max = 131'072;
  std::uint64_t spacing = 1024;  // Rows.
};

class ScanCursors {
 public:
  explicit ScanCursors(WallTime now, const ScanCursorLimits& limits = {});

  // Where a scan goes on.
  struct Place {
    std::string key;              // The first key that it may not have shown.
    std::uint64_t milestone = 0;  // The one it lies behind; 0: unknown.
    std::uint64_t rows_behind = 0;
    std::uint64_t rows_min = 0;  // Rows that have to be visited before it may stop again.
  };

  // The place of a scan of this database; 0 begins one. A cursor can be used more than once.
  Place Find(int database, std::uint64_t cursor);

  // The number for a scan that has come from `from` to `next_key`, `rows` further: below 2^53,
  // never 0.
  std::uint64_t Keep(int database, const Place& from, std::uint64_t rows, Bytes next_key);

 private:
  struct Milestone {
    std::uint64_t number;
    int database;
    std::string key;
    std::uint64_t places = 0;  // Numbers given out for places behind it.
  };
  struct ExactPlace {
    std::uint64_t cursor;
    int database;
    Place place;
  };
  using Milestones = std::list<Milestone>;
  using Places = std::list<ExactPlace>;

  // Call these with the mutex held.
  Milestone* Use(std::uint64_t number, int database);  // Null: evicted.
  Milestone& NewMilestone(int database, Bytes key);
  Milestone& MilestoneAt(int database, Bytes key);
  Milestone& MilestoneFor(int database, const Place& from, std::uint64_t rows, Bytes next_key);
  void Remember(std::uint64_t cursor, int database, Place place);

  const ScanCursorLimits limits_;
  std::mutex mutex_;
  std::uint64_t last_milestone_;  // Guarded by mutex_, like the rest.
  Milestones milestones_;         // The least recently used first.
  std::unordered_map<std::uint64_t, Milestones::iterator> by_number_;
  std::map<std::pair<int, std::string>, std::uint64_t> by_key_;  // The newest of each.
  Places places_;                                                // The least recently used first.
  std::unordered_map<std::uint64_t, Places::iterator> by_cursor_;
};

}  // namespace mayfly::server
