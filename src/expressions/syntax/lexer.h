// lexer.h - splits an expression into tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "expressions/syntax/expression_kind.h"

namespace mayfly::expressions {

// What the words of expressions and the names of placeholders are made of.
constexpr bool IsWordPart(char c) { return IsLetterOrDigit(c) || c == '_'; }

struct Token {
  enum class Kind : std::uint8_t {
    kWord,     // Letters, digits and underscores, beginning with a letter: a name or a function.
    kKeyword,  // A word with a meaning in expressions of this kind, in any case.
    kName,     // #placeholder
    kValue,    // :placeholder
    kDigits,   // An index within a list.
    kPunctuation,  // An operator, parenthesis, bracket, comma or point.
    kStray,        // A character that no expression has.
    kEnd,
  };
  Kind kind = Kind::kEnd;
  std::string_view text;  // "<EOF>" at the end. A keyword in capitals; the source may differ.
  std::size_t begin = 0;  // In the expression, and behind its last byte.
  std::size_t end = 0;
};

// The last token is the end. The tokens' texts are views into `text`.
std::vector<Token> Lex(std::string_view text, ExpressionKind kind);

// The number of operators and functions, as DynamoDB limits them.
std::size_t CountOperators(const std::vector<Token>& tokens, ExpressionKind kind);

}  // namespace mayfly::expressions
