// limits.h - what a script may use.
#pragma once

#include <cstddef>

namespace mayfly::server {

// Memory of the Lua state, with everything a script makes. Raising it lets one script take as much.
inline constexpr std::size_t kScriptMemoryBytesDefault = std::size_t{128} * 1024 * 1024;

// Instructions between two looks at whether the script shall stop.
inline constexpr int kScriptHookInstructions = 10'000;

// Compiled scripts kept; past it all are compiled anew as they are needed.
inline constexpr int kCompiledScriptsMax = 500;

// Bytes of a pattern of string.find and the like: Lua 5.1 matches by recursion, some hundred bytes
// of stack for each byte of the pattern.
inline constexpr std::size_t kPatternBytesMax = 4096;

// Tables and arrays inside one another in JSON; cjson reads and writes by recursion. Its default.
inline constexpr int kJsonDepthMax = 1000;

// Tables inside one another in MessagePack that scripts make, as in Redis; and bytes of a package,
// since a table may stand in itself many times over.
inline constexpr int kMessagePackDepthMax = 16;
inline constexpr std::size_t kMessagePackBytesMax = std::size_t{128} * 1024 * 1024;

// A script's reply: a table may stand in itself many times over, so memory does not bound it.
struct ScriptReplyLimits {
  std::size_t bytes_max = std::size_t{512} * 1024 * 1024;
  std::size_t values_max = std::size_t{16} * 1024 * 1024;
  int depth_max = 2000;
};

}  // namespace mayfly::server
