// executor_decide.cc - how a command is handled: the first half of the executor, before anything
// runs.
#include <fmt/format.h>

#include <algorithm>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/executor/executor.h"

namespace mayfly::server {
namespace {

// Runs a client's code, for an unbounded time.
bool IsScript(const CommandEntry& entry) {
  return IsScripting(entry.category) && entry.Is(kEverything);
}

// Commands that run beside a script. A SHUTDOWN that saves has to wait for it.
bool PassesScript(const CommandEntry& entry, std::span<const Bytes> args) {
  if (!entry.Is(kAllowBusy) || !entry.Is(kNoRows)) return false;
  if (!entry.Is(kSavesFirst)) return true;
  return std::any_of(args.begin(), args.end(), [](Bytes arg) { return IsWord(arg, "nosave"); });
}

// Commands that CLIENT PAUSE WRITE holds back.
bool MayWrite(Session& session, const CommandEntry& entry, std::span<const Bytes> args) {
  if (MayChange(*entry.spec)) return true;
  return IsScript(entry) && !entry.Is(kReadOnly) &&
         session.extension().ScriptMayWrite(*entry.spec, args);
}

// Apart, so that the path of every command stays short.
[[gnu::noinline]] Answer TooFewFollowers() { return Answer::Error(kTooFewFollowersLine); }
[[gnu::noinline]] Answer OutOfMemory() { return Answer::Error(kOutOfMemoryLine); }

// A leader sends what it changed. It does not stop its followers, nor set them up, and its
// connection is no client's.
Answer NotOfALeader(const CommandEntry& entry) {
  constexpr std::uint32_t kOfClients = kNoAuth | kStreams | kSubscribes | kSetsReplies;
  const bool commands_server = entry.Is(kAdmin) && !entry.Is(kWrite);
  if (!commands_server && (entry.spec->flags & kOfClients) == 0) return {};
  return Answer::Error("ERR the command is not one that a leader sends");
}

// EXEC is what it runs.
bool AddsData(Session& session, const CommandEntry& entry) {
  if (!entry.Is(kExecutes)) return entry.Is(kDenyOom);
  const auto& commands = session.state().transaction.commands;
  return std::any_of(commands.begin(), commands.end(),
                     [](const QueuedCommand& queued) { return queued.entry->Is(kDenyOom); });
}

constexpr const char* kBusyLine =
    "BUSY Redis is busy running a script. You can only call {} KILL or SHUTDOWN NOSAVE.";

}  // namespace

Executor::Decision Executor::Decide(Session& session, std::span<const Bytes> args) {
  Decision decision;
  decision.entry = server_.table().Resolve(args, decision.error);
  if (decision.entry == nullptr && IsForeignProtocol(args[0])) decision.way = Way::kClose;
  if (!decision.error.ok()) return decision;
  const CommandEntry& entry = *decision.entry;
  FindKeys(entry.spec->keys, args, key_uses_);
  decision.error = CheckState(session, entry, args);
  if (!decision.error.ok()) return decision;
  if (script_runs_ && !PassesScript(entry, args)) {
    MeetScript(session, entry, decision);
  } else if (HeldByPause(session, entry, args)) {
    decision.way = Way::kHold;
  } else if (session.state().transaction.open && !entry.Is(kWithinMulti)) {
    decision.way = Way::kQueue;
  } else if (entry.Is(kExecutes)) {
    decision.way = Way::kExec;
  } else {
    decision.way = entry.Is(kNoRows) || entry.Is(kEverything) ? Way::kAlone : Way::kBatch;
  }
  if (cluster_ != nullptr && (decision.way == Way::kBatch || decision.way == Way::kAlone ||
                              decision.way == Way::kQueue)) [[unlikely]]
    Place(session, args, decision);
  if (beside_wait_) [[unlikely]]
    MeetStoreWait(decision);
  return decision;
}

Answer Executor::CheckState(Session& session, const CommandEntry& entry,
                            std::span<const Bytes> args) {
  ClientState& state = session.state();
  if (state.leader != nullptr) return NotOfALeader(entry);
  if (state.principal == nullptr) {
    if (!entry.Is(kNoAuth)) return Answer::Error("NOAUTH Authentication required.");
  } else if (!entry.Is(kNoAuth)) {
    const AccessRequest request{
        .command = *entry.spec,
        .args = args,
        .session = session,
        .where = state.transaction.open ? AccessWhere::kMulti : AccessWhere::kTopLevel};
    Answer allowed = server_.authorizer().Check(*state.principal, request);
    if (!allowed.ok()) return allowed;
  }
  if (state.version == ProtocolVersion::kResp2 && !entry.Is(kWhileSubscribed) &&
      session.extension().subscriptions().any()) {
    return Answer::Error(fmt::format(
        "ERR Can't execute '{}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / "
        "RESET are allowed in this context",
        entry.full_name));
  }
  if (entry.Is(kWrite) && server_.refuses_writes()) return Answer::Error(kReadOnlyLine);
  if (entry.Is(kWrite) && server_.lacks_followers()) [[unlikely]]
    return TooFewFollowers();
  if (server_.data_limit().refuses() && AddsData(session, entry)) [[unlikely]]
    return OutOfMemory();
  if (state.transaction.open && entry.Is(kNoMulti)) {
    return Answer::Error("ERR Command not allowed inside a transaction");
  }
  return {};
}

bool Executor::RunsScript(Session& session, const Decision& decision) const {
  if (decision.way == Way::kAlone) return IsScript(*decision.entry);
  if (decision.way != Way::kExec) return false;
  const auto& commands = session.state().transaction.commands;
  return std::any_of(commands.begin(), commands.end(),
                     [](const QueuedCommand& queued) { return IsScript(*queued.entry); });
}

// Waits as it would in Redis, where there is one thread; once the script has run for too long it is
// refused. A command that is exempt but needs latches keeps waiting.
void Executor::MeetScript(Session& session, const CommandEntry& entry, Decision& decision) const {
  const auto since = server_.script_gate().shut_since();
  const std::int64_t threshold = busy_millis_.load(std::memory_order_relaxed);
  const bool concerned =
      session.state().leader == nullptr && (!entry.Is(kAllowBusy) || entry.Is(kNoRows));
  if (since && concerned && threshold > 0 && server_.Steady() - *since >= Millis(threshold)) {
    decision.error = Answer::Error(
        fmt::format(kBusyLine, server_.script_figures().function_runs ? "FUNCTION" : "SCRIPT"));
    return;
  }
  decision.way = Way::kAwait;
}

bool Executor::HeldByPause(Session& session, const CommandEntry& entry,
                           std::span<const Bytes> args) const {
  if (!server_.pause().maybe() || session.state().leader != nullptr) return false;
  if (session.has_source()) return false;  // A follower says that it is alive, and how far.
  const auto pause = server_.pause().Now(server_.Steady());
  if (!pause) return false;
  if (pause->mode == PauseMode::kAll) return true;
  if (!entry.Is(kExecutes)) return MayWrite(session, entry, args);
  const auto& commands = session.state().transaction.commands;
  return std::any_of(commands.begin(), commands.end(), [&](const QueuedCommand& queued) {
    const std::vector<Bytes> views(queued.args.begin(), queued.args.end());
    return MayWrite(session, *queued.entry, views);
  });
}

}  // namespace mayfly::server
