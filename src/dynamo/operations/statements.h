// statements.h - what the operations on statements of PartiQL share: a statement of a request, from
// its text to a plan, and the errors of one that is run.
#pragma once

#include <optional>
#include <string>

#include "dynamo/json/refusal.h"
#include "dynamo/operations/operation.h"
#include "dynamo/partiql/compile.h"
#include "dynamo/requests/capacity.h"
#include "dynamo/tables/table_errors.h"
#include "mayfly/tables.h"
#include "tables/queries/read_schema.h"

namespace mayfly::dynamo {

// A statement as it was asked for.
struct AskedStatement {
  std::string text;
  partiql::Parameters parameters;
  bool consistent = false;
  OnFailure on_failure = OnFailure::kNone;
};

// Refused: a parameter that is no value.
Outcome<AskedStatement> ReadAsked(const Fields& in);

// Parsed and checked as far as it can be without its table.
Outcome<partiql::Statement> ParseAsked(const AskedStatement& asked);

struct PlannedStatement {
  partiql::Plan plan;
  tables::ReadSchema schema;
};

Outcome<PlannedStatement> PlanAsked(const Context& context, const partiql::Statement& statement,
                                    const AskedStatement& asked);

// For results of the tables: errors without the expressions that the client did not send.
template <typename T>
Outcome<T> OfStatement(Result<T> result) {
  if (!result) return OfItem(Result<T>(partiql::WithoutExpression(result.error())));
  return OfItem(std::move(result));
}

// The attributes that a statement which writes returns, if any. Refused when its condition does not
// hold.
Outcome<std::optional<Item>> RunWrite(const Context& context, partiql::Plan plan,
                                      Capacity& capacity);

// One page of a SELECT, from the place of a token on. In statement_pages.cc.
Outcome<Reply> RunSelect(const Context& context, const Fields& in, const AskedStatement& asked,
                         PlannedStatement planned, Capacity& capacity);

// In statement_transactions.cc.
Outcome<Reply> ExecuteTransaction(const Context& context, const Fields& in);

}  // namespace mayfly::dynamo
