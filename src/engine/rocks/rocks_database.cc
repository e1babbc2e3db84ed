#include "engine/rocks/rocks_database.h"

#include <fmt/format.h>

#include "base/log.h"
#include "engine/rocks/files/limits.h"
#include "engine/rocks/files/rocks_env.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/rocks_cursor.h"
#include "engine/rocks/rocks_snapshot.h"

namespace mayfly::engine {

namespace {

// A value in the block cache. In a child made by fork() it is not released: threads of the parent
// may hold the cache's locks.
class PinnedSlice final : public rocksdb::PinnableSlice {
 public:
  PinnedSlice() = default;
  ~PinnedSlice() {
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): without memory the child ends here.
    if (!owner_.IsThis()) DelegateCleanupsTo(new rocksdb::Cleanable);
  }
  PinnedSlice(const PinnedSlice&) = delete;
  PinnedSlice& operator=(const PinnedSlice&) = delete;

 private:
  const OwnerProcess owner_;
};

}  // namespace

RocksDatabase::RocksDatabase(RocksHandles handles, bool writable, Logger& logger)
    : Engine("rocks at " + handles.directory,
             {.atomic_across_slots = true, .persistent = true, .writable = writable}),
      logger_(logger),
      handles_(std::move(handles)),
      room_rounds_(std::make_unique<BackgroundRounds>(
          *handles_.clock, [this](auto kind, std::atomic<bool>& stop) { MakeRoom(kind, stop); })) {
  handles_.reserve->SetRounds(room_rounds_.get());
  CountOpenDatabase(1);
}

RocksDatabase::~RocksDatabase() {
  if (!is_owner()) {
    Abandon(std::move(room_rounds_));  // Its threads exist only in the parent.
    Abandon(std::move(handles_));
    return;
  }
  CountOpenDatabase(-1);
  if (const Status closed = CloseAtDestruction(); !closed.ok()) {
    Log(logger_, LogLevel::kError, "{}", closed.ToString());
  }
}

Status RocksDatabase::DoGet(Address at, Bytes key, PinnedBytes& value,
                            const Snapshot* snapshot) const {
  auto& slice = value.Hold<PinnedSlice>();
  slice.Reset();
  const rocksdb::Status status =
      handles_.database->Get(ReadOptionsOf(snapshot), Family(at.role), ToSlice(key), &slice);
  if (status.ok()) [[likely]] {
    value.Show(ToBytes(slice));
    return {};
  }
  value.Show({});
  if (status.IsNotFound()) return Status::NotFound();
  return Failed(status, "reading from");
}

void RocksDatabase::DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const {
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  std::vector<rocksdb::Slice> keys;
  std::vector<rocksdb::PinnableSlice> values(lookups.size());
  std::vector<rocksdb::Status> statuses(lookups.size());
  families.reserve(lookups.size());
  keys.reserve(lookups.size());
  for (const Lookup* lookup : lookups) {
    families.push_back(Family(lookup->at.role));
    keys.push_back(ToSlice(lookup->key));
  }
  handles_.database->MultiGet(ReadOptionsOf(snapshot), lookups.size(), families.data(), keys.data(),
                              values.data(), statuses.data());
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    Lookup& lookup = *lookups[i];
    lookup.value.Reset();
    if (statuses[i].ok()) {
      auto& slice = lookup.value.Hold<PinnedSlice>();
      static_cast<rocksdb::PinnableSlice&>(slice) = std::move(values[i]);
      lookup.value.Show(ToBytes(slice));
      lookup.status = Status();
    } else {
      lookup.status =
          statuses[i].IsNotFound() ? Status::NotFound() : Failed(statuses[i], "reading from");
    }
  }
}

Result<std::unique_ptr<Cursor>> RocksDatabase::DoNewCursor(Address at,
                                                           const CursorOptions& options) const {
  return std::make_unique<RocksCursor>(
      *handles_.database, *Family(at.role), options,
      RocksCursor::Owner{name(), *handles_.damage, open_cursors()});
}

Result<std::unique_ptr<Snapshot>> RocksDatabase::DoNewSnapshot() const {
  return std::make_unique<RocksSnapshot>(*handles_.database, open_snapshots());
}

Status RocksDatabase::DoCommit(const Batch& batch, Durability durability) {
  // Keys, values and at most 20 bytes of framing each, after RocksDB's header of 12.
  rocksdb::WriteBatch writes(12 + batch.bytes() + 20 * batch.change_count());
  if (const rocksdb::Status status = Translate(batch, writes); !status.ok()) {
    return Failed(status, "building a batch for");
  }
  const FullDiskRight right = RightOf(batch);
  // Before the gate: others pass it meanwhile.
  if (right != FullDiskRight::kNone) AwaitRoomToFlush(writes.GetDataSize(), right);
  if (batch.condition_count() == 0) {
    const CommitGate::Together pass = gate_.PassTogether();
    return Write(writes, durability, right);
  }
  {
    const CommitGate::Alone pass = gate_.PassAlone();
    MAYFLY_RETURN_IF_ERROR(CheckConditions(batch));
    if (batch.change_count() == 0) return {};
    MAYFLY_RETURN_IF_ERROR(Write(writes, Durability::kProcess, right));
  }
  // The fsync comes after the gate has opened, so that other commits share it instead of waiting.
  if (durability != Durability::kDisk) return {};
  const Status synced = DoSync(durability);
  if (synced.ok()) return {};
  return Status::IoError(fmt::format(
      "the batch is visible but its outcome after a power cut is unknown: {}", synced.message()));
}

Status RocksDatabase::DoSync(Durability durability) {
  // Every commit was written to the operating system before it returned.
  if (durability != Durability::kDisk) return {};
  // Includes all commits that have returned, and some of those under way.
  const std::uint64_t committed = handles_.database->GetLatestSequenceNumber();
  if (committed == synced_sequence_.load(std::memory_order_acquire)) return {};
  // RocksDB ends the process when a log is synced whose last write failed. The next commit makes it
  // resume with another log.
  if (handles_.log_room->newest_failed()) {
    return Status::IoError(fmt::format(
        "{} cannot sync its log, whose last write failed. What was committed is visible; "
        "whether it survives a power cut is unknown until another commit succeeds",
        name()));
  }
  MAYFLY_RETURN_IF_ERROR(Failed(handles_.database->FlushWAL(/*sync=*/true), "syncing the log of"));
  std::uint64_t before = synced_sequence_.load(std::memory_order_relaxed);
  while ((before == kNeverSynced || before < committed) &&
         !synced_sequence_.compare_exchange_weak(before, committed, std::memory_order_release)) {
  }
  return {};
}

Status RocksDatabase::DoCompact(Role role, const KeyRange& range) {
  // A compaction under way judges at an earlier instant, and its files cannot be compacted until it
  // is done: they need a second pass.
  std::uint64_t under_way = 0;
  handles_.database->GetIntProperty(rocksdb::DB::Properties::kNumRunningCompactions, &under_way);

  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  const rocksdb::Slice begin = ToSlice(range.begin);
  const rocksdb::Slice end = ToSlice(range.end);
  const std::shared_lock no_drops(drop_mutex_);
  const auto pass = [&] {
    return handles_.database->CompactRange(options, Family(role),
                                           range.begin.empty() ? nullptr : &begin,
                                           range.end.empty() ? nullptr : &end);
  };
  rocksdb::Status status = pass();
  if (status.ok() && under_way > 0) status = pass();
  return Failed(status, "compacting");
}

// A file that was removed under the open database goes with its last descriptor. What its log held
// is still in memory, and can be written to tables.
Status RocksDatabase::SaveRowsOfRemovedLog() {
  rocksdb::DB& database = *handles_.database;
  const auto is_missing = [&database](const std::string& path) {
    return database.GetEnv()->FileExists(path).IsNotFound();
  };
  std::unique_ptr<rocksdb::LogFile> log;
  if (!database.GetCurrentWalFile(&log).ok()) {  // It asks for the file's size.
    Log(logger_, LogLevel::kError,
        "the log of {} was removed while the database was open; its rows are written to tables",
        database.GetName());
    MAYFLY_RETURN_IF_ERROR(Failed(WriteOut(), "writing the rows of a removed log of"));
  }
  if (!is_missing(database.GetName() + "/CURRENT")) return {};
  return Status::IoError(
      fmt::format("{}/CURRENT was removed while the database was open; its rows are not on disk. "
                  "Restore a backup, or try mayfly backup --salvage",
                  database.GetName()));
}

Status RocksDatabase::DoClose() {
  handles_.reserve->SetRounds(nullptr);
  room_rounds_->Stop([this] { handles_.database->DisableManualCompaction(); });
  const Status saved = capabilities().writable ? SaveRowsOfRemovedLog() : Status();
  *handles_.open_database = nullptr;
  handles_.flushes->Open();
  for (rocksdb::ColumnFamilyHandle* family : handles_.families) {
    handles_.database->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  }
  handles_.families.clear();
  const rocksdb::Status status = handles_.database->Close();
  handles_.database.reset();
  handles_.lock.Release();
  // The block cache stays for reads that are still pinned.
  return saved.ok() ? Failed(status, "closing") : saved;
}

const rocksdb::ReadOptions& RocksDatabase::ReadOptionsOf(const Snapshot* snapshot) const {
  if (snapshot == nullptr) return read_options_;
  return RocksSnapshot::Of(*snapshot, *handles_.database).read_options();
}

rocksdb::Status RocksDatabase::Translate(const Batch& batch, rocksdb::WriteBatch& writes) const {
  rocksdb::Status status;
  for (std::size_t i = 0; i < batch.change_count() && status.ok(); ++i) {
    const Batch::Change change = batch.change(i);
    rocksdb::ColumnFamilyHandle* const family = Family(change.at.role);
    const rocksdb::Slice key = ToSlice(change.key);
    switch (change.kind) {
      case Batch::Kind::kPut: status = writes.Put(family, key, ToSlice(change.value)); break;
      case Batch::Kind::kDelete: status = writes.Delete(family, key); break;
      case Batch::Kind::kDeleteRange:
        // RocksDB would log an empty range and store it nowhere else, so that no flush could remove
        // its key from the log.
        if (change.key == change.value) break;
        status = writes.DeleteRange(family, key, ToSlice(change.value));
        break;
    }
  }
  return status;
}

Status RocksDatabase::CheckConditions(const Batch& batch) const {
  PinnedBytes value;
  for (std::size_t i = 0; i < batch.condition_count(); ++i) {
    const Batch::Condition condition = batch.condition(i);
    Status read = DoGet(condition.at, condition.key, value, nullptr);
    if (!read.ok() && !read.IsNotFound()) return read;
    const bool holds =
        condition.expected ? read.ok() && value.view() == *condition.expected : read.IsNotFound();
    if (!holds) return ConditionFailed(condition);
  }
  return {};
}

Status RocksDatabase::Write(rocksdb::WriteBatch& writes, Durability durability,
                            FullDiskRight right) {
  const bool makes_room = right != FullDiskRight::kNone;
  // A batch of empty ranges is empty now. RocksDB would log it all the same, and keep that log
  // until something else is flushed.
  if (writes.Count() == 0) return {};
  // kNone is logged as well: without the log, a later batch could outlive an earlier one.
  LogRoom::Reservation reservation(*handles_.log_room, writes.GetDataSize());
  MAYFLY_RETURN_IF_ERROR(TakeRoom(reservation, writes.GetDataSize(), right));
  rocksdb::WriteOptions options;
  options.sync = durability == Durability::kDisk;
  const auto write = [&] {
    return handles_.reserve->is_given_up() ? WriteOnFullDisk(options, writes)
                                           : handles_.database->Write(options, &writes);
  };
  rocksdb::Status status = write();
  if (status.ok()) [[likely]] {
    if (!makes_room) handles_.reserve->Grew();
    // What this commit has hidden can go, so that the next one that adds bytes finds room.
    if (handles_.reserve->was_full()) [[unlikely]]
      room_rounds_->Ask();
    return {};
  }

  // After a failed write or flush, mostly a full disk, RocksDB refuses commits until it is resumed.
  // Resume it now: if the cause is gone, the batch goes through.
  const bool full = status.IsNoSpace() && handles_.reserve->GiveUp(RoomToResume());
  const bool resumed = Resume().ok();
  if (status.IsNoSpace() && ((full && !makes_room) || !resumed)) return RefuseForSpace(right);
  if (resumed) status = write();
  if (status.IsNoSpace()) return RefuseForSpace(right);
  if (status.ok() && !makes_room) handles_.reserve->Grew();
  return Failed(status, "committing to");
}

Status RocksDatabase::TakeRoom(LogRoom::Reservation& reservation, std::uint64_t bytes,
                               FullDiskRight right) {
  const bool makes_room = right != FullDiskRight::kNone;
  if (!makes_room && !handles_.reserve->MayGrow()) return RefuseForSpace(right);
  if (!reservation.Take()) [[unlikely]] {
    const bool more = handles_.reserve->GiveUp(reservation.room_needed());
    if (!makes_room || !more || !reservation.Take()) return RefuseForSpace(right);
  }
  if (!handles_.reserve->is_given_up()) [[likely]]
    return {};
  return handles_.reserve->FreeBytes() >= RoomToCommit(bytes, right) ? Status()
                                                                     : RefuseForSpace(right);
}

Status RocksDatabase::RefuseForSpace(FullDiskRight right) {
  handles_.reserve->WantRoom();
  room_rounds_->Ask();
  // Another program may have taken what was set aside.
  const bool deletes_go_on =
      handles_.reserve->exists() &&
      handles_.reserve->FreeBytes() >= RoomToCommit(0, FullDiskRight::kRowDelete);
  return RefusedForSpace(name(), right, deletes_go_on);
}

// Only if RocksDB has stopped: otherwise another commit has resumed it, and RocksDB would wait for
// compactions, which it goes on to begin. Resuming writes memory out. If a log could not be synced
// meanwhile, RocksDB would wait for ever: so logs are not synced during the resume, but right after.
// It fails when a compaction fails meanwhile, on a disk that was full when it began: so these end
// before.
rocksdb::Status RocksDatabase::Resume() {
  const std::lock_guard one_at_a_time(resume_mutex_);
  if (!handles_.flushes->is_closed()) return {};
  if (handles_.reserve->FreeBytes() < RoomToResume()) return rocksdb::Status::NoSpace();
  AwaitCompactions();
  *handles_.open_database = nullptr;
  handles_.flushes->BeginResume();
  rocksdb::Status status = handles_.database->Resume();
  handles_.flushes->EndResume(status.ok());
  *handles_.open_database = handles_.database.get();
  if (!status.ok() || handles_.log_room->newest_failed()) return status;
  return handles_.database->SyncWAL();
}

// RocksDB begins none while it has stopped.
void RocksDatabase::AwaitCompactions() const {
  std::uint64_t running = 1;
  while (handles_.database->GetIntProperty(rocksdb::DB::Properties::kNumRunningCompactions,
                                           &running) &&
         running > 0) {
    Waker().WaitFor(kRemovalPause);
  }
}

std::uint64_t RocksDatabase::RoomToResume() const {
  if (handles_.reserve->exists()) return kRoomWithoutReserve;  // A reserve is there to be used.
  std::uint64_t in_memory = 0;
  handles_.database->GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables,
                                              &in_memory);
  return kRoomWithoutReserve + in_memory;
}

Status RocksDatabase::Failed(const rocksdb::Status& status, std::string_view doing) const {
  if (status.ok()) return {};
  return handles_.damage->Note(FromRocks(status, fmt::format("{} {}", doing, name())));
}

}  // namespace mayfly::engine
