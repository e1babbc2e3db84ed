// due_count.h - counts stored rows and the dead ones among them, without a scan of the dead.
// While many rows wait for their purge, each count of living rows would scan their entries. So the
// entries up to an instant are counted once, and commits maintain the number: each books the
// entries that it puts and removes at or before that instant with its other counters
// (Counters::due). Rows that have died since the instant are scanned; the purge moves the instant
// on before they are many.
//   meta  | 'd' | keyspace u32 BE | -> | field u8 | through_ms u64 | base zigzag |
// Invariant: in every state that holds the record, the entries with deadlines <= through are as
// many as base + the sum of Counters::due[field]. The instant moves on while other threads commit,
// without stopping them all at once: (1) the other field gets the new instant; (2) every latch is
// held once, so that each commit that did not know the instant is done; (3) a state is taken, in
// which the entries are counted and the field is read; (4) the record is written, with the count
// minus the field. From the state on each commit knows the instant, so the sum follows. The
// previous field is maintained until the next count, which begins after the record is written. A
// clear or a repair forgets record and instants, under all latches or with the gate held alone; so
// (4) holds the gate and a latch, and checks whether there was one.
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

// Counts in a frozen view. No entry in it may lie before `first`.
Result<RowCounts> CountStored(const View& frozen, WallTime first);

// Counts the entries of rows up to now, if more than a few have become due since the last count.
// For purges; the caller must hold no lock. Returns how many rows wait for their purge; nothing if
// it did not count.
Result<std::optional<std::uint64_t>> KeepCountOfDue(Store& store, KeyspaceState& keyspace);

// An instant before which every write, and the entry of every such write, is committed. Later
// writes set later deadlines.
WallTime StableInstant(Store& store);

}  // namespace mayfly::core
