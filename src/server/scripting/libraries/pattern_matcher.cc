#include "server/scripting/libraries/pattern_matcher.h"

#include "base/text.h"
#include "server/scripting/lua/limits.h"
#include "server/scripting/lua/lua_errors.h"
#include "server/scripting/lua/lua_state.h"

namespace mayfly::server {
namespace {

bool ClassHas(unsigned char byte, char name) {
  const char c = static_cast<char>(byte);
  constexpr char kDelete = '\x7f';
  bool has = false;
  switch (ToLower(name)) {
    case 'a': has = IsLetter(c); break;
    case 'c': has = byte < ' ' || c == kDelete; break;
    case 'd': has = IsDigit(c); break;
    case 'l': has = IsLower(c); break;
    case 'p': has = IsPrintable(c) && c != ' ' && !IsLetterOrDigit(c); break;
    case 's': has = IsSpace(c); break;
    case 'u': has = IsUpper(c); break;
    case 'w': has = IsLetterOrDigit(c); break;
    case 'x': has = HexValue(c) >= 0; break;
    case 'z': has = c == 0; break;
    default: return name == c;
  }
  return IsUpper(name) ? !has : has;
}

}  // namespace

std::size_t PatternMatcher::Match(std::size_t begin) {
  level_ = 0;
  depth_ = 0;
  return Rest(begin, 0);
}

void PatternMatcher::Step(std::size_t steps) {
  steps_ += steps;
  if (steps_ < kPatternStepsPerBreath) return;
  steps_ = 0;
  LuaState::Breathe(lua_);
}

std::size_t PatternMatcher::Rest(std::size_t s, std::size_t p) {
  if (++depth_ > kPatternDepthMax) luaL_error(lua_, "pattern too complex");
  const std::size_t end = RestOf(s, p);
  --depth_;
  return end;
}

std::size_t PatternMatcher::RestOf(std::size_t s, std::size_t p) {
  while (true) {
    Step(1);
    if (p == pattern_.size()) return s;
    const char next = At(p + 1);
    switch (pattern_[p]) {
      case '(':
        return next == ')' ? OpenCapture(s, p + 2, kPosition) : OpenCapture(s, p + 1, kOpen);
      case ')': return CloseCapture(s, p + 1);
      case '$':
        if (p + 1 == pattern_.size()) return s == subject_.size() ? s : kNone;
        break;
      case '%':
        if (next == 'b') {
          s = Balance(s, p + 2);
          p += 4;
        } else if (next == 'f') {
          p += 2;
          if (At(p) != '[') luaL_error(lua_, "missing '[' after '%%f' in pattern");
          const std::size_t item_end = ItemEnd(p);
          if (!AtFrontier(s, p, item_end)) return kNone;
          p = item_end;
        } else if (next >= '0' && next <= '9') {
          s = BackReference(s, next);
          p += 2;
        } else {
          break;
        }
        if (s == kNone) return kNone;
        continue;
      default: break;
    }
    const std::size_t item_end = ItemEnd(p);
    switch (At(item_end)) {
      case '?': {
        const std::size_t end = ItemHas(s, p, item_end) ? Rest(s + 1, item_end + 1) : kNone;
        if (end != kNone) return end;
        p = item_end + 1;
        continue;
      }
      case '*': return AsManyAsPossible(s, p, item_end);
      case '+': return ItemHas(s, p, item_end) ? AsManyAsPossible(s + 1, p, item_end) : kNone;
      case '-': return AsFewAsPossible(s, p, item_end);
      default:
        if (!ItemHas(s, p, item_end)) return kNone;
        ++s;
        p = item_end;
    }
  }
}

std::size_t PatternMatcher::OpenCapture(std::size_t s, std::size_t p, std::size_t length) {
  if (level_ >= static_cast<int>(kCapturesMax)) luaL_error(lua_, "too many captures");
  captures_[static_cast<std::size_t>(level_++)] = {s, length};
  const std::size_t end = Rest(s, p);
  if (end == kNone) --level_;
  return end;
}

std::size_t PatternMatcher::CloseCapture(std::size_t s, std::size_t p) {
  int open = level_ - 1;
  while (open >= 0 && captures_[static_cast<std::size_t>(open)].length != kOpen) --open;
  if (open < 0) luaL_error(lua_, "invalid pattern capture");
  Capture& capture = captures_[static_cast<std::size_t>(open)];
  capture.length = s - capture.begin;
  const std::size_t end = Rest(s, p);
  if (end == kNone) capture.length = kOpen;
  return end;
}

std::size_t PatternMatcher::AsManyAsPossible(std::size_t s, std::size_t p, std::size_t item_end) {
  std::size_t count = 0;
  while (ItemHas(s + count, p, item_end)) ++count;
  Step(count);
  for (;; --count) {
    const std::size_t end = Rest(s + count, item_end + 1);
    if (end != kNone || count == 0) return end;
  }
}

std::size_t PatternMatcher::AsFewAsPossible(std::size_t s, std::size_t p, std::size_t item_end) {
  while (true) {
    const std::size_t end = Rest(s, item_end + 1);
    if (end != kNone || !ItemHas(s, p, item_end)) return end;
    ++s;
  }
}

// %bxy, `p` being at x.
std::size_t PatternMatcher::Balance(std::size_t s, std::size_t p) {
  if (p + 1 >= pattern_.size()) luaL_error(lua_, "unbalanced pattern");
  if (s >= subject_.size() || subject_[s] != pattern_[p]) return kNone;
  std::size_t open = 1;
  for (std::size_t at = s + 1; at < subject_.size(); ++at) {
    if (subject_[at] == pattern_[p + 1]) {
      if (--open == 0) {
        Step(at - s);
        return at + 1;
      }
    } else if (subject_[at] == pattern_[p]) {
      ++open;
    }
  }
  Step(subject_.size() - s);
  return kNone;
}

std::size_t PatternMatcher::BackReference(std::size_t s, char digit) {
  const Capture& capture = captures_[CheckCapture(digit - '1')];
  if (capture.length == kPosition) return kNone;
  const Bytes text = subject_.substr(capture.begin, capture.length);
  Step(text.size());
  return subject_.substr(s).starts_with(text) ? s + text.size() : kNone;
}

bool PatternMatcher::AtFrontier(std::size_t s, std::size_t p, std::size_t item_end) const {
  const auto at = [this](std::size_t i) {
    return i < subject_.size() ? static_cast<unsigned char>(subject_[i])
                               : static_cast<unsigned char>(0);
  };
  const unsigned char before = s == 0 ? static_cast<unsigned char>(0) : at(s - 1);
  return !SetHas(before, p, item_end - 1) && SetHas(at(s), p, item_end - 1);
}

std::size_t PatternMatcher::ItemEnd(std::size_t p) {
  const char first = pattern_[p++];
  if (first == '%') {
    if (p >= pattern_.size()) luaL_error(lua_, "malformed pattern (ends with '%%')");
    return p + 1;
  }
  if (first != '[') return p;
  if (At(p) == '^') ++p;
  // The first character belongs to the set, even if it is a bracket.
  do {
    if (p >= pattern_.size()) luaL_error(lua_, "malformed pattern (missing ']')");
    if (pattern_[p++] == '%' && p < pattern_.size()) ++p;
  } while (p >= pattern_.size() || pattern_[p] != ']');
  return p + 1;
}

bool PatternMatcher::ItemHas(std::size_t s, std::size_t p, std::size_t item_end) const {
  if (s >= subject_.size()) return false;
  const auto c = static_cast<unsigned char>(subject_[s]);
  switch (pattern_[p]) {
    case '.': return true;
    case '%': return ClassHas(c, pattern_[p + 1]);
    case '[': return SetHas(c, p, item_end - 1);
    default: return static_cast<unsigned char>(pattern_[p]) == c;
  }
}

// `p` is at the opening bracket.
bool PatternMatcher::SetHas(unsigned char c, std::size_t p, std::size_t bracket) const {
  const auto at = [this](std::size_t i) { return static_cast<unsigned char>(pattern_[i]); };
  const bool negated = At(p + 1) == '^';
  if (negated) ++p;
  while (++p < bracket) {
    if (pattern_[p] == '%') {
      ++p;
      if (ClassHas(c, pattern_[p])) return !negated;
    } else if (At(p + 1) == '-' && p + 2 < bracket) {
      p += 2;
      if (at(p - 2) <= c && c <= at(p)) return !negated;
    } else if (at(p) == c) {
      return !negated;
    }
  }
  return negated;
}

std::size_t PatternMatcher::CheckCapture(int index) {
  if (index < 0 || index >= level_ || captures_[static_cast<std::size_t>(index)].length == kOpen) {
    luaL_error(lua_, "invalid capture index");
  }
  return static_cast<std::size_t>(index);
}

void PatternMatcher::PushCapture(int index, std::size_t begin, std::size_t end) {
  if (index >= level_) {
    if (index != 0) luaL_error(lua_, "invalid capture index");
    return PushBytes(lua_, subject_.substr(begin, end - begin));
  }
  const Capture& capture = captures_[static_cast<std::size_t>(index)];
  if (capture.length == kOpen) luaL_error(lua_, "unfinished capture");
  if (capture.length == kPosition) {
    lua_pushnumber(lua_, static_cast<lua_Number>(capture.begin) + 1);
  } else {
    PushBytes(lua_, subject_.substr(capture.begin, capture.length));
  }
}

int PatternMatcher::PushCaptures(std::size_t begin, std::size_t end) {
  const int count = level_ == 0 ? 1 : level_;
  luaL_checkstack(lua_, count, "too many captures");
  for (int i = 0; i < count; ++i) PushCapture(i, begin, end);
  return count;
}

}  // namespace mayfly::server
