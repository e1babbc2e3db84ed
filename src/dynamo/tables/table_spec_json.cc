// table_spec_json.cc - the parsing half of table_json.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>
#include <vector>

#include "dynamo/json/limits.h"
#include "dynamo/tables/table_json.h"
#include "dynamo/tables/tags.h"

namespace mayfly::dynamo {
namespace {

KeyType TypeNamed(const std::string& name) {
  if (name == "N") return KeyType::kNumber;
  return name == "B" ? KeyType::kBinary : KeyType::kString;
}

struct KeySchema {
  KeyAttribute partition;
  std::optional<KeyAttribute> sort;
};

std::vector<std::string> NamesOf(const Definitions& definitions) {
  std::vector<std::string> names;
  for (const auto& [name, type] : definitions) names.push_back(name);
  return names;
}

Outcome<KeySchema> ReadKeySchema(const Fields& in, const Definitions& definitions) {
  std::vector<std::pair<std::string, std::string>> elements;  // Names and roles.
  for (const Fields& element : in.Structures("KeySchema")) {
    elements.emplace_back(element.Text("AttributeName"), element.Text("KeyType"));
  }
  if (elements[0].second != "HASH") {
    return Invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
  }
  if (elements.size() == 2 && elements[0].first == elements[1].first) {
    return Invalid(
        "Both the Hash Key and the Range Key element in the KeySchema have the same name");
  }
  if (elements.size() == 2 && elements[1].second != "RANGE") {
    return Invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
  }
  std::vector<KeyAttribute> attributes;
  for (const auto& [name, role] : elements) {
    const auto defined = definitions.find(name);
    if (defined == definitions.end()) {
      std::vector<std::string> names;
      for (const auto& element : elements) names.push_back(element.first);
      return InvalidParameter(fmt::format(
          "Some index key attributes are not defined in AttributeDefinitions. Keys: [{}], "
          "AttributeDefinitions: [{}]",
          fmt::join(names, ", "), fmt::join(NamesOf(definitions), ", ")));
    }
    attributes.push_back({name, defined->second});
  }
  KeySchema schema{attributes[0], std::nullopt};
  if (attributes.size() == 2) schema.sort = attributes[1];
  return schema;
}

Outcome<IndexProjection> ReadProjection(const Fields& in) {
  IndexProjection projection;
  const auto fields = in.Structure("Projection");
  const std::string kind = fields->Text("ProjectionType");
  projection.attributes = fields->Strings("NonKeyAttributes");
  if (kind.empty()) return InvalidParameter("Unknown ProjectionType: null");
  if (kind != "INCLUDE" && fields->Has("NonKeyAttributes")) {
    return InvalidParameter(
        fmt::format("ProjectionType is {}, but NonKeyAttributes is specified", kind));
  }
  if (kind == "INCLUDE" && projection.attributes.empty()) {
    return InvalidParameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
  }
  projection.kind = kind == "ALL"         ? IndexProjection::Kind::kAll
                    : kind == "KEYS_ONLY" ? IndexProjection::Kind::kKeysOnly
                                          : IndexProjection::Kind::kInclude;
  return projection;
}

constexpr const char* kNoThroughput =
    "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
    "PAY_PER_REQUEST";
constexpr const char* kThroughputNeeded =
    "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
    "PROVISIONED";

// BillingMode and its throughput.
Outcome<void> ReadBilling(const Fields& in, Notes& notes) {
  const std::string mode = in.Text("BillingMode");
  const bool pay_per_request = mode == "PAY_PER_REQUEST";
  const bool has_throughput = in.Has("ProvisionedThroughput");
  if (pay_per_request && has_throughput) return InvalidParameter(kNoThroughput);
  if (!pay_per_request && !has_throughput) return InvalidParameter(kThroughputNeeded);
  SetBilling(notes, pay_per_request);
  return ReadThroughput(in, notes);
}

// Nothing when it is missing.
Outcome<std::optional<Throughput>> GivenThroughput(const Fields& in) {
  const auto throughput = in.Structure("ProvisionedThroughput");
  if (!throughput) return std::optional<Throughput>();
  const std::int64_t read = throughput->Integer("ReadCapacityUnits").value_or(1);
  const std::int64_t write = throughput->Integer("WriteCapacityUnits").value_or(1);
  return std::optional<Throughput>({read, write});
}

Outcome<void> CheckAllUsed(const Definitions& definitions, const TableSpec& spec) {
  const Definitions used = DefinitionsOf(spec);
  if (used.size() >= definitions.size()) return {};
  if (spec.global_indexes.empty() && spec.local_indexes.empty()) {
    return InvalidParameter(
        "Number of attributes in KeySchema does not exactly match number of attributes defined in "
        "AttributeDefinitions");
  }
  return InvalidParameter(fmt::format(
      "Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: [{}]",
      fmt::join(NamesOf(definitions), ", "), fmt::join(NamesOf(used), ", ")));
}

}  // namespace

Outcome<Definitions> ReadDefinitions(const Fields& in) {
  Definitions definitions;
  for (const Fields& definition : in.Structures("AttributeDefinitions")) {
    const std::string name = definition.Text("AttributeName");
    const std::string type = definition.Text("AttributeType");
    if (!definitions.emplace(name, TypeNamed(type)).second && !name.empty()) {
      return InvalidParameter("Cannot have two attributes with the same name");
    }
  }
  return definitions;
}

Definitions DefinitionsOf(const TableSpec& spec) {
  Definitions definitions;
  const auto add = [&](const KeyAttribute& partition, const std::optional<KeyAttribute>& sort) {
    definitions.emplace(partition.name, partition.type);
    if (sort) definitions.emplace(sort->name, sort->type);
  };
  add(spec.partition, spec.sort);
  for (const IndexSpec& index : spec.global_indexes) add(index.partition, index.sort);
  for (const IndexSpec& index : spec.local_indexes) add(index.partition, index.sort);
  return definitions;
}

Outcome<IndexSpec> ReadIndexSpec(const Fields& in, const Definitions& definitions) {
  IndexSpec index;
  index.name = in.Name("IndexName");
  MAYFLY_TRY(KeySchema keys, ReadKeySchema(in, definitions));
  index.partition = std::move(keys.partition);
  index.sort = std::move(keys.sort);
  MAYFLY_TRY(index.projection, ReadProjection(in));
  return index;
}

Outcome<StreamView> ReadStreamSpecification(const Fields& in) {
  const auto stream = in.Structure("StreamSpecification");
  if (!stream) return StreamView::kOff;
  const bool enabled = stream->Boolean("StreamEnabled");
  const std::string view = stream->Text("StreamViewType");
  if (!enabled) {
    if (!view.empty())
      return InvalidParameter("StreamViewType cannot be set when StreamEnabled is false");
    return StreamView::kOff;
  }
  if (view.empty())
    return InvalidParameter("StreamViewType is required when StreamEnabled is true");
  if (view == "KEYS_ONLY") return StreamView::kKeysOnly;
  if (view == "NEW_IMAGE") return StreamView::kNewImage;
  return view == "OLD_IMAGE" ? StreamView::kOldImage : StreamView::kNewAndOldImages;
}

Outcome<void> ReadThroughput(const Fields& in, Notes& notes) {
  MAYFLY_TRY(const auto throughput, GivenThroughput(in));
  if (throughput) SetThroughput(notes, "", *throughput);
  return {};
}

Outcome<void> ReadIndexThroughput(const Fields& in, const std::string& index, Notes& notes) {
  MAYFLY_TRY(const auto throughput, GivenThroughput(in));
  if (!throughput) return {};
  if (IsPayPerRequest(notes)) {
    return InvalidParameter(
        fmt::format("ProvisionedThroughput should not be specified for index: {} when BillingMode "
                    "is PAY_PER_REQUEST",
                    index));
  }
  SetThroughput(notes, index, *throughput);
  return {};
}

Outcome<void> ReadBillingChange(const Fields& in, const std::string& mode, Notes& notes) {
  const bool paid_per_request = IsPayPerRequest(notes);
  const bool pay_per_request = mode.empty() ? paid_per_request : mode == "PAY_PER_REQUEST";
  MAYFLY_TRY(const auto throughput, GivenThroughput(in));
  if (pay_per_request && throughput) return InvalidParameter(kNoThroughput);
  if (paid_per_request && !pay_per_request && !throughput) {
    return InvalidParameter(kThroughputNeeded);
  }
  const Throughput now = ThroughputOf(notes);
  if (throughput && !paid_per_request && *throughput == now) {
    return Invalid(fmt::format(
        "The provisioned throughput for the table will not change. The requested value equals the "
        "current value. Current ReadCapacityUnits provisioned for the table: {0}. Requested "
        "ReadCapacityUnits: {0}. Current WriteCapacityUnits provisioned for the table: {1}. "
        "Requested WriteCapacityUnits: {1}. Refer to the Amazon DynamoDB Developer Guide for "
        "current limits and how to request higher limits.",
        now.read, now.write));
  }
  if (!mode.empty()) SetBilling(notes, pay_per_request);
  if (pay_per_request && !paid_per_request) RemoveThroughputs(notes);
  if (throughput) SetThroughput(notes, "", *throughput);
  return {};
}

Outcome<TableSpec> ReadTableSpec(const Fields& in) {
  TableSpec spec;
  spec.name = in.Name("TableName");
  MAYFLY_TRY(const Definitions definitions, ReadDefinitions(in));
  MAYFLY_TRY(KeySchema keys, ReadKeySchema(in, definitions));
  spec.partition = std::move(keys.partition);
  spec.sort = std::move(keys.sort);
  MAYFLY_REQUIRE(ReadBilling(in, spec.notes));
  for (const Fields& index : in.Structures("GlobalSecondaryIndexes")) {
    MAYFLY_TRY(IndexSpec read, ReadIndexSpec(index, definitions));
    MAYFLY_REQUIRE(ReadIndexThroughput(index, read.name, spec.notes));
    spec.global_indexes.push_back(std::move(read));
  }
  if (!in.ListOrNone("LocalSecondaryIndexes").empty() && !spec.sort) {
    return InvalidParameter(
        "Table KeySchema does not have a range key, which is required when specifying a "
        "LocalSecondaryIndex");
  }
  for (const Fields& index : in.Structures("LocalSecondaryIndexes")) {
    MAYFLY_TRY(IndexSpec read, ReadIndexSpec(index, definitions));
    spec.local_indexes.push_back(std::move(read));
  }
  if (in.Has("GlobalSecondaryIndexes") && spec.global_indexes.empty()) {
    return InvalidParameter("List of GlobalSecondaryIndexes is empty");
  }
  if (in.Has("LocalSecondaryIndexes") && spec.local_indexes.empty()) {
    return InvalidParameter("List of LocalSecondaryIndexes is empty");
  }
  MAYFLY_REQUIRE(CheckAllUsed(definitions, spec));
  MAYFLY_TRY(spec.stream, ReadStreamSpecification(in));
  MAYFLY_TRY(const Tags tags, ReadTags(in));
  MAYFLY_REQUIRE(SetTags(spec.notes, tags));
  MAYFLY_TRY(spec.ttl_mode, TtlModeOf(spec.notes));
  MAYFLY_TRY(spec.purge_within, PurgeWithinOf(spec.notes));
  if (const auto wanted = in.OptionalBoolean("DeletionProtectionEnabled")) {
    SetProtected(spec.notes, *wanted);
  }
  const std::string table_class = in.Text("TableClass");
  if (!table_class.empty()) SetClass(spec.notes, table_class);
  return spec;
}

}  // namespace mayfly::dynamo
