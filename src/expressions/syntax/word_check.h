// word_check.h - the words of an expression: no reserved ones, indexes in range, functions that
// exist and stand where they may. The first thing that is wrong, as it is written, is told.
#pragma once

#include "expressions/syntax/expression_kind.h"
#include "expressions/syntax/syntax.h"
#include "mayfly/status.h"

namespace mayfly::expressions {

enum class Position : bool { kOperand, kCondition };

Status CheckWords(const Node& node, ExpressionKind kind, Position position);
Status CheckWords(const PathSyntax& path, ExpressionKind kind);

}  // namespace mayfly::expressions
