// run_script.h - what the commands on scripts and those on functions share.
#pragma once

#include "server/command/command.h"
#include "server/scripting/script_context.h"

namespace mayfly::server {

inline Answer ScriptsNotOffered() { return Status::Unsupported("scripts are not offered here"); }

// EVAL script numkeys key... arg..., or FCALL with a name.
Result<std::size_t> CountScriptKeys(std::span<const Bytes> args);

// Runs it with the keys and arguments of the call.
Answer RunScript(Call& call, ScriptContext& context, const Script& script, bool read_only);

// SCRIPT KILL and FUNCTION KILL.
Answer AnswerOfKill(Call& call, ScriptContext& context, ScriptEngine::Kind kind);

}  // namespace mayfly::server
