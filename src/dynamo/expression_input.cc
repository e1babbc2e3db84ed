#include "dynamo/expression_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dynamo/attribute_json.h"
#include "dynamo/legacy.h"
#include "dynamo/refusal.h"

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

AttributeValue ReadArgument(std::string_view placeholder, const json::value& value) {
  try {
    return ReadValue(value);
  } catch (const Refusal& refusal) {
    if (refusal.kind() != ErrorKind::kValidation) throw;
    throw Invalid(fmt::format("ExpressionAttributeValues contains invalid value: {} for key {}",
                              refusal.message(), placeholder));
  }
}

}  // namespace

ExpressionInput::ExpressionInput(const Fields& in, const ExpressionParameters& parameters)
    : in_(in), parameters_(parameters) {
  CheckManner();
  CheckArguments();
  for (const std::string_view name : parameters_.expressions) {
    if (const auto text = in_.String(name); text && text->empty()) {
      throw Invalid(fmt::format("Invalid {}: The expression can not be empty;", name));
    }
  }
  ReadArguments();
  Translate();
}

void ExpressionInput::CheckManner() const {
  const auto legacy = Given(in_, parameters_.legacy);
  const auto expressions = Given(in_, parameters_.expressions);
  if (legacy.empty() || expressions.empty()) return;
  throw Invalid(
      fmt::format("Can not use both expression and non-expression parameters in the same request: "
                  "Non-expression parameters: {{{}}} Expression parameters: {{{}}}",
                  fmt::join(legacy, ", "), fmt::join(expressions, ", ")));
}

void ExpressionInput::CheckArguments() const {
  const json::object* const names = in_.Map("ExpressionAttributeNames");
  if (names != nullptr && Given(in_, parameters_.expressions).empty()) {
    throw Invalid("ExpressionAttributeNames can only be specified when using expressions");
  }
  const json::object* const values = in_.Map("ExpressionAttributeValues");
  const auto users = WithValues(parameters_.expressions);
  if (values != nullptr &&
      std::none_of(users.begin(), users.end(), [&](auto name) { return in_.Has(name); })) {
    throw Invalid(fmt::format(
        "ExpressionAttributeValues can only be specified when using expressions: {} {} null",
        fmt::join(users, " and "), users.size() == 1 ? "is" : "are"));
  }
  if (names != nullptr && names->empty()) {
    throw Invalid("ExpressionAttributeNames must not be empty");
  }
  if (values != nullptr && values->empty()) {
    throw Invalid("ExpressionAttributeValues must not be empty");
  }
}

void ExpressionInput::ReadArguments() {
  if (const json::object* const names = in_.Map("ExpressionAttributeNames")) {
    for (const auto& [placeholder, name] : *names) {
      arguments_.names.emplace(std::string(placeholder), StringOf(name));
    }
  }
  if (const json::object* const values = in_.Map("ExpressionAttributeValues")) {
    for (const auto& [placeholder, value] : *values) {
      const std::string key(placeholder);
      arguments_.values.emplace(key, ReadArgument(key, value));
    }
  }
}

void ExpressionInput::Translate() {
  const auto legacy = Given(in_, parameters_.legacy);
  if (legacy.empty()) return;
  LegacyTranslator translator(arguments_);
  const auto takes = [&](std::string_view name) {
    return std::find(legacy.begin(), legacy.end(), name) != legacy.end();
  };
  const auto joined_by = in_.OneOf("ConditionalOperator", {"OR", "AND"});
  if (takes("AttributesToGet")) in_.RequiredList("AttributesToGet", 1);
  in_.Check();
  const auto operator_of = [&](const json::object& conditions) {
    if (!joined_by.empty() && conditions.size() < 2) {
      throw Invalid(
          "ConditionalOperator can only be used when Filter or Expected has two or more elements");
    }
    return joined_by == "OR" ? std::string_view(" OR ") : std::string_view(" AND ");
  };
  bool joins = false;
  for (const std::string_view name : {"Expected", "QueryFilter", "ScanFilter"}) {
    if (!takes(name)) continue;
    const json::object& conditions = *in_.Map(name);
    joins = true;
    if (name == "Expected") {
      condition_ = translator.Expected(conditions, operator_of(conditions));
    } else {
      filter_ = translator.Filter(name, conditions, operator_of(conditions));
    }
  }
  if (takes("ConditionalOperator") && !joins) {
    throw Invalid("ConditionalOperator cannot be used without Filter or Expected");
  }
  if (takes("KeyConditions")) key_condition_ = translator.KeyConditions(*in_.Map("KeyConditions"));
  if (takes("AttributeUpdates")) update_ = translator.Updates(*in_.Map("AttributeUpdates"));
  if (takes("AttributesToGet")) {
    projection_ = translator.Attributes(in_.Strings("AttributesToGet"));
  }
}

std::string ExpressionInput::Either(std::string_view expression,
                                    const std::string& translated) const {
  return in_.String(expression).value_or(translated);
}

}  // namespace mayfly::dynamo
