// script_context.h - the context of the commands on scripts, from CallHost::scripts().
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "server/command/command.h"
#include "server/scripting/script_engine.h"

namespace mayfly::server {

class ScriptContext {
 public:
  virtual ~ScriptContext() = default;

  virtual ScriptEngine& engine() = 0;

  // The command these arguments name, the subcommand where it has any; null if there is none. The
  // number of arguments is not checked.
  virtual const CommandSpec* Find(std::span<const Bytes> args) = 0;

  // Why the client's user may not run the command from a script, as a whole error line; nothing if
  // the user may. `tries`: the script runs the command, and a refusal is logged.
  virtual std::optional<std::string> Refusal(const CommandSpec& spec, std::span<const Bytes> args,
                                             bool tries) = 0;

  // Called before each command that a script of the client runs.
  virtual void Called(const CommandSpec& /*spec*/, int /*database*/,
                      std::span<const Bytes> /*args*/) {}

  // For the statistics: a command that ran; and one that was refused, null if there is no such
  // command.
  virtual void CountRun(const CommandSpec& /*spec*/, std::chrono::nanoseconds /*took*/,
                        const Answer& /*answer*/) {}
  virtual void CountRefused(const CommandSpec* /*spec*/, Bytes /*error_line*/) {}

  // Whether the client may not write for now, whatever its permissions are.
  virtual bool refuses_writes() const { return false; }
  virtual bool lacks_followers() const { return false; }

  // Whether commands that need memory are refused for now.
  virtual bool out_of_memory() const { return false; }

  // Called every so often while a script of the client runs.
  virtual void Breathe() {}

  virtual void Log(LogLevel level, Bytes message) = 0;
};

}  // namespace mayfly::server
