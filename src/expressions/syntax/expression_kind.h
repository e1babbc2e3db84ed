// expression_kind.h - the five expressions of DynamoDB, and how errors in them begin.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mayfly/status.h"

namespace mayfly::expressions {

enum class ExpressionKind : std::uint8_t {
  kCondition,
  kFilter,
  kKeyCondition,
  kUpdate,
  kProjection
};

// "ConditionExpression" and so on, as requests name it.
std::string_view NameOf(ExpressionKind kind);

// Invalid: "Invalid ConditionExpression: ", then the message.
Status Refused(ExpressionKind kind, std::string_view message);

}  // namespace mayfly::expressions
