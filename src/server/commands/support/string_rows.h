// string_rows.h - reads and writes keys that hold strings, for several families.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/command/arguments.h"
#include "server/command/command.h"
#include "types/string.h"

namespace mayfly::server {

// WrongType for a key of another type; a missing one is an empty row.
Status FindString(const Call& call, Bytes key, core::FoundRow& row);

// Writes the row; notifies first if it is new.
Status PutString(const Call& call, Bytes key, Bytes value, Lifetime lifetime);

// Overwrites a part of the string; notifies first if it is new. Notes it as a pieced string.
Status WriteString(const Call& call, Bytes key, types::String& string, std::uint64_t begin,
                   Bytes bytes);

// Notes a string that Redis would mark as written in part (pieced_strings.h).
Status NotePieced(const Call& call, Bytes key, types::String& string);

struct PlaceOfRow {
  int database;
  Bytes key;
};

// Copies the note when another key gets the row of `from`.
void CarryPieced(PiecedStrings& pieced, const PlaceOfRow& from, const PlaceOfRow& to, Bytes value);

// Fails if a string of `bytes` would be too long.
Status CheckStringBytes(std::uint64_t bytes);

// The bytes, or a null when there is no row.
void ReplyString(const Call& call, const core::FoundRow& row);

// Feeds what a command has made of the key's deadline: its instant, or that the key is gone. For
// calls with a feed.
Status FeedDeadline(const Call& call, Bytes key);

// The lifetime for a write that named this instant. A relative time stays one, so that the jitter
// of the keyspace's policy applies to it.
Lifetime LifetimeUntil(WallTime instant, TimeUnit unit, WallTime now);

inline bool IsLength(TimeUnit unit) {
  return unit == TimeUnit::kSeconds || unit == TimeUnit::kMillis;
}

}  // namespace mayfly::server
