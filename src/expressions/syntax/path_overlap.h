// path_overlap.h - paths of one expression that cannot go together.
#pragma once

#include <vector>

#include "expressions/syntax/expression_kind.h"
#include "expressions/syntax/path.h"
#include "mayfly/status.h"

namespace mayfly::expressions {

// Invalid when one is another, or lies within it ("overlap"), or when two take the same place for a
// map and for a list ("conflict"). Of several such pairs the last one is told.
Status CheckOverlaps(const std::vector<Path>& paths, ExpressionKind kind);

}  // namespace mayfly::expressions
