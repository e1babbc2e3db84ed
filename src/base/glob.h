// glob.h - patterns over keys, channels and settings, as Redis matches them.
//   *    any bytes, none included       [abc] [a-z]   one byte of these; a range may be reversed
//   ?    one byte                       [^abc]        one byte that is none of these
//   \c   c itself, within [] as well    other bytes   themselves
//
// What a person would not guess, kept from Redis 7.0 since clients may rely on it:
// - The empty text matches the empty pattern alone: "*" does not match it. (KEYS * finds an empty
//   key because Redis asks for "*" before it matches; callers do the same.)
// - A class that is not closed reaches to the end of the pattern. A ']' right behind "[" closes it.
// - Without regard to case, \c within [] still has regard to it.
// One thing differs: bytes of 128 and more are ordered as such in ranges. Redis compares them as
// whatever `char` is where it was compiled.
// It lies in base, and not with the protocol, so that whoever walks over keys can match as well.
#pragma once

#include <cstdint>

#include "mayfly/bytes.h"

namespace mayfly {

enum class GlobCase : std::uint8_t { kSensitive, kInsensitive };  // Of ASCII letters.

// Whether `pattern` matches all of `text`.
// Takes time of at most the product of the two sizes, whatever the pattern, and no memory: a later
// star makes it unnecessary to try another length for an earlier one, so nothing nests and no
// number of stars needs a bound.
[[nodiscard]] bool GlobMatches(Bytes pattern, Bytes text, GlobCase letters = GlobCase::kSensitive);

}  // namespace mayfly
