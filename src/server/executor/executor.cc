#include "server/executor/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "server/command/limits.h"
#include "server/functions/library_rows.h"

namespace mayfly::server {
namespace {

// The memory of a queued command, with the allocator's overhead and a vector's spare capacity.
std::size_t MemoryOf(const QueuedCommand& queued) {
  constexpr std::size_t kPieceBytes = 16;
  std::size_t bytes = 2 * sizeof(QueuedCommand) + kPieceBytes;
  for (const std::string& arg : queued.args) {
    bytes += sizeof(std::string);
    if (arg.capacity() > std::string().capacity()) bytes += arg.capacity() + kPieceBytes;
  }
  return bytes;
}

std::uint64_t NanosBetween(SteadyTime begin, SteadyTime end) {
  return static_cast<std::uint64_t>((end - begin).count());
}

}  // namespace

Executor::Executor(Server& server, std::uint64_t seed)
    : server_(server),
      cluster_(server.cluster()),
      door_(server.script_gate().NewDoor()),
      counters_(server.statistics().NewThread()),
      latency_tracking_(server.config().Watched(Setting::kLatencyTracking)),
      busy_millis_(server.config().Watched(Setting::kBusyReplyThreshold)),
      queued_max_(server.config().Watched(Setting::kClientQueryBufferLimit)),
      run_(server, counters_, seed) {}

void Executor::Run(Session& session, Pipeline& pipeline, SteadyTime turn_end) {
  running_ = true;
  turn_end_ = turn_end;
  while (session.ready() && !pipeline.empty()) {
    run_.set_leader(session.state().leader);
    run_.set_client(&session);
    const std::size_t done = RunSome(session, pipeline);
    pipeline.Pop(done);
    if (session.state().leader != nullptr) session.state().leader->Passed(done);
    run_.set_leader(nullptr);
    run_.set_client(nullptr);
    if (pipeline.empty() || session.out().size() > kOutputBytesBeforeRest) break;
    if (server_.Steady() >= turn_end) break;
  }
  running_ = false;
  session.Publish();
}

std::size_t Executor::RunSome(Session& session, const Pipeline& pipeline) {
  ScriptGate& gate = server_.script_gate();
  ScriptGateVisit visit(gate, door_);
  script_runs_ = !visit.inside();
  if (server_.data_limit().on() && !script_runs_ && session.state().leader == nullptr) [[unlikely]]
    MakeRoom();
  std::optional<Decision> alone = CollectBatch(session, pipeline);
  if (cluster_ != nullptr)
    run_.Use(alone ? route_.data : batch_.data, (alone ? route_ : batch_).slot);
  std::size_t done = 0;
  if (!alone) {
    session.BeginCommand();
    done = RunBatch(session);
    session.EndCommand();
  } else {
    done = RunFirst(session, pipeline, *alone, visit);
  }
  if (cluster_ != nullptr) {
    // Who subscribes just when the shard goes may have missed its end.
    const bool subscribed = alone && alone->entry != nullptr && alone->entry->Is(kSubscribes);
    if (subscribed && run_.used() != nullptr && !cluster_->IsHere(*run_.used())) {
      cluster_->EndChannels(run_.used()->shard);
    }
    // A shard that is leaving waits until nothing runs on it.
    run_.Use(nullptr);
    route_ = {};
    batch_ = {};
  }
  return done;
}

// A command that cannot be in a batch.
std::size_t Executor::RunFirst(Session& session, const Pipeline& pipeline, Decision& decision,
                               ScriptGateVisit& visit) {
  ScriptGate& gate = server_.script_gate();
  if (decision.way == Way::kClose) {
    CloseForeigner(session);
    return pipeline.size();
  }
  if (decision.way == Way::kHold) session.Pause();
  if (decision.way == Way::kAwait) session.AwaitScript();
  if (decision.way == Way::kHold || decision.way == Way::kAwait) return 0;
  if (decision.way == Way::kShard) session.AwaitShard();
  if (decision.way == Way::kShard) return 0;
  if (decision.way == Way::kForward) return Forward(session, pipeline, decision);
  const bool script = RunsScript(session, decision);
  session.BeginCommand();
  std::size_t done = 1;
  if (!script) {
    RunAlone(session, decision, pipeline[0], false);
  } else if (!RunsBeside(session, decision, pipeline[0]) ||
             !RunAlone(session, decision, pipeline[0], true)) {
    visit.Leave();
    // If another script came first, the gate is asked again.
    done = gate.Shut(server_.Steady()) ? 1 : 0;
    if (done == 1) {
      RunAlone(session, decision, pipeline[0], false);
      gate.Open();
    }
  }
  session.EndCommand();
  return done;
}

// For the command whose keys are in key_uses_.
void Executor::AddKeys(const CommandEntry& entry, int database, std::span<const Bytes> args) {
  for (const KeyUse& use : key_uses_) {
    keys_.push_back(
        {database, args[static_cast<std::size_t>(use.position)], Changes(*entry.spec, use)});
  }
  if (server_.data_limit().accesses() != nullptr) [[unlikely]]
    NoteUses(database, args);
}

std::optional<Executor::Decision> Executor::CollectBatch(Session& session,
                                                         const Pipeline& pipeline) {
  items_.clear();
  keys_.clear();
  const std::size_t commands_max =
      session.state().replies == ReplyMode::kSkipNext ? 1 : kBatchCommandsMax;
  while (items_.size() < std::min(pipeline.size(), commands_max)) {
    const std::span<const Bytes> args = pipeline[items_.size()];
    Decision decision = Decide(session, args);
    if (decision.way != Way::kBatch && decision.way != Way::kRefuse) {
      if (items_.empty()) return decision;
      break;
    }
    if (cluster_ != nullptr && !FitsBatch(decision)) break;
    if (decision.way == Way::kBatch) AddKeys(*decision.entry, session.state().database, args);
    items_.push_back({.decision = std::move(decision), .args = args});
  }
  return std::nullopt;
}

std::size_t Executor::RunBatch(Session& session) {
  const SteadyTime begin = server_.Steady();
  const std::uint64_t replies_begin = OutputOf(session).end_offset();
  std::size_t done = items_.size();
  std::shared_ptr<Waiter> parked;
  bool any = false;
  KeyReach reach = KeyReach::kKeys;
  for (const Item& item : items_) {
    if (item.decision.way != Way::kBatch) continue;
    any = true;
    reach = std::max(reach, ReachOf(*item.decision.entry));
  }
  if (any) {
    if (const Status began = run_.Begin(keys_, reach); !began.ok()) {
      return FailBatch(session, done, replies_begin, began);
    }
  }
  RunItems(session, done, parked);
  if (cluster_ != nullptr && parked == nullptr && HasFailedForLostShard(done)) {
    session.extension().Abandoned();
    return FailBatch(session, done, replies_begin, Status::Busy("the shard has moved"));
  }
  if (session.state().tracking != nullptr) [[unlikely]] {
    for (std::size_t i = 0; i < done; ++i) {
      if (items_[i].decision.way == Way::kBatch) {
        RememberReads(session, *items_[i].decision.entry, items_[i].args);
      }
      if (items_[i].decision.entry != nullptr) ForgetCaching(session, *items_[i].decision.entry);
    }
  }
  const Status committed = run_.Commit(done);
  if (!committed.ok() && parked != nullptr) CancelPark(parked);
  NotifyOthers(session);
  if (!committed.ok()) return FailBatch(session, done, replies_begin, committed);
  counters_.batches.fetch_add(any ? 1 : 0, std::memory_order_relaxed);
  // The cost of the transaction itself is shared by its commands.
  std::uint64_t inside = 0;
  for (std::size_t i = 0; i < done; ++i) inside += items_[i].nanos;
  const std::uint64_t total = NanosBetween(begin, server_.Steady());
  const std::uint64_t share = total > inside ? (total - inside) / done : 0;
  for (std::size_t i = 0; i < done; ++i) {
    const Item& item = items_[i];
    if (item.decision.way != Way::kBatch || item.parked) continue;
    Finish(session, *item.decision.entry, item.args, item.nanos + share, item.failed);
  }
  EndReplies(session, items_[done - 1].decision.entry);
  return done;
}

void Executor::RunItems(Session& session, std::size_t& done, std::shared_ptr<Waiter>& parked) {
  ClientState& state = session.state();
  const std::uint64_t replies_begin = OutputOf(session).end_offset();
  SteadyTime before = server_.Steady();
  for (std::size_t i = 0; i < done; ++i) {
    Item& item = items_[i];
    if (item.decision.way == Way::kRefuse) {
      Refuse(session, item.decision);
      NoteFailure(session, item.args, item.decision.error);
      continue;
    }
    Show(session, *item.decision.entry, item.args);
    const Answer answer = run_.Run({.entry = *item.decision.entry,
                                    .args = item.args,
                                    .out = OutputOf(session),
                                    .version = state.version,
                                    .database = state.database,
                                    .session = &session,
                                    .may_block = state.leader == nullptr});
    const SteadyTime after = server_.Steady();
    item.nanos = NanosBetween(before, after);
    before = after;
    item.failed = server_.statistics().CountFailure(answer);
    NoteFailure(session, item.args, answer);
    if (answer.later()) {
      if (auto request = run_.TakeBlock()) parked = Park(session, item, *std::move(request));
      item.parked = parked != nullptr;
      done = i + 1;
    } else if (run_.Wakes() || after >= turn_end_ ||
               OutputOf(session).end_offset() - replies_begin > kOutputBytesBeforeRest) {
      done = i + 1;  // Other clients are served before what follows; or replies are to be read.
    }
  }
}

// Publishes the batch's messages and serves the clients that wait for its changes, even if the
// client itself gets an error because the commit could not be made durable.
void Executor::NotifyOthers(Session& session) {
  run_.NotifyTrackers();
  if (!run_.happened()) return session.extension().Abandoned();
  if (run_.fed_to() > 0) session.state().fed_to = run_.fed_to();
  session.extension().Committed();
  if (!run_.ready().empty()) ServeWaiters(std::exchange(run_.ready(), {}));
}

// For CLIENT TRACKING. Scripts note for themselves what they read.
void Executor::RememberReads(Session& session, const CommandEntry& entry,
                             std::span<const Bytes> args) {
  if (!session.state().tracking->remembers()) return;
  run_.RememberReads(session.origin().id, *entry.spec, args, session.state().database);
}

// What CLIENT CACHING said holds for one command or transaction. CLIENT itself is none.
void Executor::ForgetCaching(Session& session, const CommandEntry& entry) const {
  const bool about_clients = entry.container != nullptr && entry.category == Category::kConnection;
  if (about_clients || session.state().transaction.open || session.state().tracking == nullptr) {
    return;
  }
  session.state().tracking->caching = ClientTracking::Caching::kUnsaid;
}

// Returns how many commands have their replies: none, when they are to be placed again.
std::size_t Executor::FailBatch(Session& session, std::size_t count, std::uint64_t replies_begin,
                                const Status& error) {
  if (!IsPlacedAgain(session, error)) {
    FailItems(session, count, replies_begin, error);
    return count;
  }
  OutputBuffer& out = OutputOf(session);
  out.Replace(replies_begin, static_cast<std::size_t>(out.end_offset() - replies_begin), {});
  run_.Abandon();
  return 0;
}

void Executor::FailItems(Session& session, std::size_t count, std::uint64_t replies_begin,
                         const Status& error) {
  const bool lost = HasLostShard(error);
  OutputBuffer& out = OutputOf(session);
  out.Replace(replies_begin, static_cast<std::size_t>(out.end_offset() - replies_begin), {});
  ReplyWriter writer(out, session.state().version);
  for (std::size_t i = 0; i < count; ++i) {
    const Decision& decision = items_[i].decision;
    const Answer answer = decision.way == Way::kRefuse ? Answer::Error(decision.error.error())
                          : lost                       ? Answer::Error(LostShardLine(session))
                                                       : Answer(error);
    writer.Error(answer.error());
    server_.statistics().CountError(answer.error());
  }
  run_.Abandon();
  if (session.state().leader != nullptr) session.state().leader->NotCommitted(error);
  EndReplies(session, nullptr);
}

// A script that names keys is tried with them first; fills keys_. Not while there are monitors:
// they see each command a script calls at once, which could not be taken back.
bool Executor::RunsBeside(Session& session, const Decision& decision, std::span<const Bytes> args) {
  if (decision.way != Way::kAlone || key_uses_.empty() || !server_.monitors().empty()) return false;
  const CommandSpec& spec = *decision.entry->spec;
  const bool writes =
      !decision.entry->Is(kReadOnly) && session.extension().ScriptMayWrite(spec, args);
  keys_.clear();
  for (const KeyUse& use : key_uses_) {
    keys_.push_back(
        {session.state().database, args[static_cast<std::size_t>(use.position)], writes});
  }
  NoteUses(session.state().database, args);
  // So the function is not replaced while it runs.
  if (decision.entry->category == Category::kFunctions) {
    keys_.push_back({kOwnDatabase, kLibrariesKey, false});
  }
  return true;
}

bool Executor::RunAlone(Session& session, Decision& decision, std::span<const Bytes> args,
                        bool beside) {
  if (decision.way == Way::kQueue) {
    Queue(session, *decision.entry, args);
    return true;
  }
  session.state().last_command = decision.entry;  // CLIENT INFO shows itself.
  if (decision.way == Way::kExec) {
    RunTransaction(session, *decision.entry, args);
    return true;
  }
  const CommandEntry& entry = *decision.entry;
  if (decision.way == Way::kAcross || decision.way == Way::kWalk) {
    decision.way == Way::kWalk ? RunWalk(session, entry, args) : RunAcross(session, entry, args);
    return true;
  }
  return RunAloneHere(session, decision, args, beside);
}

bool Executor::RunAloneHere(Session& session, Decision& decision, std::span<const Bytes> args,
                            bool beside) {
  const CommandEntry& entry = *decision.entry;
  const SteadyTime begin = server_.Steady();
  // The replies of SUBSCRIBE and its like are messages, which are sent even if replies are off.
  const bool messages = entry.Is(kPubSub) && entry.Is(kNoScript);
  OutputBuffer& out = messages ? session.out() : OutputOf(session);
  const std::uint64_t replies_begin = out.end_offset();
  items_.clear();
  items_.push_back({.decision = {.way = decision.way, .entry = &entry, .error = {}}, .args = args});
  if (!beside) Show(session, entry, args);
  const std::span<const DatabaseKeyView> keys(keys_.data(), beside ? keys_.size() : 0);
  if (entry.Is(kNoRows)) {
    run_.BeginWithout();
  } else if (const Status began =
                 run_.Begin(keys, beside ? KeyReach::kKeys : KeyReach::kEverything);
             !began.ok()) {
    FailItems(session, 1, replies_begin, began);
    return true;
  }
  const Answer answer = run_.Run({.entry = entry,
                                  .args = args,
                                  .out = out,
                                  .version = session.state().version,
                                  .database = session.state().database,
                                  .session = &session,
                                  .may_block = session.state().leader == nullptr});
  if (beside && run_.asked_for_everything()) {
    out.Replace(replies_begin, static_cast<std::size_t>(out.end_offset() - replies_begin), {});
    run_.Forget();
    session.extension().Abandoned();
    return false;
  }
  if (session.state().tracking != nullptr) [[unlikely]] {
    if (!IsScripting(entry.category)) RememberReads(session, entry, args);
    ForgetCaching(session, entry);
  }
  std::shared_ptr<Waiter> parked;
  if (answer.later()) {
    if (auto request = run_.TakeBlock()) parked = Park(session, items_[0], *std::move(request));
  }
  const bool failed = server_.statistics().CountFailure(answer);
  NoteFailure(session, args, answer);
  const Status committed = run_.Commit();
  if (!committed.ok() && parked != nullptr) CancelPark(parked);
  NotifyOthers(session);
  if (!committed.ok()) {
    FailItems(session, 1, replies_begin, committed);
    return true;
  }
  if (parked == nullptr) {
    Finish(session, entry, args, NanosBetween(begin, server_.Steady()), failed);
  }
  EndReplies(session, &entry);
  return true;
}

void Executor::Queue(Session& session, const CommandEntry& entry, std::span<const Bytes> args) {
  TransactionState& transaction = session.state().transaction;
  QueuedCommand queued{&entry, {args.begin(), args.end()}};
  transaction.bytes += MemoryOf(queued);
  transaction.commands.push_back(std::move(queued));
  // Queued commands are input that has not run yet, and bounded like input.
  if (session.state().leader == nullptr &&
      transaction.bytes > static_cast<std::size_t>(queued_max_.load(std::memory_order_relaxed))) {
    Log(server_.logger(), LogLevel::kWarning,
        "client closed: {} bytes wait for EXEC, which passes client-query-buffer-limit ({})",
        transaction.bytes, session.Describe());
    session.state().close_after_reply = true;
    return session.Abort();
  }
  ReplyWriter(OutputOf(session), session.state().version).SimpleString("QUEUED");
  EndReplies(session, nullptr);
}

void Executor::Refuse(Session& session, const Decision& decision) {
  std::string line = decision.error.error();
  if (decision.entry != nullptr && decision.entry->Is(kExecutes)) {
    // Any failure of EXEC before it runs ends the transaction.
    std::string_view reason = line;
    if (reason.starts_with("ERR ")) reason.remove_prefix(4);
    line = fmt::format("EXECABORT Transaction discarded because of: {}", reason);
    session.DropWatches();
    session.state().transaction = {};
  }
  ReplyWriter(OutputOf(session), session.state().version).Error(line);
  server_.statistics().CountError(line);
  if (decision.entry != nullptr) counters_.Rejected(decision.entry->id);
  // What a leader has run as one stays one, without what cannot be run here.
  if (session.state().transaction.open && session.state().leader == nullptr) {
    session.state().transaction.broken = true;
  }
}

void Executor::NoteFailure(Session& session, std::span<const Bytes> args, const Answer& answer) {
  if (session.state().leader == nullptr || answer.ok() || answer.later()) return;
  session.state().leader->Failed(args, answer.error());
}

// Nothing behind it is run: an attacker may have written the HTTP body.
void Executor::CloseForeigner(Session& session) {
  server_.WarnOfForeignProtocol(session);
  session.state().close_after_reply = true;
  session.Abort();
}

void Executor::Show(Session& session, const CommandEntry& entry, std::span<const Bytes> args) {
  // Redis marks scripts, since it shows them at another moment: before what they call, as here.
  const bool hidden = entry.Is(kSkipMonitor) && !IsScripting(entry.category);
  if (server_.monitors().empty() || hidden || entry.Is(kAdmin)) return;
  server_.monitors().Show(
      server_.clock().Now(), session.state().database,
      session.origin().unix_socket ? "unix:" + session.origin().address : session.origin().address,
      *entry.spec, args);
}

void Executor::Finish(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                      std::uint64_t nanos, bool failed) {
  session.state().last_command = &entry;
  counters_.Ran(entry.id, nanos, failed, latency_tracking_.load(std::memory_order_relaxed) != 0);
  server_.NoteSlow(session, entry, args, nanos);
  server_.NoteLatency(entry.Is(kFast) ? "fast-command" : "command",
                      std::chrono::nanoseconds(nanos));
}

OutputBuffer& Executor::OutputOf(Session& session) {
  return session.state().replies == ReplyMode::kOn ? session.out() : discarded_;
}

void Executor::EndReplies(Session& session, const CommandEntry* entry) {
  discarded_.Clear();
  if (session.hold() == Hold::kBlocked) return;  // Its reply is still to come, or to be skipped.
  const bool is_reply_command = entry != nullptr && entry->Is(kSetsReplies);
  if (session.state().replies == ReplyMode::kSkipNext && !is_reply_command) {
    session.state().replies = ReplyMode::kOn;
  }
}

}  // namespace mayfly::server
