// path_overlap.h - checks for paths of one expression that exclude each other.
#pragma once

#include <vector>

#include "expressions/syntax/expression_kind.h"
#include "expressions/syntax/path.h"
#include "mayfly/status.h"

namespace mayfly::expressions {

// Invalid when one equals another, or lies within it ("overlap"), or when two use the same place as
// a map and as a list ("conflict"). Of several such pairs the last one is reported.
Status CheckOverlaps(const std::vector<Path>& paths, ExpressionKind kind);

}  // namespace mayfly::expressions
