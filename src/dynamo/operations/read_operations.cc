// read_operations.cc - Query and Scan.
#include <array>
#include <utility>

#include "dynamo/json/attribute_json.h"
#include "dynamo/json/item_text.h"
#include "dynamo/json/limits.h"
#include "dynamo/operations/operations.h"
#include "dynamo/requests/capacity.h"
#include "dynamo/requests/expression_input.h"
#include "dynamo/requests/items_text.h"
#include "dynamo/shapes/request_shapes.h"
#include "dynamo/tables/table_errors.h"

namespace mayfly::dynamo {
namespace {

const ExpressionParameters kQuery = {
    {"ProjectionExpression", "FilterExpression", "KeyConditionExpression"},
    {"AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"}};
const ExpressionParameters kScan = {{"ProjectionExpression", "FilterExpression"},
                                    {"AttributesToGet", "ScanFilter", "ConditionalOperator"}};

// The parameters of both.
struct CommonInput {
  std::string table;
  std::string index;
  bool consistent = false;
  bool count_only = false;
  bool all_attributes = false;
  std::optional<std::uint64_t> limit;
  std::optional<Item> start_after;
};

// DynamoDB puts its words before those of some errors.
Outcome<Item> ReadStartKey(const json::object& key) {
  Outcome<Item> read = ReadItem(key);
  if (read || read.error().kind() != ErrorKind::kValidation) return read;
  const std::string& message = read.error().message();
  for (const char* const told_bare : {"duplicates", "number set", "numeric value",
                                      "significant digits", "number with magnitude"}) {
    if (message.find(told_bare) != std::string::npos) return read;
  }
  return Invalid("The provided starting key is invalid: " + message);
}

Outcome<CommonInput> ReadCommon(const Fields& in) {
  CommonInput input;
  input.table = in.Name("TableName");
  input.index = in.Name("IndexName");
  input.consistent = in.Boolean("ConsistentRead");
  if (const auto limit = in.Integer("Limit")) input.limit = static_cast<std::uint64_t>(*limit);
  const std::string select = in.Text("Select");
  const json::object* const start = in.Map("ExclusiveStartKey");
  const bool chosen = in.Has("ProjectionExpression") || in.Has("AttributesToGet");
  if (chosen && !select.empty() && select != "SPECIFIC_ATTRIBUTES") {
    return Invalid(std::string("Cannot specify the ") +
                   (in.Has("AttributesToGet") ? "AttributesToGet" : "ProjectionExpression") +
                   " when choosing to get " +
                   (select == "COUNT" ? "only the Count" : select.c_str()));
  }
  if (!chosen && select == "SPECIFIC_ATTRIBUTES") {
    return Invalid(
        "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
        "SPECIFIC_ATTRIBUTES");
  }
  if (input.index.empty() && select == "ALL_PROJECTED_ATTRIBUTES") {
    return Invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
  }
  input.count_only = select == "COUNT";
  input.all_attributes = select == "ALL_ATTRIBUTES";
  if (start != nullptr) {
    MAYFLY_TRY(input.start_after, ReadStartKey(*start));
  }
  return input;
}

bool IsLocal(const Context& context, const std::string& table, const std::string& index) {
  if (index.empty()) return false;
  const auto described = context.tables.DescribeTable(table);
  if (!described) return false;
  for (const IndexSpec& local : described->spec.local_indexes) {
    if (local.name == index) return true;
  }
  return false;
}

Reply WritePage(const Context& context, const ItemPage& page, ItemsText items,
                const CommonInput& input, Capacity& capacity) {
  Reply reply;
  reply.members["Count"] = page.count;
  reply.members["ScannedCount"] = page.scanned;
  if (!input.count_only) reply.texts.emplace_back("Items", std::move(items).End());
  if (page.last_key) reply.texts.emplace_back("LastEvaluatedKey", ItemText(*page.last_key));
  capacity.Add(input.table, 0);
  // Describing a table costs more than reading most pages.
  const bool local = capacity.wants_indexes() && IsLocal(context, input.table, input.index);
  capacity.Add(input.table, ReadUnits(page.bytes, input.consistent), input.index, local);
  capacity.WriteOne(reply.members);
  return reply;
}

Outcome<Reply> Query(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kRead);
  const bool forward = in.Boolean("ScanIndexForward", true);
  MAYFLY_TRY(CommonInput common, ReadCommon(in));
  MAYFLY_TRY(ExpressionInput input, ReadExpressions(in, kQuery));
  if (input.key_condition.empty()) {
    return Invalid(
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
        "request.");
  }
  const QueryRequest request = {.table = common.table,
                                .index = common.index,
                                .key_condition = std::move(input.key_condition),
                                .filter = std::move(input.filter),
                                .projection = std::move(input.projection),
                                .arguments = std::move(input.arguments),
                                .forward = forward,
                                .count_only = common.count_only,
                                .consistent = common.consistent,
                                .limit = common.limit,
                                .start_after = std::move(common.start_after),
                                .all_attributes = common.all_attributes};
  ItemsText items;
  MAYFLY_TRY(const ItemPage page, OfItem(context.tables.QueryInto(request, items)));
  return WritePage(context, page, std::move(items), common, capacity);
}

Outcome<Reply> Scan(const Context& context, const Fields& in) {
  Capacity capacity(in, Capacity::Use::kRead);
  const auto segment = in.Integer("Segment");
  const auto segments = in.Integer("TotalSegments");
  MAYFLY_TRY(CommonInput common, ReadCommon(in));
  if (segment && !segments) {
    return Invalid(
        "The TotalSegments parameter is required but was not present in the request when Segment "
        "parameter is present");
  }
  if (segments && !segment) {
    return Invalid(
        "The Segment parameter is required but was not present in the request when parameter "
        "TotalSegments is present");
  }
  if (segment && *segment >= *segments) {
    return Invalid(
        "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
        "Segment: " +
        std::to_string(*segment) + " is not less than TotalSegments: " + std::to_string(*segments));
  }
  MAYFLY_TRY(ExpressionInput input, ReadExpressions(in, kScan));
  const ScanRequest request = {.table = common.table,
                               .index = common.index,
                               .filter = std::move(input.filter),
                               .projection = std::move(input.projection),
                               .arguments = std::move(input.arguments),
                               .count_only = common.count_only,
                               .consistent = common.consistent,
                               .limit = common.limit,
                               .start_after = std::move(common.start_after),
                               .segment = static_cast<std::uint32_t>(segment.value_or(0)),
                               .segments = static_cast<std::uint32_t>(segments.value_or(1)),
                               .all_attributes = common.all_attributes};
  ItemsText items;
  MAYFLY_TRY(const ItemPage page, OfItem(context.tables.ScanInto(request, items)));
  return WritePage(context, page, std::move(items), common, capacity);
}

constexpr std::array kReadOperations = std::to_array<Operation>({
    {kTablePrefix, "Query", &kQueryShape, Query,
     "Reads items of one partition, in the order of their sort keys.", kReads},
    {kTablePrefix, "Scan", &kScanShape, Scan,
     "Reads all items of a table or index, or of a segment of it.", kReads},
});

}  // namespace

std::span<const Operation> ReadOperations() { return kReadOperations; }

}  // namespace mayfly::dynamo
