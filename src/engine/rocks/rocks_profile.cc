#include "engine/rocks/rocks_profile.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <utility>

#include "engine/rocks/files/compaction_room.h"
#include "engine/rocks/files/limits.h"
#include "engine/rocks/files/rocks_logger.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/rocks_deadlines.h"
#include "engine/rocks/rocks_drop_filter.h"

namespace mayfly::engine {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// While a compaction runs, its inputs and outputs are both on the disk. Few files at a time keep
// that a small part of the database.
constexpr std::size_t kCompactionFiles = 2;

struct Figures {
  std::size_t block_cache_bytes;
  std::size_t write_buffer_bytes;      // Of rows and members; see ShareOf() for the others. Level 0
                                       // gathers four of them, which takes disk space, too.
  std::size_t file_bytes;              // Of files below level 0.
  std::size_t all_write_buffer_bytes;  // Of all roles together; reaching it writes the largest out.
  std::size_t log_bytes_max;           // Bounds recovery: about a second per 100 MiB.
  int background_jobs;                 // Threads that flush and compact.
  int open_files_max;                  // The first quarter of them spares a lookup per read.
  bool index_in_cache;                 // Counts indexes and filters against block_cache_bytes.
};

// Without index_in_cache, indexes and filters of open files come on top: 1.7% of their bytes, so at
// most 1.1 GiB by kDefault and 4.4 GiB by kServer, however much is stored. In the cache, a get
// costs 5 to 9% more, and half as much again when they are in parts (bench/engine_files memory).
constexpr Figures FiguresOf(Profile profile) {
  switch (profile) {
    case Profile::kTiny: return {4 * kMiB, 1 * kMiB, 1 * kMiB, 4 * kMiB, 8 * kMiB, 2, 64, true};
    case Profile::kDefault:
      return {128 * kMiB, 8 * kMiB, 16 * kMiB, 64 * kMiB, 32 * kMiB, 2, 4096, false};
    case Profile::kServer:
      return {1024 * kMiB, 8 * kMiB, 64 * kMiB, 512 * kMiB, 256 * kMiB, 4, 4096, false};
  }
  return FiguresOf(Profile::kDefault);
}

class Listener final : public rocksdb::EventListener {
 public:
  Listener(std::shared_ptr<std::atomic<std::uint64_t>> removals,
           std::shared_ptr<std::atomic<rocksdb::DB*>> open_database,
           std::shared_ptr<FlushGate> flushes, std::shared_ptr<DamageLog> damage)
      : removals_(std::move(removals)),
        open_database_(std::move(open_database)),
        flushes_(std::move(flushes)),
        damage_(std::move(damage)) {}

  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override {
    // RocksDB tries a compaction again after a second. As an error it would stop commits, too, once
    // RocksDB has been stopped and resumed.
    if (reason == rocksdb::BackgroundErrorReason::kCompaction && HasFoundNoRoom(*error)) {
      *error = rocksdb::Status::OK();
      return;
    }
    const Status seen = damage_->Note(FromRocks(*error, "flushing or compacting"));
    static_cast<void>(seen);  // Commits return it from now on.
    if (error->severity() >= rocksdb::Status::Severity::kHardError) flushes_->Close();
  }

  void OnTableFileCreationStarted(const rocksdb::TableFileCreationBriefInfo& table) override {
    TableBegins(table.reason == rocksdb::TableFileCreationReason::kCompaction);
  }

  void OnFlushBegin(rocksdb::DB* /*database*/, const rocksdb::FlushJobInfo& /*job*/) override {
    flushes_->Began();
  }

  // RocksDB would poll for free space every few seconds after a full disk, and refuse a resume
  // meanwhile. The next commit resumes it; see RocksDatabase::Write().
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status /*error*/,
                            bool* auto_recovery) override {
    *auto_recovery = false;
  }

  void OnCompactionCompleted(rocksdb::DB* /*database*/,
                             const rocksdb::CompactionJobInfo& /*job*/) override {
    ++*removals_;
  }

  // The next commit goes to a new log. A power cut must not leave a gap, so the old log is synced
  // first; a little later a flush would have done the same. Called by the thread that commits,
  // without RocksDB's lock; an error shows in the flush.
  void OnMemTableSealed(const rocksdb::MemTableInfo& /*info*/) override {
    rocksdb::DB* const database = open_database_->load();
    if (database != nullptr) database->SyncWAL().PermitUncheckedError();
  }

 private:
  const std::shared_ptr<std::atomic<std::uint64_t>> removals_;      // Shared with the engine.
  const std::shared_ptr<std::atomic<rocksdb::DB*>> open_database_;  // Shared with the engine.
  const std::shared_ptr<FlushGate> flushes_;                        // Shared with the engine.
  const std::shared_ptr<DamageLog> damage_;                         // Shared with the engine.
};

rocksdb::DBOptions DatabaseOptions(const RocksOptions& options, const Figures& figures) {
  rocksdb::DBOptions db;
  if (options.env != nullptr) db.env = options.env;
  db.info_log = NewRocksLogger(options.logger != nullptr ? *options.logger : SilentLogger());
  db.info_log_level = db.info_log->GetInfoLogLevel();

  db.max_background_jobs = figures.background_jobs;
  db.max_subcompactions = 1;
  db.max_open_files = figures.open_files_max;
  db.db_write_buffer_size = figures.all_write_buffer_bytes;
  db.max_total_wal_size = figures.log_bytes_max;
  if (const std::size_t bytes_max = options.unflushed_bytes_max; bytes_max != 0) {
    db.db_write_buffer_size = std::min(db.db_write_buffer_size, bytes_max);
    db.max_total_wal_size = std::min<std::uint64_t>(db.max_total_wal_size, bytes_max);
  }

  // A torn end of the log is a crash; damage before it is not, and the commits after it were
  // acknowledged. Point-in-time recovery would drop them silently.
  db.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  db.track_and_verify_wals_in_manifest = true;
  db.paranoid_checks = true;
  db.max_bgerror_resume_count = 0;  // RocksDatabase resumes it.

  if (options.tables_only) db.max_open_files = -1;

  // The manifest names the first and last key of every file, long after a file is gone. A new
  // manifest begins with the current files, so with one per change the keys of a removed file are
  // gone after the next change. The cost: docs/decisions/0046-a-manifest-per-change.md.
  db.max_manifest_file_size = 1;
  db.manifest_preallocation_size = kMiB / 16;  // By default 4 MiB, a quarter of a small disk.

  db.bytes_per_sync = 1 * kMiB;  // Spreads write-back, so that an fsync finds little left to do.
  db.wal_bytes_per_sync = 1 * kMiB;
  db.avoid_unnecessary_blocking_io = true;
  db.skip_stats_update_on_db_open = true;
  db.stats_dump_period_sec = 0;  // Without it RocksDB would wake up a thread.
  db.stats_persist_period_sec = 0;
  return db;
}

rocksdb::BlockBasedTableOptions TableOptions(Role role, const Figures& figures,
                                             const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  table.block_size = 4096;
  table.format_version = 5;
  table.cache_index_and_filter_blocks = figures.index_in_cache;
  table.pin_l0_filter_and_index_blocks_in_cache = figures.index_in_cache;
  // Expiry and events are read in order and never by a key that may be missing.
  const bool looked_up = role != Role::kExpiry && role != Role::kEvents;
  if (looked_up) {
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    table.optimize_filters_for_memory = true;
    // A hash beside the binary search inside a block: fewer key comparisons per get.
    table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  }
  return table;
}

// A log stays until every role has written out its part of it, so a role that gathers for long
// keeps the logs of all. Each commit writes a few bytes of counters to meta and kilobytes to rows.
std::size_t ShareOf(Role role) {
  switch (role) {
    case Role::kRows:
    case Role::kMembers: return 1;
    case Role::kExpiry: return 4;
    case Role::kEvents:
    case Role::kMeta: break;
  }
  return 16;
}

rocksdb::ColumnFamilyOptions FamilyOptions(Role role, const RocksOptions& options,
                                           const Figures& figures,
                                           const std::shared_ptr<rocksdb::Cache>& cache) {
  const bool bulky = role == Role::kRows || role == Role::kMembers;
  const std::size_t profile_bytes = std::max(figures.write_buffer_bytes / ShareOf(role),
                                             std::min(figures.write_buffer_bytes, kMiB / 4));
  const std::size_t buffer_bytes =
      options.write_buffer_bytes != 0 ? options.write_buffer_bytes : profile_bytes;

  rocksdb::ColumnFamilyOptions family;
  family.write_buffer_size = buffer_bytes;
  family.max_write_buffer_number = 3;
  // On a small disk files are small, too: a compaction that takes a few of them must find room.
  family.target_file_size_base =
      std::max(options.write_buffer_bytes != 0 ? buffer_bytes : figures.file_bytes / ShareOf(role),
               options.unflushed_bytes_max != 0 ? kMiB / 4 : kMiB);
  family.max_bytes_for_level_base = 4 * family.target_file_size_base;
  family.level_compaction_dynamic_level_bytes = true;
  family.max_compaction_bytes = kCompactionFiles * family.target_file_size_base;
  // Files of the upper levels are rewritten soon, so only lower levels are compressed.
  family.compression_per_level = {rocksdb::kNoCompression, rocksdb::kNoCompression,
                                  rocksdb::kLZ4Compression};
  family.memtable_whole_key_filtering = bulky;
  family.memtable_prefix_bloom_size_ratio = bulky ? 0.1 : 0.0;
  family.table_factory.reset(
      rocksdb::NewBlockBasedTableFactory(TableOptions(role, figures, cache)));
  if (options.drop_policy != nullptr) {
    family.compaction_filter_factory = NewDropFilterFactory(options.drop_policy, role);
    family.table_properties_collector_factories.push_back(
        NewDeadlineCollectorFactory(options.drop_policy, role));
  }
  return family;
}

}  // namespace

std::shared_ptr<rocksdb::Cache> NewBlockCache(const RocksOptions& options) {
  return rocksdb::NewLRUCache(FiguresOf(options.profile).block_cache_bytes);
}

RocksOptions ForDisk(const RocksOptions& asked, DiskSpace& space) {
  RocksOptions options = asked;
  const std::uint64_t disk_room = DiskReserve::BytesOn(space, asked.directory, kSmallDiskRoom);
  if (disk_room == 0 || disk_room == kSmallDiskRoom || asked.write_buffer_bytes != 0)
    return options;
  const std::uint64_t room =
      asked.reserve_bytes == 0 ? disk_room : std::min(disk_room, asked.reserve_bytes);
  options.write_buffer_bytes =
      std::max<std::size_t>(room / kWriteBuffersOfReserve, kWriteBufferBytesMin);
  options.unflushed_bytes_max =
      std::max<std::size_t>(room / kUnflushedOfReserve, kWriteBufferBytesMin);
  return options;
}

RocksSetup SetupRocks(const RocksOptions& options) {
  const Figures figures = FiguresOf(options.profile);
  RocksSetup setup;
  setup.block_cache = options.block_cache != nullptr ? options.block_cache : NewBlockCache(options);
  setup.removals = std::make_shared<std::atomic<std::uint64_t>>(0);
  setup.database = DatabaseOptions(options, figures);
  setup.open_database = std::make_shared<std::atomic<rocksdb::DB*>>(nullptr);
  setup.flushes = std::make_shared<FlushGate>();
  setup.damage =
      std::make_shared<DamageLog>(options.logger != nullptr ? *options.logger : SilentLogger());
  setup.database.listeners.push_back(
      std::make_shared<Listener>(setup.removals, setup.open_database, setup.flushes, setup.damage));
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const Role role = static_cast<Role>(i);
    // RocksDB requires a family called "default"; it has the rows, so that no empty one exists.
    const std::string name =
        role == Role::kRows ? rocksdb::kDefaultColumnFamilyName : std::string(RoleName(role));
    setup.families.emplace_back(name, FamilyOptions(role, options, figures, setup.block_cache));
  }
  return setup;
}

}  // namespace mayfly::engine
