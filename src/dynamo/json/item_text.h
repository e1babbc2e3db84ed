// item_text.h - items in DynamoDB's JSON, straight to text. The same as WriteItem() of
// attribute_json.h, without a tree between.
#pragma once

#include <string>

#include "mayfly/bytes.h"
#include "mayfly/item.h"
#include "mayfly/status.h"

namespace mayfly::dynamo {

std::string ItemText(const Item& item);

void AppendItem(const Item& item, std::string& to);

// Of an item as it is stored (items/item_codec.h), without an item between. Errors as DecodeItem's;
// then what was appended is worth nothing.
Status AppendStoredItem(Bytes stored, std::string& to);

}  // namespace mayfly::dynamo
