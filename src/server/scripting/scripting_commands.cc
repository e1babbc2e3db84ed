#include "server/scripting/scripting_commands.h"

#include <fmt/format.h>

#include "server/command/arguments.h"
#include "server/command/manual/help.h"
#include "server/scripting/run_script.h"

namespace mayfly::server {
namespace {

Answer EvalText(Call& call, bool read_only) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return ScriptsNotOffered();
  if (const Result<std::size_t> keys = CountScriptKeys(call.args); !keys) return keys.error();
  MAYFLY_TRY(const std::shared_ptr<const Script> script, context->engine().Load(call.args[1]));
  return RunScript(call, *context, *script, read_only);
}

Answer EvalSha(Call& call, bool read_only) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return ScriptsNotOffered();
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
  if (context == nullptr) return ScriptsNotOffered();
  MAYFLY_TRY(const std::shared_ptr<const Script> script,
             context->engine().Load(call.args[2], ScriptEngine::Keep::kForGood));
  call.reply.Bulk(script->sha);
  return {};
}

Answer Exists(Call& call) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return ScriptsNotOffered();
  call.reply.Array(call.args.size() - 2);
  for (const Bytes sha : call.args.subspan(2)) {
    call.reply.Integer(context->engine().Find(sha) == nullptr ? 0 : 1);
  }
  return {};
}

Answer Flush(Call& call) {
  ScriptContext* const context = call.host.scripts();
  if (context == nullptr) return ScriptsNotOffered();
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
  if (context == nullptr) return ScriptsNotOffered();
  return AnswerOfKill(call, *context, ScriptEngine::Kind::kScript);
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

constexpr std::uint32_t kEval = kNoScript | kStale | kSkipMonitor | kNoMandatoryKeys | kEverything;
constexpr std::uint32_t kEvalRo = kEval | kReadOnly;

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
};
// clang-format on

}  // namespace

CommandFamily ScriptingFamily() { return {"scripting", Category::kScripting, kScriptingCommands}; }

}  // namespace mayfly::server
