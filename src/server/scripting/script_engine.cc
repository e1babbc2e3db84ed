#include "server/scripting/script_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "server/scripting/compile_text.h"
#include "server/scripting/lua_errors.h"
#include "server/scripting/lua_libraries.h"
#include "server/scripting/lua_replies.h"

namespace mayfly::server {
namespace {

constexpr const char* kFunctions = "mayfly.functions";  // In the registry: sha -> function.
constexpr const char* kChunkName = "@user_script";

void NewFunctions(lua_State* lua) {
  lua_newtable(lua);
  lua_setfield(lua, LUA_REGISTRYINDEX, kFunctions);
}

int OpenState(lua_State* lua) {
  const auto& version = *static_cast<const std::string*>(lua_touserdata(lua, 1));
  OpenLibraries(lua, version);
  NewFunctions(lua);
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

// What Main() is to do, and what came of it.
struct ScriptEngine::Job {
  ScriptEngine& self;
  const Script& script;
  std::span<const Bytes> keys;
  std::span<const Bytes> args;
  LuaJob* lua_job;     // Null: to be compiled only.
  ReplyWriter* reply;  // Null as well, then.
  Status status = {};
  std::string error_line = {};
  bool failed = false;        // The reply is an error that the script returned,
  std::string to_count = {};  // which is this, if nobody has counted it.
  bool out_of_memory = false;
};

ScriptEngine::ScriptEngine(const Clock& clock, ScriptEngineOptions options)
    : clock_(clock), options_(std::move(options)) {}

ScriptEngine::~ScriptEngine() = default;

Result<std::shared_ptr<const Script>> ScriptEngine::Load(Bytes text) {
  MAYFLY_TRY(Script parsed, ParseScript(text));
  if (auto known = Find(parsed.sha)) return known;
  auto script = std::make_shared<const Script>(std::move(parsed));
  {
    const std::lock_guard lock(run_mutex_);
    PrepareState();
    Job job{*this, *script, {}, {}, nullptr, nullptr};
    state_->set_bounded(true);
    const int status = lua_cpcall(state_->get(), Main, &job);
    state_->set_bounded(false);
    lua_settop(state_->get(), 0);
    if (status != 0) {
      state_.reset();
      return Status::Invalid("Error compiling script (new function): not enough memory");
    }
    if (!job.status.ok()) return job.status;
  }
  const std::lock_guard lock(scripts_mutex_);
  return scripts_.emplace(script->sha, script).first->second;
}

std::shared_ptr<const Script> ScriptEngine::Find(Bytes sha) const {
  std::string name(sha);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const std::lock_guard lock(scripts_mutex_);
  const auto found = scripts_.find(name);
  return found == scripts_.end() ? nullptr : found->second;
}

void ScriptEngine::Flush() {
  const std::lock_guard lock(scripts_mutex_);
  scripts_.clear();
  renew_state_ = true;
}

std::size_t ScriptEngine::count() const {
  const std::lock_guard lock(scripts_mutex_);
  return scripts_.size();
}

std::size_t ScriptEngine::kept_bytes() const {
  const std::lock_guard lock(scripts_mutex_);
  std::size_t bytes = 0;
  for (const auto& [sha, script] : scripts_) bytes += sizeof(Script) + script->body.size();
  return bytes;
}

void ScriptEngine::PrepareState() {
  if (renew_state_.exchange(false)) state_.reset();
  if (state_ == nullptr) {
    state_ = std::make_unique<LuaState>(options_.memory_bytes_max);
    compiled_ = 0;
    std::string version = options_.redis_version;
    if (lua_cpcall(state_->get(), OpenState, &version) != 0) {
      throw std::runtime_error("Lua's libraries cannot be opened");
    }
  }
  lua_State* const lua = state_->get();
  if (compiled_ >= kCompiledScriptsMax) {
    NewFunctions(lua);
    compiled_ = 0;
  }
  // Lua 5.1 does not collect when it runs out, so begin with room.
  if (state_->memory_bytes() > options_.memory_bytes_max / 4) lua_gc(lua, LUA_GCCOLLECT, 0);
}

Status ScriptEngine::PushFunction(lua_State* lua, ScriptEngine& self, const Script& script) {
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
  ++self.compiled_;
  return Status::Ok();
}

int ScriptEngine::Main(lua_State* lua) {
  Job& job = *static_cast<Job*>(lua_touserdata(lua, 1));
  job.status = PushFunction(lua, job.self, job.script);
  if (!job.status.ok() || job.lua_job == nullptr) return 0;
  PushList(lua, job.keys);
  PushList(lua, job.args);
  SetKeysAndArguments(lua);
  PushBytes(lua, job.script.sha);
  lua_pushcclosure(lua, DescribeError, 1);
  lua_insert(lua, -2);
  const int status = lua_pcall(lua, 0, 1, -2);
  job.self.state_->set_bounded(false);
  if (status == 0) {
    job.failed = IsError(lua, -1);
    if (job.failed && !IsCountedError(lua, -1)) job.to_count = ErrorLine(lua, -1);
    const ScriptReplyLimits& limits = job.self.options_.reply;
    job.status = WriteLuaValue(lua, job.lua_job->version, limits, *job.reply);
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
                         std::span<const Bytes> args, ScriptHost& host, ReplyWriter& reply) {
  const std::lock_guard lock(run_mutex_);
  PrepareState();
  ScriptRun run;
  LuaJob lua_job{host, run};
  Job job{*this, script, keys, args, &lua_job, &reply};
  state_->job = &lua_job;
  {
    const std::lock_guard current_lock(current_mutex_);
    current_ = &run;
    started_ = clock_.Steady();
  }
  state_->set_bounded(true);
  const int status = lua_cpcall(state_->get(), Main, &job);
  state_->set_bounded(false);
  {
    const std::lock_guard current_lock(current_mutex_);
    current_ = nullptr;
  }
  state_->job = nullptr;
  return Finish(status, job, reply);
}

Answer ScriptEngine::Finish(int status, const Job& job, ReplyWriter& reply) {
  lua_State* const lua = state_->get();
  lua_settop(lua, 0);
  // A script that was stopped leaves the hook at every line; memory that ran out, who knows what.
  if (status != 0 || job.out_of_memory || job.lua_job->run.stop_requested()) {
    state_.reset();
  } else {
    ResetLibraries(lua);
  }
  memory_bytes_ = state_ == nullptr ? 0 : state_->memory_bytes();
  const auto fail = [&reply](const std::string& line, bool counted) {
    reply.Error(line);
    return Answer::FailedReply(counted ? "" : line);
  };
  if (status != 0) {
    return fail(fmt::format("ERR not enough memory script: {}", job.script.sha), false);
  }
  if (!job.status.ok()) return job.status;
  if (!job.error_line.empty() && job.lua_job->run.half_done()) return Answer::Error(job.error_line);
  if (!job.error_line.empty()) return fail(job.error_line, job.lua_job->error_counted);
  return job.failed ? Answer::FailedReply(job.to_count) : Answer();
}

ScriptEngine::KillOutcome ScriptEngine::Kill(bool though_it_wrote) {
  const std::lock_guard lock(current_mutex_);
  if (current_ == nullptr) return KillOutcome::kNothingRuns;
  const ScriptRun::Stop stop = current_->RequestStop(though_it_wrote);
  return stop == ScriptRun::Stop::kStopped ? KillOutcome::kKilled : KillOutcome::kHasWritten;
}

std::optional<Millis> ScriptEngine::running_for() const {
  const std::lock_guard lock(current_mutex_);
  if (current_ == nullptr) return std::nullopt;
  return std::chrono::duration_cast<Millis>(clock_.Steady() - started_);
}

}  // namespace mayfly::server
