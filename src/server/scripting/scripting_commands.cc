#include "server/scripting/scripting_commands.h"

#include <fmt/format.h>

#include "server/command/arguments.h"
#include "server/command/help.h"
#include "server/scripting/script_calls.h"
#include "server/scripting/script_context.h"

namespace mayfly::server {
namespace {

Answer NotHere() { return Status::Unsupported("scripts are not offered here"); }

// EVAL script numkeys key... arg...
Result<std::size_t> CountKeys(std::span<const Bytes> args) {
  MAYFLY_TRY(const std::int64_t keys, IntegerArgument(args[2]));
  if (keys > static_cast<std::int64_t>(args.size()) - 3) {
    return Status::Invalid("Number of keys can't be greater than number of args");
  }
  if (keys < 0) return Status::Invalid("Number of keys can't be negative");
  return static_cast<std::size_t>(keys);
}

Answer RunScript(Call& call, ScriptContext& context, const Script& script, bool read_only) {
  MAYFLY_TRY(const std::size_t keys, CountKeys(call.args));
  const std::span<const Bytes> rest = call.args.subspan(3);
  const ScriptFlags& flags = script.flags;
  if (flags.declared && read_only && !flags.no_writes) {
    return Status::Invalid("Can not execute a script with write flag using *_ro command.");
  }
  if (flags.declared && !flags.allow_oom && !flags.no_writes && context.out_of_memory()) {
    return Answer::Error(
        "OOM allow-oom flag is not set on the script, can not run it when used memory > "
        "'maxmemory'");
  }
  const bool alone = call.host.has_everything();
  ScriptEngine& engine = context.engine();
  if (!alone && engine.IsGreedy(script.sha)) {
    call.host.AskForEverything();
    return Status::Internal("the script needs more than the keys it names");
  }
  ScriptCalls host(call, context,
                   {.read_only = read_only || flags.no_writes,
                    .allow_oom = flags.allow_oom,
                    .keys = rest.first(keys)});
  Answer answer = engine.Run(script, rest.first(keys), rest.subspan(keys), host, call.reply, alone);
  if (host.went_beyond_keys()) engine.NoteGreedy(script.sha);
  if (!host.asked_for_everything()) host.Settle();
  return answer;
}

Answer EvalText(Call& call, bool read_only) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return NotHere();
  if (const Result<std::size_t> keys = CountKeys(call.args); !keys) return keys.error();
  MAYFLY_TRY(const std::shared_ptr<const Script> script, context->engine().Load(call.args[1]));
  return RunScript(call, *context, *script, read_only);
}

Answer EvalSha(Call& call, bool read_only) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return NotHere();
  const std::shared_ptr<const Script> script = context->engine().Use(call.args[1]);
  if (script == nullptr) {
    return Answer::Error("NOSCRIPT No matching script. Please use EVAL.");
  }
  return RunScript(call, *context, *script, read_only);
}

Answer EvalAny(Call& call) { return EvalText(call, false); }
Answer EvalReadOnly(Call& call) { return EvalText(call, true); }
Answer EvalShaAny(Call& call) { return EvalSha(call, false); }
Answer EvalShaReadOnly(Call& call) { return EvalSha(call, true); }

Answer Load(Call& call) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return NotHere();
  MAYFLY_TRY(const std::shared_ptr<const Script> script,
             context->engine().Load(call.args[2], ScriptEngine::Keep::kForGood));
  call.reply.Bulk(script->sha);
  return {};
}

Answer Exists(Call& call) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return NotHere();
  call.reply.Array(call.args.size() - 2);
  for (const Bytes sha : call.args.subspan(2)) {
    call.reply.Integer(context->engine().Find(sha) == nullptr ? 0 : 1);
  }
  return {};
}

Answer Flush(Call& call) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return NotHere();
  const bool has_mode =
      call.args.size() == 3 && (IsWord(call.args[2], "async") || IsWord(call.args[2], "sync"));
  if (call.args.size() != 2 && !has_mode) {
    return Status::Invalid("SCRIPT FLUSH only support SYNC|ASYNC option");
  }
  context->engine().Flush();
  call.reply.Ok();
  return {};
}

Answer Kill(Call& call) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return NotHere();
  switch (context->engine().Kill()) {
    case ScriptEngine::KillOutcome::kKilled: break;
    case ScriptEngine::KillOutcome::kNothingRuns:
      return Answer::Error("NOTBUSY No scripts in execution right now.");
    case ScriptEngine::KillOutcome::kHasWritten:
      return Answer::Error(
          "UNKILLABLE Sorry the script already executed write commands against the dataset. You "
          "can either wait the script termination or kill the server in a hard way using the "
          "SHUTDOWN NOSAVE command.");
  }
  call.reply.Ok();
  return {};
}

Answer Debug(Call& call) {
  if (IsWord(call.args[2], "no")) {
    call.reply.Ok();
    return {};
  }
  if (IsWord(call.args[2], "yes") || IsWord(call.args[2], "sync")) {
    return Status::Unsupported("there is no debugger for scripts");
  }
  return Status::Invalid("Use SCRIPT DEBUG YES/SYNC/NO");
}

Answer Help(Call& call) {
  static constexpr std::string_view kLines[] = {
      "DEBUG (YES|SYNC|NO)",
      "    There is no debugger: only NO is taken.",
      "EXISTS <sha1> [<sha1> ...]",
      "    Tell for each whether such a script is kept.",
      "FLUSH [ASYNC|SYNC]",
      "    Forget all scripts. Both modes do the same.",
      "KILL",
      "    Stop the script that runs, unless it has written.",
      "LOAD <script>",
      "    Keep a script without running it.",
  };
  WriteHelp(call.reply, "SCRIPT", kLines);
  return {};
}

Answer NoFunctions(Call&) {
  return Status::Unsupported("functions are not offered; use EVAL and EVALSHA");
}

constexpr std::uint32_t kEval = kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys | kEverything;
constexpr std::uint32_t kEvalRo = kEval | kReadOnly;
constexpr std::uint32_t kRefused = kNoScript | kNoRows;

// clang-format off
constexpr CommandSpec kScriptSubcommands[] = {
    {"debug",  3,  kNoScript | kNoRows,              kNoKeys, Debug,
     {"Set the debug mode of scripts.", "3.2.0", "O(1)", "mode=(YES | SYNC | NO)"}},
    {"exists", -3, kNoScript | kNoRows,              kNoKeys, Exists,
     {"Tell whether scripts are kept.", "2.6.0", "O(n) in the digests given", "sha1..."}},
    {"flush",  -2, kNoScript | kNoRows,              kNoKeys, Flush,
     {"Forget all scripts.", "2.6.0", "O(n) in the scripts kept", "async=[ASYNC | SYNC]"}},
    {"help",   2,  kLoading | kStale | kNoRows,      kNoKeys, Help,
     {"List the subcommands.", "5.0.0", "O(1)"}},
    {"kill",   2,  kNoScript | kAllowBusy | kNoRows, kNoKeys, Kill,
     {"Stop the script that runs.", "2.6.0", "O(1)"}},
    {"load",   3,  kNoScript | kStale | kNoRows,     kNoKeys, Load,
     {"Keep a script.", "2.6.0", "O(n) in the bytes of the script", "script"}},
};

constexpr CommandSpec kScriptingCommands[] = {
    {"eval",       -3, kEval,                       NumberedKeys(kRW | kAccess | kUpdate, 2),    EvalAny,
     {"Run a Lua script.", "2.6.0", "that of the script", "script numkeys:int [key]... [arg]..."}},
    {"eval_ro",    -3, kEvalRo,                     NumberedKeys(kRO | kAccess | kUncounted, 2), EvalReadOnly,
     {"Run a script that only reads.", "7.0.0", "that of the script", "script numkeys:int [key]... [arg]..."}},
    {"evalsha",    -3, kEval | kByDigest,           NumberedKeys(kRW | kAccess | kUpdate, 2),    EvalShaAny,
     {"Run a kept script by its SHA1.", "2.6.0", "that of the script", "sha1 numkeys:int [key]... [arg]..."}},
    {"evalsha_ro", -3, kEvalRo | kByDigest,         NumberedKeys(kRO | kAccess | kUncounted, 2), EvalShaReadOnly,
     {"Run a kept one that only reads.", "7.0.0", "that of the script", "sha1 numkeys:int [key]... [arg]..."}},
    {"script",     -2, kNoRows,                     kNoKeys,                                     nullptr,
     {"Keep scripts.", "2.6.0", "O(1)"}, kScriptSubcommands},
    {"fcall",      -3, kRefused | kNoMandatoryKeys, NumberedKeys(kRW | kAccess | kUpdate, 2),    NoFunctions,
     {"Functions are not offered.", "7.0.0", "O(1)", "function numkeys:int [key]... [arg]..."}},
    {"fcall_ro",   -3, kRefused | kNoMandatoryKeys, NumberedKeys(kRO | kAccess | kUncounted, 2), NoFunctions,
     {"Functions are not offered.", "7.0.0", "O(1)", "function numkeys:int [key]... [arg]..."}},
    {"function",   -2, kRefused,                    kNoKeys,                                     NoFunctions,
     {"Functions are not offered.", "7.0.0", "O(1)"}},
};
// clang-format on

}  // namespace

CommandFamily ScriptingFamily() { return {"scripting", Category::kScripting, kScriptingCommands}; }

}  // namespace mayfly::server
