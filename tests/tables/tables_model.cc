#include "tables/tables_model.h"

#include <algorithm>
#include <cmath>

#include "items/item_key.h"

namespace mayfly {
namespace {

std::string Describe(const AttributeValue& value) {
  if (value.string() != nullptr) return "'" + *value.string() + "'";
  if (value.number() != nullptr) return value.number()->text();
  return std::string(AttributeTypeName(value.type()));
}

}  // namespace

std::string Describe(const Item& item) {
  std::string text = "{";
  for (const auto& [name, value] : item) text += name + "=" + Describe(value) + " ";
  return text + "}";
}

std::string Describe(const std::optional<Item>& item) { return item ? Describe(*item) : "none"; }

std::string Describe(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) text += "\n    " + Describe(item);
  return text.empty() ? "nothing" : text;
}

void TablesModel::SetNow(WallTime now) {
  now_ = now;
  DropDead();
}

void TablesModel::SetTtl(const std::string& attribute, TtlMode mode) {
  ttl_attribute_ = attribute;
  mode_ = mode;
  DropDead();
}

bool TablesModel::IsDead(const Item& item) const {
  const auto deadline = DeadlineOf(item);
  return deadline && *deadline <= now_;
}

void TablesModel::DropDead() {
  if (mode_ == TtlMode::kExact) Sweep();
}

std::size_t TablesModel::Sweep() {
  return std::erase_if(items_, [&](const auto& one) { return IsDead(one.second); });
}

std::string TablesModel::KeyOf(const Item& item) {
  return items::ItemKey(item.at("user"), &item.at("nr"));
}

const Item* TablesModel::Find(const Item& key) const {
  const auto found = items_.find(KeyOf(key));
  return found == items_.end() ? nullptr : &found->second;
}

void TablesModel::Put(const Item& item) {
  items_[KeyOf(item)] = item;
  DropDead();
}

bool TablesModel::Delete(const Item& key) { return items_.erase(KeyOf(key)) > 0; }

std::optional<WallTime> TablesModel::DeadlineOf(const Item& item) const {
  const auto found = item.find(ttl_attribute_);
  if (found == item.end() || found->second.number() == nullptr) return std::nullopt;
  const long double seconds = std::stold(found->second.number()->text());
  if (seconds == 0) return std::nullopt;
  return WallTimeFromMs(std::llround(seconds * 1000));
}

std::vector<WallTime> TablesModel::Deadlines() const {
  std::vector<WallTime> deadlines;
  for (const auto& [key, item] : items_) {
    const auto deadline = DeadlineOf(item);
    if (deadline && *deadline > now_) deadlines.push_back(*deadline);
  }
  return deadlines;
}

std::vector<Item> TablesModel::All() const {
  std::vector<Item> items;
  for (const auto& [key, item] : items_) items.push_back(item);
  return items;
}

std::vector<Item> TablesModel::Partition(const std::string& index,
                                         const AttributeValue& partition) const {
  const std::string partition_name = index == "by_topic" ? "topic" : "user";
  const std::string sort_name = index.empty() ? "nr" : "score";
  std::vector<Item> found;
  for (const auto& [key, item] : items_) {
    const auto value = item.find(partition_name);
    if (value == item.end() || !(value->second == partition) || !item.contains(sort_name)) continue;
    found.push_back(item);
  }
  std::stable_sort(found.begin(), found.end(), [&](const Item& a, const Item& b) {
    return *a.at(sort_name).number() < *b.at(sort_name).number();
  });
  return found;
}

Item TablesModel::Shown(const std::string& index, const Item& item) {
  if (index.empty()) return item;
  Item shown;
  for (const auto& [name, value] : item) {
    const bool key = name == "user" || name == "nr" || name == "score";
    if (key || (index == "by_topic" && (name == "topic" || name == "title"))) shown[name] = value;
  }
  return shown;
}

}  // namespace mayfly
