// long_double.h - the numbers of INCRBYFLOAT and HINCRBYFLOAT.
// They are computed with the machine's widest float and kept as text, as Redis does, so that sums
// of decimal fractions come out as people write them.
#pragma once

#include <string>

#include "mayfly/bytes.h"

namespace mayfly::server {

// Reads all of `text` as strtold does: decimal, hexadecimal or "inf", but no blank in front, no nan
// and nothing out of the type's range. False otherwise, and `value` is unchanged.
[[nodiscard]] bool ReadLongDouble(Bytes text, long double& value);

// Up to 17 digits behind the point, without zeros at the end, never with an exponent; "0" for a
// negative zero. `value` must be finite.
std::string WriteLongDouble(long double value);

}  // namespace mayfly::server
