// The reading half of table_json.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>
#include <vector>

#include "dynamo/limits.h"
#include "dynamo/refusal.h"
#include "dynamo/table_json.h"
#include "dynamo/tags.h"

namespace mayfly::dynamo {
namespace {

Refusal Parameter(std::string_view what) {
  return Invalid(fmt::format("One or more parameter values were invalid: {}", what));
}

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

KeySchema ReadKeySchema(const Fields& in, const Definitions& definitions) {
  in.RequiredList("KeySchema", 1, 2);
  std::vector<std::pair<std::string, std::string>> elements;  // Names and roles.
  for (const Fields& element : in.Structures("KeySchema")) {
    elements.emplace_back(element.RequiredString("AttributeName", 1, 255),
                          element.OneOf("KeyType", {"HASH", "RANGE"}, true));
  }
  in.Check();
  if (elements[0].second != "HASH") {
    throw Invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
  }
  if (elements.size() == 2 && elements[0].first == elements[1].first) {
    throw Invalid(
        "Both the Hash Key and the Range Key element in the KeySchema have the same name");
  }
  if (elements.size() == 2 && elements[1].second != "RANGE") {
    throw Invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
  }
  std::vector<KeyAttribute> attributes;
  for (const auto& [name, role] : elements) {
    const auto defined = definitions.find(name);
    if (defined == definitions.end()) {
      std::vector<std::string> names;
      for (const auto& element : elements) names.push_back(element.first);
      throw Parameter(fmt::format(
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

IndexProjection ReadProjection(const Fields& in) {
  IndexProjection projection;
  const auto fields = in.Structure("Projection");
  if (!fields) in.validation().Missing(in.Where("Projection"));
  in.Check();
  const std::string kind = fields->OneOf("ProjectionType", {"ALL", "INCLUDE", "KEYS_ONLY"});
  projection.attributes = fields->Strings("NonKeyAttributes");
  in.Check();
  if (kind.empty()) throw Parameter("Unknown ProjectionType: null");
  if (kind != "INCLUDE" && fields->Has("NonKeyAttributes")) {
    throw Parameter(fmt::format("ProjectionType is {}, but NonKeyAttributes is specified", kind));
  }
  if (kind == "INCLUDE" && projection.attributes.empty()) {
    throw Parameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
  }
  projection.kind = kind == "ALL"         ? IndexProjection::Kind::kAll
                    : kind == "KEYS_ONLY" ? IndexProjection::Kind::kKeysOnly
                                          : IndexProjection::Kind::kInclude;
  return projection;
}

// BillingMode and the throughput that goes with it.
void ReadBilling(const Fields& in, Notes& notes) {
  const std::string mode = in.OneOf("BillingMode", {"PROVISIONED", "PAY_PER_REQUEST"});
  in.Check();
  const bool pay_per_request = mode == "PAY_PER_REQUEST";
  if (pay_per_request && in.Has("ProvisionedThroughput")) {
    throw Parameter(
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST");
  }
  if (!pay_per_request && !in.Has("ProvisionedThroughput")) {
    throw Parameter(
        "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
        "PROVISIONED");
  }
  SetBilling(notes, pay_per_request);
  ReadThroughput(in, "", notes);
}

void CheckAllUsed(const Definitions& definitions, const TableSpec& spec) {
  const Definitions used = DefinitionsOf(spec);
  if (used.size() >= definitions.size()) return;
  if (spec.global_indexes.empty() && spec.local_indexes.empty()) {
    throw Parameter(
        "Number of attributes in KeySchema does not exactly match number of attributes defined in "
        "AttributeDefinitions");
  }
  throw Parameter(fmt::format(
      "Some AttributeDefinitions are not used. AttributeDefinitions: [{}], keys used: [{}]",
      fmt::join(NamesOf(definitions), ", "), fmt::join(NamesOf(used), ", ")));
}

}  // namespace

Definitions ReadDefinitions(const Fields& in) {
  Definitions definitions;
  for (const Fields& definition : in.Structures("AttributeDefinitions")) {
    const std::string name = definition.RequiredString("AttributeName", 1, 255);
    const std::string type = definition.OneOf("AttributeType", {"B", "N", "S"}, true);
    if (!definitions.emplace(name, TypeNamed(type)).second && !name.empty()) {
      throw Parameter("Cannot have two attributes with the same name");
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

IndexSpec ReadIndexSpec(const Fields& in, const Definitions& definitions) {
  IndexSpec index;
  index.name = in.Name("IndexName");
  KeySchema keys = ReadKeySchema(in, definitions);
  index.partition = std::move(keys.partition);
  index.sort = std::move(keys.sort);
  index.projection = ReadProjection(in);
  return index;
}

StreamView ReadStreamSpecification(const Fields& in) {
  const auto stream = in.Structure("StreamSpecification");
  if (!stream) return StreamView::kOff;
  const auto enabled = stream->OptionalBoolean("StreamEnabled");
  if (!enabled) in.validation().Missing(stream->Where("StreamEnabled"));
  const std::string view = stream->OneOf(
      "StreamViewType", {"NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"});
  in.Check();
  if (!*enabled) {
    if (!view.empty()) throw Parameter("StreamViewType cannot be set when StreamEnabled is false");
    return StreamView::kOff;
  }
  if (view.empty()) throw Parameter("StreamViewType is required when StreamEnabled is true");
  if (view == "KEYS_ONLY") return StreamView::kKeysOnly;
  if (view == "NEW_IMAGE") return StreamView::kNewImage;
  return view == "OLD_IMAGE" ? StreamView::kOldImage : StreamView::kNewAndOldImages;
}

void ReadThroughput(const Fields& in, const std::string& index, Notes& notes) {
  const auto throughput = in.Structure("ProvisionedThroughput");
  if (!throughput) return;
  constexpr std::int64_t kMax = INT64_MAX;
  const auto read = throughput->Integer("ReadCapacityUnits", 1, kMax);
  const auto write = throughput->Integer("WriteCapacityUnits", 1, kMax);
  if (!read) in.validation().Missing(throughput->Where("ReadCapacityUnits"));
  if (!write) in.validation().Missing(throughput->Where("WriteCapacityUnits"));
  in.Check();
  SetThroughput(notes, index, {*read, *write});
}

TableSpec ReadTableSpec(const Fields& in) {
  TableSpec spec;
  spec.name = in.Name("TableName");
  in.RequiredList("AttributeDefinitions");
  const Definitions definitions = ReadDefinitions(in);
  KeySchema keys = ReadKeySchema(in, definitions);
  spec.partition = std::move(keys.partition);
  spec.sort = std::move(keys.sort);
  ReadBilling(in, spec.notes);
  for (const Fields& index : in.Structures("GlobalSecondaryIndexes")) {
    spec.global_indexes.push_back(ReadIndexSpec(index, definitions));
    ReadThroughput(index, spec.global_indexes.back().name, spec.notes);
  }
  for (const Fields& index : in.Structures("LocalSecondaryIndexes")) {
    spec.local_indexes.push_back(ReadIndexSpec(index, definitions));
  }
  if (in.Has("GlobalSecondaryIndexes") && spec.global_indexes.empty()) {
    throw Parameter("List of GlobalSecondaryIndexes is empty");
  }
  if (in.Has("LocalSecondaryIndexes") && spec.local_indexes.empty()) {
    throw Parameter("List of LocalSecondaryIndexes is empty");
  }
  CheckAllUsed(definitions, spec);
  spec.stream = ReadStreamSpecification(in);
  SetTags(spec.notes, ReadTags(in));
  spec.ttl_mode = TtlModeOf(spec.notes);
  if (const auto wanted = in.OptionalBoolean("DeletionProtectionEnabled")) {
    SetProtected(spec.notes, *wanted);
  }
  const std::string table_class =
      in.OneOf("TableClass", {"STANDARD", "STANDARD_INFREQUENT_ACCESS"});
  in.Check();
  if (!table_class.empty()) SetClass(spec.notes, table_class);
  return spec;
}

}  // namespace mayfly::dynamo
