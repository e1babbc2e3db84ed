// library_loader.h - runs the text of a library, which registers its functions.
// Meanwhile the library sees one global, `redis`, with register_function(), log() and the version;
// its functions see, once they are called, what scripts see. Each Lua state loads a library by
// itself, so what a library keeps in its local variables belongs to one state.
#pragma once

#include <lua.hpp>
#include <string>
#include <vector>

#include "server/scripting/library.h"

namespace mayfly::server {

// What is registered so far.
struct LibraryLoad {
  std::vector<FunctionInfo> functions = {};
  std::string error = {};  // In Redis' words; empty: none.
  bool out_of_memory = false;
};

// Call these within lua_cpcall(). The first once for a state, behind OpenLibraries().
void OpenLibraryLoading(lua_State* lua, std::string_view version);

// Fills `load`. Without an error it pushes a table: names of functions in lower case to functions.
// With one it pushes nil, and a state that is out of memory, or whose run was stopped, must not be
// used again.
void LoadLibrary(lua_State* lua, Bytes body, LibraryLoad& load);

}  // namespace mayfly::server
