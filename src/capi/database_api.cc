// Implements the databases of c.h: opening, closing, durability.
#include <fmt/format.h>

#include "capi/handles.h"
#include "capi/structs.h"

namespace mayfly::capi {
namespace {

Result<MemoryProfile> ToProfile(int memory) {
  switch (memory) {
    case MAYFLY_MEMORY_DEFAULT: return MemoryProfile::kDefault;
    case MAYFLY_MEMORY_TINY: return MemoryProfile::kTiny;
    case MAYFLY_MEMORY_SERVER: return MemoryProfile::kServer;
    default: return Status::Invalid(fmt::format("unknown memory profile {}", memory));
  }
}

Result<StorageEngine> ToEngine(int engine) {
  switch (engine) {
    case MAYFLY_ENGINE_AS_FOUND: return StorageEngine::kAsFound;
    case MAYFLY_ENGINE_ROCKS: return StorageEngine::kRocks;
    case MAYFLY_ENGINE_MEMORY_FIRST: return StorageEngine::kMemoryFirst;
    default: return Status::Invalid(fmt::format("unknown engine {}", engine));
  }
}

Result<std::shared_ptr<SharedDatabase>> OpenShared(const mayfly_database_options* given) {
  MAYFLY_TRY(const mayfly_database_options asked, TakeStruct(given, "the options"));
  auto shared = std::make_shared<SharedDatabase>();
  DatabaseOptions options{.directory = asked.directory != nullptr ? asked.directory : "",
                          .read_only = asked.read_only,
                          .create_if_missing = !asked.must_exist,
                          .memory_rows_bytes_max = asked.memory_rows_bytes_max,
                          .disk_reserve_bytes = asked.disk_reserve_bytes,
                          .purge_on_read = !asked.no_purge_on_read,
                          .allow_any_instant = asked.allow_any_instant};
  MAYFLY_RETURN_IF_ERROR(
      TakeBytes(asked.password, asked.password_size, "the password", options.password));
  MAYFLY_TRY(options.memory, ToProfile(asked.memory));
  MAYFLY_TRY(options.engine, ToEngine(asked.engine));
  MAYFLY_TRY(options.durability, ToDurability(asked.durability, Durability::kProcess));
  shared->durability = options.durability;
  if (asked.clock_jump_max_ms < 0) return Status::Invalid("clock_jump_max_ms is negative");
  if (asked.clock_jump_max_ms > 0) options.clock_jump_max = Millis(asked.clock_jump_max_ms);
  if (asked.state_age_max_ms < 0) return Status::Invalid("state_age_max_ms is negative");
  if (asked.state_age_max_ms > 0) options.state_age_max = Millis(asked.state_age_max_ms);
  if (asked.clock != nullptr) {
    MAYFLY_TRY(const mayfly_clock clock, TakeStruct(asked.clock, "the clock"));
    if (clock.now_ms == nullptr) return Status::Invalid("the clock has no now_ms; set it");
    options.clock = &shared->clock.emplace(clock);
  }
  if (asked.log != nullptr) {
    options.logger = &shared->logger.emplace(asked.log, asked.log_context, asked.log_level);
  }
  MAYFLY_TRY(shared->database, Database::Open(options));
  return shared;
}

}  // namespace
}  // namespace mayfly::capi

using namespace mayfly;        // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::capi;  // NOLINT(google-build-using-namespace)

const char* mayfly_version() noexcept { return MAYFLY_VERSION; }

int mayfly_open(const mayfly_database_options* options, mayfly_database** database) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the place for the database"));
    *database = nullptr;
    MAYFLY_TRY(auto shared, OpenShared(options));
    *database = NewHandle(mayfly_database{std::move(shared)});
    return {};
  });
}

int mayfly_close(mayfly_database* database) noexcept {
  if (database == nullptr) return MAYFLY_OK;
  return Guard([&]() -> Status {
    Status closed = (*database)->Close();
    if (closed.code() != StatusCode::kBusy) delete database;
    return closed;
  });
}

int mayfly_sync(mayfly_database* database, int durability) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_TRY(const Durability wanted, ToDurability(durability, database->shared->durability));
    return (*database)->Sync(wanted);
  });
}
