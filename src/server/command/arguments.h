// arguments.h - parses the arguments of commands, with Redis' errors where they are malformed.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::server {

// Whether the argument is `word` (lower case), ignoring the argument's case.
inline bool IsWord(Bytes argument, std::string_view word) {
  return EqualsIgnoringCase(argument, word);
}

// NotAnInteger() otherwise.
Result<std::int64_t> IntegerArgument(Bytes argument);

// OutOfRange() outside of [first, last], NotAnInteger() when it is none.
Result<std::int64_t> IntegerArgument(Bytes argument, std::int64_t first, std::int64_t last);

// NotAFloat() otherwise, nan included.
Result<double> DoubleArgument(Bytes argument);

// How a time is given: EX, PX, EXAT, PXAT.
enum class TimeUnit : std::uint8_t { kSeconds, kMillis, kUnixSeconds, kUnixMillis };

// The instant meant, counted from `now` where the unit is a length. InvalidExpireTime(command) when
// it overflows, or, for `positive`, when the number is zero or less.
Result<WallTime> InstantArgument(Bytes argument, TimeUnit unit, WallTime now,
                                 std::string_view command, bool positive);

}  // namespace mayfly::server
