// item_write.h - a write of a single item, of either kind.
#pragma once

#include <variant>

#include "mayfly/tables.h"

namespace mayfly::tables {

using ItemWrite = std::variant<PutItemRequest, UpdateItemRequest, DeleteItemRequest>;

}  // namespace mayfly::tables
