// cursor.h - a cursor over the living rows of a keyspace, in key order, both ways.
// A cursor shows one frozen state at one frozen instant: rows that die while it walks stay. Inside
// a transaction it shows the transaction's own writes up to the moment it was made. A new cursor is
// on no row: seek before reading. Destroy it before its snapshot, transaction or database. One
// thread at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/status.h"

namespace mayfly {

enum class RowFilter : std::uint8_t {
  kAll,
  kMortal,    // Only rows with a deadline.
  kImmortal,  // Only rows without one.
};

// The keys a cursor shows: those with the prefix, from begin on, before end. An empty field sets no
// bound.
struct CursorOptions {
  Bytes prefix = {};
  Bytes begin = {};
  Bytes end = {};
  RowFilter filter = RowFilter::kAll;
  // The rows as they were then; see KeyspaceReader::GetAsOf().
  std::optional<WallTime> as_of = std::nullopt;
};

class Cursor {
 public:
  virtual ~Cursor() = default;
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  // True on a row. When false, check status(): the range may have ended, or reading failed.
  virtual bool Valid() const = 0;

  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  virtual void SeekAtOrAfter(Bytes target) = 0;   // First key >= target.
  virtual void SeekAtOrBefore(Bytes target) = 0;  // Last key <= target.

  // Only when Valid().
  virtual void Next() = 0;
  virtual void Prev() = 0;

  // All four only when Valid(), and until the cursor moves.
  virtual Bytes key() const = 0;
  virtual Bytes value() const = 0;
  virtual std::optional<WallTime> deadline() const = 0;
  virtual std::optional<WallTime> timestamp() const = 0;  // In keyspaces ordered by timestamp.

  // True if the row is a collection. The library does not read collections: its value() is empty.
  virtual bool is_collection() const { return false; }

  // Ok at the end of the range; Corruption or IoError when reading failed.
  virtual Status status() const = 0;

 protected:
  Cursor() = default;
};

}  // namespace mayfly
