// ttl_operations.cc - UpdateTimeToLive and DescribeTimeToLive, and mayfly's own: SetTTL, RemoveTTL,
// GetTTL, SweepExpiredTTL.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "dynamo/json/attribute_json.h"
#include "dynamo/operations/operations.h"
#include "dynamo/shapes/request_shapes.h"
#include "dynamo/tables/table_errors.h"
#include "mayfly/keyspace.h"

namespace mayfly::dynamo {
namespace {

constexpr std::int64_t kMsPerSecond = 1000;

std::string_view StatusName(TtlStatus status) {
  switch (status) {
    case TtlStatus::kDisabled: return "DISABLED";
    case TtlStatus::kEnabling: return "ENABLING";
    case TtlStatus::kEnabled: return "ENABLED";
    case TtlStatus::kDisabling: return "DISABLING";
  }
  return "DISABLED";
}

Outcome<void> CheckTtlChange(const std::string& current, const std::string& attribute,
                             bool enabled) {
  if (enabled && current == attribute) return Invalid("TimeToLive is already enabled");
  if (!enabled && current.empty()) return Invalid("TimeToLive is already disabled");
  if (current.empty() || current == attribute) return {};
  return Invalid(fmt::format(
      "TimeToLive is active on a different AttributeName: current AttributeName is {}", current));
}

Outcome<Reply> UpdateTimeToLive(const Context& context, const Fields& in) {
  const std::string name = in.Name("TableName");
  const auto wanted = in.Structure("TimeToLiveSpecification");
  const std::string attribute = wanted->Text("AttributeName");
  const bool enabled = wanted->Boolean("Enabled");
  const auto decide = [&](const TableSpec& now) -> Outcome<TableChange> {
    MAYFLY_REQUIRE(CheckTtlChange(now.ttl_attribute, attribute, enabled));
    return TableChange{.ttl_attribute = enabled ? attribute : ""};
  };
  MAYFLY_TRY(auto revised, Revise(context.tables, name, decide));
  MAYFLY_TRY([[maybe_unused]] const auto table, OfTable(std::move(revised), name));
  json::object specification;
  specification["Enabled"] = enabled;
  specification["AttributeName"] = ToJson(attribute);
  json::object reply;
  reply["TimeToLiveSpecification"] = std::move(specification);
  return reply;
}

Outcome<Reply> DescribeTimeToLive(const Context& context, const Fields& in) {
  const std::string name = in.Name("TableName");
  MAYFLY_TRY(const TableDescription table, OfTable(context.tables.DescribeTable(name), name));
  json::object description;
  description["TimeToLiveStatus"] = ToJson(StatusName(table.ttl_status));
  if (!table.spec.ttl_attribute.empty()) {
    description["AttributeName"] = ToJson(table.spec.ttl_attribute);
  }
  json::object reply;
  reply["TimeToLiveDescription"] = std::move(description);
  return reply;
}

// Seconds, with a fraction if there is one.
Outcome<Millis> ReadTtl(const Fields& in) {
  const json::value* const given = in.Find("TtlSeconds");
  const auto ms = given->to_number<double>() * static_cast<double>(kMsPerSecond);
  constexpr double kLongest = 9.0e18;
  if (!(ms > 0)) return Invalid("TtlSeconds must be more than 0");
  if (ms > kLongest) return Invalid("TtlSeconds is past the end of time");
  return Millis(static_cast<std::int64_t>(std::ceil(ms)));
}

struct NamedItem {
  std::string table;
  Item key;
};

Outcome<NamedItem> ReadNamedItem(const Fields& in) {
  const std::string table = in.Name("TableName");
  const json::object& key = in.MapOrNone("Key");
  MAYFLY_TRY(Item item, ReadItem(key));
  return NamedItem{table, std::move(item)};
}

Outcome<Reply> SetTtl(const Context& context, const Fields& in) {
  MAYFLY_TRY(const Millis ttl, ReadTtl(in));
  MAYFLY_TRY(const NamedItem item, ReadNamedItem(in));
  MAYFLY_REQUIRE(context.tables.SetTtl(item.table, item.key, ttl));
  return Reply();
}

Outcome<Reply> RemoveTtl(const Context& context, const Fields& in) {
  MAYFLY_TRY(const NamedItem item, ReadNamedItem(in));
  MAYFLY_TRY(const bool removed, context.tables.RemoveTtl(item.table, item.key));
  json::object reply;
  reply["Removed"] = removed;
  return reply;
}

// Rounded up: 0 is for items past their instant that are not swept yet.
Outcome<Reply> GetTtl(const Context& context, const Fields& in) {
  MAYFLY_TRY(const NamedItem item, ReadNamedItem(in));
  MAYFLY_TRY(const Millis left, context.tables.GetTtl(item.table, item.key));
  json::object reply;
  reply["RemainingSeconds"] =
      left == kForever
          ? json::value(nullptr)
          : json::value(left.count() / kMsPerSecond + (left.count() % kMsPerSecond > 0 ? 1 : 0));
  return reply;
}

Outcome<Reply> SweepExpiredTtl(const Context& context, const Fields& in) {
  const std::string table = in.Name("TableName");
  const auto limit = in.Integer("Limit");
  const std::uint64_t items_max = limit ? static_cast<std::uint64_t>(*limit) : UINT64_MAX;
  MAYFLY_TRY(const std::uint64_t deleted,
             OfTable(context.tables.SweepExpired(table, items_max), table));
  json::object reply;
  reply["Deleted"] = deleted;
  return reply;
}

constexpr std::array kTtlOperations = std::to_array<Operation>({
    {kTablePrefix, "UpdateTimeToLive", &kUpdateTimeToLiveShape, UpdateTimeToLive,
     "Names the attribute that says when an item dies, or none.", kWrites},
    {kTablePrefix, "DescribeTimeToLive", &kTableNameShape, DescribeTimeToLive,
     "Tells which attribute that is.", kReads},
    {kOwnPrefix, "SetTTL", &kSetTtlShape, SetTtl, "Lets an item die so many seconds from now.",
     kWrites},
    {kOwnPrefix, "RemoveTTL", &kNamedItemShape, RemoveTtl, "Lets an item live until it is deleted.",
     kWrites},
    {kOwnPrefix, "GetTTL", &kNamedItemShape, GetTtl,
     "Tells how many seconds an item has left, or null.", kReads},
    {kOwnPrefix, "SweepExpiredTTL", &kSweepShape, SweepExpiredTtl,
     "Removes the dead items of a table now; tells how many.", kWrites},
});

}  // namespace

std::span<const Operation> TtlOperations() { return kTtlOperations; }

}  // namespace mayfly::dynamo
