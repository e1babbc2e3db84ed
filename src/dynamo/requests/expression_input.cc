#include "dynamo/requests/expression_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dynamo/json/attribute_json.h"
#include "dynamo/requests/legacy.h"

namespace mayfly::dynamo {
namespace {

std::vector<std::string_view> Given(const Fields& in,
                                    std::initializer_list<std::string_view> names) {
  std::vector<std::string_view> given;
  std::copy_if(names.begin(), names.end(), std::back_inserter(given),
               [&](std::string_view name) { return in.Has(name); });
  return given;
}

// A projection takes no values.
std::vector<std::string_view> WithValues(std::initializer_list<std::string_view> names) {
  std::vector<std::string_view> some;
  std::copy_if(names.begin(), names.end(), std::back_inserter(some),
               [](std::string_view name) { return name != "ProjectionExpression"; });
  return some;
}

Outcome<void> CheckManner(const Fields& in, const ExpressionParameters& parameters) {
  auto legacy = Given(in, parameters.legacy);
  const auto expressions = Given(in, parameters.expressions);
  // Allowed beside an expression about anything but keys.
  if (!in.Has("KeyConditionExpression")) std::erase(legacy, "KeyConditions");
  if (legacy.empty() || expressions.empty()) return {};
  return Invalid(
      fmt::format("Can not use both expression and non-expression parameters in the same request: "
                  "Non-expression parameters: {{{}}} Expression parameters: {{{}}}",
                  fmt::join(legacy, ", "), fmt::join(expressions, ", ")));
}

Outcome<void> CheckPlaceholders(const Fields& in, const ExpressionParameters& parameters) {
  const json::object* const names = in.Map("ExpressionAttributeNames");
  const json::object* const values = in.Map("ExpressionAttributeValues");
  if (names != nullptr && Given(in, parameters.expressions).empty()) {
    return Invalid("ExpressionAttributeNames can only be specified when using expressions");
  }
  const auto users = WithValues(parameters.expressions);
  if (values != nullptr && !users.empty() &&
      std::none_of(users.begin(), users.end(), [&](auto name) { return in.Has(name); })) {
    return Invalid(fmt::format(
        "ExpressionAttributeValues can only be specified when using expressions: {} {} null",
        fmt::join(users, " and "), users.size() == 1 ? "is" : "are"));
  }
  if (names != nullptr && names->empty()) {
    return Invalid("ExpressionAttributeNames must not be empty");
  }
  if (values != nullptr && values->empty()) {
    return Invalid("ExpressionAttributeValues must not be empty");
  }
  return {};
}

Outcome<ExpressionArguments> ReadPlaceholders(const Fields& in,
                                              const ExpressionParameters& parameters) {
  ExpressionArguments arguments;
  if (const json::object* const names = in.Map("ExpressionAttributeNames")) {
    for (const auto& [placeholder, name] : *names) {
      MAYFLY_TRY(std::string text, StringOf(name));
      arguments.names.emplace(std::string(placeholder), std::move(text));
    }
  }
  const bool takes_values = !WithValues(parameters.expressions).empty();
  const json::object* const values = in.Map("ExpressionAttributeValues");
  if (takes_values && values != nullptr) {
    for (const auto& [placeholder, value] : *values) {
      std::string key(placeholder);
      Outcome<AttributeValue> read = ReadValue(value);
      if (!read && read.error().kind() == ErrorKind::kValidation) {
        return Invalid(
            fmt::format("ExpressionAttributeValues contains invalid value: {} for key {}",
                        read.error().message(), key));
      }
      if (!read) return std::move(read).error();
      arguments.values.emplace(std::move(key), *std::move(read));
    }
  }
  return arguments;
}

// Reads the texts of the expressions in the request.
Outcome<void> ReadTexts(const Fields& in, const ExpressionParameters& parameters,
                        ExpressionInput& input) {
  for (const std::string_view name : parameters.expressions) {
    const auto text = in.String(name);
    if (!text) continue;
    if (text->empty()) {
      return Invalid(fmt::format("Invalid {}: The expression can not be empty;", name));
    }
    if (name == "ConditionExpression") input.condition = *text;
    if (name == "FilterExpression") input.filter = *text;
    if (name == "KeyConditionExpression") input.key_condition = *text;
    if (name == "UpdateExpression") input.update = *text;
    if (name == "ProjectionExpression") input.projection = *text;
  }
  return {};
}

// ConditionalOperator, as it stands between conditions.
Outcome<std::string_view> ReadJoint(std::string_view given, const json::object& conditions) {
  if (!given.empty() && conditions.size() < 2) {
    return Invalid(
        "ConditionalOperator can only be used when Filter or Expected has two or more elements");
  }
  return std::string_view(given == "OR" ? " OR " : " AND ");
}

// Translates the legacy parameters in the request.
Outcome<void> Translate(const Fields& in, const ExpressionParameters& parameters,
                        ExpressionInput& input) {
  const auto legacy = Given(in, parameters.legacy);
  if (legacy.empty()) return {};
  // The legacy parameters have no such bounds. Beside expressions there is only KeyConditions.
  input.arguments.bounded = !Given(in, parameters.expressions).empty();
  LegacyTranslator translator(input.arguments);
  const auto map = [&](std::string_view name) -> const json::object* {
    return std::find(legacy.begin(), legacy.end(), name) == legacy.end() ? nullptr : in.Map(name);
  };
  const std::string joint = in.Text("ConditionalOperator");
  const json::object* const expected = map("Expected");
  const json::object* const query_filter = map("QueryFilter");
  const json::object* const scan_filter = map("ScanFilter");
  const json::object* const keys = map("KeyConditions");
  const json::object* const updates = map("AttributeUpdates");
  const bool chooses = std::find(legacy.begin(), legacy.end(), "AttributesToGet") != legacy.end();
  const auto chosen = chooses ? in.Strings("AttributesToGet") : std::vector<std::string>();
  if (expected != nullptr) {
    MAYFLY_TRY(const std::string_view joined_by, ReadJoint(joint, *expected));
    MAYFLY_TRY(input.condition, translator.Expected(*expected, joined_by));
  }
  const json::object* const filter = query_filter != nullptr ? query_filter : scan_filter;
  if (filter != nullptr) {
    MAYFLY_TRY(const std::string_view joined_by, ReadJoint(joint, *filter));
    MAYFLY_TRY(input.filter, translator.Filter(*filter, joined_by));
  }
  if (!joint.empty() && expected == nullptr && filter == nullptr) {
    return Invalid("ConditionalOperator cannot be used without Filter or Expected");
  }
  if (keys != nullptr) {
    MAYFLY_TRY(input.key_condition, translator.KeyConditions(*keys));
  }
  if (updates != nullptr) {
    MAYFLY_TRY(input.update, translator.Updates(*updates));
  }
  if (chooses) {
    MAYFLY_TRY(input.projection, translator.Attributes(chosen));
  }
  return {};
}

}  // namespace

Outcome<ExpressionInput> ReadExpressions(const Fields& in, const ExpressionParameters& parameters) {
  ExpressionInput input;
  MAYFLY_REQUIRE(CheckManner(in, parameters));
  MAYFLY_REQUIRE(CheckPlaceholders(in, parameters));
  MAYFLY_REQUIRE(ReadTexts(in, parameters, input));
  MAYFLY_TRY(input.arguments, ReadPlaceholders(in, parameters));
  MAYFLY_REQUIRE(Translate(in, parameters, input));
  return input;
}

}  // namespace mayfly::dynamo
