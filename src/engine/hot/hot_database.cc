#include "engine/hot/hot_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "engine/hot/merged_cursor.h"

namespace mayfly::engine::hot {
namespace {

const HotState* StateOf(const Snapshot* snapshot) {
  return snapshot ? &static_cast<const HotSnapshot*>(snapshot)->state() : nullptr;
}

Logger& LoggerOf(const HotOptions& options) {
  return options.logger != nullptr ? *options.logger : SilentLogger();
}

// Short segments are of a small disk, where the cold store has little room for a commit.
std::size_t FoldBatchBytes(const HotOptions& options) {
  return std::clamp<std::size_t>(options.segment_bytes / 8, kShortFoldBatchBytes,
                                 kFoldBatchBytesMax);
}

}  // namespace

HotDatabase::HotDatabase(std::string name, const HotOptions& options, std::unique_ptr<HotRows> rows)
    : Engine(std::move(name), {.persistent = false}),
      options_(options),
      logger_(LoggerOf(options)),
      rows_(std::move(rows)),
      damage_(logger_) {}

HotDatabase::HotDatabase(const HotOptions& options, std::unique_ptr<HotRows> rows, Stored stored)
    : Engine(stored.storage.name, {}),
      options_(options),
      logger_(LoggerOf(options)),
      rows_(std::move(rows)),
      storage_(std::move(stored.storage)),
      space_(std::move(stored.space)),
      log_(std::move(stored.log)),
      fold_(std::make_unique<Fold>(Fold::Parts{.rows = *rows_,
                                               .log = *log_,
                                               .files = *storage_.files,
                                               .cold = *storage_.cold,
                                               .key = storage_.key,
                                               .policy = options.drop_policy,
                                               .space = *space_,
                                               .batch_bytes_max = FoldBatchBytes(options),
                                               .clock = *storage_.clock})),
      damage_(logger_),
      purge_wait_(std::make_unique<PurgeWait>(PurgeWait::Parts{.rows = *rows_,
                                                               .files = *storage_.files,
                                                               .key = storage_.key,
                                                               .policy = options.drop_policy,
                                                               .clock = *storage_.clock})) {
  if (storage_.reserve != nullptr && options.has_thread) {
    room_rounds_ = std::make_unique<BackgroundRounds>(
        *storage_.clock,
        [this](auto kind, std::atomic<bool>& stop) { MakeRoomOnDisk(kind, stop); });
    room_wait_ = std::make_unique<RoomWait>(*storage_.clock);
  }
  StartUpkeep();
}

HotDatabase::~HotDatabase() {
  if (!is_owner()) {
    // Threads that hold their locks exist only in the parent.
    Abandon(std::move(room_rounds_));
    Abandon(std::move(upkeep_));
    Abandon(std::move(fold_));
    Abandon(std::move(purge_wait_));
    Abandon(std::move(log_));
    Abandon(std::move(space_));
    Abandon(std::move(storage_));
    Abandon(std::move(rows_));
    return;
  }
  if (const Status closed = CloseAtDestruction(); !closed.ok()) {
    Log(logger_, LogLevel::kError, "{}", closed.ToString());
  }
}

std::shared_ptr<const crypto::DatabaseKey> HotDatabase::encryption_key() const {
  return storage_.key;
}

bool HotDatabase::HasReadersBeside() const {
  return storage_.cold != nullptr && storage_.cold->HasReadersBeside();
}

Status HotDatabase::DoGet(Address at, Bytes key, PinnedBytes& value,
                          const Snapshot* snapshot) const {
  const HotState* const state = StateOf(snapshot);
  return state == nullptr ? GetNewest(at, key, value) : state->Get(at, key, value);
}

Status HotDatabase::GetNewest(Address at, Bytes key, PinnedBytes& value) const {
  for (int attempt = 0; attempt < kGetTries; ++attempt) {
    const std::uint64_t departures = rows_->departures.load(std::memory_order_seq_cst);
    Status read = TryToGetNewest(at, key, value, departures);
    // A batch that deletes a range and puts the key again may have come between memory and the cold
    // store.
    if (!read.IsNotFound() || rows_->departures.load(std::memory_order_seq_cst) == departures) {
      return read;
    }
  }
  return HotState(*rows_).Get(at, key, value);
}

Status HotDatabase::TryToGetNewest(Address at, Bytes key, PinnedBytes& value,
                                   std::uint64_t departures) const {
  const bool was_resident = IsResident();
  // Not in `value` yet: what the cold store keeps there from call to call would be freed for a miss.
  thread_local std::string found;
  const Presence presence = rows_->index.Get(at.role, key, found);
  if (presence == Presence::kValue) [[likely]] {
    auto& copied = value.Hold<std::string>();
    copied.swap(found);
    value.Show(copied);
    return {};
  }
  value.Show({});
  if (presence == Presence::kDeleted || (was_resident && IsResident())) return Status::NotFound();
  // After the lookup: if the row has left memory, the view has it.
  const Sequence through = rows_->views->current_through();
  MAYFLY_RETURN_IF_ERROR(GetCold(at, key, value));
  TryToAdmit(at, key, value.view(), {.departures = departures, .through = through});
  return {};
}

// The newest value of a key that memory does not know.
Status HotDatabase::GetCold(Address at, Bytes key, PinnedBytes& value) const {
  const Sequence through = rows_->views->current_through();
  if (rows_->ranges.Covers(at.role, key, through, rows_->index.visible())) {
    return Status::NotFound();
  }
  return storage_.cold->Get(at, key, value);
}

// Keeps what was read from the cold store, if there is room and nothing can have changed since the
// read began. States from before `through` do not see it: their views may have another version.
void HotDatabase::TryToAdmit(Address at, Bytes key, Bytes value, ReadMoment moment) const {
  const std::size_t bytes = key.size() + value.size() + kRowOverhead;
  if (!rows_->index.HasRoomFor(1, bytes) || !IsWorthAdmitting(at, key, bytes)) return;
  const auto is_still_right = [&] {
    return rows_->IsStillRight(at.role, key, moment.through, moment.departures);
  };
  Flags flags = options_.wipe_freed ? kPromised : 0;
  // A key that was missed before has proved itself.
  if (options_.memory_bytes_max != 0 && !has_evicted_) flags |= kNewcomer;
  rows_->index.Admit(at.role, key, value, moment.through, flags, is_still_right);
}

// Keys of one role that stand together are fetched together.
void HotDatabase::Prefetch(std::span<Lookup* const> lookups) const {
  std::array<Bytes, kPrefetchStep> keys;
  while (!lookups.empty()) {
    const Role role = lookups.front()->at.role;
    std::size_t count = 0;
    while (count < std::min(keys.size(), lookups.size()) && lookups[count]->at.role == role) {
      keys[count] = lookups[count]->key;
      ++count;
    }
    rows_->index.Prefetch(role, std::span(keys.data(), count));
    lookups = lookups.subspan(count);
  }
}

void HotDatabase::DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const {
  const HotState* const state = StateOf(snapshot);
  if (state == nullptr) {
    Prefetch(lookups);
    // All from one state if nothing became visible meanwhile.
    for (int i = 0; i < kMultiGetTries && IsResident(); ++i) {
      const Sequence visible = rows_->index.visible();
      for (Lookup* lookup : lookups) {
        lookup->status = GetNewest(lookup->at, lookup->key, lookup->value);
      }
      if (rows_->index.visible() == visible && IsResident()) return;
    }
  }
  std::optional<HotState> present;
  if (state == nullptr) present.emplace(*rows_);
  for (Lookup* lookup : lookups) {
    lookup->status = (state ? *state : *present).Get(lookup->at, lookup->key, lookup->value);
  }
}

void HotDatabase::DoPrefetch(Address at, std::span<const Bytes> keys) const {
  rows_->index.Prefetch(at.role, keys);
}

Result<std::unique_ptr<Cursor>> HotDatabase::DoNewCursor(Address at,
                                                         const CursorOptions& options) const {
  return std::make_unique<MergedCursor>(*rows_, at, options, StateOf(options.snapshot),
                                        open_cursors());
}

Result<std::unique_ptr<Snapshot>> HotDatabase::DoNewSnapshot() const {
  return std::make_unique<HotSnapshot>(*rows_, open_snapshots());
}

Result<std::vector<FileInfo>> HotDatabase::DoFiles(Role role) const {
  if (storage_.cold == nullptr) return std::vector<FileInfo>();
  MAYFLY_TRY(std::vector<FileInfo> files, storage_.cold->Files(role));
  // The cold store counts its own commits; what is committed here reaches it later.
  for (FileInfo& file : files) file.first_commit = 0;
  return files;
}

Result<EngineStats> HotDatabase::DoStats() const {
  EngineStats stats;
  if (storage_.cold != nullptr) {
    MAYFLY_TRY(stats, storage_.cold->Stats());
    stats.logged_bytes = fold_->counts().log_bytes;
    stats.folded_bytes = fold_->counts().bytes;
    for (const SegmentInfo& segment : log_->Segments()) {
      stats.disk_bytes += segment.bytes;
      stats.logged_bytes += segment.bytes;
    }
    stats.last_commit = rows_->index.visible();
    stats.disk_full |= storage_.reserve != nullptr && storage_.reserve->IsFull();
    if (stats.disk_full) AskForRoom();
    stats.damage_seen += damage_.times();
    if (stats.first_damage.empty()) stats.first_damage = damage_.first();
  }
  stats.memory_bytes += rows_->index.memory().taken_bytes;
  stats.commits_held_back |= is_slow_.load(std::memory_order_relaxed);
  return stats;
}

Status HotDatabase::DoClose() {
  if (room_rounds_ != nullptr) room_rounds_->Stop();
  StopUpkeep();
  Status closed;
  if (log_ != nullptr) {
    closed = log_->Close();
    fold_.reset();
    purge_wait_.reset();
    rows_->views.reset();  // Before the cold store: it holds snapshots.
    const Status cold = storage_.cold->Close();
    if (closed.ok()) closed = cold;
    log_.reset();
    storage_.files.reset();
  }
  return closed;
}

}  // namespace mayfly::engine::hot
