#include "cluster/tables/shard_calls.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cluster/tables/limits.h"
#include "dynamo/json/refusal.h"
#include "dynamo/operations/operations.h"
#include "server/executor/peer_commands.h"
#include "wire/reply_parser.h"

namespace mayfly::cluster {

using server::PeerCommands;
using server::TableCall;

namespace {

void Fail(TableCall& call, dynamo::ErrorKind kind, std::string message) {
  const dynamo::Refusal refusal(kind, std::move(message));
  call.status = refusal.http_status();
  call.reply = dynamo::ToText(refusal.Body());
}

// Errors that say that nothing has run.
bool RanNothing(const std::string& error) {
  return error.starts_with("MOVED") || error.starts_with("CLUSTERDOWN") ||
         error.starts_with("TRYAGAIN");
}

void TakeReply(const std::string& bytes, ShardGroup& group) {
  ReplyParser parser;
  parser.Feed(bytes);
  auto reply = parser.Next();
  const bool read = reply && reply->has_value();
  if (read && (*reply)->is_error() && RanNothing((*reply)->text())) return;
  const bool is_list = read && (*reply)->kind == Reply::Kind::kArray &&
                       (*reply)->items().size() == group.calls.size() * 2;
  for (std::size_t i = 0; i < group.calls.size(); ++i) {
    TableCall& call = *group.calls[i];
    if (!is_list) {
      Fail(call, dynamo::ErrorKind::kInternal,
           read && (*reply)->is_error() ? (*reply)->text()
                                        : "the reply of another server cannot be read");
      continue;
    }
    call.status = static_cast<int>((*reply)->items()[2 * i].integer());
    call.reply = (*reply)->items()[2 * i + 1].text();
  }
}

PeerCommands::Order OrderFor(const ShardGroup& group, const server::ServerAddress& to) {
  const std::string shard = std::to_string(group.shard);
  std::vector<Bytes> words = {"CLUSTER", "TABLE", shard};
  for (const TableCall* const call : group.calls) {
    words.emplace_back(call->target);
    words.emplace_back(call->json);
  }
  return {.to = to, .commands = {server::WireText(words)}};
}

// Whether some of it waits for the store.
bool Writes(const ShardGroup& group) {
  return std::any_of(group.calls.begin(), group.calls.end(), [](const TableCall* call) {
    const dynamo::Operation* const operation = dynamo::FindOperation(call->target);
    return operation != nullptr ? operation->writes : call->target == kFollowTarget;
  });
}

// What is under way elsewhere.
class Arrivals {
 public:
  void Expect() {
    const std::lock_guard lock(mutex_);
    ++missing_;
  }
  void Arrive() {
    const std::lock_guard lock(mutex_);
    --missing_;
    arrived_.notify_all();
  }
  void Await() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return missing_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::size_t missing_ = 0;
};

}  // namespace

void ShardCalls::Do(std::vector<ShardGroup> groups) {
  const SteadyTime begin = real_clock_.Steady();
  while (true) {
    Try(groups);
    for (ShardGroup& group : groups) {
      std::erase_if(group.calls, [](const TableCall* call) { return call->status != 0; });
    }
    std::erase_if(groups, [](const ShardGroup& group) { return group.calls.empty(); });
    if (groups.empty()) return;
    if (real_clock_.Steady() - begin > patience()) break;
    std::this_thread::sleep_for(kPlacePause);
  }
  for (const ShardGroup& group : groups) {
    for (TableCall* const call : group.calls) {
      Fail(*call, dynamo::ErrorKind::kUnavailable,
           "No server of the cluster has the shard at this moment; repeat the request");
    }
  }
}

// Everything is under way at the same time, but for what is in memory here.
void ShardCalls::Try(std::vector<ShardGroup>& groups) {
  Arrivals arrivals;
  std::vector<std::shared_ptr<PeerCommands>> under_way;
  std::vector<ShardGroup*> here;
  std::vector<ShardGroup*> writing;
  for (ShardGroup& group : groups) {
    const server::ShardPlace place = directory_.Find(group.shard);
    if (place.here != nullptr) {
      (Writes(group) ? writing : here).push_back(&group);
    } else if (place.elsewhere.port != 0) {
      arrivals.Expect();
      under_way.push_back(
          PeerCommands::Start(peers_, OrderFor(group, place.elsewhere),
                              [&arrivals, &group](const std::vector<std::string>& replies) {
                                TakeReply(replies.front(), group);
                                arrivals.Arrive();
                              }));
    }
  }
  if (writing.size() == 1) here.push_back(writing.front());
  if (writing.size() > 1) {
    for (ShardGroup* const group : writing) {
      arrivals.Expect();
      writing_.Add(group->shard, [this, group, &arrivals] {
        RunHere(*group);
        arrivals.Arrive();
      });
    }
  }
  for (ShardGroup* const group : here) RunHere(*group);
  arrivals.Await();
}

void ShardCalls::RunHere(ShardGroup& group) {
  std::vector<TableCall> calls;
  calls.reserve(group.calls.size());
  for (TableCall* const call : group.calls) calls.push_back(std::move(*call));
  tables_.Run(group.shard, calls);
  for (std::size_t i = 0; i < calls.size(); ++i) *group.calls[i] = std::move(calls[i]);
}

}  // namespace mayfly::cluster
