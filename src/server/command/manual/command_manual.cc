#include "server/command/manual/command_manual.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace mayfly::server {
namespace {

using Kind = SyntaxArgument::Kind;

// Groups within groups: a malformed line cannot use up the stack.
constexpr int kDepthMax = 16;

constexpr std::array kTypes = std::to_array<std::pair<std::string_view, Kind>>({
    {"int", Kind::kInteger},
    {"double", Kind::kDouble},
    {"time", Kind::kTime},
    {"pattern", Kind::kPattern},
    {"key", Kind::kKey},
    {"string", Kind::kString},
});

bool HasLower(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

// Takes the ending off the text if something is left.
bool TakeEnding(std::string_view& text, std::string_view ending) {
  if (text.size() <= ending.size() || !text.ends_with(ending)) return false;
  text.remove_suffix(ending.size());
  return true;
}

class SyntaxParser {
 public:
  explicit SyntaxParser(std::string_view text) : text_(text) {}

  std::optional<std::vector<SyntaxArgument>> All() {
    std::vector<SyntaxArgument> all;
    for (SkipBlanks(); !text_.empty(); SkipBlanks()) {
      if (!Item(all.emplace_back())) return std::nullopt;
    }
    return all;
  }

 private:
  void SkipBlanks() {
    while (text_.starts_with(' ')) text_.remove_prefix(1);
  }

  bool Take(std::string_view what) {
    if (!text_.starts_with(what)) return false;
    text_.remove_prefix(what.size());
    return true;
  }

  // To the next blank or bracket.
  std::string_view NextWord() const {
    return text_.substr(0, std::min(text_.find_first_of(" ()[]|"), text_.size()));
  }

  bool Item(SyntaxArgument& item) {
    if (text_.starts_with('(') || text_.starts_with('[')) return Group(item);
    std::string_view word = NextWord();
    text_.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos && equals > 0) {
      item.name = word.substr(0, equals);
      word.remove_prefix(equals + 1);
      if (word.empty()) return Group(item);
    }
    if (word.empty()) return false;
    return HasLower(word) ? Argument(word, item) : Word(word, item);
  }

  bool Argument(std::string_view word, SyntaxArgument& item) {
    item.repeated = TakeEnding(word, "...");
    item.kind = word == "key" ? Kind::kKey : Kind::kString;
    // A key may name its specification: key0 to key2, pattern1.
    const bool numbered = IsDigit(word.back());
    const std::string_view type_text = numbered ? word.substr(0, word.size() - 1) : word;
    for (const auto& [type, kind] : kTypes) {
      std::string_view name = type_text;
      if (!TakeEnding(name, type) || !TakeEnding(name, ":")) continue;
      item.kind = kind;
      word = name;
    }
    item.name = word;
    // A pattern names a specification only where it says so.
    if (item.kind != Kind::kKey && !(item.kind == Kind::kPattern && numbered)) return true;
    item.key_spec =
        numbered && type_text != word ? type_text.data()[type_text.size()] - '0' : keys_;
    if (item.kind == Kind::kKey) ++keys_;
    return true;
  }

  // A word to be sent; it may belong to what is behind it.
  bool Word(std::string_view word, SyntaxArgument& item) {
    const bool named = !item.name.empty();
    const bool repeated = TakeEnding(word, "...");
    const std::string_view after = text_;
    SkipBlanks();
    const std::string_view next = NextWord();
    const std::size_t equals = next.find('=');
    const bool argument =
        HasLower(next) && (equals == std::string_view::npos || equals + 1 == next.size());
    if (!named && !repeated && (argument || text_.starts_with('('))) {
      if (!Item(item)) return false;
      item.token = word;
      return true;
    }
    text_ = after;
    item.kind = Kind::kWord;
    item.token = word;
    if (!named) item.name = ToLower(word);
    item.repeated = repeated;
    return true;
  }

  bool Group(SyntaxArgument& item) {
    const bool optional = Take("[");
    if ((!optional && !Take("(")) || ++depth_ > kDepthMax) return false;
    const std::string_view end = optional ? "]" : ")";
    std::vector<SyntaxArgument> parts;
    std::size_t bars = 0;
    for (SkipBlanks(); !Take(end); SkipBlanks()) {
      if (!parts.empty() && Take("|")) ++bars;
      SkipBlanks();
      if (text_.empty() || !Item(parts.emplace_back())) return false;
    }
    --depth_;
    // Alternatives are one item each.
    if (parts.empty() || (bars > 0 && bars + 1 != parts.size())) return false;
    if (item.name.empty() && parts.size() == 1) {
      item = std::move(parts[0]);
    } else {
      item.kind = bars > 0 ? Kind::kOneOf : Kind::kBlock;
      item.parts = std::move(parts);
    }
    item.optional = item.optional || optional;
    item.repeats_token = Take("+");
    if (item.repeats_token || Take("...")) item.repeated = true;
    return true;
  }

  std::string_view text_;
  int keys_ = 0;
  int depth_ = 0;
};

std::string ShowOne(const SyntaxArgument& item) {
  std::string text;
  if (item.kind == Kind::kOneOf || item.kind == Kind::kBlock) {
    for (const SyntaxArgument& part : item.parts) {
      if (!text.empty()) text += item.kind == Kind::kOneOf ? " | " : " ";
      text += ShowOne(part);
    }
  } else if (item.kind != Kind::kWord) {
    text = item.name;
  }
  if (!item.token.empty()) text = text.empty() ? item.token : item.token + " " + text;
  const bool several = item.kind == Kind::kOneOf || text.find(' ') != std::string::npos;
  if (item.optional) {
    text = "[" + text + "]";
  } else if (item.kind == Kind::kOneOf || (item.repeated && several)) {
    text = "(" + text + ")";
  }
  return item.repeated ? text + "..." : text;
}

}  // namespace

std::optional<std::vector<SyntaxArgument>> ParseSyntax(std::string_view syntax) {
  return SyntaxParser(syntax).All();
}

std::string ShowSyntax(const std::vector<SyntaxArgument>& arguments) {
  std::string text;
  for (const SyntaxArgument& one : arguments) {
    if (!text.empty()) text += ' ';
    text += ShowOne(one);
  }
  return text;
}

}  // namespace mayfly::server
