// limits.h - the bounds on what a script may use.
#pragma once

#include <chrono>
#include <cstddef>

namespace mayfly::server {

// Memory of a Lua state, with everything a script makes. Raising it lets each script take as much.
inline constexpr std::size_t kScriptMemoryBytesDefault = std::size_t{128} * 1024 * 1024;

// Memory of a script's uncommitted writes. Past it the script is aborted and rolled back.
inline constexpr std::size_t kScriptWriteBytesDefault = std::size_t{256} * 1024 * 1024;

// How long a script may run beside others, holding the latches of its keys: other threads wait for
// them that long, out of service. Past it the script is rolled back and runs again, alone.
inline constexpr std::chrono::milliseconds kScriptBesideTime{5};

// Scripts that are known to need all keys.
inline constexpr std::size_t kGreedyScriptsMax = 4096;

// Instructions between two checks whether the script must stop.
inline constexpr int kScriptHookInstructions = 1'000;

// Bytes a script may allocate between two checks: few instructions can take long if each makes a
// long string.
inline constexpr std::size_t kScriptBytesPerBreath = std::size_t{4} << 20;

// Cached scripts that EVAL brought, the most recently used, as in Redis 7.4. Raising it costs their
// texts.
inline constexpr std::size_t kEvaluatedScriptsMax = 500;

// How long the text of a library may run while FUNCTION LOAD registers its functions, as in Redis;
// and one that is stored, on a machine that is slow just then.
inline constexpr std::chrono::milliseconds kLibraryLoadTime{500};
inline constexpr std::chrono::milliseconds kStoredLibraryLoadTime{5'000};

// Libraries of functions that a Lua state holds; past it all are dropped, and loaded again as needed.
inline constexpr int kLoadedLibrariesMax = 500;

// Compiled scripts in the cache; past it all are dropped, and compiled again as needed.
inline constexpr int kCompiledScriptsMax = 500;

// Of string.find() and its like: how deep the matcher recurses, some hundred bytes of stack each,
// and after how many steps it checks whether the script must stop.
inline constexpr int kPatternDepthMax = 8000;
inline constexpr std::size_t kPatternStepsPerBreath = 100'000;

// Bytes of a text that is compiled: far below the range of the ints in Lua's compiler.
inline constexpr std::size_t kScriptTextBytesMax = std::size_t{64} * 1024 * 1024;

// How far below 1 table.insert() may begin to move values.
inline constexpr int kTableShiftMax = 1'000'000;

// Lua's collector: it begins when memory has grown to this share of what was left last time, and
// runs this much faster than scripts allocate.
inline constexpr int kCollectorPausePercent = 150;
inline constexpr int kCollectorStepPercent = 200;

// Bytes of an integer of `struct`.
inline constexpr int kStructIntegerBytesMax = 32;

// Nesting of tables and arrays in JSON, which is read and written by recursion.
inline constexpr int kJsonDepthMax = 1000;

// Nesting of tables in MessagePack that scripts make, as in Redis.
inline constexpr int kMessagePackDepthMax = 16;

// A script's reply: a table may contain itself many times over, so memory does not bound it.
struct ScriptReplyLimits {
  std::size_t bytes_max = std::size_t{512} * 1024 * 1024;
  std::size_t values_max = std::size_t{16} * 1024 * 1024;
  int depth_max = 2000;
};

}  // namespace mayfly::server
