// limits.h - the bounds of a statement.
#pragma once

#include <cstddef>

namespace mayfly::partiql {

// DynamoDB has 8,192 characters.
inline constexpr std::size_t kStatementBytesMax = std::size_t{32} << 10;

// Levels of parentheses, calls, NOTs and values within values that the parser descends. A value
// nests 32 levels in DynamoDB.
inline constexpr std::size_t kNestingMax = 64;

// Values that one SELECT may ask of a partition key: one query each. DynamoDB's bound.
inline constexpr std::size_t kPartitionsMax = 50;

inline constexpr std::size_t kValueLevelsMax = 32;  // Of a parameter, as of an attribute.

inline constexpr std::size_t kTablePathMax = 2;  // A table, and an index of it.

}  // namespace mayfly::partiql
