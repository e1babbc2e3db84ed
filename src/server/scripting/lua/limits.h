// limits.h - what a script may use.
#pragma once

#include <chrono>
#include <cstddef>

namespace mayfly::server {

// Memory of a Lua state, with everything a script makes. Raising it lets each script take as much.
inline constexpr std::size_t kScriptMemoryBytesDefault = std::size_t{128} * 1024 * 1024;

// Memory of what a script writes, until it is committed when the script ends. Past it the script is
// ended and taken back.
inline constexpr std::size_t kScriptWriteBytesDefault = std::size_t{256} * 1024 * 1024;

// How long a script may run beside others, holding the latches of its keys: others wait for them
// that long, out of service. Past it the script is taken back and begun again, alone.
inline constexpr std::chrono::milliseconds kScriptBesideTime{5};

// Scripts that are known to need everything.
inline constexpr std::size_t kGreedyScriptsMax = 4096;

// Instructions between two looks at whether the script shall stop.
inline constexpr int kScriptHookInstructions = 10'000;

// Scripts kept that EVAL brought, the latest used ones, as in Redis 7.4. Raising it costs their
// texts.
inline constexpr std::size_t kEvaluatedScriptsMax = 500;

// Compiled scripts kept; past it all are compiled anew as they are needed.
inline constexpr int kCompiledScriptsMax = 500;

// Of string.find() and its like: how deep the matcher recurses, some hundred bytes of stack each,
// and after how many steps it looks whether the script shall stop.
inline constexpr int kPatternDepthMax = 8000;
inline constexpr std::size_t kPatternStepsPerBreath = 100'000;

// Bytes of a text that is compiled: far below what Lua's compiler counts with ints.
inline constexpr std::size_t kScriptTextBytesMax = std::size_t{64} * 1024 * 1024;

// How far below 1 table.insert() may begin to move values.
inline constexpr int kTableShiftMax = 1'000'000;

// How Lua collects: begins when memory has grown to this share of what was left last time, and
// works this much faster than scripts allocate.
inline constexpr int kCollectorPausePercent = 150;
inline constexpr int kCollectorStepPercent = 200;

// Bytes of an integer of `struct`.
inline constexpr int kStructIntegerBytesMax = 32;

// Tables and arrays inside one another in JSON, which is read and written by recursion.
inline constexpr int kJsonDepthMax = 1000;

// Tables inside one another in MessagePack that scripts make, as in Redis.
inline constexpr int kMessagePackDepthMax = 16;

// A script's reply: a table may stand in itself many times over, so memory does not bound it.
struct ScriptReplyLimits {
  std::size_t bytes_max = std::size_t{512} * 1024 * 1024;
  std::size_t values_max = std::size_t{16} * 1024 * 1024;
  int depth_max = 2000;
};

}  // namespace mayfly::server
