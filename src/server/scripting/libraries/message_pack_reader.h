// message_pack_reader.h - decodes MessagePack into values of Lua.
// A package is not trusted: an announced size allocates nothing before its bytes are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <lua.hpp>

#include "mayfly/bytes.h"

namespace mayfly::server {

class MessagePackReader {
 public:
  // The text must stay on Lua's stack.
  MessagePackReader(lua_State* lua, Bytes text) : lua_(lua), text_(text) {}

  // Pushes the next value, or raises an error of Lua when it is cut short or malformed.
  void PushNext() { Push(0); }

  bool done() const { return text_.empty(); }
  std::size_t left() const { return text_.size(); }

 private:
  void Push(int depth);
  void PushOfTag(unsigned char tag, int depth);
  void PushString(std::uint64_t size);
  void PushArray(std::uint64_t count, int depth);
  void PushMap(std::uint64_t count, int depth);
  std::uint64_t Number(int bytes);
  Bytes Take(std::uint64_t size);

  lua_State* const lua_;
  Bytes text_;  // The remaining bytes.
};

}  // namespace mayfly::server
