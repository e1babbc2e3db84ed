// redis_library.h - the table `redis` of scripts.
// As in Redis 7.0, without `breakpoint` and `debug`: there is no debugger. What concerns
// replication is there and does nothing, since a latched transaction is replicated as what it
// changed.
#pragma once

#include <lua.hpp>
#include <string_view>

namespace mayfly::server {

// `version`: three numbers, such as "7.0.15".
void PushRedisLibrary(lua_State* lua, std::string_view version);

}  // namespace mayfly::server
