#include "server/commands/support/count_arguments.h"

#include <fmt/format.h>

#include <limits>

#include "server/command/arguments.h"
#include "server/command/errors.h"

namespace mayfly::server {

Result<std::int64_t> NaturalArgument(Bytes argument, const Status& error) {
  const Result<std::int64_t> number = IntegerArgument(argument);
  if (!number || *number < 0) return error;
  return *number;
}

Result<std::int64_t> PositiveArgument(Bytes argument, std::string_view what) {
  const Result<std::int64_t> number = IntegerArgument(argument);
  if (number && *number > 0) return *number;
  return Status::Invalid(fmt::format("{} should be greater than 0", what));
}

Result<DrawCount> DrawCountArgument(const Call& call, Bytes argument) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  MAYFLY_TRY(const std::int64_t count, IntegerArgument(argument));
  if (count < -kMax) {
    return Status::Invalid(
        fmt::format("value is out of range, value must between {} and {}", -kMax, kMax));
  }
  if (count < -kDrawsMax) {
    // In Redis a client with a bound on its output would be closed while the reply grows.
    const std::uint64_t bytes_max = std::numeric_limits<std::uint64_t>::max();
    const auto draws = static_cast<std::uint64_t>(-count);
    const bool countable = draws < bytes_max / kDrawnBytesMin;
    if (call.may_block) call.host.TooMuchToSend(countable ? draws * kDrawnBytesMin : bytes_max);
    return OutOfRange();
  }
  return DrawCount{.draws = static_cast<std::uint64_t>(count < 0 ? -count : count),
                   .with_repetition = count < 0};
}

}  // namespace mayfly::server
