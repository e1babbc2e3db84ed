// attribute_json.h - items in DynamoDB's JSON: {"name": {"S": "alice"}, "age": {"N": "42"}}.
#pragma once

#include "dynamo/json/json.h"
#include "dynamo/json/refusal.h"
#include "mayfly/item.h"

namespace mayfly::dynamo {

// A SerializationException, unless it is a string in Base64.
Outcome<void> CheckBinary(const json::value& value);

// Refused: more or less than one type, a set that is empty or has a member twice, a null that is
// not true, a malformed number.
Outcome<AttributeValue> ReadValue(const json::value& value);
Outcome<Item> ReadItem(const json::object& object);

json::object WriteValue(const AttributeValue& value);
json::object WriteItem(const Item& item);

}  // namespace mayfly::dynamo
