// Opening: the cold store, the marker of the fold, the replay of the log into memory.
#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/hot/fold_marker.h"
#include "engine/hot/hot_database.h"
#include "engine/hot/hot_engine.h"
#include "engine/hot/log/change_codec.h"

namespace mayfly::engine {
namespace {

using hot::HotChange;
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

// Applies the records of the log as the commits that wrote them did.
class Replay {
 public:
  Replay(HotRows& rows, const HotOptions& options) : rows_(rows) {
    flags_ = hot::kDirty;
    if (options.wipe_freed) flags_ |= hot::kPromised;
    if (!rows.is_resident) flags_ |= hot::kOverCold;
  }

  Status Apply(const LogRecord& record) {
    PublishBefore(record.sequence);
    touches_.clear();
    changes_.clear();
    const auto add = [&](const Batch::Change& change) {
      Add(change, record.sequence);
      return Status();
    };
    MAYFLY_RETURN_IF_ERROR(hot::DecodePayload(record.payload, add, [](Bytes) { return Status(); }));
    if (!rows_.index.HasRoomFor(changes_.size(), record.payload.size())) {
      return Status::Busy("the log has more rows than the reserved memory; reserve more");
    }
    HotIndex::Commit commit(rows_.index, touches_);
    commit.Apply(record.sequence, changes_);
    commit.Publish(record.sequence);
    return {};
  }

  // Records that change nothing are not replayed, but count.
  void PublishBefore(Sequence end) {
    for (Sequence next = rows_.index.visible() + 1; next < end; ++next) {
      HotIndex::Commit(rows_.index, {}).Publish(next);
    }
  }

 private:
  void Add(const Batch::Change& change, Sequence sequence) {
    const bool is_range = change.kind == Batch::Kind::kDeleteRange;
    if (is_range && change.key >= change.value) return;
    hot::Flags flags = flags_;
    if (is_range) {
      flags = static_cast<hot::Flags>((flags & ~hot::kOverCold) | hot::kNotInCold);
      rows_.ranges.Add(change.at.role, change.key, change.value, sequence);
    }
    touches_.push_back({.role = change.at.role, .key = change.key, .all = is_range});
    changes_.push_back({.kind = static_cast<HotChange::Kind>(change.kind),
                        .role = change.at.role,
                        .flags = flags,
                        .key = change.key,
                        .value = change.value});
  }

  HotRows& rows_;
  hot::Flags flags_ = 0;
  std::vector<HotIndex::Touch> touches_;
  std::vector<HotChange> changes_;
};

}  // namespace

Result<std::unique_ptr<Engine>> OpenHotEngineOn(HotStorage storage, const HotOptions& options) {
  MAYFLY_TRY(const Sequence folded, hot::ReadFoldMarker(*storage.files));
  auto rows = std::make_unique<HotRows>(IndexOptionsOf(options, folded));
  MAYFLY_TRY(rows->is_resident, IsEmpty(*storage.cold));
  Replay replay(*rows, options);
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
