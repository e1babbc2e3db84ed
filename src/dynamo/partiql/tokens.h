// tokens.h - splits a statement of PartiQL into tokens. Comments (-- and /* */) count as blanks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/result.h"

namespace mayfly::partiql {

// Where a token stands, as DynamoDB's messages tell it: from 1, in characters.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
  std::size_t length = 0;
};

struct Token {
  enum class Kind : unsigned char {
    kWord,    // An identifier as it is written; perhaps a keyword.
    kQuoted,  // "An identifier", which is no keyword.
    kString,  // 'A string', without its quotes.
    kNumber,
    kParameter,  // ?
    kPunctuation,
    kEnd,
  };
  Kind kind = Kind::kEnd;
  std::string text = {};
  Position position = {};
};

// Invalid, in DynamoDB's words: the detail of the message is empty, whatever cannot be read.
Result<std::vector<Token>> Tokenize(std::string_view statement);

// "Statement wasn't well formed, can't be processed: DETAIL".
Status NotWellFormed(std::string_view detail);

// "1:15:4", as messages end.
std::string ToText(const Position& position);

// Whether the word is reserved: it names an attribute only in quotes.
bool IsKeyword(std::string_view word);

}  // namespace mayfly::partiql
