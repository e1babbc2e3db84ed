#include "server/command/arguments.h"

#include <cmath>
#include <limits>

#include "base/text.h"
#include "server/command/errors.h"
#include "wire/decimal.h"

namespace mayfly::server {

Result<std::int64_t> IntegerArgument(Bytes argument) {
  std::int64_t value = 0;
  if (!ReadInteger(argument, value)) return NotAnInteger();
  return value;
}

Result<std::int64_t> IntegerArgument(Bytes argument, std::int64_t first, std::int64_t last) {
  MAYFLY_TRY(const std::int64_t value, IntegerArgument(argument));
  if (value < first || value > last) return OutOfRange();
  return value;
}

Result<double> DoubleArgument(Bytes argument) {
  double value = 0;
  if (!ReadDouble(argument, value) || std::isnan(value)) return NotAFloat();
  return value;
}

Result<WallTime> InstantArgument(Bytes argument, TimeUnit unit, WallTime now,
                                 std::string_view command, bool positive) {
  constexpr std::int64_t kMsPerSecond = 1000;
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  MAYFLY_TRY(std::int64_t value, IntegerArgument(argument));
  if (positive && value <= 0) return InvalidExpireTime(command);
  if (unit == TimeUnit::kSeconds || unit == TimeUnit::kUnixSeconds) {
    if (value > kMax / kMsPerSecond || value < kMin / kMsPerSecond) {
      return InvalidExpireTime(command);
    }
    value *= kMsPerSecond;
  }
  if (unit == TimeUnit::kSeconds || unit == TimeUnit::kMillis) {
    if (value > kMax - ToMs(now)) return InvalidExpireTime(command);
    value += ToMs(now);
  }
  return WallTimeFromMs(value);
}

}  // namespace mayfly::server
