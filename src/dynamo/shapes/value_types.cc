#include "dynamo/shapes/value_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dynamo/json/attribute_json.h"
#include "dynamo/json/fields.h"

namespace mayfly::dynamo {
namespace {

constexpr std::string_view kModel = "com.amazonaws.dynamodb.v20120810.";
constexpr std::string_view kValueClass = "AttributeValue";

// A scalar where a collection should be.
Refusal NoCollection(Position position) {
  if (position == Position::kMember) return Mistyped("Unexpected field type");
  return Mistyped(
      "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class "
      "java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
      "java.lang.Class are in module java.base of loader 'bootstrap')");
}

// Classes of Java's own have their whole name in the shape.
std::string WholeName(std::string_view class_name) {
  if (class_name.find('.') != std::string_view::npos) return std::string(class_name);
  return fmt::format("{}{}", kModel, class_name);
}

Outcome<void> CheckString(const json::value& value) {
  if (value.is_string()) return {};
  return WrongType(value, "String");
}

template <auto kCheck>
Outcome<void> CheckListOf(const json::value& value) {
  MAYFLY_REQUIRE(CheckList(value, Position::kMember));
  for (const json::value& element : value.get_array()) {
    if (!element.is_null()) MAYFLY_REQUIRE(kCheck(element));
  }
  return {};
}

Outcome<void> CheckElement(const json::value& value) {
  return CheckAttributeValue(value, Position::kElement);
}

Outcome<void> CheckValueMap(const json::value& value) {
  MAYFLY_REQUIRE(CheckMap(value, kValueClass, Position::kMember));
  for (const auto& member : value.get_object()) {
    if (!member.value().is_null()) MAYFLY_REQUIRE(CheckElement(member.value()));
  }
  return {};
}

struct ValueType {
  std::string_view name;
  Outcome<void> (*check)(const json::value& value);
};

// clang-format off
constexpr std::array kValueTypes = std::to_array<ValueType>({
    {"S",    CheckString},
    {"N",    CheckString},
    {"B",    CheckBinary},
    {"BOOL", CheckBoolean},
    {"NULL", CheckBoolean},
    {"BS",   CheckListOf<CheckBinary>},
    {"NS",   CheckListOf<CheckString>},
    {"SS",   CheckListOf<CheckString>},
    {"L",    CheckListOf<CheckElement>},
    {"M",    CheckValueMap},
});
// clang-format on

}  // namespace

Outcome<void> CheckBoolean(const json::value& value) {
  MAYFLY_TRY([[maybe_unused]] const bool flag, BooleanOf(value));
  return {};
}

Outcome<void> CheckList(const json::value& value, Position position) {
  if (value.is_array()) return {};
  if (value.is_object()) return Mistyped(kUnexpectedStructure);
  return NoCollection(position);
}

Outcome<void> CheckMap(const json::value& value, std::string_view class_name, Position position) {
  if (value.is_object()) return {};
  if (!value.is_array()) return NoCollection(position);
  return Mistyped(fmt::format("Unrecognized collection type java.util.Map<java.lang.String, {}>",
                              WholeName(class_name)));
}

Outcome<void> CheckStructure(const json::value& value, std::string_view class_name,
                             Position position) {
  if (value.is_object()) return {};
  if (value.is_array()) {
    return Mistyped(fmt::format("Unrecognized collection type class {}{}", kModel, class_name));
  }
  return Mistyped(position == Position::kMember ? "Unexpected field type"
                                                : "Unexpected value type in payload");
}

Outcome<void> CheckAttributeValue(const json::value& value, Position position) {
  MAYFLY_REQUIRE(CheckStructure(value, kValueClass, position));
  for (const auto& member : value.get_object()) {
    if (member.value().is_null()) continue;
    const std::string_view name(member.key().data(), member.key().size());
    const auto type = std::find_if(kValueTypes.begin(), kValueTypes.end(),
                                   [&](const ValueType& known) { return known.name == name; });
    if (type != kValueTypes.end()) MAYFLY_REQUIRE(type->check(member.value()));
  }
  return {};
}

}  // namespace mayfly::dynamo
