// place_cursor.h - cursors that contain the position itself: they never expire, survive a restart,
// and cost the server no memory. On a cluster they pass between servers as well.
//   "at:" and the bytes of the position in hexadecimal digits; "0" at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::server {

std::string CursorText(Bytes place);

bool IsPlaceCursor(Bytes cursor);

// Nothing: the cursor is "0". InvalidCursor() for a malformed one.
Result<std::optional<std::string>> PlaceOf(Bytes cursor);

// A cursor of SCAN, a number; an empty one is 0, as in Redis. InvalidCursor() for anything else.
Result<std::uint64_t> ScanCursorArgument(Bytes argument);

}  // namespace mayfly::server
