// value_types.h - the types of JSON values, as DynamoDB checks them. For shape_check.cc.
#pragma once

#include "dynamo/json/json.h"
#include "dynamo/json/refusal.h"

namespace mayfly::dynamo {

// Where a value stands decides how a wrong type is worded.
enum class Standing : bool { kMember, kElement };

Outcome<void> CheckBoolean(const json::value& value);
Outcome<void> CheckList(const json::value& value, Standing standing);
Outcome<void> CheckMap(const json::value& value, std::string_view class_name, Standing standing);
Outcome<void> CheckStructure(const json::value& value, std::string_view class_name,
                             Standing standing);

// An AttributeValue with everything in it.
Outcome<void> CheckAttributeValue(const json::value& value, Standing standing);

}  // namespace mayfly::dynamo
