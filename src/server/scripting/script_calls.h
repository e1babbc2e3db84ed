// script_calls.h - runs the commands a script calls, within the transaction of the command that
// runs the script.
// All of them run at the transaction's one instant, see the writes before them, and are committed
// together. If the transaction is on the script's keys alone, a call that needs more, or a timeout,
// aborts the script and asks for all keys. The script then runs again from the start; so effects
// visible to others (statistics, log lines) are held back until PublishEffects().
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "server/command/command.h"
#include "server/scripting/lua/script_host.h"
#include "server/scripting/script_context.h"

namespace mayfly::server {

class ScriptCalls final : public ScriptHost {
 public:
  struct Rules {
    bool read_only = false;            // Refuses writes.
    bool allow_oom = false;            // Lets commands pass that need memory.
    std::span<const Bytes> keys = {};  // Those the script names.
  };
  // `outer` is the call of EVAL or its like; all must outlive it.
  ScriptCalls(const server::Call& outer, ScriptContext& context, const Rules& rules);

  // The script has ended, and does not run again: publishes the held-back effects.
  void PublishEffects();

  // Whether it was aborted to run again on all keys; and whether that was because it used a key it
  // had not named, or a command that names none.
  bool asked_for_everything() const { return asked_for_everything_; }
  bool went_beyond_keys() const { return went_beyond_keys_; }

  Reply Call(std::span<const Bytes> args, ProtocolVersion version, ScriptRun& run) override;
  std::optional<bool> MayCall(std::span<const Bytes> args) override;
  void Breathe(ScriptRun& run) override;
  void Log(LogLevel level, Bytes message) override;

 private:
  // An effect that is visible to others.
  struct Effect {
    const CommandSpec* spec;  // Of a command that ran, or was refused with `text`.
    std::chrono::nanoseconds took;
    Answer answer;
    std::string text;  // Or a line of the log.
    LogLevel level;
    enum class Kind : std::uint8_t { kRan, kRefused, kLogged, kDenied } kind;
    std::vector<std::string> args = {};  // Of a command that ACL denies.
  };
  void Note(Effect effect);
  void Show(const Effect& effect);

  // Whether the transaction's keys are enough for the command.
  bool NeedsOnlyKeys(const CommandSpec& spec, std::span<const Bytes> args);
  bool IsNamed(Bytes key);
  bool OutOfTime() const;
  Reply AskForEverything(ScriptRun& run);

  // Why the client's user may not run it. A refusal is logged once.
  std::optional<std::string> Denial(const CommandSpec& spec, std::span<const Bytes> args);

  // Why it cannot be run; empty if it can.
  std::string CheckSlot(const CommandSpec& spec, std::span<const Bytes> args);
  std::string Check(const CommandSpec* spec, std::span<const Bytes> args, ScriptRun& run);
  Answer Select(Bytes argument, ReplyWriter& reply);
  void NoteReads(const CommandSpec& spec, std::span<const Bytes> args);

  const server::Call& outer_;
  ScriptContext& context_;
  const Rules rules_;
  const bool keys_only_;
  const Clock& clock_;  // For measuring.
  const SteadyTime begin_;
  int database_;  // SELECT applies to the script alone.
  bool has_written_ = false;
  bool asked_for_everything_ = false;
  bool went_beyond_keys_ = false;
  std::vector<Effect> effects_;
  std::vector<KeyUse> key_uses_;         // A member to reuse its memory.
  std::unordered_set<Bytes> many_keys_;  // Of a script with so many that a linear search is slow.
};

}  // namespace mayfly::server
