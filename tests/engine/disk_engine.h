// disk_engine.h - the engines that keep files, on a disk that tests fill up.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "engine/hot/hot_engine.h"
#include "engine/hot/testing/log_on_disk.h"
#include "engine/rocks/rocks_engine.h"
#include "engine/rocks/testing/faulty_disk.h"

namespace mayfly::engine {

enum class DiskEngine : std::uint8_t { kRocks, kHot };

inline std::string NameOf(DiskEngine engine) {
  return engine == DiskEngine::kRocks ? "Rocks" : "Hot";
}

class EngineDisk {
 public:
  FaultyDisk& disk() { return disk_; }

  // Opens the engine on this disk. `segment_bytes`: of the memory-first engine's log; a small disk has
  // shorter ones.
  Result<std::unique_ptr<Engine>> Open(DiskEngine engine, RocksOptions options,
                                       std::uint64_t segment_bytes = std::uint64_t{32} << 20) {
    options.env = disk_.env();
    if (options.disk_space == nullptr) options.disk_space = disk_.space();
    if (engine == DiskEngine::kRocks) return OpenRocksEngine(options);
    HotOptions hot;
    hot.segment_bytes = segment_bytes;
    hot.log_bytes_max = 8 * segment_bytes;
    hot.reserved_bytes = std::size_t{1} << 30;
    hot.huge_pages = false;
    return OpenHotEngine(options, hot, log_.Files(options.directory + "/" + kHotLogFolder));
  }

 private:
  FaultyDisk disk_;
  hot::LogOnDisk log_{disk_};
};

}  // namespace mayfly::engine
