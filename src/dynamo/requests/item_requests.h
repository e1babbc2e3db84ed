// item_requests.h - parses PutItem, UpdateItem, DeleteItem and GetItem into requests of the tables.
// Transactions contain the same objects, so they are parsed here once.
#pragma once

#include "dynamo/json/fields.h"
#include "mayfly/tables.h"

namespace mayfly::dynamo {

// `alone`: an operation of its own, which also takes the legacy parameters and ReturnValues.
enum class Place : bool { kAlone, kInTransaction };

Outcome<PutItemRequest> ReadPut(const Fields& in, Place place);
Outcome<UpdateItemRequest> ReadUpdate(const Fields& in, Place place);
Outcome<DeleteItemRequest> ReadDelete(const Fields& in, Place place);
Outcome<GetItemRequest> ReadGet(const Fields& in, Place place);
Outcome<ConditionCheck> ReadConditionCheck(const Fields& in);

}  // namespace mayfly::dynamo
