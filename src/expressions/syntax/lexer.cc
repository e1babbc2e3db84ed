#include "expressions/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"

namespace mayfly::expressions {
namespace {

constexpr std::array<std::string_view, 5> kConditionKeywords = {"AND", "BETWEEN", "IN", "NOT",
                                                                "OR"};
constexpr std::array<std::string_view, 4> kUpdateKeywords = {"ADD", "DELETE", "REMOVE", "SET"};

std::span<const std::string_view> KeywordsOf(ExpressionKind kind) {
  if (kind == ExpressionKind::kProjection) return {};
  if (kind == ExpressionKind::kUpdate) return kUpdateKeywords;
  return kConditionKeywords;
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool IsComparator(std::string_view text) {
  return text == "=" || text == "<>" || text == "<" || text == "<=" || text == ">" || text == ">=";
}

class Lexer {
 public:
  Lexer(std::string_view text, ExpressionKind kind) : text_(text), keywords_(KeywordsOf(kind)) {}

  std::vector<Token> Run() {
    std::vector<Token> tokens;
    for (;;) {
      while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
      if (at_ == text_.size()) break;
      tokens.push_back(Next());
    }
    tokens.push_back(
        {.kind = Token::Kind::kEnd, .text = "<EOF>", .begin = text_.size(), .end = text_.size()});
    return tokens;
  }

 private:
  Token Next() {
    const char c = text_[at_];
    if (IsLetter(c)) return Word();
    if (c == '#' || c == ':') {
      const std::size_t size = 1 + CountWordParts(at_ + 1);
      if (size == 1) return Take(Token::Kind::kStray, 1);
      return Take(c == '#' ? Token::Kind::kName : Token::Kind::kValue, size);
    }
    if (IsDigit(c)) return Take(Token::Kind::kDigits, CountDigits());
    const std::string_view two = text_.substr(at_, 2);
    if (two == "<>" || two == "<=" || two == ">=") return Take(Token::Kind::kPunctuation, 2);
    constexpr std::string_view kPunctuation = "=<>()[],.+-";
    if (kPunctuation.find(c) != kPunctuation.npos) return Take(Token::Kind::kPunctuation, 1);
    return Take(Token::Kind::kStray, CountCharacterBytes());
  }

  Token Word() {
    Token token = Take(Token::Kind::kWord, CountWordParts(at_));
    for (const std::string_view keyword : keywords_) {
      if (!EqualsIgnoringCase(token.text, keyword)) continue;
      token.kind = Token::Kind::kKeyword;
      token.text = keyword;
    }
    return token;
  }

  Token Take(Token::Kind kind, std::size_t size) {
    const Token token = {
        .kind = kind, .text = text_.substr(at_, size), .begin = at_, .end = at_ + size};
    at_ += size;
    return token;
  }

  std::size_t CountWordParts(std::size_t from) const {
    std::size_t end = from;
    while (end < text_.size() && IsWordPart(text_[end])) ++end;
    return end - from;
  }

  // A number has no leading zero.
  std::size_t CountDigits() const {
    if (text_[at_] == '0') return 1;
    std::size_t end = at_;
    while (end < text_.size() && IsDigit(text_[end])) ++end;
    return end - at_;
  }

  // Errors show a stray character as a whole, all its bytes of UTF-8.
  std::size_t CountCharacterBytes() const {
    const auto continues = [&](std::size_t i) {
      return (static_cast<unsigned char>(text_[i]) & 0xc0U) == 0x80U;
    };
    std::size_t end = at_ + 1;
    while (end < text_.size() && continues(end)) ++end;
    return end - at_;
  }

  std::string_view text_;
  std::span<const std::string_view> keywords_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> Lex(std::string_view text, ExpressionKind kind) {
  return Lexer(text, kind).Run();
}

std::size_t CountOperators(const std::vector<Token>& tokens, ExpressionKind kind) {
  const bool update = kind == ExpressionKind::kUpdate;
  std::size_t count = 0;
  std::size_t betweens = 0;  // Each has an AND that is no operator.
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind == Token::Kind::kKeyword && !update) {
      ++count;
      if (token.text == "BETWEEN") ++betweens;
    } else if (token.kind == Token::Kind::kPunctuation) {
      if (update ? token.text == "+" || token.text == "-" : IsComparator(token.text)) ++count;
    } else if (token.kind == Token::Kind::kWord && tokens[i + 1].text == "(") {
      ++count;
    }
  }
  return count - std::min(count, betweens);
}

}  // namespace mayfly::expressions
