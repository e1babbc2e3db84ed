#include "server/scripting/libraries/pattern_functions.h"

#include <algorithm>
#include <cstring>

#include "server/scripting/libraries/pattern_matcher.h"
#include "server/scripting/lua/lua_errors.h"

namespace mayfly::server {
namespace {

Bytes CheckBytes(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* const data = luaL_checklstring(lua, index, &size);
  return {data, size};
}

// A position that counts from 1, or from the end if it is negative, as an offset within the string.
std::size_t CheckOffset(lua_State* lua, int index, std::size_t size) {
  lua_Integer place = luaL_optinteger(lua, index, 1);
  if (place < 0) place += static_cast<lua_Integer>(size) + 1;
  if (place <= 0) return 0;
  return std::min(static_cast<std::size_t>(place) - 1, size);
}

bool IsPlain(Bytes pattern) {
  return pattern.substr(0, pattern.find('\0')).find_first_of("^$*+?.([%-") == Bytes::npos;
}

int FindPlain(lua_State* lua, Bytes subject, Bytes text, std::size_t from) {
  const Bytes rest = subject.substr(from);
  // Linear in the length of both.
  const void* const found = memmem(rest.data(), rest.size(), text.data(), text.size());
  if (found == nullptr) {
    lua_pushnil(lua);
    return 1;
  }
  const auto begin = static_cast<std::size_t>(static_cast<const char*>(found) - subject.data());
  lua_pushnumber(lua, static_cast<lua_Number>(begin + 1));
  lua_pushnumber(lua, static_cast<lua_Number>(begin + text.size()));
  return 2;
}

int FindOrMatch(lua_State* lua, bool find) {
  const Bytes subject = CheckBytes(lua, 1);
  Bytes pattern = CheckBytes(lua, 2);
  std::size_t begin = CheckOffset(lua, 3, subject.size());
  if (find && (lua_toboolean(lua, 4) != 0 || IsPlain(pattern))) {
    return FindPlain(lua, subject, pattern, begin);
  }
  const bool anchored = pattern.starts_with('^');
  if (anchored) pattern.remove_prefix(1);
  PatternMatcher matcher(lua, subject, pattern);
  do {
    const std::size_t end = matcher.Match(begin);
    if (end == PatternMatcher::kNone) continue;
    if (!find) return matcher.PushCaptures(begin, end);
    lua_pushnumber(lua, static_cast<lua_Number>(begin + 1));
    lua_pushnumber(lua, static_cast<lua_Number>(end));
    return matcher.capture_count() == 0 ? 2 : 2 + matcher.PushCaptures(begin, end);
  } while (begin++ < subject.size() && !anchored);
  lua_pushnil(lua);
  return 1;
}

int Find(lua_State* lua) { return FindOrMatch(lua, true); }
int Match(lua_State* lua) { return FindOrMatch(lua, false); }

// The iterator of gmatch(); upvalues: subject, pattern, where to go on.
int NextMatch(lua_State* lua) {
  const Bytes subject = ToBytes(lua, lua_upvalueindex(1));
  PatternMatcher matcher(lua, subject, ToBytes(lua, lua_upvalueindex(2)));
  auto begin = static_cast<std::size_t>(lua_tonumber(lua, lua_upvalueindex(3)));
  for (; begin <= subject.size(); ++begin) {
    const std::size_t end = matcher.Match(begin);
    if (end == PatternMatcher::kNone) continue;
    lua_pushnumber(lua, static_cast<lua_Number>(end == begin ? end + 1 : end));
    lua_replace(lua, lua_upvalueindex(3));
    return matcher.PushCaptures(begin, end);
  }
  return 0;
}

int EachMatch(lua_State* lua) {
  CheckBytes(lua, 1);
  CheckBytes(lua, 2);
  lua_settop(lua, 2);
  lua_pushnumber(lua, 0);
  lua_pushcclosure(lua, NextMatch, 3);
  return 1;
}

// The replacement of a match, as a string with %0 to %9.
void AddExpanded(lua_State* lua, luaL_Buffer& buffer, PatternMatcher& matcher, std::size_t begin,
                 std::size_t end) {
  const Bytes text = ToBytes(lua, 3);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      luaL_addchar(&buffer, text[i]);
      continue;
    }
    const char next = ++i < text.size() ? text[i] : '\0';
    if (next < '0' || next > '9') {
      luaL_addchar(&buffer, next);
    } else if (next == '0') {
      const Bytes whole = ToBytes(lua, 1).substr(begin, end - begin);
      luaL_addlstring(&buffer, whole.data(), whole.size());
    } else {
      matcher.PushCapture(next - '1', begin, end);
      luaL_addvalue(&buffer);
    }
  }
}

void AddReplacement(lua_State* lua, luaL_Buffer& buffer, PatternMatcher& matcher, std::size_t begin,
                    std::size_t end) {
  switch (lua_type(lua, 3)) {
    case LUA_TFUNCTION: {
      lua_pushvalue(lua, 3);
      const int count = matcher.PushCaptures(begin, end);
      lua_call(lua, count, 1);
      break;
    }
    case LUA_TTABLE:
      matcher.PushCapture(0, begin, end);
      lua_gettable(lua, 3);
      break;
    default: return AddExpanded(lua, buffer, matcher, begin, end);
  }
  if (lua_toboolean(lua, -1) == 0) {
    lua_pop(lua, 1);
    PushBytes(lua, ToBytes(lua, 1).substr(begin, end - begin));
  } else if (lua_isstring(lua, -1) == 0) {
    luaL_error(lua, "invalid replacement value (a %s)", luaL_typename(lua, -1));
  }
  luaL_addvalue(&buffer);
}

int Substitute(lua_State* lua) {
  const Bytes subject = CheckBytes(lua, 1);
  Bytes pattern = CheckBytes(lua, 2);
  const int kind = lua_type(lua, 3);
  luaL_argcheck(
      lua,
      kind == LUA_TNUMBER || kind == LUA_TSTRING || kind == LUA_TFUNCTION || kind == LUA_TTABLE, 3,
      "string/function/table expected");
  if (kind == LUA_TNUMBER) lua_tostring(lua, 3);  // Converts it to a string in place.
  const lua_Integer wanted = luaL_optinteger(lua, 4, static_cast<lua_Integer>(subject.size()) + 1);
  const bool anchored = pattern.starts_with('^');
  if (anchored) pattern.remove_prefix(1);
  PatternMatcher matcher(lua, subject, pattern);
  luaL_Buffer buffer;
  luaL_buffinit(lua, &buffer);
  lua_Integer count = 0;
  std::size_t begin = 0;
  while (count < wanted) {
    const std::size_t end = matcher.Match(begin);
    if (end != PatternMatcher::kNone) {
      ++count;
      AddReplacement(lua, buffer, matcher, begin, end);
    }
    if (end != PatternMatcher::kNone && end > begin) {
      begin = end;
    } else if (begin < subject.size()) {
      luaL_addchar(&buffer, subject[begin++]);
    } else {
      break;
    }
    if (anchored) break;
  }
  const Bytes rest = subject.substr(begin);
  luaL_addlstring(&buffer, rest.data(), rest.size());
  luaL_pushresult(&buffer);
  lua_pushnumber(lua, static_cast<lua_Number>(count));
  return 2;
}

}  // namespace

void ReplacePatternFunctions(lua_State* lua, int strings) {
  // clang-format off
  static constexpr luaL_Reg kFunctions[] = {
      {"find",   Find},
      {"gmatch", EachMatch},
      {"gsub",   Substitute},
      {"match",  Match},
  };
  // clang-format on
  for (const luaL_Reg& function : kFunctions) {
    lua_pushcfunction(lua, function.func);
    lua_setfield(lua, strings, function.name);
  }
}

}  // namespace mayfly::server
