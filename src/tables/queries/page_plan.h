// page_plan.h - what Query and Scan have in common: where they read, what they look at, what they
// return, and where a page goes on.
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

// Keys from begin on, before end; empty: as far as there are keys.
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
  bool fetch = false;  // Entries are to be replaced by their items.

  Keyspace& rows() const { return index != nullptr ? *index->rows : *table->items; }
  const KeyAttribute& partition() const;
  const std::optional<KeyAttribute>& sort() const;
};

// Where to read; Invalid when there is no such index, or it cannot be read like that.
Result<PagePlan> PlanOn(const Table& table, const std::string& index, bool consistent);

// Reads the request's filter, projection and limit into the plan. Arguments may have been used by
// other expressions before; these are the last.
struct PageExpressions {
  const std::string& filter;
  const std::string& projection;
  bool all_attributes;
  bool any_other;  // There were other expressions.
};
Status AddExpressions(const PageExpressions& given, expressions::Arguments& arguments,
                      PagePlan& plan);
Status AddLimit(const std::optional<std::uint64_t>& limit, PagePlan& plan);

// The row that a page's last_key names, whether it is there still or not. Invalid: it is none.
Result<std::string> PositionOf(const PagePlan& plan, const Item& last_key, const char* otherwise);

// Leaves only what lies behind the position, in the plan's direction.
void GoOnBehind(const std::string& position, PagePlan& plan);

// All in one state. Ends after the limit, after a megabyte, or with the range. The page's items go
// into the sink.
Result<ItemPage> ReadPage(Database& database, const PagePlan& plan, PageSink& sink);

}  // namespace mayfly::tables
