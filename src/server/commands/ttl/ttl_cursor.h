// ttl_cursor.h - cursors of mayfly's own commands: those of place_cursor.h, behind the word CURSOR.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mayfly/keyspace.h"
#include "mayfly/result.h"
#include "server/command/place_cursor.h"

namespace mayfly::server {

// Takes CURSOR and its argument out of `words`, options and arguments in pairs, and returns the
// position; nothing: no CURSOR, or "0". InvalidCursor() for a malformed one.
Result<std::optional<std::string>> TakeCursor(std::vector<Bytes>& words);

// A position among deadlines: | deadline u64 | key |, of the last entry shown.
std::string PlaceBehind(const DeadlineEntry& entry);
Result<DeadlineEntry> EntryAt(Bytes place);

}  // namespace mayfly::server
