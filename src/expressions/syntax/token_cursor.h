// token_cursor.h - a parser's position, and the common part of all grammars.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "expressions/syntax/expression_kind.h"
#include "expressions/syntax/lexer.h"
#include "expressions/syntax/syntax.h"
#include "mayfly/result.h"

namespace mayfly::expressions {

class TokenCursor {
 public:
  TokenCursor(std::string_view text, ExpressionKind kind)
      : text_(text), kind_(kind), tokens_(Lex(text, kind)) {}

  // Refuses an expression that is empty, or beyond the limits on bytes and operators.
  Status CheckSize(bool bounded) const;

  bool Is(std::string_view punctuation) const;
  bool IsKeyword(std::string_view keyword) const;
  bool IsKind(Token::Kind kind) const { return Peek().kind == kind; }
  bool AtEnd() const { return IsKind(Token::Kind::kEnd); }
  const Token& Peek() const { return tokens_[at_]; }
  const Token& Next() { return tokens_[at_ < tokens_.size() - 1 ? at_++ : at_]; }
  Status Expect(std::string_view punctuation);
  Status ExpectKeyword(std::string_view keyword);

  // The error Invalid for an unexpected token.
  Status Unexpected() const;
  Status RedundantParentheses() const;

  // Enters a level, until Ascend().
  Status Descend();
  void Ascend() { --depth_; }

  Result<PathSyntax> ParsePath();
  // Parses further steps, if there are any.
  Status ParseSteps(PathSyntax& path);
  Result<Node> ParseOperand();
  // Wraps `inner` in parentheses, which have just been closed.
  Result<Node> InParentheses(Node inner);

  ExpressionKind kind() const { return kind_; }

 private:
  Result<Node> ParseFunction();
  Result<Node> ParseOperandInParentheses();
  bool IsFunction() const;

  std::string_view text_;
  ExpressionKind kind_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace mayfly::expressions
