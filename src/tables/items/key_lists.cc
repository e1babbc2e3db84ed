// key_lists.cc - ListPartitionKeys and ListSortKeyPrefixes.
#include <fmt/format.h>

#include <set>

#include "items/item_key.h"
#include "tables/items/item_calls.h"
#include "tables/schema/key_check.h"

namespace mayfly::tables {
namespace {

constexpr std::size_t kHashBytes = 2;  // Of item_key.h.

// The partition at the beginning of an item's key. Takes its bytes off.
Result<AttributeValue> TakePartition(Bytes& key) {
  if (key.size() < kHashBytes) return Status::Corruption("a damaged key of an item");
  key.remove_prefix(kHashBytes);
  return items::TakeKeyValue(key);
}

Status CheckPartition(const Table& table, const AttributeValue& value) {
  const KeyAttribute& key = table.spec.partition;
  if (value.type() != TypeOf(key.type)) {
    return Status::Invalid(fmt::format("the partition key {} is of type {} and not {}", key.name,
                                       NameOf(key.type), AttributeTypeName(value.type())));
  }
  return CheckKeyValue(key, value, true);
}

// The part before the first delimiter at or behind `from`; the whole key when there is none.
std::string FolderOf(const std::string& key, const std::string& delimiter, std::size_t from,
                     bool& whole) {
  const std::size_t end = key.find(delimiter, from);
  whole = end == std::string::npos;
  return key.substr(0, end);
}

}  // namespace

// From one partition it seeks to the next: the cost is that of the partitions, not of the items.
Result<std::vector<AttributeValue>> ListPartitionKeys(const ItemContext& context,
                                                      const std::string& name,
                                                      const std::optional<AttributeValue>& after,
                                                      std::size_t keys_max) {
  MAYFLY_TRY(const TableUse table, context.catalog.Use(name));
  std::string begin;
  if (after) {
    MAYFLY_RETURN_IF_ERROR(CheckPartition(*table, *after));
    begin = items::PrefixEnd(items::PartitionPrefix(*after));
  }
  std::vector<AttributeValue> partitions;
  MAYFLY_TRY(const auto cursor, table->items->NewCursor({.begin = begin}));
  cursor->SeekToFirst();
  while (cursor->Valid() && partitions.size() < keys_max) {
    Bytes key = cursor->key();
    MAYFLY_TRY(AttributeValue partition, TakePartition(key));
    const std::string next = items::PrefixEnd(items::PartitionPrefix(partition));
    partitions.push_back(std::move(partition));
    cursor->SeekAtOrAfter(next);
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return partitions;
}

// Likewise from one folder to the next.
Result<std::vector<std::string>> ListSortKeyPrefixes(
    const ItemContext& context, const std::string& name, const AttributeValue& partition,
    const std::string& delimiter, const std::string& prefix, std::size_t prefixes_max) {
  MAYFLY_TRY(const TableUse table, context.catalog.Use(name));
  if (!table->spec.sort || table->spec.sort->type != KeyType::kString) {
    return Status::Invalid(
        fmt::format("table {} has no sort key that is a string, so there are no prefixes", name));
  }
  if (delimiter.empty()) return Status::Invalid("the delimiter is empty; name one");
  MAYFLY_RETURN_IF_ERROR(CheckPartition(*table, partition));
  const std::string all = items::PartitionPrefix(partition);
  const auto beginning = [&](const std::string& text) {
    std::string key = all;
    items::AppendKeyPrefix(text, key);
    return key;
  };
  const std::string begin = beginning(prefix);
  const std::string end = items::PrefixEnd(begin);
  std::vector<std::string> prefixes;
  std::set<std::string> seen;  // "a" and "a/b" are one, and others may lie between them.
  MAYFLY_TRY(const auto cursor, table->items->NewCursor({.begin = begin, .end = end}));
  cursor->SeekToFirst();
  while (cursor->Valid() && prefixes.size() < prefixes_max) {
    Bytes rest = cursor->key().substr(all.size());
    MAYFLY_TRY(const AttributeValue sort, items::TakeKeyValue(rest));
    if (sort.string() == nullptr) return Status::Corruption("a damaged sort key of an item");
    bool whole = false;
    const std::string folder = FolderOf(*sort.string(), delimiter, prefix.size(), whole);
    if (seen.insert(folder).second) prefixes.push_back(folder);
    if (whole) {
      cursor->Next();
    } else {
      cursor->SeekAtOrAfter(items::PrefixEnd(beginning(folder + delimiter)));
    }
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return prefixes;
}

}  // namespace mayfly::tables
