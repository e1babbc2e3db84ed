// item_schema.cc - checks an item against the schema of its partition (item_check.h).
#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "tables/schema/item_check.h"

namespace mayfly::tables {
namespace {

const PartitionSchema* SchemaOf(const Table& table, const Item& item) {
  if (table.spec.schemas.empty()) return nullptr;
  const auto partition = item.find(table.spec.partition.name);
  if (partition == item.end() || partition->second.string() == nullptr) return nullptr;
  const PartitionSchema* best = nullptr;
  for (const PartitionSchema& schema : table.spec.schemas) {
    if (!partition->second.string()->starts_with(schema.prefix)) continue;
    if (best == nullptr || schema.prefix.size() > best->prefix.size()) best = &schema;
  }
  return best;
}

template <typename... Args>
Status DoesNotFit(const PartitionSchema& schema, fmt::format_string<Args...> why, Args&&... args) {
  return Status::Invalid(fmt::format("The item does not fit the schema of prefix '{}': {}",
                                     Printable(schema.prefix),
                                     fmt::format(why, std::forward<Args>(args)...)));
}

// Keys and the ttl attribute belong to the table and are allowed in every item.
bool IsOwn(const Table& table, const std::string& name) {
  const TableSpec& spec = table.spec;
  return name == spec.partition.name || (spec.sort && name == spec.sort->name) ||
         (!spec.ttl_attribute.empty() && name == spec.ttl_attribute);
}

}  // namespace

Status CheckSchema(const Table& table, const Item& item) {
  const PartitionSchema* schema = SchemaOf(table, item);
  if (schema == nullptr) return {};
  for (const PartitionSchema::Attribute& attribute : schema->attributes) {
    const auto found = item.find(attribute.name);
    if (found == item.end()) {
      if (!attribute.required) continue;
      return DoesNotFit(*schema, "attribute {} is missing", attribute.name);
    }
    if (found->second.type() != attribute.type) {
      return DoesNotFit(*schema, "attribute {} must be of type {} and is of type {}",
                        attribute.name, AttributeTypeName(attribute.type),
                        AttributeTypeName(found->second.type()));
    }
  }
  if (!schema->only_these) return {};
  for (const auto& [name, value] : item) {
    const bool known =
        IsOwn(table, name) ||
        std::any_of(schema->attributes.begin(), schema->attributes.end(),
                    [&n = name](const PartitionSchema::Attribute& one) { return one.name == n; });
    if (!known) return DoesNotFit(*schema, "attribute {} is not among those it allows", name);
  }
  return {};
}

}  // namespace mayfly::tables
