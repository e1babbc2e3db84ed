#include "base/glob.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text.h"

namespace mayfly {
namespace {

unsigned char Byte(char c) { return static_cast<unsigned char>(c); }

bool IsLiteral(char c) { return c != '*' && c != '?' && c != '[' && c != '\\'; }

class Matcher {
 public:
  Matcher(Bytes pattern, Bytes text, GlobCase letters)
      : pattern_(pattern), text_(text), fold_(letters == GlobCase::kInsensitive) {}

  bool Match() {
    if (text_.empty()) return pattern_.empty();
    while (text_at_ < text_.size()) {
      if (AtStar()) {
        SkipStars();
        if (pattern_at_ == pattern_.size()) return true;
        star_ = pattern_at_;
        star_text_ = text_at_;
        if (!LeapToCandidate()) return false;
      } else if (pattern_at_ < pattern_.size() && MatchOne()) {
        ++text_at_;
      } else {
        // The last star takes one byte more. Without a star the match has failed.
        if (star_ == kNone) return false;
        ++star_text_;
        if (!LeapToCandidate()) return false;
      }
    }
    SkipStars();
    return pattern_at_ == pattern_.size();
  }

 private:
  static constexpr std::size_t kNone = Bytes::npos;

  bool AtStar() const { return pattern_at_ < pattern_.size() && pattern_[pattern_at_] == '*'; }

  void SkipStars() {
    while (AtStar()) ++pattern_at_;
  }

  // Continues after the last star, at the next place where the rest of the pattern could match.
  // False if there is none.
  bool LeapToCandidate() {
    pattern_at_ = star_;
    if (!fold_ && IsLiteral(pattern_[star_])) {
      star_text_ = text_.find(pattern_[star_], star_text_);
      if (star_text_ == kNone) return false;
    }
    text_at_ = star_text_;
    return true;
  }

  bool Same(char a, char b) const { return fold_ ? ToLower(a) == ToLower(b) : a == b; }

  // True if the next element of the pattern matches the next byte. If so, the pattern moves on.
  bool MatchOne() {
    const char c = text_[text_at_];
    std::size_t at = pattern_at_;
    bool matches = false;
    switch (pattern_[at]) {
      case '?': matches = true; break;
      case '[': matches = MatchClass(at, c); break;
      case '\\':
        if (at + 1 < pattern_.size()) ++at;
        matches = Same(pattern_[at], c);
        break;
      default: matches = Same(pattern_[at], c); break;
    }
    if (matches) pattern_at_ = std::min(at + 1, pattern_.size());
    return matches;
  }

  // `at` is on '[' before, and after on the end of the class: its ']' or the pattern's end.
  bool MatchClass(std::size_t& at, char c) const {
    ++at;
    const bool negated = at < pattern_.size() && pattern_[at] == '^';
    if (negated) ++at;
    bool found = false;
    for (; at < pattern_.size(); ++at) {
      const std::size_t left = pattern_.size() - at;
      if (pattern_[at] == '\\' && left >= 2) {
        ++at;
        found |= pattern_[at] == c;
      } else if (pattern_[at] == ']') {
        break;
      } else if (left >= 3 && pattern_[at + 1] == '-') {
        found |= InRange(pattern_[at], pattern_[at + 2], c);
        at += 2;
      } else {
        found |= Same(pattern_[at], c);
      }
    }
    return found != negated;
  }

  // Ends are ordered before their case is folded, so [Z-a] is empty without regard to case.
  bool InRange(char from, char to, char c) const {
    if (Byte(from) > Byte(to)) std::swap(from, to);
    if (fold_) {
      from = ToLower(from);
      to = ToLower(to);
      c = ToLower(c);
    }
    return Byte(from) <= Byte(c) && Byte(c) <= Byte(to);
  }

  const Bytes pattern_;
  const Bytes text_;
  const bool fold_;
  std::size_t pattern_at_ = 0;
  std::size_t text_at_ = 0;
  std::size_t star_ = kNone;   // In the pattern, right after the last star passed.
  std::size_t star_text_ = 0;  // In the text, right after the bytes that star takes.
};

}  // namespace

bool GlobMatches(Bytes pattern, Bytes text, GlobCase letters) {
  return Matcher(pattern, text, letters).Match();
}

}  // namespace mayfly
