#include "cluster/tables/definition_keeper.h"

#include <algorithm>
#include <vector>

#include "cluster/tables/limits.h"
#include "cluster/tables/statuses.h"
#include "dynamo/json/fields.h"

namespace mayfly::cluster {

DefinitionKeeper::DefinitionKeeper(ShardTables& tables, ShardCalls& calls)
    : tables_(tables), calls_(calls) {
  tables_.OnChange([this] { Wake(); });
  thread_ = std::thread([this] { Run(); });
}

DefinitionKeeper::~DefinitionKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  woken_.notify_all();
  thread_.join();
}

void DefinitionKeeper::Wake() {
  {
    const std::lock_guard lock(mutex_);
    has_change_ = true;
  }
  woken_.notify_all();
}

void DefinitionKeeper::Run() {
  std::unique_lock lock(mutex_);
  bool unsettled = false;
  while (!stopping_) {
    const bool woken = woken_.wait_for(lock, unsettled ? kSettlePause : kUpkeepPause,
                                       [&] { return has_change_ || stopping_; });
    if (stopping_) return;
    has_change_ = false;
    lock.unlock();
    const auto change = tables_.ChangeUnderWay();
    unsettled = change.has_value() && !Settle(*change);
    if (!woken && !unsettled) tables_.RunUpkeep();
    lock.lock();
  }
}

bool DefinitionKeeper::Settle(const DefinitionChange& change) {
  dynamo::json::object request;
  request["Number"] = change.number;
  request["Target"] = dynamo::ToJson(change.target);
  request["Json"] = dynamo::ToJson(change.json);
  const std::string json = dynamo::ToText(request);
  for (std::size_t first = 0; first < calls_.shards(); first += kShardsTogether) {
    const std::size_t count = std::min(kShardsTogether, calls_.shards() - first);
    std::vector<server::TableCall> calls(count, {.target = kFollowTarget, .json = json});
    std::vector<ShardGroup> groups;
    for (std::size_t i = 0; i < count; ++i) groups.push_back({first + i, {&calls[i]}});
    calls_.Do(std::move(groups));
    for (const server::TableCall& call : calls) {
      if (call.status != kOk || call.reply.find("true") == std::string::npos) return false;
    }
  }
  tables_.EndChange(change.number);
  return true;
}

}  // namespace mayfly::cluster
