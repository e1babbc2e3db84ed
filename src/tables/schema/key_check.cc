#include "tables/schema/key_check.h"

#include <fmt/format.h>

#include "tables/schema/item_limits.h"

namespace mayfly::tables {

AttributeType TypeOf(KeyType type) {
  switch (type) {
    case KeyType::kString: return AttributeType::kString;
    case KeyType::kNumber: return AttributeType::kNumber;
    case KeyType::kBinary: return AttributeType::kBinary;
  }
  return AttributeType::kNull;
}

std::string_view NameOf(KeyType type) { return AttributeTypeName(TypeOf(type)); }

bool IsEmptyKey(const AttributeValue& value) {
  return (value.string() != nullptr && value.string()->empty()) ||
         (value.binary() != nullptr && value.binary()->bytes.empty());
}

std::size_t KeyBytesOf(const AttributeValue& value) {
  if (value.string() != nullptr) return value.string()->size();
  if (value.binary() != nullptr) return value.binary()->bytes.size();
  return 0;
}

Status CheckKeyValue(const KeyAttribute& key, const AttributeValue& value, bool partition) {
  if (IsEmptyKey(value)) {
    return Status::Invalid(
        fmt::format("One or more parameter values are not valid. The AttributeValue for a key "
                    "attribute cannot contain an empty {} value. Key: {}",
                    value.string() != nullptr ? "string" : "binary", key.name));
  }
  if (partition && KeyBytesOf(value) > kPartitionKeyBytesMax) {
    // As AWS writes it, without the space.
    return Status::Invalid(
        fmt::format("One or more parameter values were invalid: Size of hashkey has exceeded the "
                    "maximum size limit of{} bytes",
                    kPartitionKeyBytesMax));
  }
  if (!partition && KeyBytesOf(value) > kSortKeyBytesMax) {
    return Status::Invalid(
        fmt::format("One or more parameter values were invalid: Aggregated size of all range keys "
                    "has exceeded the size limit of {} bytes",
                    kSortKeyBytesMax));
  }
  return {};
}

}  // namespace mayfly::tables
