// count_arguments.h - parses counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "server/command/command.h"

namespace mayfly::server {

// Zero or more, or `error`: some commands have one error for every malformed number.
Result<std::int64_t> NaturalArgument(Bytes argument, const Status& error);

// One or more, or an error that names the argument, as in "numkeys should be greater than 0".
Result<std::int64_t> PositiveArgument(Bytes argument, std::string_view what);

// The most draws with repetition that a command makes: its reply is built in memory.
inline constexpr std::int64_t kDrawsMax = 1 << 24;

// Bytes of a drawn member in a reply, even if it is empty.
inline constexpr std::uint64_t kDrawnBytesMin = 6;

// Redis refuses more draws with scores or values, without repetition as well.
inline constexpr std::uint64_t kPairDrawsMax = std::numeric_limits<std::int64_t>::max() / 2;

// The count of a random draw: so many different members or, when it is negative, so many draws with
// repetition.
struct DrawCount {
  std::uint64_t draws;
  bool with_repetition;

  // The number of draws from so many members.
  std::uint64_t Of(std::uint64_t members) const {
    if (members == 0) return 0;
    return with_repetition ? draws : std::min(draws, members);
  }
};

Result<DrawCount> DrawCountArgument(const Call& call, Bytes argument);

}  // namespace mayfly::server
