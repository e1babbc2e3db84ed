#include "server/scripting/library_loader.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/text.h"
#include "server/functions/library_text.h"
#include "server/scripting/libraries/compile_text.h"
#include "server/scripting/libraries/read_only_tables.h"
#include "server/scripting/lua/lua_errors.h"
#include "server/scripting/lua/lua_state.h"
#include "server/scripting/lua_libraries.h"
#include "server/scripting/redis_library.h"

namespace mayfly::server {
namespace {

constexpr const char* kLoadGlobals = "mayfly.load_globals";  // In the registry, as the next one:
constexpr const char* kRegistered = "mayfly.registered";     // what the current load registered.
constexpr const char* kLibraryChunk = "@user_function";

// The arguments of redis.register_function(). The function lies at `callback` on the stack.
struct Registration {
  FunctionInfo info;
  bool named = false;
  int callback = 0;
};

bool ReadFlagTable(lua_State* lua, int table, ScriptFlags& flags) {
  for (int i = 1;; ++i) {
    lua_rawgeti(lua, table, i);
    const bool over = lua_isnil(lua, -1);
    const bool known =
        !over && lua_isstring(lua, -1) != 0 && SetScriptFlag(ToBytes(lua, -1), flags);
    lua_pop(lua, 1);
    if (over) return true;
    if (!known) return false;
  }
}

// One of the named arguments: its name and its value are on top of the stack. Returns what is wrong
// with it, or null.
const char* ReadNamedArgument(lua_State* lua, Registration& out) {
  if (lua_type(lua, -2) != LUA_TSTRING) {
    return "named argument key given to redis.register_function is not a string";
  }
  const std::string key = ToLower(ToBytes(lua, -2));
  const bool is_string = lua_type(lua, -1) == LUA_TSTRING;
  if (key == "function_name") {
    if (!is_string) {
      return "function_name argument given to redis.register_function must be a string";
    }
    out.info.name = ToBytes(lua, -1);
    out.named = true;
  } else if (key == "description") {
    if (!is_string) {
      return "description argument given to redis.register_function must be a string";
    }
    out.info.description = ToBytes(lua, -1);
  } else if (key == "callback") {
    if (!lua_isfunction(lua, -1)) {
      return "callback argument given to redis.register_function must be a function";
    }
    lua_pushvalue(lua, -1);
    lua_replace(lua, out.callback);
  } else if (key == "flags") {
    if (!lua_istable(lua, -1)) {
      return "flags argument to redis.register_function must be a table representing function "
             "flags";
    }
    if (!ReadFlagTable(lua, lua_gettop(lua), out.info.flags)) return "unknown flag given";
  } else {
    return "unknown argument given to redis.register_function";
  }
  return nullptr;
}

const char* ReadNamedArguments(lua_State* lua, Registration& out) {
  if (!lua_istable(lua, 1)) {
    return "calling redis.register_function with a single argument is only applicable to Lua table "
           "(representing named arguments).";
  }
  lua_pushnil(lua);
  out.callback = lua_gettop(lua);
  lua_pushnil(lua);
  while (lua_next(lua, 1) != 0) {
    if (const char* const wrong = ReadNamedArgument(lua, out)) return wrong;
    lua_pop(lua, 1);
  }
  if (!out.named) return "redis.register_function must get a function name argument";
  return lua_isnil(lua, out.callback) ? "redis.register_function must get a callback argument"
                                      : nullptr;
}

const char* ReadRegistration(lua_State* lua, Registration& out) {
  const int count = lua_gettop(lua);
  if (count < 1 || count > 2) return "wrong number of arguments to redis.register_function";
  if (count == 1) return ReadNamedArguments(lua, out);
  if (lua_type(lua, 1) != LUA_TSTRING) {
    return "first argument to redis.register_function must be a string";
  }
  if (!lua_isfunction(lua, 2)) {
    return "second argument to redis.register_function must be a function";
  }
  out.info.name = ToBytes(lua, 1);
  out.callback = 2;
  return nullptr;
}

std::string AddFunction(lua_State* lua, LibraryLoad& load) {
  Registration registration;
  if (const char* const wrong = ReadRegistration(lua, registration)) return wrong;
  if (Status named = CheckLibraryName(registration.info.name); !named.ok()) {
    return std::string(named.message());
  }
  const std::string key = ToLower(registration.info.name);
  lua_getfield(lua, LUA_REGISTRYINDEX, kRegistered);
  PushBytes(lua, key);
  lua_rawget(lua, -2);
  if (!lua_isnil(lua, -1)) return "Function already exists in the library";
  lua_pop(lua, 1);
  PushBytes(lua, key);
  lua_pushvalue(lua, registration.callback);
  lua_rawset(lua, -3);
  load.functions.push_back(std::move(registration.info));
  return {};
}

// Errors of Lua unwind our frames as exceptions do; the texts are Lua's own when one is raised.
int RegisterFunction(lua_State* lua) {
  LibraryLoad* const load = LuaState::Of(lua).load;
  if (load == nullptr) {
    RaiseError(lua, "redis.register_function can only be called on FUNCTION LOAD command");
  }
  const std::string wrong = AddFunction(lua, *load);
  if (!wrong.empty()) RaiseError(lua, wrong);
  return 0;
}

// The reason on top of the stack, which a script or Lua raised.
std::string ReasonOnTop(lua_State* lua) {
  if (IsError(lua, -1)) return ErrorLine(lua, -1);
  return lua_isstring(lua, -1) != 0 ? std::string(ToBytes(lua, -1)) : "unknown error";
}

}  // namespace

void OpenLibraryLoading(lua_State* lua, std::string_view version) {
  lua_newtable(lua);  // The globals.
  PushLoadingRedisLibrary(lua, version);
  lua_pushcfunction(lua, RegisterFunction);
  lua_setfield(lua, -2, "register_function");
  RefuseMissingFields(lua);
  MakeReadOnly(lua);
  lua_setfield(lua, -2, "redis");
  RefuseMissingFields(lua);
  lua_setfield(lua, LUA_REGISTRYINDEX, kLoadGlobals);
}

void LoadLibrary(lua_State* lua, Bytes body, LibraryLoad& load) {
  LuaState& state = LuaState::Of(lua);
  lua_newtable(lua);
  lua_setfield(lua, LUA_REGISTRYINDEX, kRegistered);
  if (!CompileText(lua, body, kLibraryChunk)) {
    load.error = fmt::format("Error compiling function: {}", ReasonOnTop(lua));
    lua_pop(lua, 1);
    lua_pushnil(lua);
    return;
  }
  lua_getfield(lua, LUA_REGISTRYINDEX, kLoadGlobals);
  ShowGlobals(lua);
  state.load = &load;
  const int status = lua_pcall(lua, 0, 0, 0);
  state.load = nullptr;
  load.out_of_memory = status == LUA_ERRMEM;
  if (status != 0) {
    load.error = fmt::format("Error registering functions: {}", ReasonOnTop(lua));
    lua_pop(lua, 1);
  } else if (load.functions.empty()) {
    load.error = "No functions registered";
  }
  ShowOwnGlobals(lua);
  if (load.error.empty()) {
    lua_getfield(lua, LUA_REGISTRYINDEX, kRegistered);
  } else {
    lua_pushnil(lua);
  }
  lua_pushnil(lua);
  lua_setfield(lua, LUA_REGISTRYINDEX, kRegistered);
}

}  // namespace mayfly::server
