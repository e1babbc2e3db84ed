// script_host.h - what a script may ask of its host: to run a command, and little else.
#pragma once

#include <optional>
#include <span>

#include "mayfly/bytes.h"
#include "mayfly/logger.h"
#include "server/scripting/lua/script_run.h"
#include "wire/reply.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

class ScriptHost {
 public:
  virtual ~ScriptHost() = default;

  // Runs a command and returns its reply in protocol `version`; failures are error replies. Calls
  // run.BeginWrite() before it changes anything.
  virtual Reply Call(std::span<const Bytes> args, ProtocolVersion version, ScriptRun& run) = 0;

  // Whether the script's user may run the command. Nothing: there is no such command.
  virtual std::optional<bool> MayCall(std::span<const Bytes> args) = 0;

  // Called every so often while the script runs, so that the host can serve other clients.
  virtual void Breathe(ScriptRun& /*run*/) {}

  virtual void Log(LogLevel level, Bytes message) = 0;
};

}  // namespace mayfly::server
