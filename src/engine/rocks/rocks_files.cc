// Lists the database's files and their statistics: DoFiles() and DoStats().
#include <algorithm>
#include <charconv>

#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/rocks_database.h"
#include "engine/rocks/rocks_deadlines.h"

namespace mayfly::engine {
namespace {

using Properties = rocksdb::DB::Properties;

// The threshold at which RocksDB is close to slowing commits down.
constexpr std::uint64_t NearlyOf(std::uint64_t limit) { return limit - limit / 4; }

std::uint64_t IntProperty(rocksdb::DB& database, rocksdb::ColumnFamilyHandle* family,
                          const std::string& name) {
  std::uint64_t value = 0;
  database.GetIntProperty(family, name, &value);
  return value;
}

}  // namespace

Result<std::vector<FileInfo>> RocksDatabase::DoFiles(Role role) const {
  rocksdb::TablePropertiesCollection properties;
  rocksdb::ColumnFamilyMetaData family;
  // Files come and go between the two calls; one without properties was replaced meanwhile.
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
                       .deletions = found->second->num_deletions,  // Those of ranges included.
                       .covered = CoveredIn(*found->second),
                       .first_key = file.smallestkey,
                       .last_key = file.largestkey,
                       .deadlines = std::move(deadlines),
                       .first_commit = file.smallest_seqno});
    }
  }
  return files;
}

Result<EngineStats> RocksDatabase::DoStats() const {
  EngineStats stats;
  std::uint64_t memtables = 0;
  std::uint64_t readers = 0;
  rocksdb::DB& database = *handles_.database;
  database.GetAggregatedIntProperty(Properties::kSizeAllMemTables, &memtables);
  database.GetAggregatedIntProperty(Properties::kEstimateTableReadersMem, &readers);
  stats.memory_bytes = memtables + readers + handles_.block_cache->GetUsage();

  MAYFLY_TRY(const std::vector<DirectoryFile> files, ListFiles());
  for (const DirectoryFile& file : files) stats.disk_bytes += file.bytes;
  stats.obsolete_files = CountObsolete(files);
  stats.commits_held_back = CommitsHeldBack();
  stats.damage_seen = handles_.damage->times();
  stats.first_damage = handles_.damage->first();
  stats.disk_full = handles_.reserve->IsFull();
  if (stats.disk_full && capabilities().writable) room_rounds_->Ask();
  stats.last_commit = database.GetLatestSequenceNumber();
  return stats;
}

Result<std::vector<DirectoryFile>> RocksDatabase::ListFiles() const {
  std::vector<DirectoryFile> files;
  const rocksdb::Status status =
      ListDirectory(*handles_.database->GetEnv(), handles_.directory, files);
  if (!status.ok()) return Failed(status, "listing the files of");
  return files;
}

std::map<std::uint64_t, Role> RocksDatabase::LiveTables() const {
  std::map<std::uint64_t, Role> live;
  for (std::size_t i = 0; i < handles_.families.size(); ++i) {
    rocksdb::ColumnFamilyMetaData family;
    handles_.database->GetColumnFamilyMetaData(handles_.families[i], &family);
    for (const rocksdb::LevelMetaData& level : family.levels) {
      for (const auto& file : level.files) live.emplace(file.file_number, static_cast<Role>(i));
    }
  }
  return live;
}

// With the calls in this order, after the list was made, a file that is just being written is never
// taken for an obsolete one: its number is still kept, or it is live by the second call.
std::uint64_t RocksDatabase::CountObsolete(const std::vector<DirectoryFile>& files) const {
  rocksdb::DB& database = *handles_.database;
  const std::uint64_t kept_table = IntProperty(database, database.DefaultColumnFamily(),
                                               Properties::kMinObsoleteSstNumberToKeep);
  const std::uint64_t kept_log = FirstLogKept();
  const std::map<std::uint64_t, Role> live = LiveTables();
  return static_cast<std::uint64_t>(
      std::count_if(files.begin(), files.end(), [&](const DirectoryFile& file) {
        return file.kind == FileKind::kTable
                   ? file.number < kept_table && !live.contains(file.number)
                   : file.kind == FileKind::kLog && file.number < kept_log;
      }));
}

std::uint64_t RocksDatabase::FirstLogKept() const {
  rocksdb::DB& database = *handles_.database;
  return IntProperty(database, database.DefaultColumnFamily(), Properties::kMinLogNumberToKeep);
}

bool RocksDatabase::KeepsAny(const std::vector<DirectoryFile>& logs) const {
  const std::uint64_t kept_log = FirstLogKept();
  return std::any_of(logs.begin(), logs.end(),
                     [kept_log](const DirectoryFile& log) { return log.number >= kept_log; });
}

std::uint64_t RocksDatabase::YoungFiles(Role role) const {
  std::string text;
  std::uint64_t count = 0;
  handles_.database->GetProperty(Family(role), Properties::kNumFilesAtLevelPrefix + "0", &text);
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

bool RocksDatabase::CommitsHeldBack() const {
  rocksdb::DB& database = *handles_.database;
  rocksdb::ColumnFamilyHandle* const any = database.DefaultColumnFamily();
  if (IntProperty(database, any, Properties::kIsWriteStopped) > 0) return true;
  if (IntProperty(database, any, Properties::kActualDelayedWriteRate) > 0) return true;
  for (std::size_t i = 0; i < handles_.families.size(); ++i) {
    rocksdb::ColumnFamilyHandle* const family = handles_.families[i];
    const FamilyFigures& figures = handles_.figures[i];
    if (YoungFiles(static_cast<Role>(i)) >= NearlyOf(figures.slowdown_young_files)) return true;
    if (IntProperty(database, family, Properties::kEstimatePendingCompactionBytes) >=
        NearlyOf(figures.slowdown_pending_bytes)) {
      return true;
    }
  }
  return false;
}

}  // namespace mayfly::engine
