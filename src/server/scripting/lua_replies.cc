#include "server/scripting/lua_replies.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "server/scripting/lua/lua_errors.h"

namespace mayfly::server {
namespace {

void PushMap(lua_State* lua, const Reply& reply, ProtocolVersion version) {
  lua_createtable(lua, 0, 1);
  lua_newtable(lua);
  for (std::size_t i = 0; i + 1 < reply.items().size(); i += 2) {
    PushReply(lua, reply.items()[i], version);
    PushReply(lua, reply.items()[i + 1], version);
    if (lua_isnil(lua, -2)) {
      lua_pop(lua, 2);  // Not a valid table key.
    } else {
      lua_rawset(lua, -3);
    }
  }
  lua_setfield(lua, -2, "map");
}

void PushSet(lua_State* lua, const Reply& reply, ProtocolVersion version) {
  lua_createtable(lua, 0, 1);
  lua_newtable(lua);
  for (const Reply& item : reply.items()) {
    PushReply(lua, item, version);
    if (lua_isnil(lua, -1)) {
      lua_pop(lua, 1);
      continue;
    }
    lua_pushboolean(lua, 1);
    lua_rawset(lua, -3);
  }
  lua_setfield(lua, -2, "set");
}

void PushArray(lua_State* lua, const Reply& reply, ProtocolVersion version) {
  const auto& items = reply.items();
  lua_createtable(lua, static_cast<int>(std::min<std::size_t>(items.size(), 1 << 20)), 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    PushReply(lua, items[i], version);
    lua_rawseti(lua, -2, static_cast<int>(i + 1));
  }
}

void PushField(lua_State* lua, const char* name, Bytes text) {
  lua_createtable(lua, 0, 1);
  PushBytes(lua, text);
  lua_setfield(lua, -2, name);
}

// "txt:hello"
void PushVerbatim(lua_State* lua, Bytes text) {
  lua_createtable(lua, 0, 1);
  lua_createtable(lua, 0, 2);
  PushBytes(lua, text.substr(0, 3));
  lua_setfield(lua, -2, "format");
  PushBytes(lua, text.substr(std::min<std::size_t>(4, text.size())));
  lua_setfield(lua, -2, "string");
  lua_setfield(lua, -2, "verbatim_string");
}

// Truncates; a number out of range becomes the smallest, as the conversion of x86 does.
std::int64_t ToInteger(double number) {
  constexpr double kEnd = 9223372036854775808.0;
  const bool fits = number >= -kEnd && number < kEnd;
  return fits ? static_cast<std::int64_t>(number) : std::numeric_limits<std::int64_t>::min();
}

// Line breaks would end a reply of one line.
std::string OneLine(Bytes text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\r', ' ');
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

class LuaValueWriter {
 public:
  LuaValueWriter(lua_State* lua, ProtocolVersion version, const ScriptReplyLimits& limits,
                 ReplyWriter& writer)
      : lua_(lua), version_(version), limits_(limits), writer_(writer) {}

  // Writes the value on top and pops it.
  void Write(int depth) {
    if (++values_ > limits_.values_max || bytes_ > limits_.bytes_max) {
      too_large_ = true;
      lua_pop(lua_, 1);
      return;
    }
    switch (lua_type(lua_, -1)) {
      case LUA_TSTRING: writer_.Bulk(Counted(ToBytes(lua_, -1))); break;
      case LUA_TNUMBER: writer_.Integer(ToInteger(lua_tonumber(lua_, -1))); break;
      case LUA_TBOOLEAN: WriteBoolean(lua_toboolean(lua_, -1) != 0); break;
      case LUA_TTABLE: WriteTable(depth); break;
      default: writer_.Null(); break;
    }
    lua_pop(lua_, 1);
  }

  bool too_large() const { return too_large_; }

 private:
  Bytes Counted(Bytes bytes) {
    bytes_ += bytes.size();
    return bytes;
  }

  void WriteBoolean(bool value) {
    if (version_ == ProtocolVersion::kResp3) {
      writer_.Boolean(value);
    } else if (value) {
      writer_.Integer(1);
    } else {
      writer_.Null();
    }
  }

  // Pushes a field of the table on top; if it is not of this type, pushes nothing.
  bool Field(const char* name, int type) {
    lua_pushstring(lua_, name);
    lua_rawget(lua_, -2);
    if (lua_type(lua_, -1) == type) return true;
    lua_pop(lua_, 1);
    return false;
  }

  void WriteTable(int depth) {
    if (depth >= limits_.depth_max || lua_checkstack(lua_, 8) == 0) {
      writer_.Error("ERR reached lua stack limit");
      return;
    }
    if (WriteTextField() || WriteVerbatim()) return;
    if (Field("double", LUA_TNUMBER)) {
      writer_.Double(lua_tonumber(lua_, -1));
      lua_pop(lua_, 1);
    } else if (Field("map", LUA_TTABLE)) {
      WritePairs(Aggregate::kMap, depth);
    } else if (Field("set", LUA_TTABLE)) {
      WritePairs(Aggregate::kSet, depth);
    } else {
      WriteArray(depth);
    }
  }

  bool WriteTextField() {
    if (Field("err", LUA_TSTRING)) {
      writer_.Error(OneLine(Counted(ToBytes(lua_, -1))));
    } else if (Field("ok", LUA_TSTRING)) {
      writer_.SimpleString(OneLine(Counted(ToBytes(lua_, -1))));
    } else if (Field("big_number", LUA_TSTRING)) {
      writer_.BigNumber(OneLine(Counted(ToBytes(lua_, -1))));
    } else {
      return false;
    }
    lua_pop(lua_, 1);
    return true;
  }

  bool WriteVerbatim() {
    if (!Field("verbatim_string", LUA_TTABLE)) return false;
    bool written = false;
    if (Field("format", LUA_TSTRING)) {
      std::string format = OneLine(ToBytes(lua_, -1));
      format.resize(3, ' ');
      if (lua_insert(lua_, -2); Field("string", LUA_TSTRING)) {
        writer_.Verbatim(format, Counted(ToBytes(lua_, -1)));
        lua_pop(lua_, 1);
        written = true;
      }
      lua_pop(lua_, 1);
    }
    lua_pop(lua_, 1);
    return written;
  }

  // Pops the table on top and writes keys and values, or keys alone.
  void WritePairs(Aggregate kind, int depth) {
    const ReplyWriter::Deferred header = writer_.BeginDeferred(kind);
    std::size_t count = 0;
    lua_pushnil(lua_);
    while (lua_next(lua_, -2) != 0) {
      ++count;
      lua_pushvalue(lua_, -2);
      Write(depth + 1);
      if (kind == Aggregate::kMap) {
        Write(depth + 1);
      } else {
        lua_pop(lua_, 1);
      }
    }
    writer_.EndDeferred(header, count);
    lua_pop(lua_, 1);
  }

  void WriteArray(int depth) {
    int count = 0;
    while (HasItem(count + 1)) ++count;
    writer_.Array(static_cast<std::size_t>(count));
    for (int i = 1; i <= count && !too_large_; ++i) {
      lua_rawgeti(lua_, -1, i);
      Write(depth + 1);
    }
  }

  bool HasItem(int index) {
    lua_rawgeti(lua_, -1, index);
    const bool there = !lua_isnil(lua_, -1);
    lua_pop(lua_, 1);
    return there;
  }

  lua_State* const lua_;
  const ProtocolVersion version_;
  const ScriptReplyLimits& limits_;
  ReplyWriter& writer_;
  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
  bool too_large_ = false;
};

}  // namespace

void PushReply(lua_State* lua, const Reply& reply, ProtocolVersion version) {
  luaL_checkstack(lua, 8, "a reply nested too deeply");
  switch (reply.kind) {
    case Reply::Kind::kNull:
    case Reply::Kind::kNullArray:
      if (version == ProtocolVersion::kResp3) {
        lua_pushnil(lua);
      } else {
        lua_pushboolean(lua, 0);
      }
      break;
    case Reply::Kind::kSimpleString: PushField(lua, "ok", reply.text()); break;
    case Reply::Kind::kError:
    case Reply::Kind::kBulkError: PushError(lua, reply.text(), true); break;
    case Reply::Kind::kBulk: PushBytes(lua, reply.text()); break;
    case Reply::Kind::kVerbatim: PushVerbatim(lua, reply.text()); break;
    case Reply::Kind::kBigNumber: PushField(lua, "big_number", reply.text()); break;
    case Reply::Kind::kInteger:
      lua_pushnumber(lua, static_cast<lua_Number>(reply.integer()));
      break;
    case Reply::Kind::kDouble:
      lua_createtable(lua, 0, 1);
      lua_pushnumber(lua, reply.number());
      lua_setfield(lua, -2, "double");
      break;
    case Reply::Kind::kBoolean: lua_pushboolean(lua, reply.boolean() ? 1 : 0); break;
    case Reply::Kind::kArray:
    case Reply::Kind::kPush: PushArray(lua, reply, version); break;
    case Reply::Kind::kSet: PushSet(lua, reply, version); break;
    case Reply::Kind::kMap: PushMap(lua, reply, version); break;
  }
}

Status WriteLuaValue(lua_State* lua, ProtocolVersion version, const ScriptReplyLimits& limits,
                     ReplyWriter& writer) {
  LuaValueWriter values(lua, version, limits, writer);
  lua_pushvalue(lua, -1);
  values.Write(0);
  if (values.too_large()) return Status::Invalid("the script's reply is too large");
  return Status::Ok();
}

}  // namespace mayfly::server
