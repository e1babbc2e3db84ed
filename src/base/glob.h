// glob.h - patterns over keys, channels and settings, as Redis matches them.
//   *    any bytes, none included       [abc] [a-z]   one byte of these; a range may be reversed
//   ?    one byte                       [^abc]        one byte that is none of these
//   \c   c itself, within [] as well    other bytes   themselves
//
// Surprising rules, kept from Redis 7.0 since clients may rely on them:
// - The empty text matches the empty pattern alone: "*" does not match it. (KEYS * finds an empty
//   key because Redis asks for "*" before it matches; callers do the same.)
// - A class that is not closed reaches to the end of the pattern. A ']' right after "[" closes it.
// - In a match without regard to case, \c within [] is still case-sensitive.
// One thing differs: ranges compare bytes as unsigned. Redis compares them as `char`, whose sign
// depends on the platform.
// The file is in base, and not with the protocol, so that walks over keys can match as well.
#pragma once

#include <cstdint>

#include "mayfly/bytes.h"

namespace mayfly {

enum class GlobCase : std::uint8_t { kSensitive, kInsensitive };  // Of ASCII letters.

// True if `pattern` matches all of `text`.
// Takes time of at most the product of the two sizes, whatever the pattern, and no memory: only the
// last star is ever retried, so nothing nests and the number of stars needs no bound.
[[nodiscard]] bool GlobMatches(Bytes pattern, Bytes text, GlobCase letters = GlobCase::kSensitive);

}  // namespace mayfly
