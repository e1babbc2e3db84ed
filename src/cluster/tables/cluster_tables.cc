#include "cluster/tables/cluster_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "cluster/tables/asked.h"
#include "cluster/tables/limits.h"
#include "cluster/tables/split_batch.h"
#include "dynamo/json/limits.h"
#include "dynamo/shapes/shape.h"
#include "dynamo/tables/table_notes.h"

namespace mayfly::cluster {

using dynamo::ErrorKind;
using dynamo::Fields;
using dynamo::Outcome;
using dynamo::Refusal;
using dynamo::RunnerCall;
using server::TableCall;

namespace {

Refusal NotOffered(std::string_view what, std::string_view why) {
  return dynamo::Invalid(fmt::format("{} is not offered on a cluster: {}", what, why));
}

Refusal SeveralSlots() {
  return dynamo::Invalid(
      "The items of a transaction must have one slot on a cluster. The slot is that of the "
      "partition key, in any table; of a key with braces only the part in them counts: items with "
      "the partition keys order:{42} and customer:{42} can be in one transaction");
}

Refusal ChangesAgain() {
  return {ErrorKind::kUnavailable, "The definition of a table keeps changing; repeat the request"};
}

Outcome<void> CheckTags(const Fields& in) {
  for (const Fields& tag : in.Structures("Tags")) {
    const std::string key = tag.Text("Key");
    if (key == dynamo::kTtlModeTag && tag.Text("Value") != "exact") {
      return NotOffered("The tag " + key, "items go at their instant");
    }
    if (key == dynamo::kPurgeWithinTag) {
      return NotOffered("The tag " + key, "the store keeps older bytes for a while");
    }
  }
  return {};
}

// Parts of definitions that would not do what they say.
Outcome<void> CheckChange(const Fields& in) {
  const auto stream = in.Structure("StreamSpecification");
  if (stream && stream->Boolean("StreamEnabled")) {
    return NotOffered("StreamSpecification", "streams of tables are for a server alone");
  }
  return CheckTags(in);
}

}  // namespace

bool ClusterTables::Takes(const dynamo::Operation& operation) const {
  return RuleOf(operation.name).reach != TableReach::kServer;
}

// In waves, which have one call of each client.
void ClusterTables::Run(std::span<RunnerCall> calls) {
  while (true) {
    std::vector<RunnerCall*> wave;
    std::set<const void*> clients;
    for (RunnerCall& call : calls) {
      if (call.status == 0 && clients.insert(call.client).second) wave.push_back(&call);
    }
    if (wave.empty()) return;
    RunWave(wave);
  }
}

void ClusterTables::RunWave(const std::vector<RunnerCall*>& wave) {
  std::vector<Asked> routed;
  std::vector<Asked> others;
  for (RunnerCall* const call : wave) {
    const TableRule& rule = RuleOf(call->operation->name);
    if (rule.reach == TableReach::kRefused) {
      Refuse(*call, NotOffered(call->operation->name, rule.detail));
      continue;
    }
    Asked asked{.call = call, .rule = &rule};
    asked.memory = std::make_unique<dynamo::JsonMemory>(call->json.size());
    auto body = dynamo::ParseJson(call->json, asked.memory->values(), asked.memory->scratch());
    if (!body) {
      const bool too_large = body.error().code() == StatusCode::kBusy;
      const auto kind = too_large ? ErrorKind::kRequestTooLarge : ErrorKind::kSerialization;
      Refuse(*call, {kind, std::string(body.error().message())});
      continue;
    }
    if (!body->is_object()) {
      Refuse(*call, dynamo::Mistyped("the body is no JSON object"));
      continue;
    }
    const auto has_shape = dynamo::CheckShape(body->get_object(), *call->operation->shape);
    if (!has_shape.has_value()) {
      Refuse(*call, has_shape.error());
      continue;
    }
    asked.body.emplace(*std::move(body));
    asked.own = {.target = TargetOf(*call->operation), .json = call->json};
    const bool is_routed = rule.reach == TableReach::kItem || rule.reach == TableReach::kQuery ||
                           rule.reach == TableReach::kTransaction ||
                           rule.reach == TableReach::kHome;
    (is_routed ? routed : others).push_back(std::move(asked));
  }
  RunRouted(routed);
  for (const Asked& asked : others) {
    switch (asked.rule->reach) {
      case TableReach::kScan: RunScan(asked); break;
      case TableReach::kDescribe: RunDescribe(asked); break;
      case TableReach::kChange: RunChange(asked); break;
      default: RunBatch(asked); break;
    }
  }
}

// False: it is answered.
bool ClusterTables::Route(Asked& asked) {
  asked.own.status = 0;
  if (asked.rule->reach == TableReach::kHome) {
    asked.shard = kHomeShard;
    return true;
  }
  const ItemRoute route = RouteOf(*asked.rule, asked.in(), schemas_);
  if (route.several_slots) {
    Refuse(*asked.call, SeveralSlots());
    return false;
  }
  if (route.all_shards) {
    RunIndexQuery(asked);
    return false;
  }
  asked.shard = route.slot ? server::ShardOf(*route.slot, calls_.shards()) : kHomeShard;
  return true;
}

void ClusterTables::RunRouted(std::vector<Asked>& asked) {
  std::vector<Asked*> left;
  for (Asked& one : asked) left.push_back(&one);
  for (int round = 0; !left.empty() && round <= kStaleRoutesMax; ++round) {
    if (round > 0) schemas_.Forget();
    std::map<std::size_t, std::vector<TableCall*>> by_shard;
    std::erase_if(left, [&](Asked* one) { return !Route(*one); });
    for (Asked* const one : left) by_shard[one->shard].push_back(&one->own);
    std::vector<ShardGroup> groups;
    for (auto& [shard, calls] : by_shard) groups.push_back({shard, std::move(calls)});
    calls_.Do(std::move(groups));
    std::erase_if(left, [](const Asked* one) {
      if (one->own.status == kStaleRoute) return false;
      one->Take(one->own);
      return true;
    });
  }
  for (const Asked* const one : left) Refuse(*one->call, ChangesAgain());
}

void ClusterTables::RunBatch(const Asked& asked) {
  const bool is_get = asked.rule->reach == TableReach::kBatchGet;
  const std::size_t items_max = is_get ? dynamo::kBatchGetKeysMax : dynamo::kBatchWritesMax;
  if (CountItems(asked.object()) > items_max) {
    return Refuse(*asked.call,
                  dynamo::Invalid(fmt::format("Too many items requested for the {} call",
                                              asked.call->operation->name)));
  }
  dynamo::json::object whole;
  bool any_done = false;
  std::uint64_t bytes = 0;  // Of replies. Keys whose items are too many are left unprocessed.
  std::optional<TableCall> refused;
  std::optional<TableCall> failed;
  std::vector<dynamo::json::object> left;
  left.emplace_back(asked.object(), dynamo::json::storage_ptr());
  for (int round = 0; !left.empty() && round <= kStaleRoutesMax; ++round) {
    if (round > 0) schemas_.Forget();
    std::vector<std::pair<std::size_t, dynamo::json::object>> parts;
    for (const auto& request : std::exchange(left, {})) {
      BatchParts split = SplitBatch(request, *asked.rule, calls_.shards(), schemas_);
      if (split.empty()) split[kHomeShard] = request;
      for (auto& [shard, part] : split) parts.emplace_back(shard, std::move(part));
    }
    std::vector<TableCall> calls;
    std::vector<ShardGroup> groups;
    calls.reserve(parts.size());
    for (const auto& [shard, part] : parts) {
      calls.push_back({.target = asked.own.target, .json = dynamo::ToText(part)});
      groups.push_back({shard, {&calls.back()}});
    }
    calls_.Do(std::move(groups));
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].status == kStaleRoute) {
        left.push_back(std::move(parts[i].second));
      } else if (calls[i].status == kOk && is_get && any_done &&
                 bytes + calls[i].reply.size() > dynamo::kBatchGetBytesMax) {
        AddReply(whole, NothingDone(parts[i].second, *asked.rule));
      } else if (calls[i].status == kOk) {
        any_done = true;
        bytes += calls[i].reply.size();
        AddReply(whole, dynamo::ParseJson(calls[i].reply)->get_object());
      } else if (calls[i].status >= kFirstFault) {
        failed = std::move(calls[i]);
        AddReply(whole, NothingDone(parts[i].second, *asked.rule));
      } else {
        refused = std::move(calls[i]);
      }
    }
  }
  if (refused) return asked.Take(*refused);
  if (failed && !any_done) return asked.Take(*failed);
  if (!left.empty()) return Refuse(*asked.call, ChangesAgain());
  asked.call->status = kOk;
  asked.call->reply = dynamo::ToText(whole);
}

// A table that was just made can be used at once, unless its shards take long.
void ClusterTables::AwaitTable(const Asked& asked) {
  dynamo::json::object question;
  question["TableName"] = dynamo::ToJson(asked.in().Name("TableName"));
  const SteadyTime begin = calls_.real_clock().Steady();
  while (calls_.real_clock().Steady() - begin < calls_.patience()) {
    TableCall described{.target = "DynamoDB_20120810.DescribeTable",
                        .json = dynamo::ToText(question)};
    calls_.Do(kHomeShard, described);
    if (described.status != kOk) return;
    const auto reply = dynamo::ParseJson(described.reply);
    const auto table = Fields(reply->get_object()).Structure("Table");
    if (table && table->Text("TableStatus") != "CREATING") {
      dynamo::json::object made;
      made["TableDescription"] = *Fields(reply->get_object()).Map("Table");
      asked.call->reply = dynamo::ToText(made);
      return;
    }
    std::this_thread::sleep_for(kPlacePause);
  }
}

void ClusterTables::RunChange(const Asked& asked) {
  if (const auto offered = CheckChange(asked.in()); !offered.has_value()) {
    return Refuse(*asked.call, offered.error());
  }
  const SteadyTime begin = calls_.real_clock().Steady();
  while (true) {
    TableCall change = asked.own;
    calls_.Do(kHomeShard, change);
    if (change.status != kChangeUnderWay) {
      schemas_.Forget();
      asked.Take(change);
      if (change.status == kOk && asked.call->operation->name == "CreateTable") AwaitTable(asked);
      return;
    }
    if (calls_.real_clock().Steady() - begin > kChangePatience) break;
    std::this_thread::sleep_for(kSettlePause);
  }
  Refuse(*asked.call, {ErrorKind::kLimitExceeded,
                       "Another change of tables is under way, which has not reached all shards "
                       "yet: try again in a moment"});
}

}  // namespace mayfly::cluster
