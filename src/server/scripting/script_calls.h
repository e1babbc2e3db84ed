// script_calls.h - runs what a script calls, within the work of the command that runs the script.
// All of it happens at the work's one instant, sees what came before, and is committed together.
#pragma once

#include "server/command.h"
#include "server/scripting/script_context.h"
#include "server/scripting/script_host.h"

namespace mayfly::server {

class ScriptCalls final : public ScriptHost {
 public:
  // `outer` is the call of EVAL or its like; both must outlive it. `read_only` refuses writes,
  // `allow_oom` lets commands pass that need memory.
  ScriptCalls(const server::Call& outer, ScriptContext& context, bool read_only, bool allow_oom);

  Reply Call(std::span<const Bytes> args, ProtocolVersion version, ScriptRun& run) override;
  std::optional<bool> MayCall(std::span<const Bytes> args) override;
  void Breathe() override { context_.Breathe(); }
  void Log(LogLevel level, Bytes message) override { context_.Log(level, message); }

 private:
  // Why it cannot be run; empty if it can.
  std::string Check(const CommandSpec* spec, std::span<const Bytes> args, ScriptRun& run);
  Answer Select(Bytes argument, ReplyWriter& reply);

  const server::Call& outer_;
  ScriptContext& context_;
  const bool read_only_;
  const bool allow_oom_;
  int database_;  // SELECT holds for the script alone.
  bool has_written_ = false;
};

}  // namespace mayfly::server
