// term_parser.h - parses terms (parser.h), and has what the parser of statements shares with it: a
// place among the tokens.
#pragma once

#include <string_view>
#include <vector>

#include "dynamo/partiql/syntax.h"
#include "mayfly/result.h"

namespace mayfly::partiql {

class TermParser {
 public:
  explicit TermParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& Peek() const { return tokens_[at_]; }
  const Token& Next() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_[at_]; }
  bool AtEnd() const { return Peek().kind == Token::Kind::kEnd; }
  bool Is(std::string_view sign) const;
  bool IsWord(std::string_view word) const { return IsWordAt(at_, word); }
  // Passes it if it is there.
  bool Pass(std::string_view sign);
  bool PassWord(std::string_view word);
  Status Expect(std::string_view sign, std::string_view otherwise);
  Status ExpectWord(std::string_view word, std::string_view otherwise);

  Result<Term> ParseTerm();
  Result<Path> ParsePath();
  // Parameters passed so far.
  std::size_t parameters() const { return parameters_; }

 private:
  class Level;

  bool IsWordAt(std::size_t at, std::string_view word) const;
  bool IsCall() const;
  Status Descend();
  Result<Term> ParseAnd();
  Result<Term> ParseNot();
  Result<Term> ParseComparison();
  Result<Term> ParseBetween(Term left);
  Result<Term> ParseIn(Term left);
  Result<Term> ParseIs(Term left);
  Result<Term> ParseSum();
  Result<Term> ParseSingle();
  Result<Term> ParseWord();
  Result<Term> ParseCall();
  Result<Term> ParseNumber(bool negative);
  Result<Term> ParseTuple();
  // Children up to the closing sign.
  Result<Term> ParseMany(Term::Kind kind, std::string_view end);
  Status MissingRightSide() const;
  Status UnexpectedTerm() const;

  std::vector<Token> tokens_;  // The last one is the end.
  std::size_t at_ = 0;
  std::size_t parameters_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace mayfly::partiql
