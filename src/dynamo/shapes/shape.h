// shape.h - what a request may be made of: the members it has, their types and their constraints.
// An operation has one shape, which is data. Its members stand in the order in which DynamoDB
// checks them. CheckShape() walks it twice, so that a request is refused as by DynamoDB: for the
// first member of a wrong type, alone; or else for all broken constraints, in one message. Whatever
// reads the request afterwards finds the types it expects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dynamo/json/json.h"
#include "dynamo/json/refusal.h"

namespace mayfly::dynamo {

struct Shape;

struct Member {
  enum class Presence : std::uint8_t {
    kOptional,
    kRequired,
    kRequiredFirst,  // Its absence, and its length, are reported before anything else, and alone.
  };
  std::string_view name;
  const Shape* shape;
  Presence presence = Presence::kOptional;
};

struct Shape {
  enum class Kind : std::uint8_t {
    kString,
    kName,     // A string: of a table or index, or an ARN, whose name then counts.
    kBoolean,  // Or the strings that DynamoDB takes for one.
    kInteger,
    kLong,
    kDouble,
    kList,
    kMap,
    kStructure,
    kValue,  // An AttributeValue.
  };
  Kind kind = Kind::kString;
  std::string_view class_name = {};               // Of a structure, or a map's values, in messages.
  std::span<const Member> members = {};           // Of a structure.
  const Shape* element = nullptr;                 // Of a list or map.
  std::span<const std::string_view> values = {};  // The only ones a string may have.
  bool (*fits)(std::string_view) = nullptr;       // Whether a string has the pattern.
  std::string_view pattern = {};
  std::size_t length_min = 0;  // Of a string, in characters, a list or a map.
  std::size_t length_max = SIZE_MAX;
  std::int64_t min = INT64_MIN;  // Of a number.
  std::int64_t max = INT64_MAX;
  // Of a map: whether its keys are names of tables; the bounds of its lists, 0: none.
  bool keys_are_names = false;
  std::size_t element_length_max = 0;
};

// Refused: a SerializationException or a ValidationException, in DynamoDB's words. Members that no
// shape names are ignored, and so are those that are null.
Outcome<void> CheckShape(const json::object& request, const Shape& shape);

}  // namespace mayfly::dynamo
