// item_text.h - items in DynamoDB's JSON, straight to text. The same as WriteItem() of
// attribute_json.h, without a tree between.
#pragma once

#include <string>
#include <vector>

#include "mayfly/item.h"

namespace mayfly::dynamo {

std::string ItemText(const Item& item);

// An array of them.
std::string ItemsText(const std::vector<Item>& items);

}  // namespace mayfly::dynamo
