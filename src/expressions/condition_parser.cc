// condition_parser.cc - the grammar of conditions (parser.h).
#include <utility>

#include "expressions/syntax/parser.h"
#include "expressions/syntax/token_cursor.h"

namespace mayfly::expressions {
namespace {

bool IsCondition(const Node& node) {
  switch (Bare(node).kind) {
    case Node::Kind::kComparison:
    case Node::Kind::kBetween:
    case Node::Kind::kIn:
    case Node::Kind::kNot:
    case Node::Kind::kAnd:
    case Node::Kind::kOr: return true;
    default: return false;
  }
}

class ConditionParser {
 public:
  ConditionParser(std::string_view text, ExpressionKind kind) : cursor_(text, kind) {}

  Result<Node> Run(bool bounded) {
    MAYFLY_RETURN_IF_ERROR(cursor_.CheckSize(bounded));
    MAYFLY_TRY(Node root, ParseOr(false));
    if (!cursor_.AtEnd()) return cursor_.Unexpected();
    return root;
  }

 private:
  // `operand_will_do`: this is the whole content of a parenthesis, where an operand is allowed,
  // too.
  Result<Node> ParseOr(bool operand_will_do) {
    MAYFLY_TRY(Node first, ParseAnd(operand_will_do));
    if (!cursor_.IsKeyword("OR")) return first;
    Node node = {.kind = Node::Kind::kOr, .text = "OR"};
    node.children.push_back(std::move(first));
    while (cursor_.IsKeyword("OR")) {
      cursor_.Next();
      MAYFLY_TRY(Node next, ParseAnd(false));
      node.children.push_back(std::move(next));
    }
    return node;
  }

  Result<Node> ParseAnd(bool operand_will_do) {
    MAYFLY_TRY(Node first, ParseNot(operand_will_do));
    if (!cursor_.IsKeyword("AND")) return first;
    Node node = {.kind = Node::Kind::kAnd, .text = "AND"};
    node.children.push_back(std::move(first));
    while (cursor_.IsKeyword("AND")) {
      cursor_.Next();
      MAYFLY_TRY(Node next, ParseNot(false));
      node.children.push_back(std::move(next));
    }
    return node;
  }

  Result<Node> ParseNot(bool operand_will_do) {
    if (!cursor_.IsKeyword("NOT")) return ParsePrimary(operand_will_do);
    MAYFLY_RETURN_IF_ERROR(cursor_.Descend());
    cursor_.Next();
    MAYFLY_TRY(Node inner, ParseNot(false));
    cursor_.Ascend();
    Node node = {.kind = Node::Kind::kNot, .text = "NOT"};
    node.children.push_back(std::move(inner));
    return node;
  }

  Result<Node> ParsePrimary(bool operand_will_do) {
    MAYFLY_TRY(Node left, cursor_.Is("(") ? ParseInParentheses() : cursor_.ParseOperand());
    if (IsCondition(left)) return left;
    if (IsComparator()) return ParseComparison(std::move(left));
    if (cursor_.IsKeyword("BETWEEN")) return ParseBetween(std::move(left));
    if (cursor_.IsKeyword("IN")) return ParseIn(std::move(left));
    if (Bare(left).kind == Node::Kind::kFunction) return left;
    if (operand_will_do && cursor_.Is(")")) return left;
    return cursor_.Unexpected();
  }

  Result<Node> ParseInParentheses() {
    MAYFLY_RETURN_IF_ERROR(cursor_.Descend());
    cursor_.Next();
    MAYFLY_TRY(Node inner, ParseOr(true));
    MAYFLY_RETURN_IF_ERROR(cursor_.Expect(")"));
    cursor_.Ascend();
    return cursor_.InParentheses(std::move(inner));
  }

  bool IsComparator() const {
    for (const char* comparator : {"=", "<>", "<", "<=", ">", ">="}) {
      if (cursor_.Is(comparator)) return true;
    }
    return false;
  }

  Result<Node> ParseComparison(Node left) {
    Node node = {.kind = Node::Kind::kComparison, .text = cursor_.Next().text};
    node.children.push_back(std::move(left));
    MAYFLY_TRY(Node right, cursor_.ParseOperand());
    node.children.push_back(std::move(right));
    return node;
  }

  Result<Node> ParseBetween(Node left) {
    Node node = {.kind = Node::Kind::kBetween, .text = cursor_.Next().text};
    node.children.push_back(std::move(left));
    MAYFLY_TRY(Node lower, cursor_.ParseOperand());
    node.children.push_back(std::move(lower));
    MAYFLY_RETURN_IF_ERROR(cursor_.ExpectKeyword("AND"));
    MAYFLY_TRY(Node upper, cursor_.ParseOperand());
    node.children.push_back(std::move(upper));
    return node;
  }

  Result<Node> ParseIn(Node left) {
    Node node = {.kind = Node::Kind::kIn, .text = cursor_.Next().text};
    node.children.push_back(std::move(left));
    if (!cursor_.Is("(")) return cursor_.Unexpected();
    do {
      cursor_.Next();
      MAYFLY_TRY(Node operand, cursor_.ParseOperand());
      node.children.push_back(std::move(operand));
    } while (cursor_.Is(","));
    MAYFLY_RETURN_IF_ERROR(cursor_.Expect(")"));
    return node;
  }

  TokenCursor cursor_;
};

}  // namespace

Result<Node> ParseConditionSyntax(std::string_view text, ExpressionKind kind, bool bounded) {
  return ConditionParser(text, kind).Run(bounded);
}

}  // namespace mayfly::expressions
