// Opening: the cold store, the marker of the fold, the replay of the log into memory.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/hot/fold_marker.h"
#include "engine/hot/hot_database.h"
#include "engine/hot/hot_engine.h"
#include "engine/hot/replay.h"

namespace mayfly::engine {
namespace {

using hot::HotDatabase;
using hot::HotLog;
using hot::HotRows;
using hot::LogRecord;
using hot::Sequence;

hot::HotIndexOptions IndexOptionsOf(const HotOptions& options, Sequence visible) {
  return {.bytes_max = options.reserved_bytes,
          .huge_pages = options.huge_pages,
          .count_uses = options.memory_bytes_max != 0,
          .visible = visible};
}

Result<bool> IsEmpty(const Engine& cold) {
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    MAYFLY_TRY(const auto cursor, cold.NewCursor({.role = static_cast<Role>(role)}));
    cursor->SeekToFirst();
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    if (cursor->Valid()) return false;
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<Engine>> OpenHotEngineOn(HotStorage storage, const HotOptions& options) {
  MAYFLY_TRY(const Sequence folded, hot::ReadFoldMarker(*storage.files));
  auto rows = std::make_unique<HotRows>(IndexOptionsOf(options, folded));
  MAYFLY_TRY(rows->is_resident, IsEmpty(*storage.cold));
  hot::Replay replay(*rows, options.wipe_freed);
  MAYFLY_TRY(std::unique_ptr<HotLog> log,
             HotLog::Open({.files = storage.files.get(),
                           .segment_bytes = options.segment_bytes,
                           .mapped = options.map_log,
                           .replay_from = folded + 1,
                           .key = storage.key},
                          [&](const LogRecord& record) { return replay.Apply(record); }));
  replay.PublishBefore(log->last_sequence() + 1);
  rows->views = std::make_unique<hot::ColdViews>(*storage.cold, folded);
  return std::make_unique<HotDatabase>(
      options, std::move(rows),
      HotDatabase::Stored{.storage = std::move(storage), .log = std::move(log)});
}

Result<std::unique_ptr<Engine>> OpenHotEngine(const RocksOptions& cold, const HotOptions& options) {
  if (cold.read_only) {
    return Status::Unsupported("the memory-first engine opens for reading and writing only");
  }
  RocksOptions below = cold;
  below.beneath_log = true;
  HotStorage storage;
  storage.name = "hot at " + cold.directory;
  MAYFLY_TRY(storage.cold, OpenRocksEngine(below));
  storage.key = storage.cold->encryption_key();
  storage.files = hot::NewLogFiles(cold.directory + "/" + kHotLogFolder);
  HotOptions above = options;
  above.drop_policy = cold.drop_policy;
  above.logger = cold.logger;
  return OpenHotEngineOn(std::move(storage), above);
}

std::unique_ptr<Engine> NewHotMemoryEngine(const HotOptions& options) {
  auto rows = std::make_unique<HotRows>(IndexOptionsOf(options, 0));
  return std::make_unique<HotDatabase>("hot", options, std::move(rows));
}

}  // namespace mayfly::engine
