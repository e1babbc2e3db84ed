// dying_engine.h - an engine on a disk that kills the process in the middle of a change.
// Bounds are so small that tables are written, segments of the log folded and rows evicted all the
// time.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "engine/drop_policy.h"
#include "engine/engine.h"
#include "engine/rocks/testing/faulty_disk.h"
#include "mayfly/database.h"

namespace mayfly::crash {

// The engines that have files, as parameters of a test.
class EachStoredEngine : public ::testing::TestWithParam<StorageEngine> {};
inline auto StoredEngines() {
  return ::testing::Values(StorageEngine::kRocks, StorageEngine::kMemoryFirst);
}
inline std::string NameOf(StorageEngine engine) {
  return engine == StorageEngine::kMemoryFirst ? "MemoryFirst" : "Rocks";
}
inline std::string NameOfStored(const ::testing::TestParamInfo<StorageEngine>& info) {
  return NameOf(info.param);
}

struct DyingEngineOptions {
  StorageEngine engine = StorageEngine::kRocks;
  std::string directory;
  // The change on disk in which the process dies; 0: it does not. The memory-first engine counts the
  // changes of its log and of its cold store, each for itself.
  std::uint64_t die_at_operation = 0;
  std::shared_ptr<const engine::DropPolicy> drop_policy = nullptr;
};

// `disk` must outlive the engine.
Result<std::unique_ptr<engine::Engine>> OpenDyingEngine(const DyingEngineOptions& options,
                                                        engine::FaultyDisk& disk);

}  // namespace mayfly::crash
