#include "server/scripting/lua/lua_state.h"

#include <cstdlib>
#include <new>

#include "server/scripting/lua/limits.h"
#include "server/scripting/lua/lua_errors.h"

namespace mayfly::server {

LuaState::LuaState(std::size_t memory_bytes_max)
    : memory_bytes_max_(memory_bytes_max), lua_(lua_newstate(Allocate, this)) {
  if (lua_ == nullptr) throw std::bad_alloc();
  // A coroutine inherits the hook of its creator.
  lua_sethook(lua_, Hook, LUA_MASKCOUNT, kScriptHookInstructions);
}

LuaState::~LuaState() {
  lua_gc(lua_, LUA_GCCOLLECT, 0);  // Closing in the middle of a collection is CVE-2024-46981.
  lua_close(lua_);
}

LuaState& LuaState::Of(lua_State* lua) {
  void* state = nullptr;
  lua_getallocf(lua, &state);
  return *static_cast<LuaState*>(state);
}

void* LuaState::Allocate(void* state, void* block, std::size_t old_size, std::size_t new_size) {
  LuaState& self = *static_cast<LuaState*>(state);
  if (new_size == 0) {
    self.memory_bytes_ -= block == nullptr ? 0 : old_size;
    std::free(block);
    return nullptr;
  }
  const std::size_t held = block == nullptr ? 0 : old_size;
  const std::size_t wanted = self.memory_bytes_ - held + new_size;
  // Shrinking must not fail.
  if (self.bounded_ && new_size > held && wanted > self.memory_bytes_max_) return nullptr;
  void* const moved = std::realloc(block, new_size);
  if (moved == nullptr) return nullptr;
  self.memory_bytes_ = wanted;
  if (new_size > held) self.NoteAllocated(new_size - held);
  return moved;
}

// Within an allocation no error can be raised, and no other client served: the next instruction
// does it. A coroutine has a hook of its own, which comes by its count.
void LuaState::NoteAllocated(std::size_t bytes) {
  allocated_bytes_ += bytes;
  if (allocated_bytes_ < kScriptBytesPerBreath || hurried_ || job == nullptr) return;
  hurried_ = true;
  lua_sethook(lua_, Hook, lua_gethookmask(lua_) | LUA_MASKCOUNT, 1);
}

void LuaState::Hook(lua_State* lua, lua_Debug*) {
  LuaState& self = Of(lua);
  self.allocated_bytes_ = 0;
  if (self.hurried_ && lua == self.lua_) {
    self.hurried_ = false;
    lua_sethook(lua, Hook, lua_gethookmask(lua), kScriptHookInstructions);
  }
  Breathe(lua);
}

void LuaState::Breathe(lua_State* lua) {
  const LuaState& self = Of(lua);
  if (self.job == nullptr) return;
  self.job->host.Breathe(self.job->run);
  StopIfAsked(lua);
}

void LuaState::StopIfAsked(lua_State* lua) {
  const LuaState& self = Of(lua);
  if (!self.job->run.stop_requested()) return;
  // From now on at every line: a script that catches the error gets the next one at once, until no
  // handler is left.
  lua_sethook(lua, Hook, LUA_MASKLINE | LUA_MASKCOUNT, 1);
  RaiseError(lua, self.job->run.stop_line());
}

}  // namespace mayfly::server
