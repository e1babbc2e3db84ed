// word_check.h - checks the words of an expression: no reserved ones, indexes in range, functions
// that exist and are allowed in their place. Reports the first error in the order of the text.
#pragma once

#include "expressions/syntax/expression_kind.h"
#include "expressions/syntax/syntax.h"
#include "mayfly/status.h"

namespace mayfly::expressions {

enum class Position : bool { kOperand, kCondition };

Status CheckWords(const Node& node, ExpressionKind kind, Position position);
Status CheckWords(const PathSyntax& path, ExpressionKind kind);

}  // namespace mayfly::expressions
