#include "cluster/tables/index_merge.h"

#include <algorithm>
#include <utility>

#include "dynamo/json/attribute_json.h"
#include "dynamo/json/fields.h"
#include "items/item_key.h"

namespace mayfly::cluster {
namespace {

namespace json = dynamo::json;
using expressions::SortCondition;
using server::TableCall;

std::string SortText(const SortCondition& sort) {
  switch (sort.kind) {
    case SortCondition::Kind::kEqual: return "#s = :s";
    case SortCondition::Kind::kLess: return "#s < :s";
    case SortCondition::Kind::kLessOrEqual: return "#s <= :s";
    case SortCondition::Kind::kGreater: return "#s > :s";
    case SortCondition::Kind::kGreaterOrEqual: return "#s >= :s";
    case SortCondition::Kind::kBetween: return "#s BETWEEN :s AND :t";
    case SortCondition::Kind::kBeginsWith: return "begins_with(#s, :s)";
  }
  return {};
}

void CopyKey(const std::string& name, const Item& from, Item& to) {
  const auto found = from.find(name);
  if (found != from.end()) to.insert(*found);
}

}  // namespace

std::string IndexRange::PositionOf(const Item& entry) const {
  const auto value = [&](const std::string& attribute) -> const AttributeValue* {
    const auto found = entry.find(attribute);
    return found == entry.end() ? nullptr : &found->second;
  };
  std::string position;
  if (index_schema.sort) {
    if (const auto* const sort = value(*index_schema.sort)) items::AppendKeyValue(*sort, position);
  }
  const AttributeValue* const partition = value(table_schema.partition);
  if (partition == nullptr) return position;
  const AttributeValue* const sort = table_schema.sort ? value(*table_schema.sort) : nullptr;
  return position + items::ItemKey(*partition, sort);
}

Item IndexRange::LastKeyOf(const Item& entry) const {
  Item key;
  for (const tables::ReadSchema* const schema : {&table_schema, &index_schema}) {
    CopyKey(schema->partition, entry, key);
    if (schema->sort) CopyKey(*schema->sort, entry, key);
  }
  return key;
}

void WriteKeyCondition(const IndexRange& range, json::object& request) {
  std::string text = "#p = :p";
  json::object names;
  json::object values;
  names["#p"] = dynamo::ToJson(range.index_schema.partition);
  values[":p"] = dynamo::WriteValue(range.condition.partition);
  if (const auto& sort = range.condition.sort) {
    text += " AND " + SortText(*sort);
    names["#s"] = dynamo::ToJson(*range.index_schema.sort);
    values[":s"] = dynamo::WriteValue(sort->value);
    if (sort->kind == SortCondition::Kind::kBetween) {
      values[":t"] = dynamo::WriteValue(sort->upper);
    }
  }
  request["KeyConditionExpression"] = dynamo::ToJson(text);
  request["ExpressionAttributeNames"] = std::move(names);
  request["ExpressionAttributeValues"] = std::move(values);
}

IndexMerge::IndexMerge(ShardCalls& calls, const IndexRange& range, std::int64_t entries)
    : calls_(calls), range_(range), parts_(calls.shards()) {
  const auto shards = static_cast<std::int64_t>(parts_.size());
  const std::int64_t fair = std::min(entries, kIndexEntriesMax) / shards * 2;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i].shard = i;
    parts_[i].wanted = std::min(entries, std::max(fair, kIndexEntriesMin));
  }
}

std::optional<Item> IndexMerge::Next() {
  std::vector<Part*> missing;
  for (Part& part : parts_) {
    if (part.IsEmpty() && part.more) missing.push_back(&part);
  }
  Fetch(missing);
  if (refusal_) return std::nullopt;
  Part* first = nullptr;
  for (Part& part : parts_) {
    if (part.IsEmpty()) continue;
    const auto is_before = [&](const Part& one, const Part& other) {
      const std::string& a = one.entries[one.next].position;
      const std::string& b = other.entries[other.next].position;
      return range_.forward ? a < b : b < a;
    };
    if (first == nullptr || is_before(part, *first)) first = &part;
  }
  if (first == nullptr) return std::nullopt;
  return std::move(first->entries[first->next++].item);
}

void IndexMerge::Fetch(const std::vector<Part*>& parts) {
  for (std::size_t begin = 0; begin < parts.size() && !refusal_; begin += kShardsTogether) {
    const std::size_t count = std::min(kShardsTogether, parts.size() - begin);
    std::vector<TableCall> calls(count);
    std::vector<ShardGroup> groups;
    for (std::size_t i = 0; i < count; ++i) {
      Part& part = *parts[begin + i];
      json::object request;
      request["TableName"] = dynamo::ToJson(range_.table);
      request["IndexName"] = dynamo::ToJson(range_.name);
      request["ScanIndexForward"] = range_.forward;
      request["Limit"] = part.wanted;
      WriteKeyCondition(range_, request);
      if (!part.after.empty()) {
        request["ExclusiveStartKey"] = part.after;
      } else if (range_.start_after != nullptr) {
        request["ExclusiveStartKey"] = *range_.start_after;
      }
      calls[i] = {.target = kIndexQueryTarget, .json = dynamo::ToText(request)};
      groups.push_back({part.shard, {&calls[i]}});
    }
    calls_.Do(std::move(groups));
    for (std::size_t i = 0; i < count; ++i) {
      if (!Take(*parts[begin + i], calls[i])) return;
    }
  }
}

// False: it is a refusal.
bool IndexMerge::Take(Part& part, const TableCall& answer) {
  const auto reply = dynamo::ParseJson(answer.reply);
  if (answer.status != kOk || !reply || !reply->is_object()) {
    refusal_ = answer;
    return false;
  }
  const dynamo::Fields in(reply->get_object());
  part.entries.clear();
  part.next = 0;
  for (const json::value& one : in.ListOrNone("Items")) {
    auto item = dynamo::ReadItem(one.get_object());
    if (!item) continue;  // Items that were stored are items.
    std::string position = range_.PositionOf(*item);
    part.entries.push_back({std::move(position), *std::move(item)});
  }
  const json::object* const last = in.Map("LastEvaluatedKey");
  part.more = last != nullptr;
  if (last != nullptr) part.after = json::object(*last, json::storage_ptr());
  part.wanted = std::min(2 * part.wanted, kIndexEntriesMax);
  return true;
}

}  // namespace mayfly::cluster
