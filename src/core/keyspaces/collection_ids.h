// collection_ids.h - ids for collections, each given out once in the life of a database.
// A block is reserved in meta before its first id is used. A prefix of the commits survives a
// crash, so an id that survived in a row has its reservation before it. The rest of a block is
// never used once the process has ended. Threads: any.
#pragma once

#include <cstdint>
#include <mutex>

#include "engine/engine.h"
#include "mayfly/result.h"

namespace mayfly::core {

class CollectionIds {
 public:
  explicit CollectionIds(engine::Engine& engine) : engine_(engine) {}

  // Reads the reservations of earlier runs. Call it first.
  Status Load();

  Result<std::uint64_t> Next();

 private:
  engine::Engine& engine_;
  std::mutex mutex_;  // Guards the rest; held while a block is reserved.
  std::uint64_t next_ = 1;
  std::uint64_t reserved_ = 1;  // The first id that is not reserved.
};

}  // namespace mayfly::core
