// functions.h - the functions of expressions, one line each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mayfly::expressions {

struct FunctionSpec {
  enum class Place : std::uint8_t {
    kCondition,  // Is a condition by itself.
    kOperand,    // Gives a condition a value.
    kUpdate,     // Gives SET a value.
  };
  std::string_view name;
  Place place;
  std::uint8_t operands;
  bool first_is_path;  // The first operand must be a path.
};

// Null when there is none; names are case sensitive.
const FunctionSpec* FindFunction(std::string_view name);

}  // namespace mayfly::expressions
