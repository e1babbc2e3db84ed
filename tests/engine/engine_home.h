// engine_home.h - opens the engines under test, one home per test.
// A home opens an engine of its kind, again and again, one at a time; a persistent engine finds the
// data of the one before it. The files of a home are removed with it. The suite knows engines only
// through homes: a new engine joins it with one line in AllEngineKinds().
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "engine/drop_policy.h"
#include "engine/engine.h"

namespace mayfly::engine::suite {

class EngineHome {
 public:
  virtual ~EngineHome() = default;

  // The previous engine must be destroyed. A failure to open ends the process.
  virtual std::unique_ptr<Engine> Open(std::shared_ptr<const DropPolicy> policy) = 0;

  // Whether Files() of a compacted role returns any.
  virtual bool has_files() const = 0;

  // Whether the next engine finds what the one before it had.
  virtual bool is_persistent() const { return has_files(); }

  // Whether an open cursor keeps files that a compaction has replaced.
  virtual bool cursors_keep_files() const { return has_files(); }
};

struct EngineKind {
  std::string name;  // As it appears in test names: letters and digits.
  std::function<std::unique_ptr<EngineHome>()> new_home;

  // For GTest's messages.
  friend void PrintTo(const EngineKind& kind, std::ostream* out) { *out << kind.name; }
};

// Every engine the suite runs on.
std::vector<EngineKind> AllEngineKinds();

// The first of them, the reference.
EngineKind MemoryKind();

// An engine that has files.
EngineKind RocksKind();

// The memory-first engine: in memory alone; with bounds so small that it folds and evicts all the
// time; and with a small log and everything in memory.
EngineKind HotMemoryKind();
EngineKind HotKind();
EngineKind HotResidentKind();

// Wraps an engine in another.
using Wrapper = std::function<std::unique_ptr<Engine>(std::unique_ptr<Engine>)>;

// The engines of `inner`, each wrapped.
EngineKind WrappedKind(std::string name, EngineKind inner, Wrapper wrapper);

}  // namespace mayfly::engine::suite
