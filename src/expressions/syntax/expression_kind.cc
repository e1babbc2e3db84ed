#include "expressions/syntax/expression_kind.h"

#include <fmt/format.h>

#include <array>

namespace mayfly::expressions {

std::string_view NameOf(ExpressionKind kind) {
  // In the order of ExpressionKind.
  constexpr std::array<std::string_view, 5> kNames = {"ConditionExpression", "FilterExpression",
                                                      "KeyConditionExpression", "UpdateExpression",
                                                      "ProjectionExpression"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Status Refused(ExpressionKind kind, std::string_view message) {
  return Status::Invalid(fmt::format("Invalid {}: {}", NameOf(kind), message));
}

}  // namespace mayfly::expressions
