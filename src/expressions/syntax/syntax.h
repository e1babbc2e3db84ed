// syntax.h - the syntax tree of an expression, before placeholders are resolved.
// Views point into the expression.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace mayfly::expressions {

struct PathSyntax {
  struct Step {
    enum class Kind : std::uint8_t { kName, kPlaceholder, kIndex };
    Kind kind = Kind::kName;
    std::string_view text;
  };
  std::vector<Step> steps;
};

// A condition, an operand, or the value that SET assigns.
struct Node {
  enum class Kind : std::uint8_t {
    kPath,
    kValue,
    kFunction,
    kParentheses,  // Around the only child.
    kArithmetic,   // + or -
    kComparison,
    kBetween,
    kIn,
    kNot,
    kAnd,
    kOr,
  };
  Kind kind = Kind::kValue;
  std::string_view text = {};  // The operator, function or placeholder; a keyword in capitals.
  PathSyntax path = {};        // Of kPath.
  std::vector<Node> children = {};
};

// The node inside of any parentheses.
const Node& Bare(const Node& node);

// One action of an update.
struct ActionSyntax {
  PathSyntax path;
  std::vector<Node> value;  // None for REMOVE, otherwise one.
};

struct ClauseSyntax {
  std::string_view keyword;  // In capitals.
  std::vector<ActionSyntax> actions;
};

}  // namespace mayfly::expressions
