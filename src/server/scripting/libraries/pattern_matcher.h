// pattern_matcher.h - matches a string with a pattern of Lua 5.1.
// Own code, since Lua's recurses without a bound and, with a pattern such as ".-.-.-b", can take
// years without a moment in which a script could be stopped. This one counts its steps and calls
// the host's Breathe() between them. A malformed pattern is an error of Lua, in its words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <lua.hpp>

#include "mayfly/bytes.h"

namespace mayfly::server {

class PatternMatcher {
 public:
  static constexpr std::size_t kNone = Bytes::npos;

  // All must outlive it. A zero byte ends the pattern. Without the '^' that anchors.
  PatternMatcher(lua_State* lua, Bytes subject, Bytes pattern)
      : lua_(lua), subject_(subject), pattern_(pattern.substr(0, pattern.find('\0'))) {}

  // Where a match that begins at `begin` ends; kNone if there is none.
  std::size_t Match(std::size_t begin);

  // Pushes the captures of that match, and returns how many; the whole of it if there are none.
  int PushCaptures(std::size_t begin, std::size_t end);
  int capture_count() const { return level_; }

  // Pushes one; 0 is the whole match if there is no capture.
  void PushCapture(int index, std::size_t begin, std::size_t end);

 private:
  static constexpr std::size_t kCapturesMax = 32;      // As Lua has it.
  static constexpr std::size_t kOpen = kNone;          // Lengths of a capture that is not closed,
  static constexpr std::size_t kPosition = kNone - 1;  // and of a position capture.
  struct Capture {
    std::size_t begin;
    std::size_t length;
  };

  // Matches the rest of the pattern at `p` with the rest of the subject at `s`.
  std::size_t Rest(std::size_t s, std::size_t p);
  std::size_t RestOf(std::size_t s, std::size_t p);
  std::size_t OpenCapture(std::size_t s, std::size_t p, std::size_t length);
  std::size_t CloseCapture(std::size_t s, std::size_t p);
  std::size_t AsManyAsPossible(std::size_t s, std::size_t p, std::size_t item_end);
  std::size_t AsFewAsPossible(std::size_t s, std::size_t p, std::size_t item_end);
  std::size_t Balance(std::size_t s, std::size_t p);
  std::size_t BackReference(std::size_t s, char digit);
  bool AtFrontier(std::size_t s, std::size_t p, std::size_t item_end) const;

  // One class of characters, from `p` to `item_end`.
  std::size_t ItemEnd(std::size_t p);
  bool ItemHas(std::size_t s, std::size_t p, std::size_t item_end) const;
  bool SetHas(unsigned char c, std::size_t p, std::size_t bracket) const;

  std::size_t CheckCapture(int index);
  char At(std::size_t p) const { return p < pattern_.size() ? pattern_[p] : '\0'; }
  void Step(std::size_t steps);

  lua_State* const lua_;
  const Bytes subject_;
  const Bytes pattern_;
  std::array<Capture, kCapturesMax> captures_;
  int level_ = 0;
  int depth_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace mayfly::server
