// tags.h - the tags of a request, within DynamoDB's limits: 50 on a table, keys of 1 to 128
// characters, values of up to 256, no key that begins with "aws:", and none twice.
#pragma once

#include <map>
#include <string>

#include "dynamo/json/fields.h"
#include "dynamo/tables/table_notes.h"

namespace mayfly::dynamo {

using Tags = std::map<std::string, std::string>;

// Tags of `in`; none when the member is missing.
Outcome<Tags> ReadTags(const Fields& in);

// Adds them to a table, replacing those with the same keys. Refused if it then has too many.
Outcome<void> SetTags(Notes& notes, const Tags& tags);

}  // namespace mayfly::dynamo
