// Database::Open: chooses the engine, which core never learns.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/new_database.h"
#include "engine/hot/hot_engine.h"
#include "engine/hot/hot_to_rocks.h"
#include "engine/hot/reader/hot_reader_engine.h"
#include "engine/hot/salvage/hot_salvage_engine.h"
#include "engine/rocks/reader/reader_engine.h"
#include "engine/rocks/rocks_engine.h"
#include "mayfly/database.h"

namespace mayfly {
namespace {

engine::Profile ToProfile(MemoryProfile memory) {
  switch (memory) {
    case MemoryProfile::kTiny: return engine::Profile::kTiny;
    case MemoryProfile::kDefault: return engine::Profile::kDefault;
    case MemoryProfile::kServer: return engine::Profile::kServer;
  }
  return engine::Profile::kDefault;
}

constexpr std::size_t kKiB = std::size_t{1} << 10;
constexpr std::size_t kMiB = std::size_t{1} << 20;

bool IsMemoryFirst(const DatabaseOptions& options, const engine::RocksOptions& rocks) {
  if (options.salvage) {
    // Reads what there is, and tells what is missing: the folder is enough, or the record of it.
    std::error_code ignored;
    return std::filesystem::exists(options.directory + "/" + engine::kHotLogFolder, ignored) ||
           engine::IsHotDirectory(options.directory);
  }
  if (options.engine != StorageEngine::kAsFound) {
    return options.engine == StorageEngine::kMemoryFirst;
  }
  if (engine::IsHotDirectory(options.directory)) return true;
  if (options.read_only) return false;
  engine::RocksOptions existing = rocks;
  existing.create_if_missing = false;
  return engine::CheckDirectory(existing).IsNotFound();  // A new database.
}

// Half of the memory that this machine has.
std::uint64_t HalfOfMemory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return 512 * kMiB;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) / 2;
}

// Rows of the log cannot leave memory, so it takes half of their budget at most.
void BoundLog(engine::HotOptions& hot) {
  hot.log_bytes_max = std::min(hot.log_bytes_max, hot.memory_bytes_max / 2);
  hot.segment_bytes =
      std::clamp(hot.log_bytes_max / 4, engine::hot::kSegmentBytesMin, hot.segment_bytes);
}

// The bounds of the memory-first engine. A log is opened in about 8 ms per MiB, and disk space is
// allocated for two segments.
engine::HotOptions ToHotOptions(const DatabaseOptions& options) {
  engine::HotOptions hot;
  switch (options.memory) {
    case MemoryProfile::kTiny:
      hot.segment_bytes = 128 * kKiB;
      hot.log_bytes_max = 4 * kMiB;
      hot.memory_bytes_max = 8 * kMiB;
      hot.huge_pages = false;
      break;
    case MemoryProfile::kDefault:
      hot.segment_bytes = 4 * kMiB;
      hot.log_bytes_max = 128 * kMiB;
      hot.memory_bytes_max = 512 * kMiB;
      break;
    case MemoryProfile::kServer: hot.memory_bytes_max = HalfOfMemory(); break;
  }
  if (options.memory_rows_bytes_max != 0) hot.memory_bytes_max = options.memory_rows_bytes_max;
  BoundLog(hot);
  return hot;
}

Result<std::unique_ptr<engine::Engine>> OpenEngine(
    const DatabaseOptions& options, const std::shared_ptr<core::DropHorizon>& horizon) {
  if (options.directory.empty()) {
    if (options.read_only) {
      return Status::Invalid("a database in memory begins empty; reading alone makes no sense");
    }
    if (!options.password.empty()) {
      return Status::Invalid("a database in memory has no files to encrypt; give no password");
    }
    engine::HotOptions hot;
    hot.drop_policy = horizon;
    hot.huge_pages = options.memory == MemoryProfile::kServer;
    return engine::NewHotMemoryEngine(hot);
  }
  engine::RocksOptions rocks{.directory = options.directory,
                             .read_only = options.read_only,
                             .create_if_missing = options.create_if_missing,
                             .password = options.password,
                             .profile = ToProfile(options.memory),
                             .reserve_bytes = options.disk_reserve_bytes,
                             .salvage = options.salvage,
                             .drop_policy = horizon,
                             .logger = options.logger};
  // A salvage needs files that do not change, and only RocksDB can read encrypted logs: there a
  // reader and a writer exclude each other.
  const bool follows = options.read_only && !options.salvage && options.password.empty();
  if (IsMemoryFirst(options, rocks)) {
    if (options.salvage) return engine::OpenHotSalvageEngine(rocks);
    if (!options.read_only) return engine::OpenHotEngine(rocks, ToHotOptions(options));
    return engine::OpenHotReaderEngine({.reader = {.rocks = rocks}});
  }
  // Asked for by name, a memory-first database becomes one of RocksDB. A reader changes nothing.
  if (options.engine == StorageEngine::kRocks && !options.read_only) {
    MAYFLY_RETURN_IF_ERROR(engine::ConvertHotToRocks(rocks));
  }
  return follows ? engine::OpenReaderEngine({.rocks = rocks}) : engine::OpenRocksEngine(rocks);
}

}  // namespace

Result<std::unique_ptr<Database>> Database::Open(const DatabaseOptions& options) {
  // Core sets it, and compaction reads it.
  const auto horizon = std::make_shared<core::DropHorizon>();
  MAYFLY_TRY(auto engine, OpenEngine(options, horizon));
  return core::NewDatabase(std::move(engine), {.durability = options.durability,
                                               .purge_on_read = options.purge_on_read,
                                               .allow_any_instant = options.allow_any_instant,
                                               .salvage = options.salvage,
                                               .clock_jump_max = options.clock_jump_max,
                                               .state_age_max = options.state_age_max,
                                               .horizon = horizon,
                                               .clock = options.clock,
                                               .logger = options.logger});
}

}  // namespace mayfly
