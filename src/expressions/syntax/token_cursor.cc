#include "expressions/syntax/token_cursor.h"

#include <fmt/format.h>

#include <utility>

#include "expressions/syntax/limits.h"

namespace mayfly::expressions {

Status TokenCursor::CheckSize(bool bounded) const {
  if (tokens_.size() == 1) return Refused(kind_, "The expression can not be empty;");
  if (!bounded) return {};
  if (text_.size() > kExpressionBytesMax) {
    return Refused(kind_, fmt::format("Expression size has exceeded the maximum allowed size; "
                                      "expression size: {}",
                                      text_.size()));
  }
  const std::size_t operators = CountOperators(tokens_, kind_);
  if (operators > kOperatorsMax) {
    return Refused(kind_, fmt::format("The expression contains too many operators; operator "
                                      "count: {}",
                                      operators));
  }
  return {};
}

bool TokenCursor::Is(std::string_view punctuation) const {
  return Peek().kind == Token::Kind::kPunctuation && Peek().text == punctuation;
}

bool TokenCursor::IsKeyword(std::string_view keyword) const {
  return Peek().kind == Token::Kind::kKeyword && Peek().text == keyword;
}

Status TokenCursor::Expect(std::string_view punctuation) {
  if (!Is(punctuation)) return Unexpected();
  Next();
  return {};
}

Status TokenCursor::ExpectKeyword(std::string_view keyword) {
  if (!IsKeyword(keyword)) return Unexpected();
  Next();
  return {};
}

// Shows the token, and the text from the one before it to the one behind.
Status TokenCursor::Unexpected() const {
  const Token& token = Peek();
  const std::size_t begin = at_ > 0 ? tokens_[at_ - 1].begin : 0;
  const std::size_t end = at_ + 1 < tokens_.size() ? tokens_[at_ + 1].end : token.end;
  const std::string_view shown =
      AtEnd() ? token.text : text_.substr(token.begin, token.end - token.begin);
  return Refused(kind_, fmt::format("Syntax error; token: \"{}\", near: \"{}\"", shown,
                                    text_.substr(begin, end - begin)));
}

Status TokenCursor::RedundantParentheses() const {
  return Refused(kind_, "The expression has redundant parentheses;");
}

Status TokenCursor::Descend() {
  if (++depth_ > kNestingMax) return RedundantParentheses();
  return {};
}

Result<PathSyntax> TokenCursor::ParsePath() {
  if (!IsKind(Token::Kind::kWord) && !IsKind(Token::Kind::kName)) return Unexpected();
  const Token& first = Next();
  PathSyntax path;
  path.steps.push_back({.kind = first.kind == Token::Kind::kName
                                    ? PathSyntax::Step::Kind::kPlaceholder
                                    : PathSyntax::Step::Kind::kName,
                        .text = first.text});
  MAYFLY_RETURN_IF_ERROR(ParseSteps(path));
  return path;
}

Status TokenCursor::ParseSteps(PathSyntax& path) {
  for (;;) {
    if (Is(".")) {
      Next();
      const bool placeholder = IsKind(Token::Kind::kName);
      if (!placeholder && !IsKind(Token::Kind::kWord)) return Unexpected();
      path.steps.push_back({.kind = placeholder ? PathSyntax::Step::Kind::kPlaceholder
                                                : PathSyntax::Step::Kind::kName,
                            .text = Next().text});
    } else if (Is("[")) {
      Next();
      if (!IsKind(Token::Kind::kDigits)) return Unexpected();
      path.steps.push_back({.kind = PathSyntax::Step::Kind::kIndex, .text = Next().text});
      MAYFLY_RETURN_IF_ERROR(Expect("]"));
    } else {
      return {};
    }
  }
}

bool TokenCursor::IsFunction() const {
  return Peek().kind == Token::Kind::kWord && tokens_[at_ + 1].text == "(" &&
         tokens_[at_ + 1].kind == Token::Kind::kPunctuation;
}

Result<Node> TokenCursor::ParseOperand() {
  if (IsKind(Token::Kind::kValue)) return Node{.kind = Node::Kind::kValue, .text = Next().text};
  if (Is("(")) return ParseOperandInParentheses();
  if (IsFunction()) return ParseFunction();
  MAYFLY_TRY(PathSyntax path, ParsePath());
  return Node{.kind = Node::Kind::kPath, .path = std::move(path)};
}

Result<Node> TokenCursor::ParseOperandInParentheses() {
  MAYFLY_RETURN_IF_ERROR(Descend());
  Next();
  MAYFLY_TRY(Node inner, ParseOperand());
  MAYFLY_RETURN_IF_ERROR(Expect(")"));
  Ascend();
  return InParentheses(std::move(inner));
}

Result<Node> TokenCursor::InParentheses(Node inner) {
  if (inner.kind == Node::Kind::kParentheses) return RedundantParentheses();
  const bool goes_on = Is(".") || Is("[");
  if (goes_on && inner.kind == Node::Kind::kPath && kind_ != ExpressionKind::kUpdate) {
    MAYFLY_RETURN_IF_ERROR(ParseSteps(inner.path));
    return inner;
  }
  Node node = {.kind = Node::Kind::kParentheses};
  node.children.push_back(std::move(inner));
  return node;
}

Result<Node> TokenCursor::ParseFunction() {
  MAYFLY_RETURN_IF_ERROR(Descend());
  Node node = {.kind = Node::Kind::kFunction, .text = Next().text};
  do {
    Next();  // The parenthesis or a comma.
    MAYFLY_TRY(Node operand, ParseOperand());
    node.children.push_back(std::move(operand));
  } while (Is(","));
  MAYFLY_RETURN_IF_ERROR(Expect(")"));
  Ascend();
  return node;
}

const Node& Bare(const Node& node) {
  const Node* bare = &node;
  while (bare->kind == Node::Kind::kParentheses) bare = &bare->children.front();
  return *bare;
}

}  // namespace mayfly::expressions
