#include <algorithm>

#include "tables/tables_player.h"

namespace mayfly {

Player::IndexRows Player::Entries() {
  IndexRows rows;
  const auto names = database_->ListKeyspaces();
  for (const std::string& name : names.value()) {
    if (name.find(".index.") == std::string::npos) continue;
    const auto keyspace = database_->OpenKeyspace(name).value();
    const auto cursor = keyspace->NewCursor().value();
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      rows.emplace_back(keyspace, cursor->key(), cursor->value());
    }
  }
  return rows;
}

ModelCondition Player::Condition() {
  switch (posts_.random().Below(8)) {
    case 0:
      return {"attribute_exists(#u)", {.names = {{"#u", "user"}}}, [](const Item& item) {
                return item.contains("user");
              }};
    case 1:
      return {"attribute_not_exists(#u)", {.names = {{"#u", "user"}}}, [](const Item& item) {
                return !item.contains("user");
              }};
    case 2: {
      const Number than = posts_.Small(10);
      return {"n > :n", {.values = {{":n", than}}}, [than](const Item& item) {
                const auto n = item.find("n");
                return n != item.end() && *n->second.number() > than;
              }};
    }
    case 3: {
      const AttributeValue topic = posts_.Topic();
      return {"topic = :t OR attribute_exists(body)",
              {.values = {{":t", topic}}},
              [topic](const Item& item) {
                const auto found = item.find("topic");
                return (found != item.end() && found->second == topic) || item.contains("body");
              }};
    }
    default: return {"", {}, [](const Item&) { return true; }};
  }
}

void Player::ExpectWrite(const Result<WriteOutcome>& got, const ModelCondition& condition,
                         const Item& key, const std::optional<Item>& after, ReturnValues shown) {
  const std::string what = "write of " + Describe(key) + " if " + condition.text;
  const WriteOutcome& outcome = Must(what, got);
  const Item* before = model_.Find(key);
  const bool holds = condition.holds(before != nullptr ? *before : Item());
  Expect(what, holds ? "written" : "refused", outcome.written ? "written" : "refused");
  if (!holds) return;
  std::optional<Item> old = before != nullptr ? std::optional(*before) : std::nullopt;
  Expect(what + ", shown", Describe(shown == ReturnValues::kAllOld ? old : after),
         Describe(outcome.attributes));
  if (after) {
    model_.Put(*after);
  } else {
    model_.Delete(key);
  }
  const bool there = model_.Find(key) != nullptr;
  Expect(what + ", version", there ? "some" : "none", outcome.version > 0 ? "some" : "none");
}

void Player::Put() {
  const Item item = posts_.Post(model_.now());
  const ModelCondition condition = Condition();
  const auto put = tables_->PutItem(Conditional(
      PutItemRequest{.table = "posts", .item = item, .return_values = ReturnValues::kAllOld},
      condition));
  ExpectWrite(put, condition, item, item, ReturnValues::kAllOld);
}

void Player::Update() {
  const Item key = posts_.Key();
  const Item* before = model_.Find(key);
  Item after = before != nullptr ? *before : key;
  UpdateItemRequest request = {
      .table = "posts", .key = key, .return_values = ReturnValues::kAllNew};
  switch (posts_.random().Below(4)) {
    case 0: {
      after["topic"] = posts_.Topic();
      after["score"] = posts_.Score();
      request.update = "SET topic = :topic, score = :score";
      request.arguments.values = {
          {":topic", after["topic"]},
          {":score", after["score"]}
      };
      break;
    }
    case 1: {
      const Number by = posts_.Small(10);
      const auto n = after.find("n");
      after["n"] = n == after.end() ? by : Add(*n->second.number(), by).value();
      request.update = "ADD n :by";
      request.arguments.values = {
          {":by", by}
      };
      break;
    }
    case 2:
      after.erase("topic");
      after.erase("expires");
      request.update = "REMOVE topic, expires";
      break;
    default:
      after["expires"] = posts_.Expires(model_.now());
      request.update = "SET expires = :e";
      request.arguments.values = {
          {":e", after["expires"]}
      };
  }
  const ModelCondition condition = Condition();
  ExpectWrite(tables_->UpdateItem(Conditional(request, condition)), condition, key, after,
              ReturnValues::kAllNew);
}

void Player::Delete() {
  const Item key = posts_.Key();
  const ModelCondition condition = Condition();
  const auto kept = subject_.broken == Broken::kKeepsEntries ? Entries() : IndexRows();
  const auto gone = tables_->DeleteItem(Conditional(
      DeleteItemRequest{.table = "posts", .key = key, .return_values = ReturnValues::kAllOld},
      condition));
  for (const auto& [keyspace, entry, value] : kept) {
    (void)keyspace->PutIf(entry, value, PutCondition::Absent());
  }
  ExpectWrite(gone, condition, key, std::nullopt, ReturnValues::kAllOld);
}

// A check, a put and a delete, of three items.
void Player::Transact() {
  const Item checked = posts_.Key();
  const Item put = posts_.Post(model_.now());
  const Item gone = posts_.Key();
  const auto key_of = [](const Item& item) {
    return Item{
        {"user", item.at("user")},
        {"nr",   item.at("nr")  }
    };
  };
  if (checked == key_of(put) || checked == gone || gone == key_of(put)) return;
  ModelCondition first = Condition();
  if (first.text.empty()) return;
  const ModelCondition second = Condition();
  const auto check = ConditionCheck{
      .table = "posts", .key = checked, .condition = first.text, .arguments = first.arguments};
  const auto done = tables_->TransactWriteItems(
      {{check},
       {Conditional(PutItemRequest{.table = "posts", .item = put}, second)},
       {DeleteItemRequest{.table = "posts", .key = gone}}});
  const std::string what = "transaction on " + Describe(checked) + " if " + first.text + ", " +
                           Describe(put) + " if " + second.text;
  const TransactOutcome& outcome = Must(what, done);
  const auto holds = [&](const ModelCondition& condition, const Item& key) {
    const Item* item = model_.Find(key);
    return condition.holds(item != nullptr ? *item : Item());
  };
  const bool written = holds(first, checked) && holds(second, put);
  Expect(what, written ? "written" : "refused", outcome.written ? "written" : "refused");
  if (!written) return;
  model_.Put(put);
  model_.Delete(gone);
}

}  // namespace mayfly
