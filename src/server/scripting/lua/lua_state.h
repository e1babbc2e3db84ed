// lua_state.h - a Lua state with a bound on its memory and a hook that can stop it.
// Errors of Lua are exceptions here, and unwind our frames: never catch (...) in a function that
// Lua calls. Everything that may raise one runs within lua_cpcall(). One thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <lua.hpp>

#include "server/scripting/lua/json_settings.h"
#include "server/scripting/lua/script_host.h"

namespace mayfly::server {

// The context of the functions that a script calls.
struct LuaJob {
  ScriptHost& host;
  ScriptRun& run;
  ProtocolVersion version = ProtocolVersion::kResp2;  // Of redis.call()'s replies.
  bool error_counted = false;  // The script ended by a command's error, which is counted.
};

struct LibraryLoad;  // library_loader.h

class LuaState {
 public:
  // An empty state without libraries. Throws std::bad_alloc when out of memory.
  explicit LuaState(std::size_t memory_bytes_max);
  ~LuaState();
  LuaState(const LuaState&) = delete;
  LuaState& operator=(const LuaState&) = delete;

  // The state that called a function; `lua` may be a coroutine of it.
  static LuaState& Of(lua_State* lua);

  lua_State* get() const { return lua_; }
  std::size_t memory_bytes() const { return memory_bytes_; }

  // What a script may still allocate: the bound of texts made outside of Lua that become its
  // strings.
  std::size_t memory_left() const {
    return memory_bytes_max_ - std::min(memory_bytes_max_, memory_bytes_);
  }

  // Outside of scripts the bound is off, so that the engine's own calls do not fail by it.
  void set_bounded(bool bounded) { bounded_ = bounded; }

  // Ends the script if its run must stop: then it does not return.
  static void StopIfAsked(lua_State* lua);

  // The same, and calls the host's Breathe() first: for functions that take long.
  static void Breathe(lua_State* lua);

  // The running script; null between runs.
  LuaJob* job = nullptr;

  // The library that registers its functions; null but while one is loaded.
  LibraryLoad* load = nullptr;

  // State of math.random().
  std::array<unsigned short, 3> random = {};

  // Settings of cjson; each run begins with the defaults.
  JsonSettings json;

 private:
  static void* Allocate(void* state, void* block, std::size_t old_size, std::size_t new_size);
  static void Hook(lua_State* lua, lua_Debug* debug);
  void NoteAllocated(std::size_t bytes);

  const std::size_t memory_bytes_max_;
  std::size_t memory_bytes_ = 0;
  bool bounded_ = false;
  std::size_t allocated_bytes_ = 0;  // Since the last check.
  bool hurried_ = false;             // The next instruction of `lua_` checks.
  lua_State* lua_;
};

}  // namespace mayfly::server
