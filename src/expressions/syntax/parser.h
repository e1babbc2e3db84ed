// parser.h - tokens to syntax: one grammar for each kind of expression, with paths and operands in
// common. A recursive descent that looks one token ahead and never goes back.
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
// A parenthesis may begin a condition or an operand, which shows only behind it: what is inside is
// read as either, and the next token decides. A path may go on behind a parenthesis in conditions.
#pragma once

#include <string_view>
#include <vector>

#include "expressions/syntax/expression_kind.h"
#include "expressions/syntax/lexer.h"
#include "expressions/syntax/syntax.h"
#include "mayfly/result.h"

namespace mayfly::expressions {

// Each fails with Invalid: no bytes or too many, too many operators, syntax, parentheses around
// parentheses. `text` must outlive what is returned.
Result<Node> ParseConditionSyntax(std::string_view text, ExpressionKind kind);
Result<std::vector<ClauseSyntax>> ParseUpdateSyntax(std::string_view text);
Result<std::vector<PathSyntax>> ParseProjectionSyntax(std::string_view text);

}  // namespace mayfly::expressions
