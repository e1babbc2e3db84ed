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
// Of the keys a table and its indexes have.
Definitions DefinitionsOf(const TableSpec& spec);

// What CreateTable asks for, or what DynamoDB refuses of it; names and keys are the tables' to
// judge.
Outcome<TableSpec> ReadTableSpec(const Fields& in);

// One of GlobalSecondaryIndexes or LocalSecondaryIndexes.
Outcome<IndexSpec> ReadIndexSpec(const Fields& in, const Definitions& definitions);

// StreamSpecification: kOff when it is switched off. The request has one.
Outcome<StreamView> ReadStreamSpecification(const Fields& in);

// ProvisionedThroughput of `in`, noted for the table if it is there.
Outcome<void> ReadThroughput(const Fields& in, Notes& notes);
// The same of an index, which has none where requests are paid for one by one.
Outcome<void> ReadIndexThroughput(const Fields& in, const std::string& index, Notes& notes);

// BillingMode and ProvisionedThroughput of UpdateTable, to the notes of the table as it is.
Outcome<void> ReadBillingChange(const Fields& in, const std::string& mode, Notes& notes);

std::string_view TypeName(KeyType type);

// TableDescription; `status` empty: ACTIVE or UPDATING, as its indexes are.
json::object WriteTable(const TableDescription& table, std::string_view status = {});

std::string_view StreamViewName(StreamView view);

// An instant as seconds, with a fraction if it has one.
json::value WriteInstant(WallTime instant);

}  // namespace mayfly::dynamo
