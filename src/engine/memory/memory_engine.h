// memory_engine.h - the reference engine: sorted maps with versions, nothing on disk.
#pragma once

#include <memory>

#include "engine/drop_policy.h"
#include "engine/engine.h"

namespace mayfly::engine {

struct MemoryOptions {
  // Used by Compact(). Shared by the engine and its creator. Null: nothing is ever dropped.
  std::shared_ptr<const DropPolicy> drop_policy = nullptr;
};

// An empty engine. Everything is gone when it closes.
std::unique_ptr<Engine> NewMemoryEngine(MemoryOptions options = {});

}  // namespace mayfly::engine
