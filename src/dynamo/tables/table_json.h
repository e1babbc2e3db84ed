// table_json.h - tables, indexes and streams as requests define them and replies describe them.
#pragma once

#include <map>
#include <string>

#include "dynamo/json/fields.h"
#include "dynamo/json/json.h"
#include "dynamo/tables/table_notes.h"
#include "mayfly/tables.h"

namespace mayfly::dynamo {

// Attribute definitions: names to types.
using Definitions = std::map<std::string, KeyType>;

Outcome<Definitions> ReadDefinitions(const Fields& in);
// Of the keys of a table and its indexes.
Definitions DefinitionsOf(const TableSpec& spec);

// The table that CreateTable describes, or a Refusal; names and keys are checked by the tables.
Outcome<TableSpec> ReadTableSpec(const Fields& in);

// One of GlobalSecondaryIndexes or LocalSecondaryIndexes.
Outcome<IndexSpec> ReadIndexSpec(const Fields& in, const Definitions& definitions);

// StreamSpecification: kOff when it is disabled. The request must have one.
Outcome<StreamView> ReadStreamSpecification(const Fields& in);

// ProvisionedThroughput of `in`, stored in the notes of the table if present.
Outcome<void> ReadThroughput(const Fields& in, Notes& notes);
// The same for an index, which has none with on-demand billing.
Outcome<void> ReadIndexThroughput(const Fields& in, const std::string& index, Notes& notes);

// Applies BillingMode and ProvisionedThroughput of UpdateTable to the table's notes.
Outcome<void> ReadBillingChange(const Fields& in, const std::string& mode, Notes& notes);

std::string_view TypeName(KeyType type);

// TableDescription; `status` empty: ACTIVE or UPDATING, by its indexes.
json::object WriteTable(const TableDescription& table, std::string_view region,
                        std::string_view status = {});

std::string_view StreamViewName(StreamView view);

// An instant as seconds, with a fraction if it has one.
json::value WriteInstant(WallTime instant);

}  // namespace mayfly::dynamo
