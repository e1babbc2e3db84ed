// merged_reads.cc - Scan and DescribeTable of all shards (cluster_tables.h).
#include <algorithm>
#include <optional>

#include "cluster/tables/asked.h"
#include "cluster/tables/limits.h"
#include "cluster/tables/split_batch.h"

namespace mayfly::cluster {

using dynamo::Fields;
using server::TableCall;

namespace {

namespace json = dynamo::json;

std::int64_t ScannedIn(const json::object& reply) {
  return Fields(reply).Integer("ScannedCount").value_or(0);
}

// About how many bytes the page has read, and at least how many it has returned. Its capacity is
// rounded up to a block, which may be nearly empty.
double BytesRead(const TableCall& page, const json::object& reply, bool consistent) {
  constexpr double kBlockBytes = 4096;
  const double block_units = consistent ? 1 : 0.5;
  const auto capacity = Fields(reply).Structure("ConsumedCapacity");
  const json::value* const found = capacity ? capacity->Find("CapacityUnits") : nullptr;
  const double units = found != nullptr && found->is_number() ? found->to_number<double>() : 0;
  return std::max((units / block_units - 1) * kBlockBytes, static_cast<double>(page.reply.size()));
}

void AddFigures(json::object& whole, const Fields& part, const char* bytes) {
  for (const char* const name : {"ItemCount", bytes}) {
    whole[name] = Fields(whole).Integer(name).value_or(0) + part.Integer(name).value_or(0);
  }
}

// An index is ready when it is in all shards.
void AddIndex(json::object& whole, const std::optional<Fields>& part) {
  if (part) AddFigures(whole, *part, "IndexSizeBytes");
  if (!whole.contains("IndexStatus")) return;
  if (part && part->Text("IndexStatus") == "ACTIVE") return;
  whole["IndexStatus"] = "CREATING";
  whole["Backfilling"] = true;
}

void AddTable(json::object& whole, const Fields& part) {
  AddFigures(whole, part, "TableSizeBytes");
  for (const char* const kind : {"LocalSecondaryIndexes", "GlobalSecondaryIndexes"}) {
    auto* const indexes = whole.if_contains(kind);
    if (indexes == nullptr) continue;
    for (json::value& index : indexes->get_array()) {
      const std::string name = Fields(index.get_object()).Text("IndexName");
      std::optional<Fields> same;
      for (const Fields& other : part.Structures(kind)) {
        if (other.Text("IndexName") == name) same = other;
      }
      AddIndex(index.get_object(), same);
    }
  }
}

bool IsNoSuchTable(const TableCall& call) {
  return call.status != kOk && call.reply.find("#ResourceNotFoundException") != std::string::npos;
}

}  // namespace

TableCall ClusterTables::ScanShard(const dynamo::Operation& scan, std::size_t shard,
                                   const json::object& request, std::optional<std::int64_t> limit) {
  json::object own(request, json::storage_ptr());
  if (limit) own["Limit"] = *limit;
  TableCall call{.target = TargetOf(scan), .json = dynamo::ToText(own)};
  calls_.Do(shard, call);
  return call;
}

// A page begins in the shard of its start key. Where a shard ends, the page goes on in the next one,
// until it has read enough; then it needs a last key, which a shard tells only when its limit is
// reached: so the shard is read again with its number of items as the limit.
void ClusterTables::RunScan(const Asked& asked) {
  const Fields in = asked.in();
  json::object request(asked.object(), json::storage_ptr());
  const std::string shown = in.Text("ReturnConsumedCapacity");
  const bool shows_units = shown == "TOTAL" || shown == "INDEXES";
  if (!shows_units) request["ReturnConsumedCapacity"] = "TOTAL";
  const bool consistent = in.Boolean("ConsistentRead");
  std::size_t shard = 0;
  if (const json::object* const start = in.Map("ExclusiveStartKey")) {
    const auto slot = SlotOfItem(*start, in.Name("TableName"), schemas_);
    shard = slot ? server::ShardOf(*slot, calls_.shards()) : kHomeShard;
  }
  auto limit = in.Integer("Limit");
  json::object page;
  for (double bytes = 0; shard < calls_.shards(); ++shard, request.erase("ExclusiveStartKey")) {
    TableCall part = ScanShard(*asked.call->operation, shard, request, limit);
    if (part.status != kOk) return asked.Take(part);
    json::object reply = dynamo::ParseJson(part.reply)->get_object();
    const bool enough = bytes + BytesRead(part, reply, consistent) >= kPageBytesEnough;
    const bool ended = !reply.contains("LastEvaluatedKey");
    if (ended && enough && ScannedIn(reply) > 0 && shard + 1 < calls_.shards()) {
      part = ScanShard(*asked.call->operation, shard, request, ScannedIn(reply));
      if (part.status != kOk) return asked.Take(part);
      reply = dynamo::ParseJson(part.reply)->get_object();
    }
    bytes += BytesRead(part, reply, consistent);
    if (limit) *limit -= ScannedIn(reply);
    // A shard without items costs nothing, unless all are such.
    if (ScannedIn(reply) == 0 && !page.empty()) reply.erase("ConsumedCapacity");
    AddReply(page, reply);
    if (page.contains("LastEvaluatedKey")) break;
  }
  if (!shows_units) page.erase("ConsumedCapacity");
  asked.call->status = kOk;
  asked.call->reply = dynamo::ToText(page);
}

void ClusterTables::RunDescribe(const Asked& asked) {
  TableCall home = asked.own;
  calls_.Do(kHomeShard, home);
  if (home.status != kOk) return asked.Take(home);
  json::object reply = dynamo::ParseJson(home.reply)->get_object();
  json::object& table = reply["Table"].get_object();
  std::vector<TableCall> calls(calls_.shards(), asked.own);
  for (std::size_t first = 0; first < calls.size(); first += kShardsTogether) {
    std::vector<ShardGroup> groups;
    for (std::size_t i = first; i < std::min(first + kShardsTogether, calls.size()); ++i) {
      if (i != kHomeShard) groups.push_back({i, {&calls[i]}});
    }
    calls_.Do(std::move(groups));
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (i == kHomeShard || IsNoSuchTable(calls[i])) continue;  // It is being made, or deleted.
    if (calls[i].status != kOk) return asked.Take(calls[i]);
    const json::object part = dynamo::ParseJson(calls[i].reply)->get_object();
    AddTable(table, *Fields(part).Structure("Table"));
  }
  asked.call->status = kOk;
  asked.call->reply = dynamo::ToText(reply);
}

}  // namespace mayfly::cluster
