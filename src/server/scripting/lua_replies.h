// lua_replies.h - converts replies to values of Lua, and back.
//   RESP              Lua                              Lua                    RESP
//   integer           number                           number                 integer, cut off
//   bulk              string                           string                 bulk
//   null              false; nil in RESP3              false, nil, others     null
//   status, error     {ok = text}, {err = line}        true                   1; true in RESP3
//   array             table from 1 on                  table from 1 to nil    array
//   map, set          {map = {}}, {set = {k = true}}   the same tables        the same
//   double            {double = number}                                       a double
//   big number        {big_number = digits}                                   a big number
//   verbatim          {verbatim_string = {format =, string =}}                a verbatim string
// The script chooses RESP2 or RESP3 by redis.setresp(), independently of its client.
#pragma once

#include <lua.hpp>

#include "mayfly/status.h"
#include "server/scripting/lua/limits.h"
#include "wire/reply.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

// Pushes one value; an error is pushed, not raised.
void PushReply(lua_State* lua, const Reply& reply, ProtocolVersion version);

// Writes the value on top of the stack, which stays. Invalid when it exceeds the limits; then the
// writer holds a part of it. Calls no function of the script.
Status WriteLuaValue(lua_State* lua, ProtocolVersion version, const ScriptReplyLimits& limits,
                     ReplyWriter& writer);

}  // namespace mayfly::server
