// due_count.h - how many rows are stored, and how many of them are dead, without a walk over these.
// While many rows wait for their purge, everything that counts the living would walk over their
// entries. So the entries up to an instant are counted once, and commits keep the number: each
// books the entries that it puts and removes at or before that instant with its other counters
// (Counters::due). What has died since the instant is walked over; the purge sees to it that it is
// not much.
//   meta  | 'd' | keyspace u32 BE | -> | field u8 | through_ms u64 | base zigzag |
// Invariant: in every state that holds the record, the entries with deadlines <= through are as
// many as base + the sum of Counters::due[field]. How the instant moves on while others commit,
// with no moment at which all of them stand still: (1) the other field is told the new instant; (2)
// every latch is held once, so that each commit that did not know of it is done; (3) a state is
// taken, and in it the entries are counted, and the field is read; (4) the record is written, with
// what was counted minus what the field said. From the state on each commit knows the instant, so
// the sum follows. The field of before is kept until the next count, which begins when the record
// is written. A clear or a repair forgets record and instants, under all latches or with the gate
// held alone; so (4) holds gate and a latch, and looks whether there was one.
#pragma once

#include <cstdint>

#include "core/reads/reads.h"

namespace mayfly::core {

struct RowCounts {
  std::int64_t rows = 0;                 // Stored, dead ones included.
  std::int64_t mortal = 0;               // Of these, with a deadline.
  std::int64_t dead = 0;                 // Of these, dead and not yet purged.
  std::int64_t with_mortal_members = 0;  // Of all, collections with members that have a deadline.

  std::int64_t living() const { return rows - dead; }
};

// In a view that stands still. No entry in it may lie before `first`.
Result<RowCounts> CountStored(const View& frozen, WallTime first);

// Counts the entries of rows up to now, if more than a few have come since the last time; for a
// purger, which holds nothing. Returns how many rows wait for their purge, nothing if it did not
// count.
Result<std::optional<std::uint64_t>> KeepCountOfDue(Store& store, KeyspaceState& keyspace);

// An instant of before which each write, and of each entry, is done: its commit has happened.
// Later writes give later deadlines.
WallTime SettledInstant(Store& store);

}  // namespace mayfly::core
