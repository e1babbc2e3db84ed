#include <algorithm>

#include "tables/tables_player.h"

namespace mayfly {

void Player::Get() {
  const Item key = posts_.Key();
  const auto found = tables_->GetItem({.table = "posts", .key = key});
  const Item* item = model_.Find(key);
  Expect("get of " + Describe(key), Describe(item != nullptr ? std::optional(*item) : std::nullopt),
         Describe(Must("get", found).item));
}

void Player::BatchGet() {
  std::vector<GetItemRequest> requests;
  for (const char* user : {"u0", "u1", "u2"}) {
    requests.push_back({.table = "posts", .key = {{"user", user}, {"nr", posts_.Small(8)}}});
  }
  const auto found = tables_->BatchGetItem(requests);
  for (std::size_t i = 0; i < requests.size() && found; ++i) {
    const Item* item = model_.Find(requests[i].key);
    Expect("batch get of " + Describe(requests[i].key),
           Describe(item != nullptr ? std::optional(*item) : std::nullopt),
           Describe((*found)[i].item));
  }
  Must("batch get", found);
}

void Player::Query() {
  const std::vector<std::string> names = {"", "by_topic", "by_score"};
  const std::string& index = names[posts_.random().Below(subject_.indexed ? names.size() : 1)];
  const AttributeValue partition = index == "by_topic" ? posts_.Topic() : posts_.Key().at("user");
  const std::string sort = index.empty() ? "nr" : "score";
  QueryRequest request = {.table = "posts", .index = index, .key_condition = "#p = :p"};
  request.arguments.names = {{"#p", index == "by_topic" ? "topic" : "user"}};
  request.arguments.values = {{":p", partition}};
  request.forward = posts_.random().OneIn(2);
  std::vector<Item> wanted = model_.Partition(index, partition);
  if (posts_.random().OneIn(2)) {
    const Number from = posts_.Small(8);
    request.key_condition += " AND " + sort + " >= :from";
    request.arguments.values[":from"] = from;
    std::erase_if(wanted, [&](const Item& item) { return *item.at(sort).number() < from; });
  }
  if (!request.forward) std::reverse(wanted.begin(), wanted.end());
  if (posts_.random().OneIn(2)) {
    request.limit = 1 + posts_.random().Below(4);
    if (wanted.size() > *request.limit) wanted.resize(*request.limit);
  }
  if (index != "by_topic" && posts_.random().OneIn(3)) {
    request.filter = "attribute_exists(body)";
    std::erase_if(wanted, [](const Item& item) { return !item.contains("body"); });
  }
  for (Item& item : wanted) {
    // A filter on an attribute it lacks makes a local index fetch whole items.
    if (request.filter.empty()) item = TablesModel::Shown(index, item);
  }
  const std::string what = "query of " + index + " " + request.key_condition;
  Expect(what, Describe(wanted), Describe(Must(what, tables_->Query(request)).items));
}

void Player::Scan() {
  const std::string index = !subject_.indexed || posts_.random().OneIn(2) ? "" : "by_score";
  if (!index.empty()) {
    std::size_t wanted = 0;
    for (const char* user : {"u0", "u1", "u2", "u3"})
      wanted += model_.Partition(index, user).size();
    const auto page = tables_->Scan({.table = "posts", .index = index, .count_only = true});
    Expect("count of " + index, std::to_string(wanted), std::to_string(Must("count", page).count));
    return;
  }
  const std::vector<Item> wanted = model_.All();
  Expect("scan", Describe(wanted), Describe(Must("scan", tables_->Scan({.table = "posts"})).items));
  Expect("items", std::to_string(wanted.size()),
         std::to_string(Must("describe", tables_->DescribeTable("posts")).items));
}

void Player::PartitionKeys() {
  std::string wanted;
  std::string last;
  for (const Item& item : model_.All()) {
    const std::string& user = *item.at("user").string();
    if (user != last) wanted += user + " ";
    last = user;
  }
  std::string got;
  const auto listed = tables_->ListPartitionKeys("posts");
  for (const AttributeValue& key : Must("partition keys", listed)) {
    got += *key.string() + " ";
  }
  Expect("partition keys", wanted, got);
}

}  // namespace mayfly
