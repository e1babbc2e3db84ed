#include "server/command/block_timeout.h"

#include <cmath>
#include <limits>

#include "server/command/long_double.h"

namespace mayfly::server {

Result<std::optional<Millis>> BlockTimeout(Bytes argument, WallTime now) {
  constexpr long double kMsPerSecond = 1000;
  long double seconds = 0;
  if (!ReadLongDouble(argument, seconds)) {
    return Status::Invalid("timeout is not a float or out of range");
  }
  if (seconds < 0) return Status::Invalid("timeout is negative");
  const long double ms = std::ceil(seconds * kMsPerSecond);
  const std::int64_t ms_max = std::numeric_limits<std::int64_t>::max() - ToMs(now);
  if (ms > static_cast<long double>(ms_max)) return Status::Invalid("timeout is out of range");
  if (ms == 0) return std::optional<Millis>();
  return std::optional(Millis(static_cast<std::int64_t>(ms)));
}

}  // namespace mayfly::server
