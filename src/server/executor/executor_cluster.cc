// executor_cluster.cc - where a command runs on a cluster: on a shard here, at the owner of its
// keys, or on all shards.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/command/arguments.h"
#include "server/command/limits.h"
#include "server/executor/across_call.h"
#include "server/executor/executor.h"
#include "server/executor/peer_commands.h"
#include "server/executor/shard_runs.h"
#include "wire/reply_parser.h"

namespace mayfly::server {
namespace {

constexpr const char* kMovedMeanwhile =
    "TRYAGAIN A shard has moved meanwhile; the command may have missed it";
constexpr const char* kSilentStoreLine =
    "CLUSTERDOWN The store of the cluster does not answer; the command has not run";
constexpr const char* kCrossSlotLine = "CROSSSLOT Keys in request don't hash to the same slot";

// Whether it means the same when another server runs it.
bool CanBeForwarded(const CommandEntry& entry) {
  constexpr std::uint32_t kOfConnection =
      kStreams | kSubscribes | kPatterns | kNoAuth | kSelects | kSetsReplies | kExecutes;
  const bool listens = entry.Is(kPubSub) && entry.Is(kNoScript);
  return (entry.spec->flags & kOfConnection) == 0 && !listens &&
         entry.category != Category::kTransaction;
}

// A channel of a shard is heard and published to at its owner. To leave one is never wrong.
bool IsPlacedByChannel(const CommandEntry& entry) {
  return entry.Is(kPubSub) && (entry.Is(kSubscribes) || entry.Is(kPublishes));
}

bool Walks(const ClusterRule& rule, std::span<const Bytes> args) {
  if (rule.scope == ClusterScope::kPages) return true;
  return !rule.walks_if.empty() && args.size() > 1 && IsWord(args[1], rule.walks_if);
}

Reply DownReply() { return Reply::Text(Reply::Kind::kError, "CLUSTERDOWN Hash slot not served"); }

std::size_t CountOwn(const ClusterView& view) {
  return static_cast<std::size_t>(
      std::count_if(view.owners.begin(), view.owners.end(), [&](std::size_t owner) {
        return owner != ClusterView::kNobody && view.members[owner].is_self;
      }));
}

// Whether all shards that the server owns are open here; one that is just coming is not.
bool HasOwn(ShardDirectory& directory, const ClusterView& view) {
  return directory.Here().size() == CountOwn(view);
}

// Where a command goes once its server has fallen silent: to the slot's owner then, which may be this
// server. While there is none this server waits for one, as it does for any peer.
std::function<ServerAddress()> FindAgain(ClusterSide& cluster, engine::Slot slot) {
  return [&cluster, slot]() -> ServerAddress {
    const ShardPlace place = cluster.PlaceOf(slot);
    if (place.elsewhere.port != 0) return place.elsewhere;
    const auto view = cluster.directory().view();
    return view->self() != nullptr ? view->self()->address : ServerAddress();
  };
}

}  // namespace

// For the command whose keys are in key_uses_. Leaves the place in route_.
void Executor::Place(Session& session, std::span<const Bytes> args, Decision& decision) {
  route_ = {};
  const CommandEntry& entry = *decision.entry;
  const bool queues = decision.way == Way::kQueue;
  const auto refuse = [&](std::string line) {
    decision.way = Way::kRefuse;
    decision.error = Answer::Error(std::move(line));
  };
  if (const ClusterRule* const rule = entry.cluster_rule) {
    if (rule->scope == ClusterScope::kRefused) {
      return refuse(
          fmt::format("ERR '{}' is not offered on a cluster: {}", entry.full_name, rule->reason));
    }
    if (queues) {
      return refuse(fmt::format(
          "ERR '{}' is about all shards, and a transaction on a cluster is about one slot",
          entry.full_name));
    }
    decision.way = Walks(*rule, args) ? Way::kWalk : Way::kAcross;
    ShardDirectory& directory = cluster_->directory();
    if (rule->scope == ClusterScope::kShards && !HasOwn(directory, *directory.view()) &&
        AwaitsShard(session)) {
      decision.way = Way::kShard;
    } else {
      session.state().shard_missed.reset();
    }
    return;
  }
  if (IsPlacedByChannel(entry)) FindChannels(entry.spec->keys, args, key_uses_);
  for (const KeyUse& use : key_uses_) {
    const engine::Slot slot = engine::SlotOf(args[static_cast<std::size_t>(use.position)]);
    if (route_.slot && *route_.slot != slot) return refuse(kCrossSlotLine);
    route_.slot = slot;
  }
  if (!route_.slot) return;
  ShardPlace place = cluster_->PlaceOf(*route_.slot);
  if (place.here == nullptr && place.elsewhere.port == 0 && AwaitsShard(session)) {
    decision.way = Way::kShard;
    return;
  }
  session.state().shard_missed.reset();
  if (place.here != nullptr) {
    if (!queues) route_.data = std::move(place.here);
    return;
  }
  if (cluster_->Redirects(session) || !CanBeForwarded(entry) ||
      (place.elsewhere.port == 0 && !queues)) {
    return refuse(ClusterSide::RedirectLine(*route_.slot, place));
  }
  if (queues) return;
  decision.way = Way::kForward;
  route_.elsewhere = std::move(place.elsewhere);
}

// Whether it waits on. A shard that is handed over has an owner again within milliseconds.
bool Executor::AwaitsShard(Session& session) {
  std::optional<SteadyTime>& since = session.state().shard_missed;
  const SteadyTime now = server_.Steady();
  if (!since) since = now;
  return now - *since < cluster_->patience();
}

// Beside a command that waits for the store. What touches rows waits as for a shard without an owner;
// once the store has been silent for longer than the patience for that, it is refused.
void Executor::MeetStoreWait(Decision& decision) const {
  if (decision.way != Way::kAlone && decision.way != Way::kBatch && decision.way != Way::kExec &&
      decision.way != Way::kWalk && decision.way != Way::kAcross) {
    return;
  }
  const CommandEntry& entry = *decision.entry;
  const bool is_about_the_server = entry.Is(kAdmin) && !entry.Is(kAllowBusy);
  if (decision.way == Way::kAlone && entry.Is(kNoRows) && !entry.Is(kEverything) &&
      !entry.Is(kWalks) && !is_about_the_server) {
    return;
  }
  if (cluster_ == nullptr || cluster_->directory().health().store_silent <= cluster_->patience()) {
    decision.way = Way::kShard;
    return;
  }
  decision.way = Way::kRefuse;
  decision.error = Answer::Error(kSilentStoreLine);
}

// Whether the command that was decided last runs on the database of the batch; the first one with
// keys says which that is.
bool Executor::FitsBatch(const Decision& decision) {
  if (decision.way != Way::kBatch) return true;
  const bool first = std::none_of(items_.begin(), items_.end(), [](const Item& item) {
    return item.decision.way == Way::kBatch;
  });
  if (!first) return route_.data == batch_.data;
  batch_ = std::move(route_);
  return true;
}

// Whether commands failed, and had no effect, since the shard they ran on has left.
bool Executor::HasLostShard(const Status& error) const {
  if (cluster_ == nullptr || run_.used() == nullptr || !run_.slot()) return false;
  const bool had_no_effect =
      error.code() == StatusCode::kBusy || error.code() == StatusCode::kConflict;
  return had_no_effect && !cluster_->IsHere(*run_.used());
}

// Of the commands run so far: one that failed may have failed for that.
bool Executor::HasFailedForLostShard(std::size_t done) const {
  const bool any_failed =
      std::any_of(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(done),
                  [](const Item& item) { return item.failed; });
  return any_failed && HasLostShard(Status::Busy({}));
}

// Whether commands that failed for that run again, where the shard is now: those of a client that
// does not go there itself.
bool Executor::IsPlacedAgain(Session& session, const Status& error) {
  return HasLostShard(error) && !cluster_->Redirects(session) && AwaitsShard(session);
}

// What a client hears otherwise.
std::string Executor::LostShardLine(Session& session) const {
  if (!cluster_->Redirects(session)) {
    return "TRYAGAIN The shard of the key has moved to another server; repeat the command";
  }
  return ClusterSide::RedirectLine(*run_.slot(), cluster_->PlaceOf(*run_.slot()));
}

// The slot of the keys in keys_; then where they are.
Answer Executor::PlaceTransaction(const std::vector<QueuedCommand>& commands, Route& route) {
  std::vector<Bytes> names;
  for (const DatabaseKeyView& key : keys_) names.push_back(key.key);
  for (const QueuedCommand& queued : commands) {
    if (!IsPlacedByChannel(*queued.entry)) continue;
    std::vector<KeyUse> channels;
    const std::vector<Bytes> args(queued.args.begin(), queued.args.end());
    FindChannels(queued.entry->spec->keys, args, channels);
    for (const KeyUse& use : channels)
      names.push_back(queued.args[static_cast<std::size_t>(use.position)]);
  }
  for (const Bytes name : names) {
    const engine::Slot slot = engine::SlotOf(name);
    if (route.slot && *route.slot != slot) return Answer::Error(kCrossSlotLine);
    route.slot = slot;
  }
  if (!route.slot) return {};
  ShardPlace place = cluster_->PlaceOf(*route.slot);
  route.data = std::move(place.here);
  route.elsewhere = std::move(place.elsewhere);
  return {};
}

Answer Executor::RouteTransaction(Session& session, const CommandEntry& exec,
                                  const std::vector<QueuedCommand>& commands, bool& forwarded) {
  Route route;
  if (Answer placed = PlaceTransaction(commands, route); !placed.ok()) return placed;
  if (!route.slot || route.data != nullptr) {
    run_.Use(std::move(route.data), route.slot);
    return {};
  }
  if (CanForwardTransaction(session, route)) {
    ForwardTransaction(session, exec, commands, route.elsewhere, *route.slot);
    forwarded = true;
    return {};
  }
  const ShardPlace place{.here = nullptr, .elsewhere = route.elsewhere};
  return Answer::Error(ClusterSide::RedirectLine(*route.slot, place));
}

bool Executor::CanForwardTransaction(Session& session, const Route& route) {
  return session.state().watches.empty() && route.elsewhere.port != 0 &&
         !cluster_->Redirects(session);
}

void Executor::ForwardTransaction(Session& session, const CommandEntry& exec,
                                  const std::vector<QueuedCommand>& commands,
                                  const ServerAddress& to, engine::Slot slot) {
  const Bytes multi[] = {"MULTI"};
  const Bytes last[] = {"EXEC"};
  PeerCommands::Order order{.to = to,
                            .version = session.state().version,
                            .commands = {WireText(multi)},
                            .is_transaction = true,
                            .find_again = FindAgain(*cluster_, slot)};
  for (const QueuedCommand& queued : commands) {
    order.commands.push_back(WireText(std::vector<Bytes>(queued.args.begin(), queued.args.end())));
  }
  order.commands.push_back(WireText(last));
  SendToPeer(session, exec, last, std::move(order));
}

std::shared_ptr<Waiter> Executor::ParkForPeers(Session& session, const CommandEntry& entry,
                                               std::span<const Bytes> args) {
  auto waiter = std::make_shared<Waiter>();
  waiter->session = session.weak_from_this();
  waiter->client = session.origin().id;
  waiter->entry = &entry;
  waiter->args.assign(args.begin(), args.end());
  waiter->version = session.state().version;
  waiter->ends_by_key = entry.Is(kBlocking);
  session.state().last_command = &entry;
  server_.waiting().Add(waiter);
  session.Park(waiter, std::nullopt);
  return waiter;
}

void Executor::SendToPeer(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                          PeerCommands::Order order, ReplyChange change) {
  const auto waiter = ParkForPeers(session, entry, args);
  cluster_->forwards().commands += order.commands.size();
  const bool waits = order.waits;
  waiter->work = PeerCommands::Start(
      *cluster_->peers(), std::move(order),
      [&server = server_, weak = std::weak_ptr(waiter), change = std::move(change),
       begin = server_.Steady(), waits](const std::vector<std::string>& replies) {
        if (!waits) {
          server.cluster()->forwards().durations.Add(server.Steady() - begin);
        }
        const auto its = weak.lock();
        const auto client = its != nullptr ? its->session.lock() : nullptr;
        if (client == nullptr) return;
        std::string bytes;
        for (const std::string& reply : replies) bytes += reply;
        if (change) bytes = change(std::move(bytes));
        client->EndPeerWait(its, std::move(bytes));
      });
}

// The first command of the pipeline, and those behind it that go to the same server.
std::size_t Executor::Forward(Session& session, const Pipeline& pipeline, const Decision& first) {
  PeerCommands::Order order{.to = route_.elsewhere,
                            .version = session.state().version,
                            .commands = {WireText(pipeline[0])},
                            .waits = first.entry->Is(kBlocking),
                            .changes_nothing = {first.entry->Is(kReadOnly)},
                            .find_again = FindAgain(*cluster_, *route_.slot)};
  Show(session, *first.entry, pipeline[0]);
  const std::size_t commands_max =
      session.state().replies == ReplyMode::kSkipNext || order.waits ? 1 : kBatchCommandsMax;
  for (std::size_t i = 1; i < std::min(pipeline.size(), commands_max); ++i) {
    const Decision decision = Decide(session, pipeline[i]);
    if (decision.way != Way::kForward || route_.elsewhere != order.to ||
        decision.entry->Is(kBlocking)) {
      break;
    }
    Show(session, *decision.entry, pipeline[i]);
    counters_.Ran(decision.entry->id, 0, false, false);
    order.commands.push_back(WireText(pipeline[i]));
    order.changes_nothing.push_back(decision.entry->Is(kReadOnly));
  }
  const std::size_t count = order.commands.size();
  SendToPeer(session, *first.entry, pipeline[0], std::move(order));
  return count;
}

// Runs the command on one database and returns its reply, in RESP3.
Reply Executor::RunOn(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                      std::shared_ptr<ServedDatabase> data) {
  Reply reply = RunOnce(run_, entry, args, std::move(data), &session);
  NotifyOthers(session);
  return reply;
}

void Executor::ReplyWith(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                         const Reply& reply, SteadyTime begin) {
  ReplyWriter writer(OutputOf(session), session.state().version);
  WriteReply(reply, writer);
  if (reply.is_error()) server_.statistics().CountError(reply.text());
  Finish(session, entry, args, static_cast<std::uint64_t>((server_.Steady() - begin).count()),
         reply.is_error());
  EndReplies(session, &entry);
}

// A command about one shard, whose number follows the word SHARD at `at` among the arguments.
void Executor::RunOnShard(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                          std::size_t at) {
  const SteadyTime begin = server_.Steady();
  Show(session, entry, args);
  const auto fail = [&](std::string line) {
    ReplyWith(session, entry, args, Reply::Text(Reply::Kind::kError, std::move(line)), begin);
  };
  ShardDirectory& directory = cluster_->directory();
  if (at + 1 == args.size()) return fail("ERR syntax error");
  const auto shard =
      IntegerArgument(args[at + 1], 0, static_cast<std::int64_t>(directory.shards()) - 1);
  if (!shard) {
    return fail(
        fmt::format("ERR there is no such shard; they are 0 to {}", directory.shards() - 1));
  }
  std::vector<Bytes> words(args.begin(), args.end());
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(at),
              words.begin() + static_cast<std::ptrdiff_t>(at + 2));
  ShardPlace place = directory.Find(static_cast<std::size_t>(*shard));
  if (place.here != nullptr) {
    const Reply reply = RunOn(session, entry, words, std::move(place.here));
    run_.Use(nullptr);
    return ReplyWith(session, entry, args, reply, begin);
  }
  if (cluster_->Redirects(session) || place.elsewhere.port == 0) {
    const SlotRange slots = SlotsOf(static_cast<std::size_t>(*shard), directory.shards());
    return fail(ClusterSide::RedirectLine(slots.first, place));
  }
  SendToPeer(
      session, entry, args,
      {.to = place.elsewhere, .version = session.state().version, .commands = {WireText(args)}});
}

// A command about all shards, or all servers: here, and for a client that does not ask the other
// servers itself, at these.
void Executor::RunAcross(Session& session, const CommandEntry& entry, std::span<const Bytes> args) {
  const ClusterRule& rule = *entry.cluster_rule;
  if (rule.scope == ClusterScope::kEvents) return RunEvents(session, entry, args);
  if (rule.scope == ClusterScope::kJob) return RunLook(session, entry, args);
  const SteadyTime begin = server_.Steady();
  Show(session, entry, args);
  std::vector<ServerAddress> others;
  const auto view = cluster_->directory().view();
  // What changes something is not left half done for a guess: it happens at all servers, unless the
  // client says that it asks each of them itself.
  const bool asks_all =
      entry.Is(kReadOnly) ? cluster_->Redirects(session) : cluster_->SpeaksCluster(session);
  if (!asks_all) {
    // Before anything is done: a change is made everywhere, or refused.
    if (rule.scope == ClusterScope::kShards && !IsWhole(*view)) {
      return ReplyWith(session, entry, args, DownReply(), begin);
    }
    others = OthersIn(*view);
  }
  std::vector<Reply> replies;
  bool any_gone = false;
  if (rule.scope == ClusterScope::kServers) {
    replies.push_back(RunOn(session, entry, args, nullptr));
  } else {
    for (const auto& data : cluster_->directory().Here()) {
      replies.push_back(RunOn(session, entry, args, data));
      any_gone = any_gone || (replies.back().is_error() && !cluster_->IsHere(*data));
    }
  }
  run_.Use(nullptr);
  // What was just coming, or has just gone, was left out.
  if (any_gone || (rule.scope == ClusterScope::kShards && replies.size() != CountOwn(*view))) {
    return ReplyWith(session, entry, args, Reply::Text(Reply::Kind::kError, kMovedMeanwhile),
                     begin);
  }
  if (others.empty()) {
    if (replies.empty()) replies.push_back(RunOn(session, entry, args, nullptr));
    const Reply merged = MergeReplies(rule.merge, std::move(replies), run_.random());
    return ReplyWith(session, entry, args, merged, begin);
  }
  AskOthers(session, entry, args, std::move(others), std::move(replies), view);
}

// The rest of RunAcross: what the others answer goes to the client, merged with `own`.
void Executor::AskOthers(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                         std::vector<ServerAddress> others, std::vector<Reply> own,
                         std::shared_ptr<const ClusterView> view) {
  const ClusterRule& rule = *entry.cluster_rule;
  const auto waiter = ParkForPeers(session, entry, args);
  waiter->work = AcrossCall::Start(
      *cluster_->peers(),
      {.others = std::move(others),
       .command = WireText(args),
       .combine =
           [merge = rule.merge, seed = run_.random().Below(UINT64_MAX)](std::vector<Reply> all) {
             Random random(seed);
             return MergeReplies(merge, std::move(all), random);
           },
       .own = std::move(own),
       .version = session.state().version},
      [weak = std::weak_ptr(waiter), &directory = cluster_->directory(), rule,
       view = std::move(view)](std::string reply) {
        const auto its = weak.lock();
        const auto client = its != nullptr ? its->session.lock() : nullptr;
        if (client == nullptr) return;
        // A shard on its way may have been met twice, or not at all.
        const bool moved = directory.view()->epoch != view->epoch;
        if (moved && rule.scope == ClusterScope::kShards) {
          reply = fmt::format("-{}\r\n", kMovedMeanwhile);
        }
        client->EndPeerWait(its, std::move(reply));
      });
}

}  // namespace mayfly::server
