// collection_ids.h - numbers for collections, each given out once in the life of a database.
// A block is reserved in meta before its first number is used. What survives a crash is a prefix of
// the commits, so a number that survived in a row has its reservation before it; what is left of a
// block when the process ends is never used. Threads: any.
#pragma once

#include <cstdint>
#include <mutex>

#include "engine/engine.h"
#include "mayfly/result.h"

namespace mayfly::core {

class CollectionIds {
 public:
  explicit CollectionIds(engine::Engine& engine) : engine_(engine) {}

  // Reads what was reserved before. Before anything else.
  Status Load();

  Result<std::uint64_t> Next();

 private:
  engine::Engine& engine_;
  std::mutex mutex_;  // Guards the rest; held while a block is reserved.
  std::uint64_t next_ = 1;
  std::uint64_t reserved_ = 1;  // The first one that is not.
};

}  // namespace mayfly::core
