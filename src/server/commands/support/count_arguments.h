// count_arguments.h - how many a client wants.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "server/command/command.h"

namespace mayfly::server {

// Zero or more, or `error`: some commands say the same whatever is wrong with the number.
Result<std::int64_t> NaturalArgument(Bytes argument, const Status& error);

// One or more, or an error that names what was counted, as in "numkeys should be greater than 0".
Result<std::int64_t> PositiveArgument(Bytes argument, std::string_view what);

// Draws from all that a command makes at most: its reply is made in memory.
inline constexpr std::int64_t kDrawsMax = 1 << 24;

// Of a drawn member in a reply, be it empty.
inline constexpr std::uint64_t kDrawnBytesMin = 6;

// Redis refuses to draw more with their scores or values, different ones as well.
inline constexpr std::uint64_t kPairDrawsMax = std::numeric_limits<std::int64_t>::max() / 2;

// What draws of members by chance are given: so many different ones or, when it is negative, so
// many draws from all.
struct DrawCount {
  std::uint64_t draws;
  bool with_repetition;

  // How many that makes of so many members.
  std::uint64_t Of(std::uint64_t members) const {
    if (members == 0) return 0;
    return with_repetition ? draws : std::min(draws, members);
  }
};

Result<DrawCount> DrawCountArgument(const Call& call, Bytes argument);

}  // namespace mayfly::server
