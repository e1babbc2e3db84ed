#include "tables/schema/table_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "tables/schema/table_limits.h"

namespace mayfly::tables {
namespace {

Status Wrong(const std::string& what) {
  return Status::Invalid("One or more parameter values were invalid: " + what);
}

bool IsNameByte(char c) { return IsLetterOrDigit(c) || c == '_' || c == '-' || c == '.'; }

Status CheckName(const char* what, const std::string& name) {
  if (name.size() < kTableNameBytesMin || name.size() > kTableNameBytesMax) {
    return Status::Invalid(
        fmt::format("{} must be at least {} characters long and at most {} characters long", what,
                    kTableNameBytesMin, kTableNameBytesMax));
  }
  if (!std::all_of(name.begin(), name.end(), IsNameByte)) {
    return Status::Invalid(fmt::format(
        "Invalid {}: '{}' has other characters than a-z, A-Z, 0-9, '_', '-' and '.'", what, name));
  }
  return {};
}

Status CheckAttributeName(const char* what, const std::string& name) {
  if (!name.empty() && name.size() <= kAttributeNameBytesMax) return {};
  return Wrong(fmt::format("the name of {} must have 1 to {} bytes", what, kAttributeNameBytesMax));
}

// The keys of a table and its indexes, each attribute with one type.
class KeyTypes {
 public:
  Status Add(const KeyAttribute& key) {
    MAYFLY_RETURN_IF_ERROR(CheckAttributeName("a key attribute", key.name));
    const auto [at, fresh] = types_.try_emplace(key.name, key.type);
    if (fresh || at->second == key.type) return {};
    return Wrong(fmt::format("Key attribute {} is given with two types", key.name));
  }

  Status Add(const KeyAttribute& partition, const std::optional<KeyAttribute>& sort) {
    MAYFLY_RETURN_IF_ERROR(Add(partition));
    if (!sort) return {};
    if (sort->name == partition.name) {
      return Wrong(
          "Both the Hash Key and the Range Key element in the KeySchema have the same name");
    }
    return Add(*sort);
  }

 private:
  std::map<std::string, KeyType> types_;
};

Status CheckProjection(const IndexSpec& index, std::size_t& attributes) {
  const IndexProjection& projection = index.projection;
  const bool include = projection.kind == IndexProjection::Kind::kInclude;
  if (include && projection.attributes.empty()) {
    return Wrong("ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
  }
  if (!include && !projection.attributes.empty()) {
    return Wrong(fmt::format("ProjectionType is {}, but NonKeyAttributes is specified",
                             projection.kind == IndexProjection::Kind::kAll ? "ALL" : "KEYS_ONLY"));
  }
  std::set<std::string> names;
  for (const std::string& name : projection.attributes) {
    MAYFLY_RETURN_IF_ERROR(CheckAttributeName("a projected attribute", name));
    if (!names.insert(name).second) {
      return Wrong(fmt::format("Index {} projects the attribute {} twice", index.name, name));
    }
  }
  attributes += names.size();
  return {};
}

Status CheckLocal(const TableSpec& spec, const IndexSpec& index) {
  if (index.partition != spec.partition) {
    return Wrong(fmt::format(
        "Index KeySchema does not have the same leading hash key as table KeySchema for index: "
        "{}. index hash key: {}, table hash key: {}",
        index.name, index.partition.name, spec.partition.name));
  }
  if (index.sort) return {};
  return Wrong(fmt::format("Index KeySchema does not have a range key for index: {}", index.name));
}

Status CheckIndexes(const TableSpec& spec, KeyTypes& types) {
  if (spec.global_indexes.size() > kGlobalIndexesMax) {
    return Wrong(fmt::format("GlobalSecondaryIndex count exceeds the per-table limit of {}",
                             kGlobalIndexesMax));
  }
  if (spec.local_indexes.size() > kLocalIndexesMax) {
    return Wrong(fmt::format("Number of LocalSecondaryIndexes exceeds per-table limit of {}",
                             kLocalIndexesMax));
  }
  if (!spec.local_indexes.empty() && !spec.sort) {
    return Wrong(
        "Table KeySchema does not have a range key, which is required when specifying a "
        "LocalSecondaryIndex");
  }
  std::set<std::string> names;
  std::size_t attributes = 0;
  const auto check = [&](const IndexSpec& index) -> Status {
    MAYFLY_RETURN_IF_ERROR(CheckName("IndexName", index.name));
    if (!names.insert(index.name).second) {
      return Wrong(fmt::format("Duplicate index name: {}", index.name));
    }
    MAYFLY_RETURN_IF_ERROR(types.Add(index.partition, index.sort));
    return CheckProjection(index, attributes);
  };
  for (const IndexSpec& index : spec.global_indexes) MAYFLY_RETURN_IF_ERROR(check(index));
  for (const IndexSpec& index : spec.local_indexes) {
    MAYFLY_RETURN_IF_ERROR(CheckLocal(spec, index));
    MAYFLY_RETURN_IF_ERROR(check(index));
  }
  if (attributes <= kProjectedAttributesMax) return {};
  return Wrong(fmt::format("its indexes project {} attributes; the limit is {}", attributes,
                           kProjectedAttributesMax));
}

Status CheckSchemas(const TableSpec& spec) {
  if (spec.schemas.empty()) return {};
  if (spec.partition.type != KeyType::kString) {
    return Wrong("schemas are told apart by the partition key's beginning, so it must be a string");
  }
  if (spec.schemas.size() > kSchemasMax) {
    return Wrong(fmt::format("a table has {} schemas at most", kSchemasMax));
  }
  std::set<std::string> prefixes;
  for (const PartitionSchema& schema : spec.schemas) {
    if (!prefixes.insert(schema.prefix).second) {
      return Wrong(fmt::format("two schemas have the prefix '{}'", schema.prefix));
    }
    std::set<std::string> names;
    for (const PartitionSchema::Attribute& attribute : schema.attributes) {
      if (attribute.name.empty() || !names.insert(attribute.name).second) {
        return Wrong(fmt::format("the schema of '{}' names the attribute '{}' {}", schema.prefix,
                                 attribute.name, attribute.name.empty() ? "" : "twice"));
      }
    }
  }
  return {};
}

Status CheckPromise(const TableSpec& spec) {
  if (!spec.purge_within) return {};
  const Millis least = spec.stream == StreamView::kOff ? kPromiseMin : kPromiseWithStreamMin;
  if (*spec.purge_within >= least) return {};
  return Status::Invalid(fmt::format("purge_within must be at least {} ms{}", least.count(),
                                     spec.stream == StreamView::kOff
                                         ? ""
                                         : " for a table with a stream, whose records live for a "
                                           "quarter of it"));
}

}  // namespace

Status CheckTable(const TableSpec& spec) {
  MAYFLY_RETURN_IF_ERROR(CheckName("TableName", spec.name));
  KeyTypes types;
  MAYFLY_RETURN_IF_ERROR(types.Add(spec.partition, spec.sort));
  MAYFLY_RETURN_IF_ERROR(CheckIndexes(spec, types));
  if (!spec.ttl_attribute.empty()) {
    MAYFLY_RETURN_IF_ERROR(CheckAttributeName("the ttl attribute", spec.ttl_attribute));
  }
  MAYFLY_RETURN_IF_ERROR(CheckPromise(spec));
  return CheckSchemas(spec);
}

}  // namespace mayfly::tables
