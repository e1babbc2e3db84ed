// units.h - lengths of time, instants, sizes and counts as people write and read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::app {

// "30s", "5m", "1h30m", "250ms", "1d", "2w". Invalid without a unit: 30 may mean seconds or
// milliseconds, and the wrong guess is off by a thousand.
Result<Millis> ParseDuration(std::string_view text);

// "2030-01-01", "2030-01-01T12:00:00.250Z", the same with an offset such as +02:00, or "@" with
// seconds since the epoch, as date(1) takes them. UTC where no offset is given.
Result<WallTime> ParseInstant(std::string_view text);

// The largest units first, and none that is zero: "1d 12h", "250ms". At most `units_max` of them.
std::string ToText(Millis length, int units_max = 5);

// ISO 8601, UTC, to the millisecond.
std::string ToText(WallTime time);
std::string ToText(const std::optional<WallTime>& time);  // "-" for nothing.

// "512 B", "1.5 KiB".
std::string SizeToText(std::uint64_t bytes);

// "1 row", "2 rows".
std::string Counted(std::uint64_t count, std::string_view noun);

}  // namespace mayfly::app
