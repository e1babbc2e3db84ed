#include "dynamo/partiql/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "dynamo/partiql/limits.h"

namespace mayfly::partiql {
namespace {

// Words that no term begins with. Others, such as VALUE, have a meaning in one place only.
constexpr std::array kKeywords = std::to_array<std::string_view>({
    "ALL",    "AND",    "AS",        "ASC",       "BETWEEN", "BY",       "CASE",
    "CAST",   "CREATE", "CROSS",     "DELETE",    "DESC",    "DISTINCT", "DROP",
    "ESCAPE", "EXCEPT", "FALSE",     "FROM",      "GROUP",   "HAVING",   "IN",
    "INNER",  "INSERT", "INTERSECT", "INTO",      "IS",      "JOIN",     "LEFT",
    "LIKE",   "LIMIT",  "MISSING",   "NOT",       "NULL",    "ON",       "OR",
    "ORDER",  "OUTER",  "REMOVE",    "RETURNING", "RIGHT",   "SELECT",   "SET",
    "THEN",   "TRUE",   "UNION",     "UPDATE",    "VALUES",  "WHEN",     "WHERE",
});

constexpr std::array kLongSigns =
    std::to_array<std::string_view>({"<<", ">>", "<>", "<=", ">=", "!="});
constexpr std::string_view kSigns = "=<>+-*()[]{},:.;";

bool IsWordStart(char c) { return IsLetter(c) || c == '_' || c == '$'; }
bool IsWordPart(char c) { return IsWordStart(c) || IsDigit(c); }

// Characters of UTF-8, of which messages tell columns.
std::size_t Characters(std::string_view text) {
  constexpr unsigned char kMark = 0xC0;
  constexpr unsigned char kContinues = 0x80;
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & kMark) != kContinues;
  }));
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> Run() {
    std::vector<Token> tokens;
    for (;;) {
      MAYFLY_RETURN_IF_ERROR(SkipBlanks());
      Token token = {.position = Here()};
      const std::size_t begin = at_;
      if (at_ < text_.size()) MAYFLY_RETURN_IF_ERROR(Read(token));
      token.position.length = Characters(text_.substr(begin, at_ - begin));
      tokens.push_back(std::move(token));
      if (tokens.back().kind == Token::Kind::kEnd) return tokens;
    }
  }

 private:
  Position Here() const {
    return {.line = line_, .column = Characters(text_.substr(line_begin_, at_ - line_begin_)) + 1};
  }

  bool Is(std::string_view sign) const { return text_.substr(at_).starts_with(sign); }

  void Pass(std::size_t bytes) {
    for (const std::size_t end = at_ + bytes; at_ < end; ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      line_begin_ = at_ + 1;
    }
  }

  Status SkipBlanks() {
    while (at_ < text_.size()) {
      if (IsSpace(text_[at_])) {
        Pass(1);
      } else if (Is("--")) {
        Pass(std::min(text_.find('\n', at_), text_.size()) - at_);
      } else if (Is("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return NotWellFormed("");
        Pass(end + 2 - at_);
      } else {
        return {};
      }
    }
    return {};
  }

  Status Read(Token& token) {
    const char c = text_[at_];
    const bool begins_number =
        IsDigit(c) || (c == '.' && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1]));
    if (IsWordStart(c)) return ReadWord(token);
    if (begins_number) return ReadNumber(token);
    if (c == '\'') return ReadQuoted(Token::Kind::kString, token);
    if (c == '"') return ReadQuoted(Token::Kind::kQuoted, token);
    if (c == '?') return Take(1, Token::Kind::kParameter, token);
    for (const std::string_view sign : kLongSigns) {
      if (Is(sign)) return Take(sign.size(), Token::Kind::kPunctuation, token);
    }
    if (kSigns.find(c) == std::string_view::npos) return NotWellFormed("");
    return Take(1, Token::Kind::kPunctuation, token);
  }

  Status Take(std::size_t bytes, Token::Kind kind, Token& token) {
    token.kind = kind;
    token.text = std::string(text_.substr(at_, bytes));
    at_ += bytes;
    return {};
  }

  Status ReadWord(Token& token) {
    std::size_t end = at_;
    while (end < text_.size() && IsWordPart(text_[end])) ++end;
    return Take(end - at_, Token::Kind::kWord, token);
  }

  // Digits with a point and an exponent. The exponent must fit into 32 bits, and so must the places
  // behind the point less the exponent.
  Status ReadNumber(Token& token) {
    std::size_t end = at_;
    const auto digits = [&] {
      const std::size_t begin = end;
      while (end < text_.size() && IsDigit(text_[end])) ++end;
      return end - begin;
    };
    digits();
    std::size_t places = 0;
    if (end < text_.size() && text_[end] == '.') {
      ++end;
      places = digits();
    }
    if (end < text_.size() && ToLower(text_[end]) == 'e') {
      std::size_t begin = end + 1;
      const bool minus = begin < text_.size() && text_[begin] == '-';
      if (minus || (begin < text_.size() && text_[begin] == '+')) ++begin;
      if (begin < text_.size() && IsDigit(text_[begin])) {
        end = begin;
        digits();
        if (!ExponentFits(text_.substr(begin, end - begin), minus, places))
          return NotWellFormed("");
      }
    }
    return Take(end - at_, Token::Kind::kNumber, token);
  }

  static bool ExponentFits(std::string_view digits, bool minus, std::size_t places) {
    while (digits.starts_with('0')) digits.remove_prefix(1);
    constexpr std::size_t kDigitsMax = 10;  // Of 2147483647.
    if (digits.size() > kDigitsMax) return false;
    std::int64_t exponent = 0;
    for (const char digit : digits) exponent = exponent * 10 + (digit - '0');
    if (minus) exponent = -exponent;
    const std::int64_t scale = static_cast<std::int64_t>(places) - exponent;
    return exponent >= INT32_MIN && exponent <= INT32_MAX && scale >= INT32_MIN &&
           scale <= INT32_MAX;
  }

  // A quote within is written twice.
  Status ReadQuoted(Token::Kind kind, Token& token) {
    const char quote = text_[at_];
    std::size_t end = at_ + 1;
    for (;; ++end) {
      if (end >= text_.size()) return NotWellFormed("");
      if (text_[end] != quote) {
        token.text += text_[end];
      } else if (end + 1 < text_.size() && text_[end + 1] == quote) {
        token.text += quote;
        ++end;
      } else {
        break;
      }
    }
    token.kind = kind;
    Pass(end + 1 - at_);
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
};

}  // namespace

Result<std::vector<Token>> Tokenize(std::string_view statement) {
  if (statement.size() > kStatementBytesMax) {
    return Status::Invalid(
        fmt::format("The statement is longer than {} bytes", kStatementBytesMax));
  }
  return Tokenizer(statement).Run();
}

Status NotWellFormed(std::string_view detail) {
  return Status::Invalid(
      fmt::format("Statement wasn't well formed, can't be processed: {}", detail));
}

std::string ToText(const Position& position) {
  return fmt::format("{}:{}:{}", position.line, position.column, position.length);
}

bool IsKeyword(std::string_view word) {
  return std::any_of(kKeywords.begin(), kKeywords.end(),
                     [&](std::string_view known) { return EqualsIgnoringCase(word, known); });
}

}  // namespace mayfly::partiql
