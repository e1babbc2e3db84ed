// string_rows.h - keys that hold strings, as several families read and write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/command/arguments.h"
#include "server/command/command.h"
#include "types/string.h"

namespace mayfly::server {

// WrongType for a key that holds something else; a missing one is found empty.
Status FindString(const Call& call, Bytes key, core::FoundRow& row);

// Writes the row, and tells of it first if it is a new one.
Status PutString(const Call& call, Bytes key, Bytes value, Lifetime lifetime);

// Writes over a part of the string, and tells of it first if it is a new one. It is a pieced one
// from then on.
Status WriteString(const Call& call, Bytes key, types::String& string, std::uint64_t begin,
                   Bytes bytes);

// A string that Redis would keep as one that was written in part.
Status NotePieced(const Call& call, Bytes key, types::String& string);

struct PlaceOfRow {
  int database;
  Bytes key;
};

// Another key gets the row of `from`: it is as pieced as that one.
void CarryPieced(const Call& call, const PlaceOfRow& from, const PlaceOfRow& to, Bytes value);

// For a string that would come to be `bytes` long.
Status CheckStringBytes(std::uint64_t bytes);

// The bytes, or a null when there is no row.
void ReplyString(const Call& call, const core::FoundRow& row);

// What a write that named this instant asks for. A length stays one, so that the jitter of the
// keyspace's policy is applied to it.
Lifetime LifetimeUntil(WallTime instant, TimeUnit unit, WallTime now);

inline bool IsLength(TimeUnit unit) {
  return unit == TimeUnit::kSeconds || unit == TimeUnit::kMillis;
}

}  // namespace mayfly::server
