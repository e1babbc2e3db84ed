// Opening: the cold store, the marker of the fold, the replay of the log into memory.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "engine/hot/fold_marker.h"
#include "engine/hot/hot_database.h"
#include "engine/hot/hot_engine.h"
#include "engine/hot/log_space.h"
#include "engine/hot/replay.h"
#include "mayfly/clock.h"

namespace mayfly::engine {
namespace {

using hot::HotDatabase;
using hot::HotIndex;
using hot::HotLog;
using hot::HotRows;
using hot::LogRecord;
using hot::Sequence;

hot::HotIndexOptions IndexOptionsOf(const HotOptions& options, Sequence visible) {
  return {.bytes_max = options.reserved_bytes,
          .huge_pages = options.huge_pages,
          .count_uses = options.memory_bytes_max != 0,
          .missed_keys_max = options.memory_bytes_max / hot::kMissedKeyBytes,
          .visible = visible};
}

// Bounds what is asked for by the addresses that the process may have.
Result<HotOptions> Reservable(HotOptions options) {
  const std::size_t wanted = options.reserved_bytes;
  options.reserved_bytes = HotIndex::ReservableBytes(wanted);
  if (options.reserved_bytes < std::min(wanted, hot::kReservedBytesMin)) {
    return Status::Busy(
        "the process may not have the addresses that rows in memory need; raise its limit of "
        "virtual memory (ulimit -v), or open the database with the engine rocks");
  }
  if (options.reserved_bytes < wanted) {
    options.memory_bytes_max = std::min<std::uint64_t>(
        options.memory_bytes_max != 0 ? options.memory_bytes_max : options.reserved_bytes,
        options.reserved_bytes / 2);
  }
  return options;
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

// The log found no room for its next segment.
Status NoRoomToOpen(const HotStorage& storage, const Status& why) {
  const std::string free = storage.reserve == nullptr
                               ? ""
                               : fmt::format(", and {} are free", storage.reserve->FreeBytes());
  return Status::IoError(
      fmt::format("opening {}: the disk is full: {}; opening needs about {} bytes{}", storage.name,
                  why.message(), hot::kShortSegmentBytes, free));
}

// Damage of the log, and what to do about it.
Status WithAdvice(const Status& why, const std::string& directory) {
  if (why.code() != StatusCode::kCorruption) return why;
  return Status::Corruption(
      fmt::format("cannot open {}: {}. Restore a backup, or save what can be read: mayfly backup "
                  "--salvage {} FILE",
                  directory, why.message(), directory));
}

}  // namespace

Result<std::unique_ptr<Engine>> OpenHotEngineOn(HotStorage storage, const HotOptions& asked) {
  MAYFLY_TRY(const HotOptions options, Reservable(asked));
  if (storage.clock == nullptr) storage.clock = &SystemClock::Process();
  MAYFLY_TRY(const Sequence folded, hot::ReadFoldMarker(*storage.files));
  auto rows = std::make_unique<HotRows>(IndexOptionsOf(options, folded));
  MAYFLY_TRY(rows->is_resident, IsEmpty(*storage.cold));
  hot::Replay replay(*rows, options.wipe_freed);
  auto space = std::make_unique<hot::LogSpace>(storage.reserve);
  Status replayed;
  const auto length = [asked = space.get()](std::uint64_t usual, std::uint64_t least) {
    return asked->LengthOf(usual, least);
  };
  auto opened =
      HotLog::Open({.files = storage.files.get(),
                    .segment_bytes = options.segment_bytes,
                    .length = length,
                    .mapped = options.map_log,
                    .replay_from = folded + 1,
                    .key = storage.key},
                   [&](const LogRecord& record) { return replayed = replay.Apply(record); });
  if (!opened.has_value()) {
    const bool is_full = opened.error().code() == StatusCode::kBusy && replayed.ok();
    return is_full ? NoRoomToOpen(storage, opened.error()) : opened.error();
  }
  std::unique_ptr<HotLog> log = *std::move(opened);
  replay.PublishBefore(log->last_sequence() + 1);
  rows->views = std::make_unique<hot::ColdViews>(*storage.cold, folded);
  if (storage.reserve != nullptr) storage.reserve->AfterOpen();
  space->AfterOpen();
  return std::make_unique<HotDatabase>(
      options, std::move(rows),
      HotDatabase::Stored{
          .storage = std::move(storage), .space = std::move(space), .log = std::move(log)});
}

Result<std::unique_ptr<Engine>> OpenHotEngine(const RocksOptions& cold, const HotOptions& options,
                                              std::unique_ptr<hot::LogFiles> files) {
  if (cold.read_only) {
    return Status::Unsupported("the memory-first engine opens for reading and writing only");
  }
  DiskSpace& space = cold.disk_space != nullptr ? *cold.disk_space : DiskSpace::System();
  RocksOptions below = cold;
  below.beneath_log = true;
  HotStorage storage;
  storage.name = "hot at " + cold.directory;
  storage.clock = &ClockOf(cold);
  storage.reserve =
      std::make_shared<DiskReserve>(space, cold.directory, cold.reserve_bytes, *storage.clock,
                                    cold.logger != nullptr ? *cold.logger : SilentLogger());
  below.reserve = storage.reserve;
  MAYFLY_TRY(storage.cold, OpenRocksEngine(below));
  storage.key = storage.cold->encryption_key();
  storage.files =
      files != nullptr ? std::move(files) : hot::NewLogFiles(cold.directory + "/" + kHotLogFolder);
  HotOptions above = hot::FitToDisk(options, cold, space);
  above.drop_policy = cold.drop_policy;
  above.logger = cold.logger;
  // The log needs a segment, and what the cold store's recovery used may be what it needs.
  storage.reserve->BeforeOpen(hot::kShortSegmentBytes);
  auto opened = OpenHotEngineOn(std::move(storage), above);
  if (!opened.has_value()) return WithAdvice(opened.error(), cold.directory);
  // The log is there, durably: from now on a directory without it has lost rows.
  MAYFLY_RETURN_IF_ERROR(RecordHotLog(cold, true));
  return opened;
}

std::unique_ptr<Engine> NewHotMemoryEngine(const HotOptions& asked) {
  HotOptions options = asked;
  options.reserved_bytes = HotIndex::ReservableBytes(asked.reserved_bytes);
  auto rows = std::make_unique<HotRows>(IndexOptionsOf(options, 0));
  return std::make_unique<HotDatabase>("hot", options, std::move(rows));
}

}  // namespace mayfly::engine
