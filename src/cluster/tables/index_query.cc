// index_query.cc - Query of a global index (cluster_tables.h).
// The request is checked by the home shard, which knows all that can be said against it. The shards
// give whole entries, in order; filter and projection are applied here, so that a page ends where it
// would on a server alone: after the limit, or a megabyte.
#include <utility>

#include "cluster/tables/asked.h"
#include "cluster/tables/index_merge.h"
#include "cluster/tables/limits.h"
#include "dynamo/json/attribute_json.h"
#include "dynamo/requests/capacity.h"
#include "expressions/condition.h"
#include "expressions/projection.h"
#include "items/item_size.h"
#include "tables/schema/item_limits.h"

namespace mayfly::cluster {

using dynamo::Fields;
using server::TableCall;

namespace {

namespace json = dynamo::json;

struct PageRules {
  std::optional<expressions::Condition> filter = std::nullopt;
  std::optional<expressions::Projection> projection = std::nullopt;
  std::optional<std::int64_t> limit = std::nullopt;
  bool count_only = false;
};

// Of a request that was checked.
Result<PageRules> ReadRules(const Fields& in, const dynamo::ExpressionInput& input) {
  PageRules rules;
  expressions::Arguments arguments(input.arguments);
  if (!input.filter.empty()) {
    MAYFLY_TRY(auto filter, expressions::Condition::Parse(
                                input.filter, expressions::Condition::Role::kFilter, arguments));
    rules.filter.emplace(std::move(filter));
  }
  if (!input.projection.empty()) {
    MAYFLY_TRY(auto projection, expressions::Projection::Parse(input.projection, arguments));
    rules.projection.emplace(std::move(projection));
  }
  rules.limit = in.Integer("Limit");
  rules.count_only = in.Text("Select") == "COUNT";
  return rules;
}

struct Page {
  json::array items = {};
  std::int64_t count = 0;
  std::int64_t scanned = 0;
  std::uint64_t bytes = 0;
  std::optional<Item> last_key = std::nullopt;
};

Page ReadPage(IndexMerge& entries, const IndexRange& range, const PageRules& rules) {
  Page page;
  while (const auto entry = entries.Next()) {
    ++page.scanned;
    page.bytes += items::SizeOf(*entry);
    if (!rules.filter || rules.filter->Holds(*entry)) {
      ++page.count;
      if (!rules.count_only) {
        page.items.emplace_back(
            dynamo::WriteItem(rules.projection ? rules.projection->Of(*entry) : *entry));
      }
    }
    if ((rules.limit && page.scanned >= *rules.limit) || page.bytes >= tables::kPageBytesMax) {
      page.last_key = range.LastKeyOf(*entry);
      break;
    }
  }
  return page;
}

}  // namespace

void ClusterTables::RunIndexQuery(const Asked& asked) {
  const Fields in = asked.in();
  json::object check(asked.object(), json::storage_ptr());
  check["Limit"] = 1;
  TableCall checked{.target = kIndexQueryTarget, .json = dynamo::ToText(check)};
  calls_.Do(kHomeShard, checked);
  const auto refuse_stale = [&] {
    schemas_.Forget();
    Refuse(*asked.call, {dynamo::ErrorKind::kUnavailable,
                         "The definition of the table has just changed; repeat the request"});
  };
  if (checked.status == kStaleRoute) return refuse_stale();
  if (checked.status != kOk) return asked.Take(checked);
  const std::string table = in.Name("TableName");
  const std::string name = in.Name("IndexName");
  const auto table_schema = schemas_.Find(table, {});
  const auto index_schema = schemas_.Find(table, name);
  const auto input = ReadQueryExpressions(in);
  auto condition = input && index_schema ? KeyConditionOf(*input, *index_schema) : std::nullopt;
  if (!table_schema || !condition) return refuse_stale();
  const auto rules = ReadRules(in, *input);
  if (!rules) return Refuse(*asked.call, dynamo::FromStatus(rules.error()));
  const IndexRange range{.table = table,
                         .name = name,
                         .table_schema = *table_schema,
                         .index_schema = *index_schema,
                         .condition = *std::move(condition),
                         .forward = in.Boolean("ScanIndexForward", true),
                         .start_after = in.Map("ExclusiveStartKey")};
  IndexMerge entries(calls_, range, rules->limit.value_or(kIndexEntriesMax));
  Page page = ReadPage(entries, range, *rules);
  if (entries.refusal()) {
    return entries.refusal()->status == kStaleRoute ? refuse_stale()
                                                    : asked.Take(*entries.refusal());
  }
  json::object reply;
  if (!rules->count_only) reply["Items"] = std::move(page.items);
  reply["Count"] = page.count;
  reply["ScannedCount"] = page.scanned;
  if (page.last_key) reply["LastEvaluatedKey"] = dynamo::WriteItem(*page.last_key);
  dynamo::Capacity capacity(in, dynamo::Capacity::Use::kRead);
  capacity.Add(table, 0);
  capacity.Add(table, dynamo::ReadUnits(page.bytes, false), name);
  capacity.WriteOne(reply);
  asked.call->status = kOk;
  asked.call->reply = dynamo::ToText(reply);
}

}  // namespace mayfly::cluster
