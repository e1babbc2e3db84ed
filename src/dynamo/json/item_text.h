// item_text.h - formats items in DynamoDB's JSON as text. The same as WriteItem() of
// attribute_json.h, without a tree in between.
#pragma once

#include <string>

#include "mayfly/bytes.h"
#include "mayfly/item.h"
#include "mayfly/status.h"

namespace mayfly::dynamo {

std::string ItemText(const Item& item);

void AppendItem(const Item& item, std::string& to);

// From the stored bytes (items/item_codec.h), without decoding them to an item. Errors as
// DecodeItem()'s; then the appended text is incomplete.
Status AppendStoredItem(Bytes stored, std::string& to);

}  // namespace mayfly::dynamo
