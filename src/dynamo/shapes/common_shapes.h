// common_shapes.h - what the requests of several operations have in common.
#pragma once

#include <array>
#include <string_view>

#include "dynamo/shapes/shape.h"

namespace mayfly::dynamo {

inline constexpr Member::Presence kRequired = Member::Presence::kRequired;

inline constexpr Shape kText = {.kind = Shape::Kind::kString};
inline constexpr Shape kBoolean = {.kind = Shape::Kind::kBoolean};
inline constexpr Shape kName = {.kind = Shape::Kind::kName};
inline constexpr Shape kAttributeValue = {.kind = Shape::Kind::kValue};
inline constexpr Shape kPositive = {.kind = Shape::Kind::kInteger, .min = 1};
inline constexpr Shape kTexts = {.kind = Shape::Kind::kList, .element = &kText};
inline constexpr Shape kAttributeName = {
    .kind = Shape::Kind::kString, .length_min = 1, .length_max = 255};

// {"name": {"S": ...}, ...}, and a list of values.
inline constexpr Shape kItem = {
    .kind = Shape::Kind::kMap, .class_name = "AttributeValue", .element = &kAttributeValue};
inline constexpr Shape kValues = {.kind = Shape::Kind::kList, .element = &kAttributeValue};
// ExpressionAttributeNames.
inline constexpr Shape kNames = {
    .kind = Shape::Kind::kMap, .class_name = "java.lang.String", .element = &kText};

inline constexpr std::array<std::string_view, 3> kCapacityLevels = {"INDEXES", "TOTAL", "NONE"};
inline constexpr Shape kConsumedCapacity = {.kind = Shape::Kind::kString,
                                            .values = kCapacityLevels};
inline constexpr std::array<std::string_view, 2> kMetricsLevels = {"SIZE", "NONE"};
inline constexpr Shape kCollectionMetrics = {.kind = Shape::Kind::kString,
                                             .values = kMetricsLevels};
inline constexpr std::array<std::string_view, 2> kOnFailureWords = {"ALL_OLD", "NONE"};
inline constexpr Shape kOnCheckFailure = {.kind = Shape::Kind::kString, .values = kOnFailureWords};

inline constexpr Shape kRequestToken = {
    .kind = Shape::Kind::kString, .length_min = 1, .length_max = 36};

// A structure of these members.
constexpr Shape StructureOf(std::span<const Member> members, std::string_view class_name = {}) {
  return {.kind = Shape::Kind::kStructure, .class_name = class_name, .members = members};
}

// A list of structures; of at least `min` and at most `max`.
constexpr Shape ListOf(const Shape& element, std::size_t min = 0, std::size_t max = SIZE_MAX) {
  return {.kind = Shape::Kind::kList, .element = &element, .length_min = min, .length_max = max};
}

constexpr Shape MapOf(const Shape& element) {
  return {.kind = Shape::Kind::kMap, .class_name = element.class_name, .element = &element};
}

}  // namespace mayfly::dynamo
