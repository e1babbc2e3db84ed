#include "tables/schema/item_check.h"

#include <fmt/format.h>

#include "items/item_size.h"
#include "tables/schema/item_limits.h"
#include "tables/schema/key_check.h"

namespace mayfly::tables {
namespace {

Status CheckContent(const AttributeValue& value);

Status CheckMembers(const Item& members) {
  for (const auto& [name, value] : members) {
    if (name.size() > kMemberNameBytesMax) {
      return Status::Invalid(
          fmt::format("One or more parameter values were invalid: Attribute name is too large, "
                      "must be less than {} bytes",
                      kMemberNameBytesMax + 1));
    }
    MAYFLY_RETURN_IF_ERROR(CheckContent(value));
  }
  return {};
}

// Refuses empty sets. The depth has been checked: the recursion is bounded.
Status CheckContent(const AttributeValue& value) {
  constexpr const char* kWrong = "One or more parameter values were invalid: ";
  if (value.string_set() != nullptr && value.string_set()->empty()) {
    return Status::Invalid(fmt::format("{}An string set  may not be empty", kWrong));
  }
  if (value.number_set() != nullptr && value.number_set()->empty()) {
    return Status::Invalid(fmt::format("{}An number set  may not be empty", kWrong));
  }
  if (value.binary_set() != nullptr && value.binary_set()->empty()) {
    return Status::Invalid(fmt::format("{}Binary sets should not be empty", kWrong));
  }
  if (value.map() != nullptr) return CheckMembers(*value.map());
  if (value.list() != nullptr) {
    for (const AttributeValue& element : *value.list()) {
      MAYFLY_RETURN_IF_ERROR(CheckContent(element));
    }
  }
  return {};
}

}  // namespace

Status CheckForm(const Item& item) {
  for (const auto& [name, value] : item) {
    if (name.empty()) {
      return Status::Invalid("One or more parameter values were invalid: Empty attribute name");
    }
    if (items::DepthOf(value) > kNestingLevelsMax) {
      return Status::Invalid(
          "Nesting Levels have exceeded supported limits: Attributes in the item have nested "
          "levels beyond supported limit");
    }
  }
  return CheckMembers(item);
}

namespace {

// For an index key of an item that is put.
Status CheckNewIndexValue(const Index& index, const KeyAttribute& key, const AttributeValue& value,
                          bool partition) {
  if (value.type() != TypeOf(key.type)) {
    return Status::Invalid(
        fmt::format("One or more parameter values were invalid: Type mismatch for Index Key {} "
                    "Expected: {} Actual: {} IndexName: {}",
                    key.name, NameOf(key.type), AttributeTypeName(value.type()), index.spec.name));
  }
  if (IsEmptyKey(value)) {
    return Status::Invalid(
        fmt::format("One or more parameter values are not valid. A value specified for a secondary "
                    "index key is not supported. The AttributeValue for a key attribute cannot "
                    "contain an empty {} value. IndexName: {}, IndexKey: {}",
                    value.string() != nullptr ? "string" : "binary", index.spec.name, key.name));
  }
  return CheckKeyValue(key, value, partition);
}

// For an index key that an update has changed.
Status CheckUpdatedIndexValue(const Index& /*index*/, const KeyAttribute& key,
                              const AttributeValue& value, bool partition) {
  if (value.type() != TypeOf(key.type)) {
    return Status::Invalid(
        "The update expression attempted to update the secondary index key to unsupported type");
  }
  if (IsEmptyKey(value)) {
    return Status::Invalid(fmt::format(
        "One or more parameter values are not valid. The update expression attempted to update a "
        "secondary index key to a value that is not supported. The AttributeValue for a key "
        "attribute cannot contain an empty {} value.",
        value.string() != nullptr ? "string" : "binary"));
  }
  if (!CheckKeyValue(key, value, partition).ok()) {
    return Status::Invalid(
        "The update expression attempted to update the secondary index key beyond allowed size "
        "limits");
  }
  return {};
}

using CheckIndexValue = Status(const Index&, const KeyAttribute&, const AttributeValue&, bool);

// Checks the index keys that differ from those of `before`, which may be null.
Status CheckIndexValues(const Table& table, const Item* before, const Item& item,
                        CheckIndexValue& check) {
  const auto check_one = [&](const Index& index, const KeyAttribute& key,
                             bool partition) -> Status {
    const auto found = item.find(key.name);
    if (found == item.end()) return {};
    if (before != nullptr) {
      const auto old = before->find(key.name);
      if (old != before->end() && old->second == found->second) return {};
    }
    return check(index, key, found->second, partition);
  };
  for (const Index& index : table.indexes) {
    if (!index.local) MAYFLY_RETURN_IF_ERROR(check_one(index, index.spec.partition, true));
    if (index.spec.sort) MAYFLY_RETURN_IF_ERROR(check_one(index, *index.spec.sort, false));
  }
  return {};
}

}  // namespace

Status CheckNewItem(const Table& table, const Item& item) {
  MAYFLY_RETURN_IF_ERROR(CheckIndexValues(table, nullptr, item, CheckNewIndexValue));
  if (items::SizeOf(item) > kItemBytesMax) {
    return Status::Invalid("Item size has exceeded the maximum allowed size");
  }
  return CheckSchema(table, item);
}

Status CheckUpdatedItem(const Table& table, const Item& before, const Item& after) {
  MAYFLY_RETURN_IF_ERROR(CheckForm(after));
  MAYFLY_RETURN_IF_ERROR(CheckIndexValues(table, &before, after, CheckUpdatedIndexValue));
  if (items::SizeOf(after) > kItemBytesMax) {
    return Status::Invalid("Item size to update has exceeded the maximum allowed size");
  }
  return CheckSchema(table, after);
}

Status CheckTransactBytes(std::uint64_t bytes) {
  if (bytes <= kTransactBytesMax) return {};
  return Status::Invalid(
      fmt::format("The aggregate size of the items in the transaction cannot exceed {} MB",
                  kTransactBytesMax >> 20));
}

}  // namespace mayfly::tables
