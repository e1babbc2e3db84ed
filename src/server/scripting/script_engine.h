// script_engine.h - keeps scripts and runs them, one at a time.
// One Lua state for the server, and not one per thread: a script holds all keys, so no two could
// run at once anyway, and each is compiled once. A state that ran out of memory is thrown away.
// Scripts are kept by the SHA1 of their text until they are flushed; what is compiled is bounded.
// Lock order: run_mutex_, scripts_mutex_, current_mutex_. The host is called with run_mutex_ held,
// so it must not run scripts. Safe to call from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "mayfly/clock.h"
#include "mayfly/result.h"
#include "server/answer.h"
#include "server/scripting/limits.h"
#include "server/scripting/lua_state.h"
#include "server/scripting/script.h"
#include "server/scripting/script_host.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

struct ScriptEngineOptions {
  // Bytes of memory for all of Lua. Raising it lets one script take as much.
  std::size_t memory_bytes_max = kScriptMemoryBytesDefault;
  // What redis.REDIS_VERSION tells scripts; some choose their commands by it.
  std::string redis_version = "7.0.15";
  ScriptReplyLimits reply = {};
};

class ScriptEngine {
 public:
  // `clock` must outlive it; it tells how long a script has been running.
  explicit ScriptEngine(const Clock& clock, ScriptEngineOptions options = {});
  ~ScriptEngine();

  // Compiles the text and keeps it. Invalid, with the message of the first error, if it is none.
  Result<std::shared_ptr<const Script>> Load(Bytes text);

  // By 40 hexadecimal digits in any case; null if it is not kept.
  std::shared_ptr<const Script> Find(Bytes sha) const;

  // Forgets all; what is compiled goes before the next run.
  void Flush();
  std::size_t count() const;
  std::size_t kept_bytes() const;

  // Runs the script and writes its reply, which may be an error (Answer::FailedReply): what it
  // called happened all the same. An error is returned, and a part of a reply may be written, when
  // nothing of it shall be: as for a script that was stopped though it had written.
  Answer Run(const Script& script, std::span<const Bytes> keys, std::span<const Bytes> args,
             ScriptHost& host, ReplyWriter& reply);

  enum class KillOutcome : std::uint8_t { kKilled, kNothingRuns, kHasWritten };
  KillOutcome Kill(bool though_it_wrote = false);

  // For how long a script has been running, if one is.
  std::optional<Millis> running_for() const;

  // Of Lua, as of the end of the last run: asking waits for none.
  std::size_t memory_bytes() const { return memory_bytes_; }

 private:
  struct Job;

  static int Main(lua_State* lua);
  static Status PushFunction(lua_State* lua, ScriptEngine& self, const Script& script);

  // With run_mutex_ held.
  void PrepareState();
  Answer Finish(int status, const Job& job, ReplyWriter& reply);

  const Clock& clock_;
  const ScriptEngineOptions options_;

  std::mutex run_mutex_;
  std::unique_ptr<LuaState> state_;  // Guarded by run_mutex_, as the next one. Null: to be made.
  int compiled_ = 0;
  std::atomic<bool> renew_state_ = false;

  mutable std::mutex scripts_mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Script>> scripts_;  // Guarded by it.

  mutable std::mutex current_mutex_;
  ScriptRun* current_ = nullptr;  // Guarded by it, as the next one.
  SteadyTime started_;

  std::atomic<std::size_t> memory_bytes_ = 0;
};

}  // namespace mayfly::server
