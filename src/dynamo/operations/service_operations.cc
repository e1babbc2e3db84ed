// service_operations.cc - operations about the service itself: endpoints, limits, backups.
#include <fmt/format.h>

#include <array>

#include "dynamo/operations/operations.h"
#include "dynamo/shapes/request_shapes.h"
#include "dynamo/tables/table_errors.h"

namespace mayfly::dynamo {
namespace {

constexpr int kEndpointMinutes = 1440;
// DynamoDB's values for a new account. Nothing is limited.
constexpr std::int64_t kAccountUnits = 80'000;
constexpr std::int64_t kTableUnits = 40'000;

Outcome<Reply> DescribeEndpoints(const Context& context, const Fields&) {
  json::object endpoint;
  endpoint["Address"] = ToJson(context.host);
  endpoint["CachePeriodInMinutes"] = kEndpointMinutes;
  json::object reply;
  reply["Endpoints"] = json::array{std::move(endpoint)};
  return reply;
}

Outcome<Reply> DescribeLimits(const Context&, const Fields&) {
  json::object reply;
  reply["AccountMaxReadCapacityUnits"] = kAccountUnits;
  reply["AccountMaxWriteCapacityUnits"] = kAccountUnits;
  reply["TableMaxReadCapacityUnits"] = kTableUnits;
  reply["TableMaxWriteCapacityUnits"] = kTableUnits;
  return reply;
}

Outcome<Reply> DescribeContinuousBackups(const Context& context, const Fields& in) {
  const std::string name = in.Name("TableName");
  const auto table = context.tables.DescribeTable(name);
  if (!table && table.error().IsNotFound()) {
    return Refusal(ErrorKind::kTableNotFound, fmt::format("Table not found: {}", name));
  }
  if (!table) return table.error();
  json::object recovery;
  recovery["PointInTimeRecoveryStatus"] = "DISABLED";
  json::object description;
  description["ContinuousBackupsStatus"] = "DISABLED";
  description["PointInTimeRecoveryDescription"] = std::move(recovery);
  json::object reply;
  reply["ContinuousBackupsDescription"] = std::move(description);
  return reply;
}

constexpr std::array kServiceOperations = std::to_array<Operation>({
    {kTablePrefix, "DescribeEndpoints", &kAnyShape, DescribeEndpoints,
     "Names the address that was asked.", kReads},
    {kTablePrefix, "DescribeLimits", &kAnyShape, DescribeLimits,
     "Tells DynamoDB's usual limits, none of which is enforced.", kReads},
    {kTablePrefix, "DescribeContinuousBackups", &kTableNameShape, DescribeContinuousBackups,
     "Says that there are none.", kReads},
});

}  // namespace

std::span<const Operation> ServiceOperations() { return kServiceOperations; }

}  // namespace mayfly::dynamo
