// key_check.h - whether a value may be a key. The errors are DynamoDB's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "mayfly/item.h"
#include "mayfly/status.h"
#include "mayfly/tables.h"

namespace mayfly::tables {

AttributeType TypeOf(KeyType type);

// "S", "N", "B".
std::string_view NameOf(KeyType type);

// An empty string or binary, which cannot be a key of a table or an index.
bool IsEmptyKey(const AttributeValue& value);

// The size to which the limits of keys apply; 0 for numbers, which never exceed them.
std::size_t KeyBytesOf(const AttributeValue& value);

// Of a value of the key's type: Invalid when it is empty or too large.
Status CheckKeyValue(const KeyAttribute& key, const AttributeValue& value, bool partition);

}  // namespace mayfly::tables
