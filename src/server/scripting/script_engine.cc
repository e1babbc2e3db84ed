#include "server/scripting/script_engine.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/text.h"
#include "server/functions/library_text.h"
#include "server/scripting/libraries/compile_text.h"
#include "server/scripting/library_loader.h"
#include "server/scripting/lua/lua_errors.h"
#include "server/scripting/lua_libraries.h"
#include "server/scripting/lua_replies.h"

namespace mayfly::server {
namespace {

constexpr const char* kFunctions = "mayfly.functions";  // In the registry: sha -> function.
constexpr const char* kLibraries = "mayfly.libraries";  // sha -> table of functions, by names.
constexpr const char* kChunkName = "@user_script";

void NewTable(lua_State* lua, const char* name) {
  lua_newtable(lua);
  lua_setfield(lua, LUA_REGISTRYINDEX, name);
}

int OpenState(lua_State* lua) {
  const auto& version = *static_cast<const std::string*>(lua_touserdata(lua, 1));
  OpenLibraries(lua, version);
  OpenLibraryLoading(lua, version);
  NewTable(lua, kFunctions);
  NewTable(lua, kLibraries);
  return 0;
}

void PushList(lua_State* lua, std::span<const Bytes> items) {
  lua_createtable(lua, static_cast<int>(items.size()), 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    PushBytes(lua, items[i]);
    lua_rawseti(lua, -2, static_cast<int>(i + 1));
  }
}

}  // namespace

// Input and output of Main().
struct ScriptEngine::Job {
  State& state;
  const Script& script;
  std::span<const Bytes> keys;
  std::span<const Bytes> args;
  LuaJob* lua_job;     // Null: compile only.
  ReplyWriter* reply;  // Null as well, then.
  const ScriptReplyLimits* limits = nullptr;
  Status status = {};
  std::string error_line = {};
  bool failed = false;        // The reply is an error that the script returned,
  std::string to_count = {};  // which is this, if it is not counted yet.
  bool out_of_memory = false;
};

ScriptEngine::ScriptEngine(const Clock& clock, ScriptEngineOptions options)
    : clock_(clock), options_(std::move(options)) {}

ScriptEngine::~ScriptEngine() = default;

Result<std::shared_ptr<const Script>> ScriptEngine::Load(Bytes text, Keep keep) {
  MAYFLY_TRY(Script parsed, ParseScript(text));
  {
    const std::lock_guard lock(scripts_mutex_);
    if (auto known = FindLocked(parsed.sha, /*use=*/true)) {
      return KeepLocked(std::move(known), keep);
    }
  }
  auto script = std::make_shared<const Script>(std::move(parsed));
  std::unique_ptr<State> state = TakeState();
  Job job{*state, *script, {}, {}, nullptr, nullptr};
  lua_State* const lua = state->lua.get();
  state->lua.set_bounded(true);
  const int status = lua_cpcall(lua, Main, &job);
  state->lua.set_bounded(false);
  if (status != 0) {
    return Status::Invalid("Error compiling script (new function): not enough memory");
  }
  lua_settop(lua, 0);
  GiveBack(std::move(state));
  if (!job.status.ok()) return job.status;
  const std::lock_guard lock(scripts_mutex_);
  return KeepLocked(std::move(script), keep);
}

std::shared_ptr<const Script> ScriptEngine::KeepLocked(std::shared_ptr<const Script> script,
                                                       Keep keep) {
  const std::string sha = script->sha;
  const auto [at, is_new] = scripts_.try_emplace(sha, Kept{std::move(script)});
  Kept& kept = at->second;
  if (keep == Keep::kForGood && kept.evaluated) {
    evaluated_.erase(*kept.evaluated);
    kept.evaluated.reset();
  }
  if (keep == Keep::kForGood || !is_new) return kept.script;
  kept.evaluated = evaluated_.insert(evaluated_.end(), at->first);
  std::shared_ptr<const Script> fresh = kept.script;
  if (evaluated_.size() > kEvaluatedScriptsMax) {
    scripts_.erase(evaluated_.front());
    evaluated_.pop_front();
  }
  return fresh;
}

std::shared_ptr<const Script> ScriptEngine::FindLocked(const std::string& name, bool use) {
  const auto found = scripts_.find(name);
  if (found == scripts_.end()) return nullptr;
  const Kept& kept = found->second;
  if (use && kept.evaluated) evaluated_.splice(evaluated_.end(), evaluated_, *kept.evaluated);
  return kept.script;
}

std::shared_ptr<const Script> ScriptEngine::Find(Bytes sha) const {
  const std::string name = ToLower(sha);
  const std::lock_guard lock(scripts_mutex_);
  const auto found = scripts_.find(name);
  return found == scripts_.end() ? nullptr : found->second.script;
}

std::shared_ptr<const Script> ScriptEngine::Use(Bytes sha) {
  const std::string name = ToLower(sha);
  const std::lock_guard lock(scripts_mutex_);
  return FindLocked(name, /*use=*/true);
}

void ScriptEngine::Flush() {
  const std::lock_guard lock(scripts_mutex_);
  scripts_.clear();
  evaluated_.clear();
  greedy_.clear();
  ++generation_;
}

void ScriptEngine::NoteGreedy(const std::string& sha) {
  const std::lock_guard lock(scripts_mutex_);
  if (greedy_.size() >= kGreedyScriptsMax) greedy_.clear();
  greedy_.insert(sha);
}

bool ScriptEngine::IsGreedy(const std::string& sha) const {
  const std::lock_guard lock(scripts_mutex_);
  return greedy_.contains(sha);
}

std::size_t ScriptEngine::count() const {
  const std::lock_guard lock(scripts_mutex_);
  return scripts_.size();
}

std::size_t ScriptEngine::kept_bytes() const {
  const std::lock_guard lock(scripts_mutex_);
  std::size_t bytes = 0;
  for (const auto& [sha, kept] : scripts_) bytes += sizeof(Script) + kept.script->body.size();
  return bytes;
}

std::size_t ScriptEngine::memory_bytes() const {
  const std::lock_guard lock(states_mutex_);
  std::size_t bytes = 0;
  for (const auto& state : idle_) bytes += state->lua.memory_bytes();
  return bytes;
}

std::unique_ptr<ScriptEngine::State> ScriptEngine::TakeState() {
  const std::uint64_t generation = generation_;
  std::unique_ptr<State> state;
  {
    const std::lock_guard lock(states_mutex_);
    if (!idle_.empty()) {
      state = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (state == nullptr || state->generation != generation) {
    state = std::make_unique<State>(options_.memory_bytes_max);
    state->generation = generation;
    std::string version = options_.redis_version;
    if (lua_cpcall(state->lua.get(), OpenState, &version) != 0) {
      throw std::runtime_error("Lua's libraries cannot be opened");
    }
  }
  lua_State* const lua = state->lua.get();
  if (state->compiled >= kCompiledScriptsMax) {
    NewTable(lua, kFunctions);
    state->compiled = 0;
  }
  if (state->libraries >= kLoadedLibrariesMax) {
    NewTable(lua, kLibraries);
    state->libraries = 0;
  }
  // Lua 5.1 does not collect when it runs out of memory, so begin with room.
  if (state->lua.memory_bytes() > options_.memory_bytes_max / 4) lua_gc(lua, LUA_GCCOLLECT, 0);
  return state;
}

void ScriptEngine::GiveBack(std::unique_ptr<State> state) {
  if (state->generation != generation_) return;
  const std::lock_guard lock(states_mutex_);
  idle_.push_back(std::move(state));
}

Status ScriptEngine::PushLibraryFunction(lua_State* lua, Job& job) {
  const Library& library = *job.script.library;
  lua_getfield(lua, LUA_REGISTRYINDEX, kLibraries);
  PushBytes(lua, library.sha);
  lua_rawget(lua, -2);
  if (!lua_istable(lua, -1)) {
    lua_pop(lua, 1);
    LibraryLoad load;
    mayfly::server::LoadLibrary(lua, library.body, load);
    job.out_of_memory = load.out_of_memory;
    if (!load.error.empty()) return Status::Invalid(load.error);
    PushBytes(lua, library.sha);
    lua_pushvalue(lua, -2);
    lua_rawset(lua, -4);
    ++job.state.libraries;
  }
  PushBytes(lua, ToLower(job.script.sha));
  lua_rawget(lua, -2);
  if (lua_isfunction(lua, -1)) return Status::Ok();
  return Status::Invalid("Function not found");
}

Status ScriptEngine::PushFunction(lua_State* lua, Job& job) {
  const Script& script = job.script;
  if (script.library != nullptr) return PushLibraryFunction(lua, job);
  lua_getfield(lua, LUA_REGISTRYINDEX, kFunctions);
  PushBytes(lua, script.sha);
  lua_rawget(lua, -2);
  if (lua_isfunction(lua, -1)) return Status::Ok();
  if (!CompileText(lua, script.body, kChunkName)) {
    return Status::Invalid(
        fmt::format("Error compiling script (new function): {}", lua_tostring(lua, -1)));
  }
  PushBytes(lua, script.sha);
  lua_pushvalue(lua, -2);
  lua_rawset(lua, -5);  // The stack: functions, nil, function.
  ++job.state.compiled;
  return Status::Ok();
}

int ScriptEngine::Main(lua_State* lua) {
  Job& job = *static_cast<Job*>(lua_touserdata(lua, 1));
  job.status = PushFunction(lua, job);
  if (!job.status.ok() || job.lua_job == nullptr) return 0;
  const bool is_function = job.script.library != nullptr;
  if (is_function) {
    lua_pushnil(lua);
    lua_pushnil(lua);
  } else {
    PushList(lua, job.keys);
    PushList(lua, job.args);
  }
  SetKeysAndArguments(lua);
  PushBytes(lua, job.script.sha);
  lua_pushcclosure(lua, DescribeError, 1);
  lua_insert(lua, -2);
  if (is_function) {
    PushList(lua, job.keys);
    PushList(lua, job.args);
  }
  const int args = is_function ? 2 : 0;
  const int status = lua_pcall(lua, args, 1, -2 - args);
  job.state.lua.set_bounded(false);
  if (status == 0) {
    job.failed = IsError(lua, -1);
    if (job.failed && !IsCountedError(lua, -1)) job.to_count = ErrorLine(lua, -1);
    job.status = WriteLuaValue(lua, job.lua_job->version, *job.limits, *job.reply);
    return 0;
  }
  job.out_of_memory = status == LUA_ERRMEM;
  if (status == LUA_ERRRUN && lua_type(lua, -1) == LUA_TSTRING) {
    job.error_line = std::string(ToBytes(lua, -1));
  } else {
    job.error_line = fmt::format(
        "ERR {} script: {}", job.out_of_memory ? "not enough memory" : "error in error handling",
        job.script.sha);
  }
  return 0;
}

Answer ScriptEngine::Run(const Script& script, std::span<const Bytes> keys,
                         std::span<const Bytes> args, ScriptHost& host, ReplyWriter& reply,
                         bool killable, std::span<const Bytes> command) {
  std::unique_ptr<State> state = TakeState();
  ScriptRun run;
  LuaJob lua_job{host, run};
  Job job{*state, script, keys, args, &lua_job, &reply, &options_.reply};
  state->lua.job = &lua_job;
  if (killable) {
    const std::lock_guard current_lock(current_mutex_);
    current_ = &run;
    current_is_ = {.kind = script.library != nullptr ? Kind::kFunction : Kind::kScript,
                   .name = script.sha,
                   .command = {command.begin(), command.end()},
                   .for_so_long = {}};
    started_ = clock_.Steady();
  }
  lua_State* const lua = state->lua.get();
  state->lua.set_bounded(true);
  const int status = lua_cpcall(lua, Main, &job);
  state->lua.set_bounded(false);
  if (killable) {
    const std::lock_guard current_lock(current_mutex_);
    current_ = nullptr;
  }
  state->lua.job = nullptr;
  // A stopped script leaves the hook at every line; one out of memory leaves an unknown state.
  if (status == 0 && !job.out_of_memory && !run.stop_requested()) {
    lua_settop(lua, 0);
    ResetLibraries(lua);
    GiveBack(std::move(state));
  }
  return Finish(status, job, reply);
}

Answer ScriptEngine::Finish(int status, const Job& job, ReplyWriter& reply) {
  const auto fail = [&reply](const std::string& line, bool counted) {
    reply.Error(line);
    return Answer::FailedReply(counted ? "" : line);
  };
  if (status != 0) {
    return fail(fmt::format("ERR not enough memory script: {}", job.script.sha), false);
  }
  const ScriptRun& run = job.lua_job->run;
  // A script that caught the error and ended normally has written a reply.
  if (run.stop_requested() && job.error_line.empty()) return Answer::Error(run.stop_line());
  if (!job.status.ok()) return job.status;
  if (!job.error_line.empty() && run.half_done()) return Answer::Error(job.error_line);
  if (!job.error_line.empty()) return fail(job.error_line, job.lua_job->error_counted);
  return job.failed ? Answer::FailedReply(job.to_count) : Answer();
}

ScriptEngine::KillOutcome ScriptEngine::Kill(Kind kind, bool though_it_wrote) {
  const std::lock_guard lock(current_mutex_);
  if (current_ == nullptr) return KillOutcome::kNothingRuns;
  if (kind != Kind::kAny && kind != current_is_.kind) return KillOutcome::kOtherKind;
  const ScriptRun::Stop stop = current_->RequestStop(though_it_wrote);
  return stop == ScriptRun::Stop::kStopped ? KillOutcome::kKilled : KillOutcome::kHasWritten;
}

std::optional<ScriptEngine::Running> ScriptEngine::running() const {
  const std::lock_guard lock(current_mutex_);
  if (current_ == nullptr) return std::nullopt;
  Running running = current_is_;
  running.for_so_long = std::chrono::duration_cast<Millis>(clock_.Steady() - started_);
  return running;
}

}  // namespace mayfly::server
