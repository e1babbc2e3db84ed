#include "engine/rocks/rocks_database.h"

#include <fmt/format.h>

#include "base/log.h"
#include "engine/rocks/rocks_cursor.h"
#include "engine/rocks/rocks_deadlines.h"
#include "engine/rocks/rocks_snapshot.h"
#include "engine/rocks/rocks_status.h"

namespace mayfly::engine {

RocksDatabase::RocksDatabase(RocksHandles handles, bool writable, Logger& logger)
    : Engine("rocks at " + handles.directory,
             {.atomic_across_slots = true, .persistent = true, .writable = writable}),
      logger_(logger),
      handles_(std::move(handles)) {}

RocksDatabase::~RocksDatabase() {
  if (const Status closed = CloseAtDestruction(); !closed.ok()) {
    Log(logger_, LogLevel::kError, "{}", closed.ToString());
  }
}

Status RocksDatabase::DoGet(Address at, Bytes key, PinnedBytes& value,
                            const Snapshot* snapshot) const {
  auto& slice = value.Hold<rocksdb::PinnableSlice>();
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
      auto& slice = lookup.value.Hold<rocksdb::PinnableSlice>();
      slice = std::move(values[i]);
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
  return std::make_unique<RocksCursor>(*handles_.database, *Family(at.role), options, name(),
                                       open_cursors());
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
  if (batch.condition_count() == 0) {
    const CommitGate::Together pass = gate_.PassTogether();
    return Write(writes, durability);
  }
  {
    const CommitGate::Alone pass = gate_.PassAlone();
    MAYFLY_RETURN_IF_ERROR(CheckConditions(batch));
    if (batch.change_count() == 0) return {};
    MAYFLY_RETURN_IF_ERROR(Write(writes, Durability::kProcess));
  }
  // The fsync comes after the gate has opened, so that others share it instead of waiting for it.
  if (durability != Durability::kDisk) return {};
  const Status synced = DoPersist(durability);
  if (synced.ok()) return {};
  return Status::IoError(fmt::format(
      "the batch is visible but its outcome after a power cut is unknown: {}", synced.message()));
}

Status RocksDatabase::DoPersist(Durability durability) {
  // Every commit has been handed to the operating system before it returned.
  if (durability != Durability::kDisk) return {};
  return Failed(handles_.database->FlushWAL(/*sync=*/true), "syncing the log of");
}

Status RocksDatabase::DoCompact(Role role, const KeyRange& range) {
  // A compaction that is under way judges at an earlier instant, and the files it works on are out
  // of reach until it is done: they need a second pass.
  std::uint64_t under_way = 0;
  handles_.database->GetIntProperty(rocksdb::DB::Properties::kNumRunningCompactions, &under_way);

  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  const rocksdb::Slice begin = ToSlice(range.begin);
  const rocksdb::Slice end = ToSlice(range.end);
  const auto pass = [&] {
    return handles_.database->CompactRange(options, Family(role),
                                           range.begin.empty() ? nullptr : &begin,
                                           range.end.empty() ? nullptr : &end);
  };
  rocksdb::Status status = pass();
  if (status.ok() && under_way > 0) status = pass();
  return Failed(status, "compacting");
}

Result<std::vector<FileInfo>> RocksDatabase::DoFiles(Role role) const {
  rocksdb::TablePropertiesCollection properties;
  rocksdb::ColumnFamilyMetaData family;
  // Files come and go between the two questions; one without properties was replaced meanwhile.
  handles_.database->GetColumnFamilyMetaData(Family(role), &family);
  if (const rocksdb::Status status =
          handles_.database->GetPropertiesOfAllTables(Family(role), &properties);
      !status.ok()) {
    return Failed(status, "reading file properties of");
  }
  std::vector<FileInfo> files;
  for (const rocksdb::LevelMetaData& level : family.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      const auto found = properties.find(file.directory + "/" + file.relative_filename);
      if (found == properties.end()) continue;
      MAYFLY_TRY(DeadlineStats deadlines, DeadlinesOf(*found->second));
      files.push_back({.name = file.relative_filename,
                       .level = level.level,
                       .bytes = file.size,
                       .entries = found->second->num_entries,
                       .deletions = found->second->num_deletions,
                       .first_key = file.smallestkey,
                       .last_key = file.largestkey,
                       .deadlines = std::move(deadlines)});
    }
  }
  return files;
}

Result<EngineStats> RocksDatabase::DoStats() const {
  EngineStats stats;
  std::uint64_t memtables = 0;
  std::uint64_t readers = 0;
  rocksdb::DB& database = *handles_.database;
  database.GetAggregatedIntProperty(rocksdb::DB::Properties::kSizeAllMemTables, &memtables);
  database.GetAggregatedIntProperty(rocksdb::DB::Properties::kEstimateTableReadersMem, &readers);
  stats.memory_bytes = memtables + readers + handles_.block_cache->GetUsage();

  std::vector<rocksdb::Env::FileAttributes> files;
  if (const rocksdb::Status status =
          database.GetEnv()->GetChildrenFileAttributes(handles_.directory, &files);
      !status.ok()) {
    return Failed(status, "listing the files of");
  }
  for (const auto& file : files) stats.disk_bytes += file.size_bytes;
  return stats;
}

Status RocksDatabase::DoClose() {
  for (rocksdb::ColumnFamilyHandle* family : handles_.families) {
    handles_.database->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  }
  handles_.families.clear();
  const rocksdb::Status status = handles_.database->Close();
  handles_.database.reset();
  handles_.lock.Release();
  // The block cache stays for reads that are still pinned.
  return Failed(status, "closing");
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

Status RocksDatabase::Write(rocksdb::WriteBatch& writes, Durability durability) {
  // kNone is logged as well: without the log, a later batch could outlive an earlier one.
  rocksdb::WriteOptions options;
  options.sync = durability == Durability::kDisk;
  rocksdb::Status status = handles_.database->Write(options, &writes);
  if (status.ok()) [[likely]]
    return {};

  // After a failed write or flush, a full disk mostly, RocksDB refuses commits until it is told to
  // go on. Tell it now: either the obstacle is gone and the batch goes through, or it is still
  // there.
  if (handles_.database->Resume().ok()) status = handles_.database->Write(options, &writes);
  return Failed(status, "committing to");
}

Status RocksDatabase::Failed(const rocksdb::Status& status, std::string_view doing) const {
  if (status.ok()) return {};
  return FromRocks(status, fmt::format("{} {}", doing, name()));
}

}  // namespace mayfly::engine
