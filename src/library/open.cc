// Database::Open: chooses the engine, which core never learns.
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
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

constexpr std::size_t kMiB = std::size_t{1} << 20;

// The size of core's cache of rows read by latched transactions, beside the engine's caches.
std::size_t CacheBytes(MemoryProfile memory) {
  switch (memory) {
    case MemoryProfile::kTiny: return 1 * kMiB;
    case MemoryProfile::kDefault: return 16 * kMiB;
    case MemoryProfile::kServer: return 128 * kMiB;
  }
  return 0;
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
    return engine::NewMemoryEngine({.drop_policy = horizon});
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
  if (follows) return engine::OpenReaderEngine({.rocks = rocks});
  return engine::OpenRocksEngine(rocks);
}

}  // namespace

Result<std::unique_ptr<Database>> Database::Open(const DatabaseOptions& options) {
  // Core sets it, and compaction reads it.
  const auto horizon = std::make_shared<core::DropHorizon>();
  MAYFLY_TRY(auto engine, OpenEngine(options, horizon));
  return core::NewDatabase(std::move(engine),
                           {.durability = options.durability,
                            .purge_on_read = options.purge_on_read,
                            .allow_any_instant = options.allow_any_instant,
                            .salvage = options.salvage,
                            .clock_jump_max = options.clock_jump_max,
                            .state_age_max = options.state_age_max,
                            // A reader cannot invalidate: it does not see the writer's changes.
                            .cache_bytes = options.read_only ? 0 : CacheBytes(options.memory),
                            .horizon = horizon,
                            .clock = options.clock,
                            .logger = options.logger});
}

}  // namespace mayfly
