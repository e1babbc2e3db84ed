// script_engine.h - caches scripts and runs them.
// Scripts may run at once, each in a Lua state of its own; idle states wait in a pool, so there are
// never more than ran at once, and each compiles a script once. A state that ran out of memory is
// discarded. Loaded scripts are kept by the SHA1 of their text until they are flushed; those that
// only EVAL brought, up to a number of the most recently used. The cache of compiled code is
// bounded. Only one of the running scripts can be killed: the one begun as `killable`. Each mutex
// is held briefly, with no other lock taken under it. Functions run as scripts do: their libraries
// are loaded into a state when it first needs one. Safe to call from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "mayfly/clock.h"
#include "mayfly/result.h"
#include "server/command/answer.h"
#include "server/scripting/library.h"
#include "server/scripting/lua/limits.h"
#include "server/scripting/lua/lua_state.h"
#include "server/scripting/lua/script_host.h"
#include "server/scripting/script.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

struct ScriptEngineOptions {
  // Bytes of memory for one Lua state. Raising it lets each script take as much.
  std::size_t memory_bytes_max = kScriptMemoryBytesDefault;
  // What redis.REDIS_VERSION shows to scripts; some choose their commands by it.
  std::string redis_version = "7.0.15";
  ScriptReplyLimits reply = {};
};

class ScriptEngine {
 public:
  // `clock` must outlive it; it measures how long a script has been running.
  explicit ScriptEngine(const Clock& clock, ScriptEngineOptions options = {});
  ~ScriptEngine();

  // Compiles the text and keeps it: until it is evicted, or for good. Invalid, with the message of
  // the first error, if it does not compile.
  enum class Keep : std::uint8_t { kWhileUsed, kForGood };
  Result<std::shared_ptr<const Script>> Load(Bytes text, Keep keep = Keep::kWhileUsed);

  // By 40 hexadecimal digits in any case; null if it is not cached.
  std::shared_ptr<const Script> Find(Bytes sha) const;

  // The same, for a script that is about to run: marks it as used.
  std::shared_ptr<const Script> Use(Bytes sha);

  // Drops all scripts; compiled code is dropped before the next run.
  void Flush();
  std::size_t count() const;
  std::size_t kept_bytes() const;

  // Compiles a library and runs its text, which may take so long. Invalid, in Redis' words, when it
  // registers no function, or fails.
  Result<std::shared_ptr<const Library>> LoadLibrary(Bytes text,
                                                     Millis time_max = kLibraryLoadTime);

  // The libraries as they were read last: a cache, which the mark validates. Never null.
  std::shared_ptr<const Catalogue> catalogue() const;
  void KeepCatalogue(std::shared_ptr<const Catalogue> catalogue);

  // Runs the script and writes its reply, which may be an error (Answer::FailedReply): the effects
  // of its calls stay. An error is returned, and a part of a reply may be written, when the caller
  // must roll all of it back: as for a script that was stopped after it had written. `killable`:
  // Kill() ends it. At most one such script runs at a time. `command`: what running() shows.
  Answer Run(const Script& script, std::span<const Bytes> keys, std::span<const Bytes> args,
             ScriptHost& host, ReplyWriter& reply, bool killable = true,
             std::span<const Bytes> command = {});

  // Scripts that needed more than the keys they named, so that the next run begins on all keys. A
  // hint: all are dropped at once when there are too many.
  void NoteGreedy(const std::string& sha);
  bool IsGreedy(const std::string& sha) const;

  // Bytes a script may write before it is aborted and rolled back.
  void set_write_bytes_max(std::size_t bytes) { write_bytes_max_ = bytes; }
  std::size_t write_bytes_max() const { return write_bytes_max_; }

  // Ends a script, or a function, or whichever runs.
  enum class KillOutcome : std::uint8_t { kKilled, kNothingRuns, kHasWritten, kOtherKind };
  enum class Kind : std::uint8_t { kScript, kFunction, kAny };
  KillOutcome Kill(Kind kind, bool though_it_wrote = false);

  // The script that Kill() would end.
  struct Running {
    Kind kind;
    std::string name;
    std::vector<std::string> command;
    Millis for_so_long;
  };
  std::optional<Running> running() const;

  // Of all idle states: does not wait for running ones.
  std::size_t memory_bytes() const;

 private:
  struct Job;
  struct LibraryJob;
  struct State {
    explicit State(std::size_t memory_bytes_max) : lua(memory_bytes_max) {}
    LuaState lua;
    int compiled = 0;
    int libraries = 0;
    std::uint64_t generation = 0;  // Of the scripts it was made for.
  };

  using Evaluated = std::list<std::string>;  // SHA1s of scripts.
  struct Kept {
    std::shared_ptr<const Script> script;
    std::optional<Evaluated::iterator> evaluated = std::nullopt;  // Nothing: kept for good.
  };
  std::shared_ptr<const Script> FindLocked(const std::string& name, bool use);
  std::shared_ptr<const Script> KeepLocked(std::shared_ptr<const Script> script, Keep keep);

  static int Main(lua_State* lua);
  static int LoadLibraryMain(lua_State* lua);
  static Status PushLibraryFunction(lua_State* lua, Job& job);
  static Status PushFunction(lua_State* lua, Job& job);

  // Takes an idle state, or a new one, ready for a script; and returns it to the pool.
  std::unique_ptr<State> TakeState();
  void GiveBack(std::unique_ptr<State> state);
  static Answer Finish(int status, const Job& job, ReplyWriter& reply);

  const Clock& clock_;
  const ScriptEngineOptions options_;

  mutable std::mutex states_mutex_;
  std::vector<std::unique_ptr<State>> idle_;   // Guarded by it.
  std::atomic<std::uint64_t> generation_ = 0;  // States of an older one are discarded.

  mutable std::mutex scripts_mutex_;
  std::unordered_map<std::string, Kept> scripts_;  // Guarded by it, as the next two.
  Evaluated evaluated_;                            // The most recently used comes last.
  std::unordered_set<std::string> greedy_;

  mutable std::mutex current_mutex_;
  ScriptRun* current_ = nullptr;  // Guarded by it, as the next two.
  Running current_is_ = {};
  SteadyTime started_;

  mutable std::mutex catalogue_mutex_;
  std::shared_ptr<const Catalogue> catalogue_ = std::make_shared<Catalogue>();  // Guarded by it.

  std::atomic<std::size_t> write_bytes_max_ = kScriptWriteBytesDefault;
};

}  // namespace mayfly::server
