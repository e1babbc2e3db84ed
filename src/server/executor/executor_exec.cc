// executor_exec.cc - EXEC: the queued commands as one transaction over all their keys and the
// watched ones.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/limits.h"
#include "server/executor/executor.h"

namespace mayfly::server {
namespace {

std::vector<Bytes> Views(const std::vector<std::string>& args) {
  return {args.begin(), args.end()};
}

}  // namespace

void Executor::RunTransaction(Session& session, const CommandEntry& exec,
                              std::span<const Bytes> args) {
  ClientState& state = session.state();
  OutputBuffer& out = OutputOf(session);
  ReplyWriter writer(out, state.version);
  const SteadyTime begin = server_.Steady();
  // Monitors see EXEC after the commands it ran.
  const auto end = [&](std::uint64_t nanos, bool failed) {
    Show(session, exec, args);
    Finish(session, exec, args, nanos, failed);
    EndReplies(session, &exec);
  };
  const auto fail = [&](const std::string& line) {
    writer.Error(line);
    server_.statistics().CountError(line);
    end(0, true);
  };
  if (!state.transaction.open) return fail("ERR EXEC without MULTI");
  const TransactionState transaction = std::exchange(state.transaction, {});
  if (transaction.broken) {
    session.DropWatches();
    return fail("EXECABORT Transaction discarded because of previous errors.");
  }
  if (const char* const refusal = RefusalToWrite(session, transaction.commands)) {
    session.DropWatches();
    return fail(fmt::format("EXECABORT Transaction discarded because of: {}", refusal));
  }
  KeyReach reach = KeyReach::kKeys;
  const std::uint64_t replies_begin = out.end_offset();
  const int database_before = state.database;
  Status outcome = CollectTransactionKeys(session, transaction.commands, reach);
  if (cluster_ != nullptr && outcome.ok()) {
    bool forwarded = false;
    const Answer routed = RouteTransaction(session, exec, transaction.commands, forwarded);
    if (forwarded) return;
    if (!routed.ok()) {
      session.DropWatches();
      return fail(routed.error());
    }
  }
  if (outcome.ok()) outcome = run_.Begin(keys_, reach);
  const Result<bool> holds = outcome.ok() ? WatchesHold(session) : true;
  session.DropWatches();
  if (holds && !*holds) {
    run_.Abandon();
    writer.NullArray();
    return end(0, false);
  }
  if (outcome.ok()) outcome = holds.status();
  if (outcome.ok()) outcome = RunAndCommit(session, transaction.commands, writer);
  if (!outcome.ok()) {
    const bool lost = HasLostShard(outcome);
    run_.Abandon();
    state.database = database_before;
    out.Replace(replies_begin, static_cast<std::size_t>(out.end_offset() - replies_begin), {});
    if (state.leader != nullptr) state.leader->NotCommitted(outcome);
    return fail(lost ? LostShardLine(session) : Answer(outcome).error());
  }
  ForgetCaching(session, exec);
  counters_.batches.fetch_add(1, std::memory_order_relaxed);
  end(static_cast<std::uint64_t>((server_.Steady() - begin).count()), false);
}

Status Executor::RunAndCommit(Session& session, const std::vector<QueuedCommand>& commands,
                              ReplyWriter& writer) {
  writer.Array(commands.size());
  const Status ran = RunQueued(session, commands);
  if (!ran.ok()) {
    session.extension().Abandoned();
    return ran;
  }
  const Status committed = run_.Commit();
  NotifyOthers(session);
  return committed;
}

// Fills keys_, returns the reach of the commands, and creates the selected databases: commands that
// name no key find them in the transaction.
Status Executor::CollectTransactionKeys(Session& session,
                                        const std::vector<QueuedCommand>& commands,
                                        KeyReach& reach) {
  keys_.clear();
  ClientState& state = session.state();
  for (const auto& watch : state.watches) {
    keys_.push_back({watch->key.database, watch->key.key, false});
  }
  std::vector<int> databases{state.database};
  for (const QueuedCommand& command : commands) {
    reach = std::max(reach, ReachOf(*command.entry));
    const std::vector<Bytes> args = Views(command.args);
    // The keys behind a SELECT are those of the database it will have selected, or of the one
    // before, should it be refused.
    if (command.entry->Is(kSelects)) {
      const auto number = IntegerArgument(args[1], 0, server_.databases().count() - 1);
      if (number && std::find(databases.begin(), databases.end(), *number) == databases.end()) {
        databases.push_back(static_cast<int>(*number));
        MAYFLY_RETURN_IF_ERROR(server_.databases().Make(databases.back()));
      }
    }
    FindKeys(command.entry->spec->keys, args, key_uses_);
    NoteUses(state.database, args);
    for (const int database : databases) {
      for (const KeyUse& use : key_uses_) {
        keys_.push_back({database, command.args[static_cast<std::size_t>(use.position)],
                         Changes(*command.entry->spec, use)});
      }
    }
  }
  return {};
}

// Called under the latches of the watched keys. Writes leave a mark; death does not.
Result<bool> Executor::WatchesHold(Session& session) {
  for (const auto& watch : session.state().watches) {
    if (watch->touched || watch->tenure != run_.tenure()) return false;
    if (!watch->alive) continue;
    core::FoundRow row;
    MAYFLY_RETURN_IF_ERROR(
        run_.Space(*run_.transaction(), watch->key.database).Find(watch->key.key, row));
    if (!row.exists) return false;
  }
  return true;
}

// What may have changed since the commands were queued. Asked once, for all of them: either all
// writes happen or none.
const char* Executor::RefusalToWrite(Session& session,
                                     const std::vector<QueuedCommand>& commands) const {
  if (session.state().leader != nullptr) return nullptr;
  const char* const refusal = server_.refuses_writes()    ? kReadOnlyLine
                              : server_.lacks_followers() ? kTooFewFollowersLine
                                                          : nullptr;
  if (refusal == nullptr) return nullptr;
  const bool writes =
      std::any_of(commands.begin(), commands.end(),
                  [](const QueuedCommand& queued) { return queued.entry->Is(kWrite); });
  return writes ? refusal : nullptr;
}

// Checks permissions again: the rules may have changed since the command was queued.
Answer Executor::CheckQueued(Session& session, const CommandEntry& entry,
                             std::span<const Bytes> args) {
  if (session.state().leader != nullptr) return {};
  const auto& principal = session.state().principal;
  if (principal == nullptr || entry.Is(kNoAuth)) return {};
  return server_.authorizer().Check(
      *principal,
      {.command = *entry.spec, .args = args, .session = session, .where = AccessWhere::kExec});
}

Status Executor::RunQueued(Session& session, const std::vector<QueuedCommand>& commands) {
  const std::uint64_t begin_offset = OutputOf(session).end_offset();
  for (const QueuedCommand& command : commands) {
    if (session.state().leader == nullptr &&
        OutputOf(session).end_offset() - begin_offset > kTransactionReplyBytesMax) {
      return Status::Invalid(fmt::format(
          "the replies of this transaction are more than {} bytes; nothing of it was done. Ask for "
          "less at a time",
          kTransactionReplyBytesMax));
    }
    const std::vector<Bytes> args = Views(command.args);
    if (const Answer allowed = CheckQueued(session, *command.entry, args); !allowed.ok()) {
      ReplyWriter(OutputOf(session), session.state().version).Error(allowed.error());
      server_.statistics().CountError(allowed.error());
      counters_.Rejected(command.entry->id);
      continue;
    }
    const SteadyTime begin = server_.Steady();
    Show(session, *command.entry, args);
    const Answer answer = run_.Run({.entry = *command.entry,
                                    .args = args,
                                    .out = OutputOf(session),
                                    .version = session.state().version,
                                    .database = session.state().database,
                                    .session = &session,
                                    .may_block = false,
                                    .within = true});
    if (session.state().tracking != nullptr && !IsScripting(command.entry->category)) {
      RememberReads(session, *command.entry, args);
    }
    const bool failed = server_.statistics().CountFailure(answer);
    NoteFailure(session, args, answer);
    const auto nanos = static_cast<std::uint64_t>((server_.Steady() - begin).count());
    Finish(session, *command.entry, args, nanos, failed);
  }
  return {};
}

}  // namespace mayfly::server
