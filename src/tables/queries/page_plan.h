// page_plan.h - the common part of Query and Scan: the range they read, their expressions, what
// they return, and where a page continues.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "expressions/condition.h"
#include "expressions/projection.h"
#include "mayfly/database.h"
#include "mayfly/result.h"
#include "mayfly/tables.h"
#include "tables/queries/page_sink.h"
#include "tables/schema/table.h"

namespace mayfly::tables {

// Keys from begin on, before end; empty: to the last key.
struct PageRange {
  std::string begin;
  std::string end;

  bool Holds(Bytes key) const { return key >= begin && (end.empty() || key < end); }
  bool IsEmpty() const { return !end.empty() && begin >= end; }
};

struct PagePlan {
  const Table* table;
  const Index* index;  // Null: the table itself.
  PageRange range = {};
  bool forward = true;
  std::optional<std::uint64_t> limit = std::nullopt;
  std::optional<expressions::Condition> filter = std::nullopt;
  std::optional<expressions::Projection> projection = std::nullopt;
  bool count_only = false;
  bool fetch = false;  // Entries are replaced by their items.

  Keyspace& rows() const { return index != nullptr ? *index->rows : *table->items; }
  const KeyAttribute& partition() const;
  const std::optional<KeyAttribute>& sort() const;
};

// Invalid when there is no such index, or it does not support such a read.
Result<PagePlan> PlanOn(const Table& table, const std::string& index, bool consistent);

// Parses the request's filter, projection and limit into the plan. Other expressions may have used
// the arguments before; these are the last.
struct PageExpressions {
  const std::string& filter;
  const std::string& projection;
  bool all_attributes;
  bool any_other;  // There were other expressions.
};
Status AddExpressions(const PageExpressions& given, expressions::Arguments& arguments,
                      PagePlan& plan);
// What is wrong with the expressions by themselves, for a request whose table does not exist:
// DynamoDB looks at them first. `key_condition` empty: there is none.
Status CheckExpressions(const std::string& key_condition, const PageExpressions& given,
                        const ExpressionArguments& arguments);
Status AddLimit(const std::optional<std::uint64_t>& limit, PagePlan& plan);

// The row that a page's last_key names, whether or not it still exists. Invalid: not a key.
Result<std::string> PositionOf(const PagePlan& plan, const Item& last_key, const char* otherwise);

// Restricts the range to what lies behind the position, in the plan's direction.
void GoOnBehind(const std::string& position, PagePlan& plan);

// Reads one snapshot. Ends after the limit, after a megabyte, or with the range. The page's items
// go into the sink.
Result<ItemPage> ReadPage(Database& database, const PagePlan& plan, PageSink& sink);

}  // namespace mayfly::tables
