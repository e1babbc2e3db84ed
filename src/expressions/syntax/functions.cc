#include "expressions/syntax/functions.h"

namespace mayfly::expressions {
namespace {

using Place = FunctionSpec::Place;

// clang-format off
constexpr FunctionSpec kFunctions[] = {
    {"attribute_exists",     Place::kCondition, 1, true},
    {"attribute_not_exists", Place::kCondition, 1, true},
    {"attribute_type",       Place::kCondition, 2, false},
    {"begins_with",          Place::kCondition, 2, false},
    {"contains",             Place::kCondition, 2, false},
    {"if_not_exists",        Place::kUpdate,    2, true},
    {"list_append",          Place::kUpdate,    2, false},
    {"size",                 Place::kOperand,   1, false},
};
// clang-format on

}  // namespace

const FunctionSpec* FindFunction(std::string_view name) {
  for (const FunctionSpec& spec : kFunctions) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

}  // namespace mayfly::expressions
