// shard_changes.cc - changes of definitions in one shard, the home shard or another (definitions.h).
#include <utility>

#include "base/log.h"
#include "cluster/tables/limits.h"
#include "cluster/tables/open_tables.h"
#include "dynamo/json/fields.h"

namespace mayfly::cluster {

using dynamo::Fields;
using server::TableCall;

namespace {

std::string_view OperationOf(const TableCall& call) {
  return std::string_view(call.target).substr(call.target.find('.') + 1);
}

// How a table is described while the change is under way.
const char* StatusDuring(std::string_view operation) {
  if (operation == "CreateTable") return "CREATING";
  if (operation == "UpdateTable") return "UPDATING";
  return operation == "DeleteTable" ? "DELETING" : nullptr;
}

// Replaces a text of a structure of the reply.
void Replace(TableCall& call, const char* structure, const char* name, const char* text) {
  auto reply = dynamo::ParseJson(call.reply);
  if (!reply || !reply->is_object()) return;
  auto* const found = reply->get_object().if_contains(structure);
  if (found == nullptr || !found->is_object()) return;
  found->get_object()[name] = text;
  call.reply = dynamo::ToText(*reply);
}

}  // namespace

std::string KindOf(const TableCall& call) {
  if (call.status == kOk) return {};
  const auto reply = dynamo::ParseJson(call.reply);
  if (!reply || !reply->is_object()) return {};
  const std::string type = Fields(reply->get_object()).Text("__type");
  const std::size_t mark = type.find('#');
  return mark == std::string::npos ? type : type.substr(mark + 1);
}

void ShardTables::Change(Open& open, TableCall& call) {
  const std::lock_guard lock(open.changes);
  const auto before = open.definitions.UnderWay();
  if (!before) return Refuse(call, kUnavailable, before.error());
  if (*before) return Refuse(call, kChangeUnderWay, Status::Busy("another change is under way"));
  DefinitionChange change{.target = call.target, .json = call.json};
  const auto number = open.definitions.Begin(change);
  if (!number) return Refuse(call, kUnavailable, number.error());
  change.number = *number;
  TableCall* const calls[] = {&call};
  Answer(open, calls);
  if (call.status >= kFirstFault) {
    // Whether it ran is unknown: all shards are brought to run it.
  } else if (call.status != kOk) {
    const Status ended = open.definitions.End(*number);
    if (!ended.ok()) Log(logger_, LogLevel::kWarning, "cluster: {}", ended.message());
    return;
  } else {
    if (const char* const status = StatusDuring(change.operation())) {
      Replace(call, "TableDescription", "TableStatus", status);
    }
    if (change.operation() == "DeleteTable") change.description = call.reply;
    const Status noted = open.definitions.NoteBegun(change);
    if (!noted.ok()) Refuse(call, kUnavailable, noted);
  }
  if (on_change_) on_change_();
}

void ShardTables::Follow(Open& open, TableCall& call) {
  const auto body = dynamo::ParseJson(call.json);
  if (!body || !body->is_object()) return Refuse(call, kBadRequest, body.status());
  const Fields in(body->get_object());
  const DefinitionChange change{.number = static_cast<std::uint64_t>(*in.Integer("Number")),
                                .target = in.Text("Target"),
                                .json = in.Text("Json")};
  const std::lock_guard lock(open.changes);
  const auto done = open.definitions.Done();
  if (!done) return Refuse(call, kUnavailable, done.error());
  if (*done < change.number) {
    TableCall own{.target = change.target, .json = change.json};
    TableCall* const calls[] = {&own};
    Answer(open, calls);
    // It may have run before, without a note of it.
    const std::string kind = KindOf(own);
    const bool has_table = open.tables->FindReadSchema(change.table(), {}).has_value();
    const bool is_there = own.status == kOk || kind == "ValidationException" ||
                          (kind == "ResourceInUseException" && has_table) ||
                          (kind == "ResourceNotFoundException" &&
                           (!has_table || change.operation() == "UpdateTable"));
    if (!is_there) return Refuse(call, kUnavailable, Status::Busy(own.reply));
    const Status noted = open.definitions.NoteDone(change.number);
    if (!noted.ok()) return Refuse(call, kUnavailable, noted);
  }
  const auto left = open.tables->RunUpkeep(kUpkeepItemsMax);
  if (!left) return Refuse(call, kUnavailable, left.error());
  dynamo::json::object reply;
  reply["Settled"] = *left == 0;
  call.status = kOk;
  call.reply = dynamo::ToText(reply);
}

// What the home shard has already is not everywhere yet.
void ShardTables::ShowUnsettled(Open& open, TableCall& call) {
  const std::string_view operation = OperationOf(call);
  if (operation != "DescribeTable" && operation != "DescribeTimeToLive") return;
  const std::lock_guard lock(open.changes);
  const auto change = open.definitions.UnderWay();
  if (!change || !*change) return;
  const auto body = dynamo::ParseJson(call.json);
  if (!body || !body->is_object()) return;
  const std::string table = Fields(body->get_object()).Name("TableName");
  if ((*change)->table() != table) return;
  const std::string_view under_way = (*change)->operation();
  if (operation == "DescribeTable") {
    const char* const status = StatusDuring(under_way);
    if (status == nullptr) return;
    if (call.status == kOk) return Replace(call, "Table", "TableStatus", status);
    const auto last = dynamo::ParseJson((*change)->description);
    if (!last || !last->is_object()) return;
    const auto* const described = last->get_object().if_contains("TableDescription");
    if (described == nullptr) return;
    dynamo::json::object reply;
    reply["Table"] = *described;
    call.status = kOk;
    call.reply = dynamo::ToText(reply);
    return;
  }
  if (call.status != kOk || under_way != "UpdateTimeToLive") return;
  const bool on = call.reply.find("\"ENABL") != std::string::npos;
  Replace(call, "TimeToLiveDescription", "TimeToLiveStatus", on ? "ENABLING" : "DISABLING");
}

std::optional<DefinitionChange> ShardTables::ChangeUnderWay() {
  const auto here = directory_.Find(kHomeShard).here;
  const auto open = here == nullptr ? nullptr : UseIfItHasTables(*here);
  if (open == nullptr) return std::nullopt;
  const std::lock_guard lock(open->changes);
  auto change = open->definitions.UnderWay();
  if (!change) return std::nullopt;
  return *std::move(change);
}

void ShardTables::EndChange(std::uint64_t number) {
  const auto open = Use(kHomeShard);
  if (open == nullptr) return;
  const std::lock_guard lock(open->changes);
  const Status ended = open->definitions.End(number);
  if (!ended.ok()) Log(logger_, LogLevel::kWarning, "cluster: {}", ended.message());
}

}  // namespace mayfly::cluster
