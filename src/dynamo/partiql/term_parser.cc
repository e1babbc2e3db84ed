#include "dynamo/partiql/term_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>

#include "base/text.h"
#include "dynamo/partiql/limits.h"

namespace mayfly::partiql {
namespace {

constexpr std::array kComparators =
    std::to_array<std::string_view>({"=", "<>", "!=", "<", "<=", ">", ">="});

constexpr std::array kWordOperators =
    std::to_array<std::string_view>({"AND", "OR", "IN", "BETWEEN", "IS", "LIKE"});

// Of IS; none of them is supported, but NULL and MISSING.
constexpr std::array kTypes = std::to_array<std::string_view>(
    {"BOOL",   "BOOLEAN", "SMALLINT",  "INT",     "INT2",    "INT4",    "INT8",      "INTEGER",
     "BIGINT", "FLOAT",   "REAL",      "DOUBLE",  "DECIMAL", "NUMERIC", "TIMESTAMP", "DATE",
     "TIME",   "CHAR",    "CHARACTER", "VARCHAR", "STRING",  "SYMBOL",  "CLOB",      "BLOB",
     "STRUCT", "TUPLE",   "LIST",      "SEXP",    "BAG",     "ANY"});

bool IsOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view one) { return EqualsIgnoringCase(word, one); });
}

Term Join(Term::Kind kind, Term first, Term second) {
  Term joined = {.kind = kind, .position = first.position};
  joined.children.push_back(std::move(first));
  joined.children.push_back(std::move(second));
  return joined;
}

Term Not(Term inner) {
  Term negated = {.kind = Term::Kind::kNot, .position = inner.position};
  negated.children.push_back(std::move(inner));
  return negated;
}

}  // namespace

// Counts a level as long as it lives.
class TermParser::Level {
 public:
  explicit Level(TermParser& parser) : parser_(parser) { ++parser_.depth_; }
  ~Level() { --parser_.depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  TermParser& parser_;
};

bool TermParser::Is(std::string_view sign) const {
  return Peek().kind == Token::Kind::kPunctuation && Peek().text == sign;
}

bool TermParser::IsWordAt(std::size_t at, std::string_view word) const {
  return at < tokens_.size() && tokens_[at].kind == Token::Kind::kWord &&
         EqualsIgnoringCase(tokens_[at].text, word);
}

bool TermParser::Pass(std::string_view sign) {
  if (!Is(sign)) return false;
  Next();
  return true;
}

bool TermParser::PassWord(std::string_view word) {
  if (!IsWord(word)) return false;
  Next();
  return true;
}

Status TermParser::Expect(std::string_view sign, std::string_view otherwise) {
  return Pass(sign) ? Status() : NotWellFormed(otherwise);
}

Status TermParser::ExpectWord(std::string_view word, std::string_view otherwise) {
  return PassWord(word) ? Status() : NotWellFormed(otherwise);
}

Status TermParser::Descend() {
  if (depth_ <= kNestingMax) return {};
  return Status::Invalid(fmt::format("The statement nests more than {} levels", kNestingMax));
}

Status TermParser::UnexpectedTerm() const {
  if (Peek().kind != Token::Kind::kWord) return NotWellFormed("Unexpected term");
  return NotWellFormed(IsOneOf(Peek().text, kWordOperators) ? "Unexpected operator"
                                                            : "Unexpected keyword");
}

// Behind AND, OR and the like.
Status TermParser::MissingRightSide() const {
  if (!AtEnd() && !Is(")") && !Is(";")) return {};
  return NotWellFormed("Missing right-hand side expression of infix operator");
}

Result<Term> TermParser::ParseTerm() {
  const Level level(*this);
  MAYFLY_RETURN_IF_ERROR(Descend());
  MAYFLY_TRY(Term first, ParseAnd());
  if (!IsWord("OR")) return first;
  Term term = {.kind = Term::Kind::kOr, .position = first.position};
  term.children.push_back(std::move(first));
  while (PassWord("OR")) {
    MAYFLY_RETURN_IF_ERROR(MissingRightSide());
    MAYFLY_TRY(Term next, ParseAnd());
    term.children.push_back(std::move(next));
  }
  return term;
}

Result<Term> TermParser::ParseAnd() {
  MAYFLY_TRY(Term first, ParseNot());
  if (!IsWord("AND")) return first;
  Term term = {.kind = Term::Kind::kAnd, .position = first.position};
  term.children.push_back(std::move(first));
  while (PassWord("AND")) {
    MAYFLY_RETURN_IF_ERROR(MissingRightSide());
    MAYFLY_TRY(Term next, ParseNot());
    term.children.push_back(std::move(next));
  }
  return term;
}

Result<Term> TermParser::ParseNot() {
  if (!PassWord("NOT")) return ParseComparison();
  const Level level(*this);
  MAYFLY_RETURN_IF_ERROR(Descend());
  MAYFLY_TRY(Term inner, ParseNot());
  return Not(std::move(inner));
}

Result<Term> TermParser::ParseComparison() {
  MAYFLY_TRY(Term left, ParseSum());
  if (Peek().kind == Token::Kind::kPunctuation && IsOneOf(Peek().text, kComparators)) {
    std::string comparator = Next().text;
    MAYFLY_RETURN_IF_ERROR(MissingRightSide());
    MAYFLY_TRY(Term right, ParseSum());
    Term term = Join(Term::Kind::kComparison, std::move(left), std::move(right));
    term.text = comparator == "!=" ? "<>" : std::move(comparator);
    return term;
  }
  const bool negated = IsWord("NOT") && (IsWordAt(at_ + 1, "BETWEEN") || IsWordAt(at_ + 1, "IN"));
  if (negated) Next();
  if (PassWord("BETWEEN")) {
    MAYFLY_TRY(Term term, ParseBetween(std::move(left)));
    return negated ? Not(std::move(term)) : std::move(term);
  }
  if (PassWord("IN")) {
    MAYFLY_TRY(Term term, ParseIn(std::move(left)));
    return negated ? Not(std::move(term)) : std::move(term);
  }
  if (PassWord("IS")) return ParseIs(std::move(left));
  return left;
}

Result<Term> TermParser::ParseBetween(Term left) {
  MAYFLY_TRY(Term lower, ParseSum());
  MAYFLY_RETURN_IF_ERROR(ExpectWord("AND", "Unexpected token"));
  MAYFLY_TRY(Term upper, ParseSum());
  Term term = Join(Term::Kind::kBetween, std::move(left), std::move(lower));
  term.children.push_back(std::move(upper));
  return term;
}

// A list in brackets or parentheses, a bag, or a parameter.
Result<Term> TermParser::ParseIn(Term left) {
  MAYFLY_RETURN_IF_ERROR(MissingRightSide());
  if (Pass("(")) {
    MAYFLY_TRY(Term list, ParseMany(Term::Kind::kList, ")"));
    return Join(Term::Kind::kIn, std::move(left), std::move(list));
  }
  MAYFLY_TRY(Term list, ParseSingle());
  if (list.kind != Term::Kind::kList && list.kind != Term::Kind::kBag &&
      list.kind != Term::Kind::kParameter) {
    return NotWellFormed("Unexpected term");
  }
  return Join(Term::Kind::kIn, std::move(left), std::move(list));
}

Result<Term> TermParser::ParseIs(Term left) {
  const bool negated = PassWord("NOT");
  Term term = {.kind = Term::Kind::kIsType, .position = left.position};
  if (IsWord("NULL")) term.kind = Term::Kind::kIsNull;
  if (IsWord("MISSING")) term.kind = Term::Kind::kIsMissing;
  if (term.kind == Term::Kind::kIsType && !IsOneOf(Peek().text, kTypes)) {
    return NotWellFormed("Expected type name");
  }
  Next();
  if (term.kind == Term::Kind::kIsType && !PassWord("PRECISION")) PassWord("VARYING");
  term.children.push_back(std::move(left));
  return negated ? Not(std::move(term)) : std::move(term);
}

Result<Term> TermParser::ParseSum() {
  MAYFLY_TRY(Term left, ParseSingle());
  if (!Is("+") && !Is("-")) return left;
  Term sum = {.kind = Term::Kind::kSum, .text = Next().text, .position = left.position};
  MAYFLY_RETURN_IF_ERROR(MissingRightSide());
  MAYFLY_TRY(Term right, ParseSingle());
  sum.children.push_back(std::move(left));
  sum.children.push_back(std::move(right));
  if (Is("+") || Is("-")) {
    return Status::Invalid("A sum has two operands: put the others into statements of their own");
  }
  return sum;
}

Result<Term> TermParser::ParseSingle() {
  const Level level(*this);
  MAYFLY_RETURN_IF_ERROR(Descend());
  Term term = {.position = Peek().position};
  switch (Peek().kind) {
    case Token::Kind::kString:
      term.kind = Term::Kind::kString;
      term.text = Next().text;
      return term;
    case Token::Kind::kNumber: return ParseNumber(false);
    case Token::Kind::kParameter:
      Next();
      term.kind = Term::Kind::kParameter;
      term.parameter = parameters_++;
      return term;
    case Token::Kind::kWord: return ParseWord();
    case Token::Kind::kQuoted: {
      MAYFLY_TRY(term.path, ParsePath());
      term.kind = Term::Kind::kPath;
      return term;
    }
    case Token::Kind::kPunctuation: break;
    case Token::Kind::kEnd: return UnexpectedTerm();
  }
  if (Pass("(")) {
    MAYFLY_TRY(Term inner, ParseTerm());
    MAYFLY_RETURN_IF_ERROR(Expect(")", "Unexpected token"));
    return inner;
  }
  if (Pass("[")) return ParseMany(Term::Kind::kList, "]");
  if (Pass("<<")) return ParseMany(Term::Kind::kBag, ">>");
  if (Pass("{")) return ParseTuple();
  if ((Is("-") || Is("+")) && tokens_[at_ + 1].kind == Token::Kind::kNumber) {
    return ParseNumber(Next().text == "-");
  }
  return UnexpectedTerm();
}

Result<Term> TermParser::ParseNumber(bool negative) {
  Term term = {.kind = Term::Kind::kNumber, .position = Peek().position};
  term.text = (negative ? "-" : "") + Next().text;
  return term;
}

bool TermParser::IsCall() const {
  return Peek().kind == Token::Kind::kWord && at_ + 1 < tokens_.size() &&
         tokens_[at_ + 1].kind == Token::Kind::kPunctuation && tokens_[at_ + 1].text == "(";
}

Result<Term> TermParser::ParseWord() {
  Term term = {.position = Peek().position};
  constexpr std::array kConstants = std::to_array<std::pair<std::string_view, Term::Kind>>({
      {"TRUE", Term::Kind::kTrue},
      {"FALSE", Term::Kind::kFalse},
      {"NULL", Term::Kind::kNull},
      {"MISSING", Term::Kind::kMissing},
  });
  for (const auto& [word, kind] : kConstants) {
    if (!PassWord(word)) continue;
    term.kind = kind;
    return term;
  }
  if (IsKeyword(Peek().text)) return UnexpectedTerm();
  if (IsCall()) return ParseCall();
  MAYFLY_TRY(term.path, ParsePath());
  term.kind = Term::Kind::kPath;
  return term;
}

Result<Term> TermParser::ParseCall() {
  Term call = {
      .kind = Term::Kind::kCall, .text = ToLower(Peek().text), .position = Peek().position};
  Next();
  Next();  // The parenthesis.
  MAYFLY_TRY(Term operands, ParseMany(Term::Kind::kList, ")"));
  call.children = std::move(operands.children);
  return call;
}

Result<Term> TermParser::ParseTuple() {
  Term tuple = {.kind = Term::Kind::kTuple, .position = Peek().position};
  if (Pass("}")) return tuple;
  do {
    if (Peek().kind != Token::Kind::kString && Peek().kind != Token::Kind::kQuoted) {
      return UnexpectedTerm();
    }
    tuple.names.push_back(Next().text);
    MAYFLY_RETURN_IF_ERROR(Expect(":", "Unexpected token"));
    MAYFLY_TRY(Term value, ParseTerm());
    tuple.children.push_back(std::move(value));
  } while (Pass(","));
  MAYFLY_RETURN_IF_ERROR(Expect("}", "Unexpected token"));
  return tuple;
}

Result<Term> TermParser::ParseMany(Term::Kind kind, std::string_view end) {
  Term many = {.kind = kind, .position = Peek().position};
  if (Pass(end)) return many;
  do {
    MAYFLY_TRY(Term child, ParseTerm());
    many.children.push_back(std::move(child));
  } while (Pass(","));
  MAYFLY_RETURN_IF_ERROR(Expect(end, "Unexpected token"));
  return many;
}

Result<Path> TermParser::ParsePath() {
  if (Peek().kind == Token::Kind::kWord && IsKeyword(Peek().text)) return UnexpectedTerm();
  if (Peek().kind != Token::Kind::kWord && Peek().kind != Token::Kind::kQuoted) {
    return UnexpectedTerm();
  }
  Path path = {PathStep(Next().text)};
  for (;;) {
    if (Pass(".")) {
      const bool keyword = Peek().kind == Token::Kind::kWord && IsKeyword(Peek().text);
      const bool name = Peek().kind == Token::Kind::kWord || Peek().kind == Token::Kind::kQuoted;
      if (keyword || !name) return NotWellFormed("Invalid path dot component");
      path.emplace_back(Next().text);
    } else if (Pass("[")) {
      if (Peek().kind != Token::Kind::kNumber) return NotWellFormed("Unexpected term");
      const std::string digits = Next().text;
      std::uint32_t index = 0;
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), index);
      if (error != std::errc() || end != digits.data() + digits.size() || index > INT32_MAX) {
        return Status::Invalid(
            fmt::format("List index is not within the allowable range; index: [{}]", digits));
      }
      path.emplace_back(std::size_t{index});
      MAYFLY_RETURN_IF_ERROR(Expect("]", "Unexpected token"));
    } else {
      return path;
    }
  }
}

}  // namespace mayfly::partiql
