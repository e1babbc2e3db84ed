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

void Player::ExpectWrite(const PlannedWrite& planned, const Result<WriteOutcome>& got) {
  const std::string what = "write of " + Describe(planned.key) + " if " + planned.condition.text;
  const WriteOutcome& outcome = Must(what, got);
  const Item* before = model_.Find(planned.key);
  const bool holds = planned.condition.holds(before != nullptr ? *before : Item());
  Expect(what, holds ? "written" : "refused", outcome.written ? "written" : "refused");
  if (!holds) return;
  const std::optional<Item> old = before != nullptr ? std::optional(*before) : std::nullopt;
  const std::optional<Item> after = planned.after(old);
  Expect(what + ", shown", Describe(planned.shown == ReturnValues::kAllOld ? old : after),
         Describe(outcome.attributes));
  if (after) {
    model_.Put(*after);
  } else {
    model_.Delete(planned.key);
  }
  const bool there = model_.Find(planned.key) != nullptr;
  Expect(what + ", version", there ? "some" : "none", outcome.version > 0 ? "some" : "none");
}

Player::PlannedWrite Player::NextPut() {
  const Item item = posts_.Post(model_.now());
  const ModelCondition condition = Condition();
  return {
      .write = Conditional(
          PutItemRequest{.table = "posts", .item = item, .return_values = ReturnValues::kAllOld},
          condition),
      .key = item,
      .condition = condition,
      .shown = ReturnValues::kAllOld,
      .after = [item](const std::optional<Item>&) { return item; }};
}

Player::PlannedWrite Player::NextUpdate() {
  const Item key = posts_.Key();
  UpdateItemRequest request = {
      .table = "posts", .key = key, .return_values = ReturnValues::kAllNew};
  std::function<void(Item&)> change;
  bool only_removes = false;
  switch (posts_.random().Below(4)) {
    case 0: {
      const AttributeValue topic = posts_.Topic();
      const AttributeValue score = posts_.Score();
      request.update = "SET topic = :topic, score = :score";
      request.arguments.values = {{":topic", topic}, {":score", score}};
      change = [topic, score](Item& item) {
        item["topic"] = topic;
        item["score"] = score;
      };
      break;
    }
    case 1: {
      const Number by = posts_.Small(10);
      request.update = "ADD n :by";
      request.arguments.values = {{":by", by}};
      change = [by](Item& item) {
        const auto n = item.find("n");
        item["n"] = n == item.end() ? by : Add(*n->second.number(), by).value();
      };
      break;
    }
    case 2:
      request.update = "REMOVE topic, expires";
      only_removes = true;
      change = [](Item& item) {
        item.erase("topic");
        item.erase("expires");
      };
      break;
    default: {
      const AttributeValue expires = posts_.Expires(model_.now());
      request.update = "SET expires = :e";
      request.arguments.values = {{":e", expires}};
      change = [expires](Item& item) { item["expires"] = expires; };
    }
  }
  const ModelCondition condition = Condition();
  return {.write = Conditional(request, condition),
          .key = key,
          .condition = condition,
          .shown = ReturnValues::kAllNew,
          .after = [key, change,
                    only_removes](const std::optional<Item>& before) -> std::optional<Item> {
            if (!before && only_removes) return std::nullopt;
            Item item = before.value_or(key);
            change(item);
            return item;
          }};
}

Player::PlannedWrite Player::NextDelete() {
  const Item key = posts_.Key();
  const ModelCondition condition = Condition();
  return {
      .write = Conditional(
          DeleteItemRequest{.table = "posts", .key = key, .return_values = ReturnValues::kAllOld},
          condition),
      .key = key,
      .condition = condition,
      .shown = ReturnValues::kAllOld,
      .after = [](const std::optional<Item>&) { return std::optional<Item>(); }};
}

void Player::Put() {
  const PlannedWrite put = NextPut();
  ExpectWrite(put, tables_->PutItem(std::get<PutItemRequest>(put.write)));
}

void Player::Update() {
  const PlannedWrite update = NextUpdate();
  ExpectWrite(update, tables_->UpdateItem(std::get<UpdateItemRequest>(update.write)));
}

void Player::Delete() {
  const PlannedWrite gone = NextDelete();
  const auto kept = subject_.broken == Broken::kKeepsEntries ? Entries() : IndexRows();
  const auto deleted = tables_->DeleteItem(std::get<DeleteItemRequest>(gone.write));
  for (const auto& [keyspace, entry, value] : kept) {
    (void)keyspace->PutIf(entry, value, PutCondition::Absent());
  }
  ExpectWrite(gone, deleted);
}

// Some of them of the same item, now and then.
void Player::WriteTogether() {
  std::vector<PlannedWrite> planned;
  std::vector<tables::ItemWrite> writes;
  for (std::size_t i = 1 + posts_.random().Below(12); i > 0; --i) {
    switch (posts_.random().Below(4)) {
      case 0: planned.push_back(NextDelete()); break;
      case 1: planned.push_back(NextPut()); break;
      default: planned.push_back(NextUpdate());
    }
    writes.push_back(planned.back().write);
  }
  for (std::size_t done = 0; done < writes.size();) {
    const auto outcomes = tables_->WritePrefix(std::span(writes).subspan(done));
    Expect("writes together", "some", outcomes.empty() ? "none" : "some");
    if (outcomes.empty()) return;
    for (const auto& outcome : outcomes) ExpectWrite(planned[done++], outcome);
  }
}

// A check, a put and a delete, of three items.
void Player::Transact() {
  const Item checked = posts_.Key();
  const Item put = posts_.Post(model_.now());
  const Item gone = posts_.Key();
  const auto key_of = [](const Item& item) {
    return Item{{"user", item.at("user")}, {"nr", item.at("nr")}};
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
