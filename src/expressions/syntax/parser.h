// parser.h - parses tokens into syntax: one grammar for each kind of expression, with common paths
// and operands. A recursive descent with one token of lookahead and no backtracking.
//
//   condition := and { OR and }        and := not { AND not }        not := NOT not | primary
//   primary   := ( condition ) | operand comparator operand | operand BETWEEN operand AND operand
//              | operand IN ( operand, ... ) | function
//   operand   := path | :value | function | ( operand )
//   function  := word ( operand, ... )
//   path      := name { . name | [ index ] }          name := word | #name
//   update    := clause { clause }
//   clause    := SET path = value, ... | REMOVE path, ... | ADD path :value, ... | DELETE ...
//   value     := operand [ + operand | - operand ] | ( value )
//   projection := path, ...
//
// A parenthesis may begin a condition or an operand, which only shows behind it: its content is
// parsed as either, and the next token decides. A path may go on behind a parenthesis in
// conditions.
#pragma once

#include <string_view>
#include <vector>

#include "expressions/syntax/expression_kind.h"
#include "expressions/syntax/lexer.h"
#include "expressions/syntax/syntax.h"
#include "mayfly/result.h"

namespace mayfly::expressions {

// Each fails with Invalid: empty or too long, too many operators, syntax, parentheses around
// parentheses. `text` must outlive the result. `bounded`: see Arguments.
Result<Node> ParseConditionSyntax(std::string_view text, ExpressionKind kind, bool bounded);
Result<std::vector<ClauseSyntax>> ParseUpdateSyntax(std::string_view text, bool bounded);
Result<std::vector<PathSyntax>> ParseProjectionSyntax(std::string_view text, bool bounded);

}  // namespace mayfly::expressions
