// decimal.h - reads and writes numbers as the protocol does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mayfly/bytes.h"

namespace mayfly {

// Bytes that any number below takes at most.
inline constexpr std::size_t kDecimalBytesMax = 32;

// Reads an integer in the one form Redis takes: an optional '-', no '+', no blank, no leading zero,
// no "-0", and nothing around it. False for everything else, and `value` is unchanged.
[[nodiscard]] bool ReadInteger(Bytes text, std::int64_t& value);

// Writes to `out`, which has kDecimalBytesMax bytes, and returns the end.
char* WriteInteger(char* out, std::int64_t value);
char* WriteCount(char* out, std::uint64_t value);

// Writes a double as Redis 7.0 sends a score: 17 significant digits (printf's "%.17g"), so that 0.1
// is 0.10000000000000001 and reads back exactly; "inf", "-inf", and "nan" without a sign.
char* WriteDouble(char* out, double value);

// Reads what WriteDouble() writes and any other decimal double, with an optional '+'. False for
// everything else and for numbers out of range, such as 1e999.
[[nodiscard]] bool ReadDouble(Bytes text, double& value);

}  // namespace mayfly
