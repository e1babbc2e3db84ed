#include "cluster/tables/shard_tables.h"

#include <utility>
#include <vector>

#include "base/log.h"
#include "cluster/tables/item_routes.h"
#include "cluster/tables/limits.h"
#include "cluster/tables/split_batch.h"
#include "dynamo/json/fields.h"
#include "dynamo/json/json_memory.h"
#include "dynamo/operations/operations.h"
#include "dynamo/tables/table_json.h"
#include "tables/protocol_tables.h"
#include "tables/schema/table_names.h"

namespace mayfly::cluster {

using dynamo::Fields;
using server::ServedDatabase;
using server::TableCall;

namespace {

std::string_view OperationOf(const TableCall& call) {
  return std::string_view(call.target).substr(call.target.find('.') + 1);
}

// "ResourceNotFoundException"; empty for another reply.
std::string KindOf(const TableCall& call) {
  if (call.status == kOk) return {};
  const auto reply = dynamo::ParseJson(call.reply);
  if (!reply || !reply->is_object()) return {};
  const std::string type = Fields(reply->get_object()).Text("__type");
  return type.substr(type.find('#') + 1);
}

void Refuse(TableCall& call, int status, const Status& why) {
  call.status = status;
  call.reply = std::string(why.message());
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

// Its members are destroyed from the last to the first: the tables before the database may close.
struct ShardTables::Open {
  std::shared_ptr<ServedDatabase> data;
  std::unique_ptr<tables::ProtocolTables> tables;
  std::unique_ptr<dynamo::Service> service;
  std::mutex changes;
  Definitions definitions;  // Guarded by changes.

  explicit Open(std::shared_ptr<ServedDatabase> of)
      : data(std::move(of)), definitions(data->database) {}
};

class ShardTables::Schemas final : public KeySchemas {
 public:
  explicit Schemas(tables::ProtocolTables& tables) : tables_(tables) {}

  std::optional<tables::ReadSchema> Find(const std::string& table,
                                         const std::string& index) override {
    auto found = tables_.FindReadSchema(table, index);
    if (!found) return std::nullopt;
    return *std::move(found);
  }

 private:
  tables::ProtocolTables& tables_;
};

ShardTables::ShardTables(server::ShardDirectory& directory, const Clock& clock, Logger& logger,
                         ShardTablesOptions options)
    : directory_(directory), clock_(clock), logger_(logger), options_(std::move(options)) {}

ShardTables::~ShardTables() = default;

bool ShardTables::IsHere(const ServedDatabase& data) const {
  return directory_.Find(data.shard).here.get() == &data;
}

std::shared_ptr<ShardTables::Open> ShardTables::Use(std::size_t shard) {
  auto here = directory_.Find(shard).here;
  if (here == nullptr) return nullptr;
  const auto opened = [&]() -> std::shared_ptr<Open> {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(shard);
    return found != open_.end() && found->second->data == here ? found->second : nullptr;
  };
  if (auto found = opened()) return found;
  const std::lock_guard one(opening_.at(shard % opening_.size()));
  if (auto found = opened()) return found;
  auto open = std::make_shared<Open>(here);
  auto tables = tables::ProtocolTables::Open(here->database);
  if (!tables) {
    Log(logger_, LogLevel::kWarning, "cluster: the tables of shard {} cannot be opened: {}", shard,
        tables.error().message());
    return nullptr;
  }
  open->tables = *std::move(tables);
  open->service = std::make_unique<dynamo::Service>(
      *open->tables, clock_, logger_, dynamo::ServiceOptions{.region = options_.region});
  {
    const std::lock_guard lock(mutex_);
    open_[shard] = open;
  }
  // It may have gone before it was in the map, and then ShardGoes() has not seen it.
  if (!IsHere(*here)) {
    ShardGoes(shard);
    return nullptr;
  }
  return open;
}

std::shared_ptr<ShardTables::Open> ShardTables::UseIfItHasTables(const ServedDatabase& data) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(data.shard);
    if (found != open_.end() && found->second->data.get() == &data) return found->second;
  }
  const auto any = data.database.OpenKeyspace(tables::kTablesKeyspace);
  return any ? Use(data.shard) : nullptr;
}

void ShardTables::ShardGoes(std::size_t shard) {
  std::shared_ptr<Open> last;
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(shard);
  if (found == open_.end()) return;
  last = std::move(found->second);
  open_.erase(found);
}

bool ShardTables::Run(std::size_t shard, std::span<TableCall> calls) {
  const auto open = Use(shard);
  if (open == nullptr) return false;
  std::vector<TableCall*> together;
  for (TableCall& call : calls) {
    if (call.status != 0) continue;
    const dynamo::Operation* const operation = dynamo::FindOperation(call.target);
    const bool on_item = operation != nullptr && RuleOf(operation->name).reach == TableReach::kItem;
    if (!on_item) {
      RunOne(*open, call);
    } else if (!BelongsHere(*open, operation->name, call.json)) {
      call.status = kStaleRoute;
    } else {
      together.push_back(&call);
    }
  }
  Answer(*open, together);
  if (IsHere(*open->data)) return true;
  // What had no effect, since the shard has gone, runs again where it is now.
  for (TableCall& call : calls) {
    const std::string kind = KindOf(call);
    const bool had_none =
        kind == "TransactionConflictException" || kind == "ResourceInUseException";
    if (had_none || call.status == kUnavailable) call.status = 0;
  }
  return true;
}

void ShardTables::RunOne(Open& open, TableCall& call) {
  if (call.target == kSchemaTarget) return Schema(open, call);
  if (call.target == kFollowTarget) return Follow(open, call);
  if (call.target == kIndexQueryTarget) return QueryIndex(open, call);
  const dynamo::Operation* const operation = dynamo::FindOperation(call.target);
  if (operation == nullptr) {
    return Refuse(call, kBadRequest, Status::Invalid("no such operation: " + call.target));
  }
  if (RuleOf(operation->name).reach == TableReach::kChange) return Change(open, call);
  if (!BelongsHere(open, operation->name, call.json)) {
    call.status = kStaleRoute;
    return;
  }
  TableCall* const calls[] = {&call};
  Answer(open, calls);
  if (open.data->shard == kHomeShard) ShowUnsettled(open, call);
}

// Writes of single items that come together share a commit.
void ShardTables::Answer(Open& open, std::span<TableCall* const> calls) {
  std::vector<http::Exchange> exchanges(calls.size());
  std::vector<http::Exchange*> left;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    exchanges[i].client = calls[i];  // Each its own: their order does not matter.
    http::Request& request = exchanges[i].request;
    request.method = "POST";
    request.path = "/";
    request.headers["x-amz-target"] = calls[i]->target;
    request.headers["content-type"] = "application/x-amz-json-1.0";
    request.body = calls[i]->json;
    left.push_back(&exchanges[i]);
  }
  while (!left.empty()) {
    open.service->Answer(left);
    std::erase_if(left,
                  [](const http::Exchange* exchange) { return exchange->response.has_value(); });
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i]->status = exchanges[i].response->status;
    calls[i]->reply = std::move(exchanges[i].response->body);
  }
}

bool ShardTables::BelongsHere(Open& open, std::string_view operation, const std::string& json) {
  const TableRule& rule = RuleOf(operation);
  dynamo::JsonMemory memory(json.size());
  const auto body = dynamo::ParseJson(json, memory.values(), memory.scratch());
  if (!body || !body->is_object()) return true;  // It is refused.
  Schemas schemas(*open.tables);
  const std::size_t shards = directory_.shards();
  const auto is_here = [&](const std::optional<engine::Slot>& slot) {
    return !slot || server::ShardOf(*slot, shards) == open.data->shard;
  };
  switch (rule.reach) {
    case TableReach::kItem:
    case TableReach::kQuery:
    case TableReach::kTransaction: {
      const ItemRoute route = RouteOf(rule, Fields(body->get_object()), schemas);
      return !route.several_slots && !route.all_shards && is_here(route.slot);
    }
    case TableReach::kBatchGet:
    case TableReach::kBatchWrite: {
      const auto parts = SplitBatch(body->get_object(), rule, shards, schemas);
      return parts.empty() || (parts.size() == 1 && parts.begin()->first == open.data->shard);
    }
    default: return true;
  }
}

void ShardTables::Schema(Open& open, TableCall& call) {
  const auto body = dynamo::ParseJson(call.json);
  if (!body || !body->is_object()) return Refuse(call, kBadRequest, body.status());
  const Fields in(body->get_object());
  const auto found = open.tables->FindReadSchema(in.Name("TableName"), in.Name("IndexName"));
  if (!found) {
    const bool none = found.error().IsNotFound() || found.error().code() == StatusCode::kInvalid;
    return Refuse(call, none ? kNotFound : kUnavailable, found.error());
  }
  dynamo::json::object schema;
  schema["Partition"] = dynamo::ToJson(found->partition);
  schema["PartitionType"] = static_cast<int>(found->partition_type);
  if (found->sort) schema["Sort"] = dynamo::ToJson(*found->sort);
  schema["SortType"] = static_cast<int>(found->sort_type);
  schema["IsIndex"] = found->is_index;
  schema["IsLocal"] = found->is_local;
  call.status = kOk;
  call.reply = dynamo::ToText(schema);
}

void ShardTables::QueryIndex(Open& open, TableCall& call) {
  const auto body = dynamo::ParseJson(call.json);
  if (!body || !body->is_object()) return Refuse(call, kBadRequest, body.status());
  const Fields in(body->get_object());
  const auto schema = open.tables->FindReadSchema(in.Name("TableName"), in.Name("IndexName"));
  if (schema && schema->is_local) {
    call.status = kStaleRoute;
    return;
  }
  TableCall query{.target = "DynamoDB_20120810.Query", .json = std::move(call.json)};
  TableCall* const calls[] = {&query};
  Answer(open, calls);
  call.status = query.status;
  call.reply = std::move(query.reply);
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

void ShardTables::RunUpkeep() {
  for (const auto& data : directory_.Here()) {
    const auto open = UseIfItHasTables(*data);
    if (open == nullptr) continue;
    const auto left = open->tables->RunUpkeep(kUpkeepItemsMax);
    if (!left && IsHere(*data)) {
      Log(logger_, LogLevel::kWarning, "cluster: upkeep of the tables of shard {}: {}", data->shard,
          left.error().message());
    }
  }
}

}  // namespace mayfly::cluster
