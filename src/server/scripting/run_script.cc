#include "server/scripting/run_script.h"

#include <fmt/format.h>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/scripting/script_calls.h"

namespace mayfly::server {
namespace {

// What a script that needed all keys is remembered by: functions of two libraries may have one name.
std::string GreedyName(const Script& script) {
  return script.library == nullptr ? script.sha
                                   : fmt::format("{}/{}", script.library->sha, script.sha);
}

// Of a script that says that it writes: it is not begun where it could not.
Answer RefusalToWrite(const ScriptContext& context, const ScriptFlags& flags, bool read_only) {
  if (context.refuses_writes()) {
    return Answer::Error("READONLY Can not run script with write flag on readonly replica.");
  }
  if (read_only) {
    return Status::Invalid("Can not execute a script with write flag using *_ro command.");
  }
  if (context.lacks_followers()) return Answer::Error(kTooFewFollowersLine);
  if (!flags.allow_oom && context.out_of_memory()) {
    return Answer::Error(
        "OOM allow-oom flag is not set on the script, can not run it when used memory > "
        "'maxmemory'");
  }
  return {};
}

}  // namespace

Result<std::size_t> CountScriptKeys(std::span<const Bytes> args) {
  MAYFLY_TRY(const std::int64_t keys, IntegerArgument(args[2]));
  if (keys > static_cast<std::int64_t>(args.size()) - 3) {
    return Status::Invalid("Number of keys can't be greater than number of args");
  }
  if (keys < 0) return Status::Invalid("Number of keys can't be negative");
  return static_cast<std::size_t>(keys);
}

Answer RunScript(Call& call, ScriptContext& context, const Script& script, bool read_only) {
  MAYFLY_TRY(const std::size_t keys, CountScriptKeys(call.args));
  const std::span<const Bytes> rest = call.args.subspan(3);
  const ScriptFlags& flags = script.flags;
  if (flags.declared && !flags.no_writes) {
    if (Answer refused = RefusalToWrite(context, flags, read_only); !refused.ok()) return refused;
  }
  const bool alone = call.host.has_everything();
  ScriptEngine& engine = context.engine();
  if (!alone && engine.IsGreedy(GreedyName(script))) {
    call.host.AskForEverything();
    return Status::Internal("the script needs more than the keys it names");
  }
  ScriptCalls host(call, context,
                   {.read_only = read_only || flags.no_writes,
                    .allow_oom = flags.allow_oom,
                    .keys = rest.first(keys)});
  Answer answer =
      engine.Run(script, rest.first(keys), rest.subspan(keys), host, call.reply, alone, call.args);
  if (host.went_beyond_keys()) engine.NoteGreedy(GreedyName(script));
  if (!host.asked_for_everything()) host.PublishEffects();
  return answer;
}

Answer AnswerOfKill(Call& call, ScriptContext& context, ScriptEngine::Kind kind) {
  switch (context.engine().Kill(kind)) {
    case ScriptEngine::KillOutcome::kKilled: break;
    case ScriptEngine::KillOutcome::kNothingRuns:
      return Answer::Error("NOTBUSY No scripts in execution right now.");
    case ScriptEngine::KillOutcome::kHasWritten:
      return Answer::Error(
          "UNKILLABLE Sorry the script already executed write commands against the dataset. You "
          "can either wait the script termination or kill the server in a hard way using the "
          "SHUTDOWN NOSAVE command.");
    case ScriptEngine::KillOutcome::kOtherKind:
      return Answer::Error(fmt::format(
          "BUSY Redis is busy running a script. You can only call {} KILL or SHUTDOWN NOSAVE.",
          kind == ScriptEngine::Kind::kScript ? "FUNCTION" : "SCRIPT"));
  }
  call.reply.Ok();
  return {};
}

}  // namespace mayfly::server
