// sorted_set_arguments.h - parses scores and ranges.
#pragma once

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "types/sorted_set_range.h"

namespace mayfly::server {

// NotAFloat() for no number; accepts what strtod() does, hexadecimal numbers as well.
Result<double> ScoreArgument(Bytes argument);

// A score, "(" in front of one that is excluded, "-inf" or "+inf".
Result<types::ScoreRange> ScoreRangeArguments(Bytes min, Bytes max);

// "[" or "(" and a name, included or excluded; "-" below all names, "+" above them.
Result<types::NameRange> NameRangeArguments(Bytes min, Bytes max);

Result<types::RankRange> RankRangeArguments(Bytes first, Bytes last);

}  // namespace mayfly::server
