// scan.cc - Scan.
#include <fmt/format.h>

#include "items/item_key.h"
#include "tables/queries/page_plan.h"
#include "tables/queries/query_calls.h"
#include "tables/schema/item_limits.h"

namespace mayfly::tables {
namespace {

Result<PageRange> SegmentOf(const ScanRequest& request) {
  if (request.segments == 0 || request.segments > kSegmentsMax) {
    return Status::Invalid(
        fmt::format("1 validation error detected: Value '{}' at 'totalSegments' failed to satisfy "
                    "constraint: Member must have value between 1 and {}",
                    request.segments, kSegmentsMax));
  }
  if (request.segment >= request.segments) {
    return Status::Invalid(
        fmt::format("The Segment parameter is zero-based and must be less than parameter "
                    "TotalSegments: Segment: {} is not less than TotalSegments: {}",
                    request.segment, request.segments));
  }
  return PageRange{.begin = items::SegmentBegin(request.segment, request.segments),
                   .end = items::SegmentBegin(request.segment + 1, request.segments)};
}

Status StartBehind(const ScanRequest& request, PagePlan& plan) {
  MAYFLY_TRY(const std::string position,
             PositionOf(plan, *request.start_after,
                        "The provided starting key is invalid: The provided key element does not "
                        "match the schema"));
  if (!plan.range.Holds(position)) {
    return Status::Invalid(
        fmt::format("The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
                    "ExclusiveStartKey with correct Segment. TotalSegments: {} Segment: {}",
                    request.segments, request.segment));
  }
  GoOnBehind(position, plan);
  return {};
}

}  // namespace

Result<ItemPage> Scan(const ItemContext& context, const ScanRequest& request, PageSink& sink) {
  const PageExpressions given = {.filter = request.filter,
                                 .projection = request.projection,
                                 .all_attributes = request.all_attributes,
                                 .any_other = false};
  auto found = context.catalog.Use(request.table);
  if (!found) MAYFLY_RETURN_IF_ERROR(CheckExpressions({}, given, request.arguments));
  MAYFLY_TRY(const TableUse table, std::move(found));
  MAYFLY_TRY(PagePlan plan, PlanOn(*table, request.index, request.consistent));
  plan.count_only = request.count_only;
  MAYFLY_RETURN_IF_ERROR(AddLimit(request.limit, plan));
  MAYFLY_TRY(plan.range, SegmentOf(request));
  expressions::Arguments arguments(request.arguments);
  MAYFLY_RETURN_IF_ERROR(arguments.CheckForm());
  MAYFLY_RETURN_IF_ERROR(AddExpressions(given, arguments, plan));
  if (request.start_after) MAYFLY_RETURN_IF_ERROR(StartBehind(request, plan));
  return ReadPage(context.database, plan, sink);
}

}  // namespace mayfly::tables
