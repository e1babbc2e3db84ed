// update_parser.cc - the grammar of updates (parser.h).
#include <utility>

#include "expressions/syntax/parser.h"
#include "expressions/syntax/token_cursor.h"

namespace mayfly::expressions {
namespace {

class UpdateParser {
 public:
  explicit UpdateParser(std::string_view text) : cursor_(text, ExpressionKind::kUpdate) {}

  Result<std::vector<ClauseSyntax>> Run(bool bounded) {
    MAYFLY_RETURN_IF_ERROR(cursor_.CheckSize(bounded));
    std::vector<ClauseSyntax> clauses;
    while (!cursor_.AtEnd()) {
      if (!cursor_.IsKind(Token::Kind::kKeyword)) return cursor_.Unexpected();
      ClauseSyntax clause = {.keyword = cursor_.Peek().text, .actions = {}};
      do {
        cursor_.Next();  // The keyword or a comma.
        MAYFLY_TRY(ActionSyntax action, ParseAction(clause.keyword));
        clause.actions.push_back(std::move(action));
      } while (cursor_.Is(","));
      clauses.push_back(std::move(clause));
    }
    return clauses;
  }

 private:
  Result<ActionSyntax> ParseAction(std::string_view keyword) {
    MAYFLY_TRY(PathSyntax path, cursor_.ParsePath());
    ActionSyntax action = {.path = std::move(path), .value = {}};
    if (keyword == "REMOVE") return action;
    if (keyword == "SET") {
      MAYFLY_RETURN_IF_ERROR(cursor_.Expect("="));
      MAYFLY_TRY(Node value, ParseValue());
      action.value.push_back(std::move(value));
      return action;
    }
    if (!cursor_.IsKind(Token::Kind::kValue)) return cursor_.Unexpected();
    MAYFLY_TRY(Node value, cursor_.ParseOperand());
    action.value.push_back(std::move(value));
    return action;
  }

  Result<Node> ParseValue() {
    MAYFLY_TRY(Node left, cursor_.Is("(") ? ParseInParentheses() : cursor_.ParseOperand());
    const bool sum = Bare(left).kind == Node::Kind::kArithmetic;
    if (sum || !(cursor_.Is("+") || cursor_.Is("-"))) return left;
    Node node = {.kind = Node::Kind::kArithmetic, .text = cursor_.Next().text};
    node.children.push_back(std::move(left));
    MAYFLY_TRY(Node right, cursor_.ParseOperand());
    node.children.push_back(std::move(right));
    return node;
  }

  Result<Node> ParseInParentheses() {
    MAYFLY_RETURN_IF_ERROR(cursor_.Descend());
    cursor_.Next();
    MAYFLY_TRY(Node inner, ParseValue());
    MAYFLY_RETURN_IF_ERROR(cursor_.Expect(")"));
    cursor_.Ascend();
    return cursor_.InParentheses(std::move(inner));
  }

  TokenCursor cursor_;
};

}  // namespace

Result<std::vector<ClauseSyntax>> ParseUpdateSyntax(std::string_view text, bool bounded) {
  return UpdateParser(text).Run(bounded);
}

}  // namespace mayfly::expressions
