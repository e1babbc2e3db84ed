#include "cluster/tables/shard_tables.h"

#include <utility>
#include <vector>

#include "base/log.h"
#include "cluster/tables/item_routes.h"
#include "cluster/tables/limits.h"
#include "cluster/tables/open_tables.h"
#include "cluster/tables/split_batch.h"
#include "dynamo/json/fields.h"
#include "dynamo/json/json_memory.h"
#include "dynamo/operations/operations.h"
#include "tables/schema/table_names.h"

namespace mayfly::cluster {

using dynamo::Fields;
using server::ServedDatabase;
using server::TableCall;

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
