// values.h - the values of terms that are constant: literals, parameters, and collections of such.
#pragma once

#include <string>
#include <vector>

#include "dynamo/partiql/syntax.h"
#include "mayfly/item.h"
#include "mayfly/result.h"

namespace mayfly::partiql {

using Parameters = std::vector<AttributeValue>;

bool IsConstant(const Term& term);

// Invalid, in DynamoDB's words: numbers out of range, sets that are empty, mixed or have a member
// twice, and what is no value. The term's parameters must be there.
Result<AttributeValue> ValueOf(const Term& term, const Parameters& parameters);

// The item of INSERT: a tuple, or a parameter that is a map.
Result<Item> ItemOf(const Term& term, const Parameters& parameters);

}  // namespace mayfly::partiql
