// value_types.h - the types of JSON values, as DynamoDB checks them. For shape_check.cc.
#pragma once

#include "dynamo/json/json.h"
#include "dynamo/json/refusal.h"

namespace mayfly::dynamo {

// Where a value stands decides how a wrong type is worded.
enum class Position : bool { kMember, kElement };

Outcome<void> CheckBoolean(const json::value& value);
Outcome<void> CheckList(const json::value& value, Position position);
Outcome<void> CheckMap(const json::value& value, std::string_view class_name, Position position);
Outcome<void> CheckStructure(const json::value& value, std::string_view class_name,
                             Position position);

// An AttributeValue with everything in it.
Outcome<void> CheckAttributeValue(const json::value& value, Position position);

}  // namespace mayfly::dynamo
