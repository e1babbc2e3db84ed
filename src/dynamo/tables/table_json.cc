#include "dynamo/tables/table_json.h"

#include <algorithm>

#include "dynamo/tables/arn.h"

namespace mayfly::dynamo {
namespace {

constexpr double kMsPerSecond = 1000;

json::object Pair(const char* first, std::string_view one, const char* second,
                  std::string_view other) {
  json::object pair;
  pair[first] = ToJson(one);
  pair[second] = ToJson(other);
  return pair;
}

json::array WriteKeySchema(const KeyAttribute& partition, const std::optional<KeyAttribute>& sort) {
  json::array schema;
  schema.emplace_back(Pair("AttributeName", partition.name, "KeyType", "HASH"));
  if (sort) schema.emplace_back(Pair("AttributeName", sort->name, "KeyType", "RANGE"));
  return schema;
}

json::object WriteProjection(const IndexProjection& projection) {
  json::object out;
  switch (projection.kind) {
    case IndexProjection::Kind::kAll: out["ProjectionType"] = "ALL"; break;
    case IndexProjection::Kind::kKeysOnly: out["ProjectionType"] = "KEYS_ONLY"; break;
    case IndexProjection::Kind::kInclude: {
      out["ProjectionType"] = "INCLUDE";
      json::array names;
      for (const std::string& name : projection.attributes) names.emplace_back(ToJson(name));
      out["NonKeyAttributes"] = std::move(names);
      break;
    }
  }
  return out;
}

json::object WriteThroughput(const Notes& notes, const std::string& index) {
  const Throughput throughput = ThroughputOf(notes, index);
  json::object out;
  out["NumberOfDecreasesToday"] = 0;
  out["ReadCapacityUnits"] = throughput.read;
  out["WriteCapacityUnits"] = throughput.write;
  return out;
}

json::object WriteIndex(const TableDescription& table, const IndexSpec& index, bool is_global,
                        std::string_view region) {
  json::object out;
  out["IndexName"] = ToJson(index.name);
  out["KeySchema"] = WriteKeySchema(index.partition, index.sort);
  out["Projection"] = WriteProjection(index.projection);
  out["IndexArn"] = ToJson(IndexArn(region, table.spec.name, index.name));
  const auto found = table.indexes.find(index.name);
  const TableDescription::Index figures =
      found == table.indexes.end() ? TableDescription::Index() : found->second;
  out["ItemCount"] = figures.items;
  out["IndexSizeBytes"] = figures.bytes;
  if (!is_global) return out;
  const bool active = figures.status == IndexStatus::kActive;
  out["IndexStatus"] = active ? "ACTIVE" : "CREATING";
  if (!active) out["Backfilling"] = true;
  out["ProvisionedThroughput"] = WriteThroughput(table.spec.notes, index.name);
  return out;
}

void WriteIndexes(json::object& out, const TableDescription& table, std::string_view region) {
  const auto write = [&](const char* name, const std::vector<IndexSpec>& indexes, bool global) {
    if (indexes.empty()) return;
    json::array all;
    for (const IndexSpec& index : indexes) {
      all.emplace_back(WriteIndex(table, index, global, region));
    }
    out[name] = std::move(all);
  };
  write("GlobalSecondaryIndexes", table.spec.global_indexes, true);
  write("LocalSecondaryIndexes", table.spec.local_indexes, false);
}

void WriteStream(json::object& out, const TableDescription& table, std::string_view region) {
  if (table.spec.stream != StreamView::kOff) {
    json::object stream;
    stream["StreamEnabled"] = true;
    stream["StreamViewType"] = ToJson(StreamViewName(table.spec.stream));
    out["StreamSpecification"] = std::move(stream);
  }
  if (table.stream_label.empty()) return;
  out["LatestStreamLabel"] = ToJson(table.stream_label);
  out["LatestStreamArn"] = ToJson(StreamArn(region, table.spec.name, table.stream_label));
}

std::string_view StatusOf(const TableDescription& table) {
  const bool building =
      std::any_of(table.indexes.begin(), table.indexes.end(),
                  [](const auto& index) { return index.second.status != IndexStatus::kActive; });
  return building ? "UPDATING" : "ACTIVE";
}

}  // namespace

std::string_view TypeName(KeyType type) {
  switch (type) {
    case KeyType::kString: return "S";
    case KeyType::kNumber: return "N";
    case KeyType::kBinary: return "B";
  }
  return "S";
}

std::string_view StreamViewName(StreamView view) {
  switch (view) {
    case StreamView::kOff: return "";
    case StreamView::kKeysOnly: return "KEYS_ONLY";
    case StreamView::kNewImage: return "NEW_IMAGE";
    case StreamView::kOldImage: return "OLD_IMAGE";
    case StreamView::kNewAndOldImages: return "NEW_AND_OLD_IMAGES";
  }
  return "";
}

json::value WriteInstant(WallTime instant) {
  return NumberOf(static_cast<double>(ToMs(instant)) / kMsPerSecond);
}

json::object WriteTable(const TableDescription& table, std::string_view region,
                        std::string_view status) {
  const TableSpec& spec = table.spec;
  json::object out;
  out["TableName"] = ToJson(spec.name);
  out["TableStatus"] = ToJson(status.empty() ? StatusOf(table) : status);
  out["TableArn"] = ToJson(TableArn(region, spec.name));
  out["TableId"] = ToJson(table.id);
  out["CreationDateTime"] = WriteInstant(table.created_at);
  out["KeySchema"] = WriteKeySchema(spec.partition, spec.sort);
  json::array definitions;
  for (const auto& [name, type] : DefinitionsOf(spec)) {
    definitions.emplace_back(Pair("AttributeName", name, "AttributeType", TypeName(type)));
  }
  out["AttributeDefinitions"] = std::move(definitions);
  out["ItemCount"] = table.items;
  out["TableSizeBytes"] = table.bytes;
  out["ProvisionedThroughput"] = WriteThroughput(spec.notes, "");
  if (IsPayPerRequest(spec.notes)) {
    json::object billing;
    billing["BillingMode"] = "PAY_PER_REQUEST";
    out["BillingModeSummary"] = std::move(billing);
  }
  if (const std::string name = ClassOf(spec.notes); !name.empty()) {
    json::object summary;
    summary["TableClass"] = ToJson(name);
    out["TableClassSummary"] = std::move(summary);
  }
  out["DeletionProtectionEnabled"] = IsProtected(spec.notes);
  WriteIndexes(out, table, region);
  WriteStream(out, table, region);
  return out;
}

}  // namespace mayfly::dynamo
