#include "server/scripting/redis_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "server/scripting/lua/lua_errors.h"
#include "server/scripting/lua/lua_state.h"
#include "server/scripting/lua_replies.h"
#include "server/scripting/script.h"

namespace mayfly::server {
namespace {

constexpr int kReplicateAll = 3;

LuaJob& JobOf(lua_State* lua) { return *LuaState::Of(lua).job; }

// Reads the arguments of a command. False, with the reason in `error`, if they are not valid ones.
bool ReadArguments(lua_State* lua, std::vector<std::string>& args, std::string& error) {
  const int count = lua_gettop(lua);
  if (count == 0) {
    error = "ERR Please specify at least one argument for this redis lib call";
    return false;
  }
  args.reserve(static_cast<std::size_t>(count));
  for (int i = 1; i <= count; ++i) {
    if (lua_type(lua, i) == LUA_TNUMBER) {
      std::array<char, 64> text;
      const int size = std::snprintf(text.data(), text.size(), "%.17g", lua_tonumber(lua, i));
      args.emplace_back(text.data(), static_cast<std::size_t>(size));
    } else if (lua_type(lua, i) == LUA_TSTRING) {
      args.emplace_back(ToBytes(lua, i));
    } else {
      error = "ERR Lua redis lib command arguments must be strings or integers";
      return false;
    }
  }
  return true;
}

// The reply, or an error reply. C++ exceptions must not travel through Lua, which would take them
// for its own.
Reply CallServer(LuaJob& job, const std::vector<std::string>& args) {
  const std::vector<Bytes> views(args.begin(), args.end());
  try {
    return job.host.Call(views, job.version, job.run);
  } catch (const std::exception& thrown) {
    return Reply::Text(Reply::Kind::kError, fmt::format("ERR {}", thrown.what()));
  }
}

int CallCommand(lua_State* lua, bool raises) {
  Reply reply;
  std::string error;
  {
    std::vector<std::string> args;
    if (ReadArguments(lua, args, error)) reply = CallServer(JobOf(lua), args);
  }
  LuaState::StopIfAsked(lua);
  lua_settop(lua, 0);
  if (!error.empty()) {
    PushError(lua, error);
  } else {
    PushReply(lua, reply, JobOf(lua).version);
  }
  if (raises && (!error.empty() || reply.is_error())) return lua_error(lua);
  return 1;
}

int CallOrRaise(lua_State* lua) { return CallCommand(lua, true); }
int CallOrReturn(lua_State* lua) { return CallCommand(lua, false); }

int Sha1(lua_State* lua) {
  if (lua_gettop(lua) != 1) RaiseError(lua, "ERR wrong number of arguments");
  PushBytes(lua, Sha1Hex(lua_isstring(lua, 1) != 0 ? ToBytes(lua, 1) : Bytes()));
  return 1;
}

bool TakesOneString(lua_State* lua) {
  if (lua_gettop(lua) == 1 && lua_type(lua, 1) == LUA_TSTRING) return true;
  PushError(lua, "ERR wrong number or type of arguments");
  return false;
}

// {err = line}. A text of one word gets a code word.
int ErrorReply(lua_State* lua) {
  if (!TakesOneString(lua)) return 1;
  Bytes text = ToBytes(lua, 1);
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t end = text.find_last_not_of("\r\n");
  text = text.substr(0, end == Bytes::npos ? 0 : end + 1);
  const bool has_code = text.find(' ') != Bytes::npos;
  PushError(lua, has_code ? std::string(text) : fmt::format("ERR {}", text));
  return 1;
}

int StatusReply(lua_State* lua) {
  if (!TakesOneString(lua)) return 1;
  lua_createtable(lua, 0, 1);
  lua_pushvalue(lua, 1);
  lua_setfield(lua, -2, "ok");
  return 1;
}

int SetResp(lua_State* lua) {
  if (lua_gettop(lua) != 1) RaiseError(lua, "ERR redis.setresp() requires one argument.");
  const lua_Number version = lua_tonumber(lua, 1);
  if (version != 2 && version != 3) RaiseError(lua, "ERR RESP version must be 2 or 3.");
  JobOf(lua).version = version == 3 ? ProtocolVersion::kResp3 : ProtocolVersion::kResp2;
  return 0;
}

int WriteLog(lua_State* lua) {
  static constexpr LogLevel kLevels[] = {LogLevel::kDebug, LogLevel::kDebug, LogLevel::kInfo,
                                         LogLevel::kWarning};
  const int count = lua_gettop(lua);
  if (count < 2) RaiseError(lua, "ERR redis.log() requires two arguments or more.");
  if (lua_type(lua, 1) != LUA_TNUMBER) {
    RaiseError(lua, "ERR First argument must be a number (log level).");
  }
  const lua_Number level = lua_tonumber(lua, 1);
  if (!(level >= 0 && level <= 3)) RaiseError(lua, "ERR Invalid debug level.");
  std::string message;
  for (int i = 2; i <= count; ++i) {
    if (i > 2) message += ' ';
    if (lua_isstring(lua, i) != 0) message += ToBytes(lua, i);
  }
  JobOf(lua).host.Log(kLevels[static_cast<int>(level)], message);
  return 0;
}

int CheckCommand(lua_State* lua) {
  std::optional<bool> may;
  std::string error;
  {
    std::vector<std::string> args;
    if (ReadArguments(lua, args, error)) {
      may = JobOf(lua).host.MayCall(std::vector<Bytes>(args.begin(), args.end()));
      if (!may) error = "ERR Invalid command passed to redis.acl_check_cmd()";
    }
  }
  if (!may) RaiseError(lua, error);
  lua_pushboolean(lua, *may ? 1 : 0);
  return 1;
}

int SetReplication(lua_State* lua) {
  if (lua_gettop(lua) != 1) RaiseError(lua, "ERR redis.set_repl() requires two arguments.");
  const auto flags = static_cast<std::int64_t>(lua_tointeger(lua, 1));
  if ((flags & ~std::int64_t{kReplicateAll}) != 0) {
    RaiseError(lua,
               "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.");
  }
  return 0;
}

int ReplicateCommands(lua_State* lua) {
  lua_pushboolean(lua, 1);
  return 1;
}

// For Redis' debugger, which is never on.
int Breakpoint(lua_State* lua) {
  lua_pushboolean(lua, 0);
  return 1;
}

int ShowToDebugger(lua_State*) { return 0; }

// 7.0.15 is 0x07000f.
int VersionNumber(std::string_view version) {
  int number = 0;
  const char* at = version.data();
  const char* const end = at + version.size();
  for (int i = 0; i < 3; ++i) {
    int part = 0;
    at = std::min(std::from_chars(at, end, part).ptr + 1, end);
    number = number * 256 + part;
  }
  return number;
}

struct Constant {
  const char* name;
  int value;
};

// clang-format off
constexpr luaL_Reg kRunningFunctions[] = {
    {"acl_check_cmd",      CheckCommand},
    {"breakpoint",         Breakpoint},
    {"call",               CallOrRaise},
    {"debug",              ShowToDebugger},
    {"error_reply",        ErrorReply},
    {"pcall",              CallOrReturn},
    {"replicate_commands", ReplicateCommands},
    {"set_repl",           SetReplication},
    {"setresp",            SetResp},
    {"sha1hex",            Sha1},
    {"status_reply",       StatusReply},
};
constexpr Constant kReplication[] = {
    {"REPL_NONE",    0},
    {"REPL_AOF",     1},
    {"REPL_SLAVE",   2},
    {"REPL_ALL",     kReplicateAll},
    {"REPL_REPLICA", 2},
};
constexpr Constant kLogLevels[] = {
    {"LOG_DEBUG",   0},
    {"LOG_VERBOSE", 1},
    {"LOG_NOTICE",  2},
    {"LOG_WARNING", 3},
};
// clang-format on

void SetFunction(lua_State* lua, const char* name, lua_CFunction function) {
  lua_pushcfunction(lua, function);
  lua_setfield(lua, -2, name);
}

void SetConstants(lua_State* lua, std::span<const Constant> constants) {
  for (const Constant& constant : constants) {
    lua_pushinteger(lua, constant.value);
    lua_setfield(lua, -2, constant.name);
  }
}

}  // namespace

void PushLoadingRedisLibrary(lua_State* lua, std::string_view version) {
  lua_newtable(lua);
  SetFunction(lua, "log", WriteLog);
  SetConstants(lua, kLogLevels);
  lua_pushinteger(lua, VersionNumber(version));
  lua_setfield(lua, -2, "REDIS_VERSION_NUM");
  PushBytes(lua, version);
  lua_setfield(lua, -2, "REDIS_VERSION");
}

void PushRedisLibrary(lua_State* lua, std::string_view version) {
  PushLoadingRedisLibrary(lua, version);
  for (const luaL_Reg& function : kRunningFunctions) SetFunction(lua, function.name, function.func);
  SetConstants(lua, kReplication);
}

}  // namespace mayfly::server
