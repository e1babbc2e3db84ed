#include "cluster/tables/split_batch.h"

#include <optional>
#include <string>

#include "dynamo/json/fields.h"

namespace mayfly::cluster {
namespace {

namespace json = dynamo::json;
using dynamo::Fields;

const json::object* WrittenItem(const json::value& write) {
  const auto* const object = write.if_object();
  if (object == nullptr) return nullptr;
  const Fields in(*object);
  if (const auto put = in.Structure("PutRequest")) return put->Map("Item");
  const auto remove = in.Structure("DeleteRequest");
  return remove ? remove->Map("Key") : nullptr;
}

// The items of a table's entry.
const json::array* ItemsOf(const json::value& entry) {
  if (const auto* const object = entry.if_object()) return Fields(*object).List("Keys");
  return entry.if_array();
}

// The entry of the part, without items at first.
json::array& ItemsIn(json::object& part, const json::object& request, std::string_view table,
                     const json::value& entry) {
  const auto named = dynamo::ToJson(table);
  if (part.empty()) {
    for (const auto& [name, value] : request) {
      if (name != "RequestItems") part[name] = value;
    }
    part["RequestItems"] = json::object();
  }
  json::object& tables = part["RequestItems"].get_object();
  if (entry.is_array()) {
    if (!tables.contains(named)) tables[named] = json::array();
    return tables[named].get_array();
  }
  if (!tables.contains(named)) {
    json::object& copy = (tables[named] = json::object()).get_object();
    for (const auto& [name, value] : entry.get_object()) {
      if (name != "Keys") copy[name] = value;
    }
    copy["Keys"] = json::array();
  }
  return tables[named].get_object()["Keys"].get_array();
}

void AddValue(json::value& whole, const json::value& part);

void AddMembers(json::object& whole, const json::object& part) {
  for (const auto& [name, value] : part) {
    if (auto* const found = whole.if_contains(name)) {
      AddValue(*found, value);
    } else {
      whole[name] = value;
    }
  }
}

void AddValue(json::value& whole, const json::value& part) {
  if (whole.is_object() && part.is_object()) {
    AddMembers(whole.get_object(), part.get_object());
  } else if (whole.is_array() && part.is_array()) {
    for (const json::value& item : part.get_array()) whole.get_array().push_back(item);
  } else if (whole.is_number() && part.is_number()) {
    const bool whole_numbers = !whole.is_double() && !part.is_double();
    if (whole_numbers) {
      whole = whole.to_number<std::int64_t>() + part.to_number<std::int64_t>();
    } else {
      whole = dynamo::NumberOf(whole.to_number<double>() + part.to_number<double>());
    }
  }
}

// A list with an element for each table.
void AddCapacities(json::array& whole, const json::array& part) {
  for (const json::value& one : part) {
    json::value* same = nullptr;
    for (json::value& other : whole) {
      if (Fields(other.get_object()).Text("TableName") ==
          Fields(one.get_object()).Text("TableName")) {
        same = &other;
      }
    }
    if (same != nullptr) {
      AddMembers(same->get_object(), one.get_object());
    } else {
      whole.push_back(one);
    }
  }
}

}  // namespace

BatchParts SplitBatch(const json::object& request, const TableRule& rule, std::size_t shards,
                      KeySchemas& schemas) {
  BatchParts parts;
  for (const auto& [name, entry] : Fields(request).MapOrNone("RequestItems")) {
    const json::array* const items = ItemsOf(entry);
    if (items == nullptr) return {};
    const std::string table = dynamo::TableOfArn(std::string_view(name.data(), name.size()));
    for (const json::value& item : *items) {
      const bool is_get = rule.reach == TableReach::kBatchGet;
      const json::object* const key = is_get ? item.if_object() : WrittenItem(item);
      const auto slot = key == nullptr ? std::nullopt : SlotOfItem(*key, table, schemas);
      if (!slot) return {};
      json::object& part = parts[server::ShardOf(*slot, shards)];
      ItemsIn(part, request, std::string_view(name.data(), name.size()), entry).push_back(item);
    }
  }
  return parts;
}

std::size_t CountItems(const json::object& request) {
  std::size_t count = 0;
  for (const auto& [name, entry] : Fields(request).MapOrNone("RequestItems")) {
    const json::array* const items = ItemsOf(entry);
    if (items != nullptr) count += items->size();
  }
  return count;
}

json::object NothingDone(const json::object& request, const TableRule& rule) {
  json::object reply;
  const char* const left =
      rule.reach == TableReach::kBatchGet ? "UnprocessedKeys" : "UnprocessedItems";
  reply[left] = Fields(request).MapOrNone("RequestItems");
  return reply;
}

void AddReply(json::object& whole, const json::object& part) {
  for (const auto& [name, value] : part) {
    auto* const found = whole.if_contains(name);
    if (found == nullptr) {
      whole[name] = value;
    } else if (name == "ConsumedCapacity" && found->is_array() && value.is_array()) {
      AddCapacities(found->get_array(), value.get_array());
    } else {
      AddValue(*found, value);
    }
  }
}

}  // namespace mayfly::cluster
