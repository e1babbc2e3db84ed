// ttl_cursor.h - cursors of mayfly's own commands: texts that hold the place itself. So a cursor is
// as good in a year, and after a restart, and costs the server nothing.
//   "at:" and the bytes of the place in hexadecimal digits; "0" at the end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mayfly/keyspace.h"
#include "mayfly/result.h"

namespace mayfly::server {

std::string CursorText(Bytes place);

// Takes CURSOR and its argument out of `words`, options and arguments in pairs, and returns the
// place; nothing: there is none, or it is "0". InvalidCursor() for what is no cursor.
Result<std::optional<std::string>> TakeCursor(std::vector<Bytes>& words);

// A place among deadlines: | deadline u64 | key |, of the last that was shown.
std::string PlaceBehind(const DeadlineEntry& entry);
Result<DeadlineEntry> EntryAt(Bytes place);

}  // namespace mayfly::server
