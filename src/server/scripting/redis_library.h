// redis_library.h - the table `redis` of scripts.
// As in Redis 7.0, without `breakpoint` and `debug`: there is no debugger. The functions about
// replication exist and have no effect, since a transaction is replicated by its changes.
#pragma once

#include <lua.hpp>
#include <string_view>

namespace mayfly::server {

// `version`: three numbers, such as "7.0.15".
void PushRedisLibrary(lua_State* lua, std::string_view version);

// What of it a library of functions sees while it is loaded.
void PushLoadingRedisLibrary(lua_State* lua, std::string_view version);

}  // namespace mayfly::server
