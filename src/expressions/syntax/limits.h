// limits.h - the bounds of an expression. The numbers are DynamoDB's where it has one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mayfly::expressions {

inline constexpr std::size_t kExpressionBytesMax = 4096;
inline constexpr std::size_t kOperatorsMax = 300;  // And functions, in one expression.
inline constexpr std::size_t kInOperandsMax = 100;
inline constexpr std::size_t kPathStepsMax = 32;
inline constexpr std::uint64_t kListIndexMax = 2'147'483'647;
inline constexpr std::size_t kPlaceholderBytesMax = 255;
inline constexpr std::size_t kArgumentsBytesMax = std::size_t{2}
                                                  << 20;  // Names and values together.

// Bytes an update may write. An expression can name one value a thousand times; more than an item
// may hold is refused before it is built.
inline constexpr std::size_t kWrittenBytesMax = std::size_t{400} << 10;

// Levels a parser descends. Deeper nesting than an operator and a parenthesis each means
// parentheses around parentheses, which are refused anyway.
inline constexpr std::size_t kNestingMax = 2 * kOperatorsMax + 2;

}  // namespace mayfly::expressions
