// script_engine_libraries.cc - libraries of functions in the engine: loaded for the first time, and
// their catalogue.
#include <fmt/format.h>

#include "server/functions/library_text.h"
#include "server/scripting/library_loader.h"
#include "server/scripting/script_engine.h"

namespace mayfly::server {
namespace {

// The host of a library that is loaded: no command can be called then.
class LoadHost final : public ScriptHost {
 public:
  LoadHost(const Clock& clock, Millis time_max) : clock_(clock), end_(clock.Steady() + time_max) {}

  Reply Call(std::span<const Bytes> /*args*/, ProtocolVersion /*version*/,
             ScriptRun& /*run*/) override {
    return Reply::Text(Reply::Kind::kError, "ERR a library that is loaded calls no commands");
  }
  std::optional<bool> MayCall(std::span<const Bytes> /*args*/) override { return std::nullopt; }
  void Breathe(ScriptRun& run) override {
    if (clock_.Steady() > end_) run.Abort("FUNCTION LOAD timeout");
  }
  void Log(LogLevel /*level*/, Bytes /*message*/) override {}

 private:
  const Clock& clock_;
  const SteadyTime end_;
};

}  // namespace

// Input and output of LoadLibraryMain().
struct ScriptEngine::LibraryJob {
  Bytes body;
  LibraryLoad load = {};
};

int ScriptEngine::LoadLibraryMain(lua_State* lua) {
  auto& job = *static_cast<LibraryJob*>(lua_touserdata(lua, 1));
  mayfly::server::LoadLibrary(lua, job.body, job.load);
  return 0;
}

// The state that ran the text is thrown away: the library may be one that is refused.
Result<std::shared_ptr<const Library>> ScriptEngine::LoadLibrary(Bytes text, Millis time_max) {
  MAYFLY_TRY(LibraryText parsed, ParseLibraryText(text));
  std::unique_ptr<State> state = TakeState();
  ScriptRun run;
  LoadHost host(clock_, time_max);
  LuaJob lua_job{host, run};
  LibraryJob job{.body = parsed.body};
  state->lua.job = &lua_job;
  state->lua.set_bounded(true);
  const int status = lua_cpcall(state->lua.get(), LoadLibraryMain, &job);
  state->lua.set_bounded(false);
  state->lua.job = nullptr;
  if (status != 0 || job.load.out_of_memory) {
    return Status::Invalid("Error registering functions: not enough memory");
  }
  if (run.stop_requested()) {
    return Status::Invalid(fmt::format("Error registering functions: {}", run.stop_line()));
  }
  lua_settop(state->lua.get(), 0);
  GiveBack(std::move(state));
  if (!job.load.error.empty()) return Status::Invalid(job.load.error);
  return std::make_shared<const Library>(Library{.name = std::move(parsed.name),
                                                 .text = std::string(text),
                                                 .body = std::move(parsed.body),
                                                 .sha = Sha1Hex(text),
                                                 .functions = std::move(job.load.functions)});
}

std::shared_ptr<const Catalogue> ScriptEngine::catalogue() const {
  const std::lock_guard lock(catalogue_mutex_);
  return catalogue_;
}

void ScriptEngine::KeepCatalogue(std::shared_ptr<const Catalogue> catalogue) {
  const std::lock_guard lock(catalogue_mutex_);
  catalogue_.swap(catalogue);
}

}  // namespace mayfly::server
