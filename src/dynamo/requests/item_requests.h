// item_requests.h - PutItem, UpdateItem, DeleteItem and GetItem as the tables take them.
// The same objects stand in transactions, so they are read here once.
#pragma once

#include "dynamo/json/fields.h"
#include "mayfly/tables.h"

namespace mayfly::dynamo {

// `alone`: an operation of its own, which also takes the older parameters and ReturnValues.
enum class Place : bool { kAlone, kInTransaction };

Outcome<PutItemRequest> ReadPut(const Fields& in, Place place);
Outcome<UpdateItemRequest> ReadUpdate(const Fields& in, Place place);
Outcome<DeleteItemRequest> ReadDelete(const Fields& in, Place place);
Outcome<GetItemRequest> ReadGet(const Fields& in, Place place);
Outcome<ConditionCheck> ReadConditionCheck(const Fields& in);

}  // namespace mayfly::dynamo
