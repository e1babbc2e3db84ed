// compile.h - turns a statement into requests of the tables, so that PartiQL has no evaluator and
// no writer of items of its own.
//   SELECT  -> a Query for each value of the partition key, or a Scan
//   INSERT  -> a PutItem on the condition that there is no such item
//   UPDATE  -> an UpdateItem on the condition that there is one
//   DELETE  -> a DeleteItem; EXISTS -> a ConditionCheck
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "dynamo/partiql/syntax.h"
#include "dynamo/partiql/values.h"
#include "mayfly/result.h"
#include "mayfly/tables.h"
#include "tables/queries/read_schema.h"

namespace mayfly::partiql {

struct SelectPlan {
  std::vector<QueryRequest> queries = {};  // One after the other, in the order of the result.
  std::optional<ScanRequest> scan = std::nullopt;  // Without queries.
  // If the statement names one item by its key, and nothing else.
  std::optional<GetItemRequest> get = std::nullopt;
  std::vector<Path> projection = {};  // Empty: everything.
};

using Plan =
    std::variant<SelectPlan, PutItemRequest, UpdateItemRequest, DeleteItemRequest, ConditionCheck>;

// The table, and index, of a statement.
const TablePath& TableOf(const Statement& statement);

bool IsRead(const Statement& statement);
bool HasReturning(const Statement& statement);

// What is wrong with a statement and its parameters whatever the table is. Invalid, in DynamoDB's
// words, which tells it before it looks for the table.
Status CheckStatement(const Statement& statement, const Parameters& parameters);

// Invalid, in DynamoDB's words. The statement must have passed CheckStatement().
Result<Plan> Compile(const Statement& statement, const Parameters& parameters,
                     const tables::ReadSchema& schema);

// What the statement selects of an item: the attribute of a path is named by its last name, and
// what follows: a.b[0] gives "b[0]".
Item Selected(const std::vector<Path>& projection, Item item);

// The tables word errors about expressions, which the client did not send: without their beginning.
Status WithoutExpression(const Status& status);

}  // namespace mayfly::partiql
