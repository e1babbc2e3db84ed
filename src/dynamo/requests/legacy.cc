#include "dynamo/requests/legacy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "dynamo/json/attribute_json.h"
#include "dynamo/json/fields.h"

namespace mayfly::dynamo {
namespace {

constexpr std::size_t kAnyNumber = SIZE_MAX;
constexpr std::string_view kAnyType = "S,N,B,BOOL,NULL,L,M,SS,NS,BS";
constexpr std::string_view kScalars = "S,N,B";
constexpr std::string_view kFlags = "S,N,B,BOOL,NULL";
constexpr std::string_view kTexts = "S,B";

// {0} is the attribute, {1} and {2} its operands, of which there are `operands`.
struct Comparison {
  std::string_view name;
  std::size_t operands;
  std::string_view form;
  bool for_keys;
  std::string_view types;  // Of operands, as "S,N,B".
};

// clang-format off
constexpr std::array kComparisons = std::to_array<Comparison>({
    {"EQ",           1,          "{0} = {1}",                 true,  kAnyType},
    {"NE",           1,          "{0} <> {1}",                false, kAnyType},
    {"LE",           1,          "{0} <= {1}",                true,  kScalars},
    {"LT",           1,          "{0} < {1}",                 true,  kScalars},
    {"GE",           1,          "{0} >= {1}",                true,  kScalars},
    {"GT",           1,          "{0} > {1}",                 true,  kScalars},
    {"NOT_NULL",     0,          "attribute_exists({0})",     false, kAnyType},
    {"NULL",         0,          "attribute_not_exists({0})", false, kAnyType},
    {"CONTAINS",     1,          "contains({0}, {1})",        false, kFlags},
    {"NOT_CONTAINS", 1,          "NOT contains({0}, {1})",    false, kFlags},
    {"BEGINS_WITH",  1,          "begins_with({0}, {1})",     true,  kTexts},
    {"IN",           kAnyNumber, "{0} IN ({1})",              false, kScalars},
    {"BETWEEN",      2,          "{0} BETWEEN {1} AND {2}",   true,  kScalars},
});
// clang-format on

Outcome<const Comparison*> FindComparison(std::string_view name) {
  const auto found = std::find_if(kComparisons.begin(), kComparisons.end(),
                                  [&](const Comparison& known) { return known.name == name; });
  if (found != kComparisons.end()) return &*found;
  return Invalid(fmt::format("Unknown ComparisonOperator: {}", name));
}

bool Takes(const Comparison& comparison, AttributeType type) {
  const std::string wanted = fmt::format(",{},", AttributeTypeName(type));
  return fmt::format(",{},", comparison.types).find(wanted) != std::string::npos;
}

std::string Key(const json::key_value_pair& member) { return std::string(member.key()); }

}  // namespace

std::string LegacyTranslator::Name(std::string_view attribute) {
  std::string& placeholder = placeholders_[std::string(attribute)];
  if (!placeholder.empty()) return placeholder;
  do {
    placeholder = fmt::format("#m{}", next_name_++);
  } while (!arguments_.names.emplace(placeholder, attribute).second);
  return placeholder;
}

std::string LegacyTranslator::Value(AttributeValue value) {
  std::string placeholder;
  do {
    placeholder = fmt::format(":m{}", next_value_++);
  } while (arguments_.values.contains(placeholder));
  arguments_.values.emplace(placeholder, std::move(value));
  return placeholder;
}

Outcome<std::string> LegacyTranslator::Compare(std::string_view attribute,
                                               std::string_view comparison,
                                               const json::array* operands) {
  MAYFLY_TRY(const Comparison* const found, FindComparison(comparison));
  const Comparison& known = *found;
  const std::size_t given = operands == nullptr ? 0 : operands->size();
  const bool fits = known.operands == kAnyNumber ? given > 0 : given == known.operands;
  if (!fits) {
    return InvalidParameter(
        fmt::format("Invalid number of argument(s) for the {} ComparisonOperator", comparison));
  }
  std::vector<std::string> values;
  std::optional<AttributeType> type;
  for (std::size_t i = 0; i < given; ++i) {
    MAYFLY_TRY(AttributeValue operand, ReadValue((*operands)[i]));
    if (!Takes(known, operand.type())) {
      return InvalidParameter(
          fmt::format("ComparisonOperator {} is not valid for {} AttributeValue type", comparison,
                      AttributeTypeName(operand.type())));
    }
    if (type.value_or(operand.type()) != operand.type()) {
      return InvalidParameter("AttributeValues inside AttributeValueList must be of same type");
    }
    type = operand.type();
    values.push_back(Value(std::move(operand)));
  }
  if (known.operands == kAnyNumber) {
    return fmt::format(fmt::runtime(known.form), Name(attribute), fmt::join(values, ", "));
  }
  values.resize(2);
  return fmt::format(fmt::runtime(known.form), Name(attribute), values[0], values[1]);
}

Outcome<std::string> LegacyTranslator::ExpectedOne(std::string_view attribute,
                                                   const json::value& wanted) {
  MAYFLY_TRY(const json::object* const members, ObjectOf(wanted));
  const Fields in(*members);
  const json::value* const value = in.Find("Value");
  const auto exists = in.OptionalBoolean("Exists");
  const auto comparison = in.String("ComparisonOperator");
  const json::array* const list = in.List("AttributeValueList");
  const auto refuse = [&](std::string_view why) {
    return InvalidParameter(fmt::format("{} for Attribute: {}", why, attribute));
  };
  if (comparison) {
    if (exists) return refuse("Exists and ComparisonOperator cannot be used together");
    if (value != nullptr && list != nullptr) {
      return refuse("Value and AttributeValueList cannot be used together");
    }
    const json::array one = value == nullptr ? json::array() : json::array{*value};
    return Compare(attribute, *comparison, value != nullptr ? &one : list);
  }
  if (list != nullptr) {
    return refuse("AttributeValueList can only be used with a ComparisonOperator");
  }
  if (exists.value_or(true)) {
    if (value == nullptr) {
      return refuse(exists ? "Value must be provided when Exists is true"
                           : "Value must be provided when Exists is null");
    }
    MAYFLY_TRY(AttributeValue read, ReadValue(*value));
    return fmt::format("{} = {}", Name(attribute), Value(std::move(read)));
  }
  if (value != nullptr) return refuse("Value cannot be used when Exists is false");
  return fmt::format("attribute_not_exists({})", Name(attribute));
}

Outcome<std::string> LegacyTranslator::Expected(const json::object& expected,
                                                std::string_view joined_by) {
  std::vector<std::string> parts;
  for (const auto& member : expected) {
    MAYFLY_TRY(std::string part, ExpectedOne(Key(member), member.value()));
    parts.push_back(std::move(part));
  }
  return fmt::format("{}", fmt::join(parts, joined_by));
}

Outcome<std::string> LegacyTranslator::Filter(const json::object& conditions,
                                              std::string_view joined_by) {
  std::vector<std::string> parts;
  for (const auto& member : conditions) {
    MAYFLY_TRY(const json::object* const members, ObjectOf(member.value()));
    const Fields in(*members);
    const std::string comparison = in.Text("ComparisonOperator");
    const json::array* const operands = in.List("AttributeValueList");
    MAYFLY_TRY(std::string part, Compare(Key(member), comparison, operands));
    parts.push_back(std::move(part));
  }
  return fmt::format("{}", fmt::join(parts, joined_by));
}

Outcome<std::string> LegacyTranslator::KeyConditions(const json::object& conditions) {
  for (const auto& member : conditions) {
    MAYFLY_TRY(const json::object* const members, ObjectOf(member.value()));
    const Fields in(*members);
    const auto comparison = in.String("ComparisonOperator");
    if (!comparison) continue;
    MAYFLY_TRY(const Comparison* const known, FindComparison(*comparison));
    if (!known->for_keys) {
      return Invalid("Attempted conditional constraint is not an indexable operation");
    }
  }
  if (conditions.empty() || conditions.size() > 2) {
    return Invalid("Conditions can be of length 1 or 2 only");
  }
  return Filter(conditions, " AND ");
}

Outcome<std::string> LegacyTranslator::Updates(const json::object& updates) {
  std::map<std::string_view, std::vector<std::string>> clauses;
  for (const auto& member : updates) {
    MAYFLY_TRY(const json::object* const members, ObjectOf(member.value()));
    const Fields in(*members);
    const std::string given = in.Text("Action");
    const std::string action = given.empty() ? "PUT" : given;
    const std::string name = Name(Key(member));
    if (!in.Has("Value")) {
      if (action != "DELETE") {
        return InvalidParameter(
            "Only DELETE action is allowed when no attribute value is specified");
      }
      clauses["REMOVE"].push_back(name);
      continue;
    }
    MAYFLY_TRY(AttributeValue value, ReadValue(*in.Find("Value")));
    const AttributeType type = value.type();
    const bool is_set = type >= AttributeType::kStringSet;
    const auto refuse = [&] {
      return InvalidParameter(fmt::format("{} action is not supported for the type {}", action,
                                          AttributeTypeName(type)));
    };
    if (action == "PUT") {
      clauses["SET"].push_back(fmt::format("{} = {}", name, Value(std::move(value))));
    } else if (action == "DELETE") {
      if (!is_set) return refuse();
      clauses["DELETE"].push_back(fmt::format("{} {}", name, Value(std::move(value))));
    } else if (type == AttributeType::kList) {
      const std::string nothing = Value(AttributeValue::List());
      clauses["SET"].push_back(fmt::format("{0} = list_append(if_not_exists({0}, {1}), {2})", name,
                                           nothing, Value(std::move(value))));
    } else {
      if (!is_set && type != AttributeType::kNumber) return refuse();
      clauses["ADD"].push_back(fmt::format("{} {}", name, Value(std::move(value))));
    }
  }
  std::vector<std::string> parts;
  for (const auto& [clause, changes] : clauses) {
    parts.push_back(fmt::format("{} {}", clause, fmt::join(changes, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

Outcome<std::string> LegacyTranslator::Attributes(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  std::vector<std::string> placeholders;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      return InvalidParameter(fmt::format("Duplicate value in attribute name: {}", name));
    }
    placeholders.push_back(Name(name));
  }
  return fmt::format("{}", fmt::join(placeholders, ", "));
}

}  // namespace mayfly::dynamo
