// shape_check.cc - the first walk, over types; the second one is in constraint_check.cc.
#include "dynamo/json/fields.h"
#include "dynamo/shapes/constraint_check.h"
#include "dynamo/shapes/shape.h"
#include "dynamo/shapes/value_types.h"

namespace mayfly::dynamo {
namespace {

using Kind = Shape::Kind;

Outcome<void> CheckTypes(const json::value& value, const Shape& shape, Position position);

Outcome<void> CheckMembers(const json::object& object, const Shape& shape) {
  for (const Member& member : shape.members) {
    const json::value* const value = object.if_contains(ToJson(member.name));
    if (value == nullptr || value->is_null()) continue;
    MAYFLY_REQUIRE(CheckTypes(*value, *member.shape, Position::kMember));
  }
  return {};
}

Outcome<void> CheckNumber(const json::value& value, Kind kind) {
  if (value.is_number()) return {};
  return WrongType(value, kind == Kind::kInteger ? "Integer"
                          : kind == Kind::kLong  ? "Long"
                                                 : "Double");
}

Outcome<void> CheckTypes(const json::value& value, const Shape& shape, Position position) {
  switch (shape.kind) {
    case Kind::kString:
    case Kind::kName:
      if (!value.is_string()) return WrongType(value, "String");
      return {};
    case Kind::kBoolean: return CheckBoolean(value);
    case Kind::kInteger:
    case Kind::kLong:
    case Kind::kDouble: return CheckNumber(value, shape.kind);
    case Kind::kValue: return CheckAttributeValue(value, position);
    case Kind::kStructure:
      MAYFLY_REQUIRE(CheckStructure(value, shape.class_name, position));
      return CheckMembers(value.get_object(), shape);
    case Kind::kList:
      MAYFLY_REQUIRE(CheckList(value, position));
      for (const json::value& element : value.get_array()) {
        if (element.is_null()) continue;
        MAYFLY_REQUIRE(CheckTypes(element, *shape.element, Position::kElement));
      }
      return {};
    case Kind::kMap:
      MAYFLY_REQUIRE(CheckMap(value, shape.class_name, position));
      for (const auto& member : value.get_object()) {
        if (member.value().is_null()) continue;
        MAYFLY_REQUIRE(CheckTypes(member.value(), *shape.element, Position::kElement));
      }
      return {};
  }
  return {};
}

}  // namespace

Outcome<void> CheckShape(const json::object& request, const Shape& shape) {
  MAYFLY_REQUIRE(CheckMembers(request, shape));
  return CheckConstraints(request, shape);
}

}  // namespace mayfly::dynamo
