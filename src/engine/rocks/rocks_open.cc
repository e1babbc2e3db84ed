// Opens a rocks directory: first the lock, format and key, and only then RocksDB.
#include <fmt/format.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "engine/rocks/files/compaction_room.h"
#include "engine/rocks/files/encrypted_files.h"
#include "engine/rocks/files/format_file.h"
#include "engine/rocks/files/key_file.h"
#include "engine/rocks/files/limits.h"
#include "engine/rocks/files/manifest.h"
#include "engine/rocks/files/rocks_directory.h"
#include "engine/rocks/files/rocks_env.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/rocks_database.h"
#include "engine/rocks/rocks_engine.h"
#include "engine/rocks/rocks_leftovers.h"
#include "engine/rocks/rocks_profile.h"
#include "engine/rocks/salvage/salvage_engine.h"

namespace mayfly::engine {
namespace {

rocksdb::Env& EnvOf(const RocksOptions& options) {
  return options.env != nullptr ? *options.env : *rocksdb::Env::Default();
}

Status Missing(const RocksOptions& options) {
  return Status::NotFound(
      fmt::format("there is no database in {}; check the path", options.directory));
}

// While a database is opened for its tables only, its logs read as empty: they must exist, and none
// is replayed. Afterwards they read as they are, so that Find() can search them.
class EmptyLogs final : public rocksdb::FileSystemWrapper {
 public:
  explicit EmptyLogs(const std::shared_ptr<rocksdb::FileSystem>& target)
      : FileSystemWrapper(target) {}

  const char* Name() const override { return "EmptyLogs"; }

  rocksdb::IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                      rocksdb::IODebugContext* context) override {
    if (shows_logs_ || !name.ends_with(".log")) {
      return target()->NewSequentialFile(name, options, file, context);
    }
    *file = std::make_unique<Nothing>();
    return {};
  }

  void ShowLogs() { shows_logs_ = true; }

 private:
  class Nothing final : public rocksdb::FSSequentialFile {
   public:
    rocksdb::IOStatus Read(std::size_t /*wanted*/, const rocksdb::IOOptions& /*options*/,
                           rocksdb::Slice* result, char* /*scratch*/,
                           rocksdb::IODebugContext* /*context*/) override {
      *result = {};
      return {};
    }
    rocksdb::IOStatus Skip(std::uint64_t /*bytes*/) override { return {}; }
  };

  std::atomic<bool> shows_logs_{false};
};

// Creates the directory if it is missing and may be created.
Status FindDirectory(const RocksOptions& options) {
  std::error_code error;
  const std::filesystem::path path(options.directory);
  if (options.directory.empty()) {
    return Status::Invalid("no directory given; set RocksOptions::directory");
  }
  if (std::filesystem::is_directory(path, error)) return {};
  if (std::filesystem::exists(path, error)) {
    return Status::Invalid(
        fmt::format("{} is not a directory; name another place", options.directory));
  }
  if (options.read_only || !options.create_if_missing) return Missing(options);
  std::filesystem::create_directories(path, error);
  if (!error) return {};
  return Status::IoError(
      fmt::format("cannot make the directory {}: {}; check the path and its rights",
                  options.directory, error.message()));
}

// A directory without our format file must be empty except for our lock and an unfinished format
// file: opening would mix our files with others.
Status CheckUnused(const RocksOptions& options) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(options.directory, error)) {
    const std::string name = entry.path().filename();
    if (name == kLockFileName || name == kReserveFileName || name.starts_with(kFormatFileName))
      continue;
    return Status::Invalid(
        fmt::format("{} holds other files ({}) and no database; name an empty or new directory",
                    options.directory, name));
  }
  if (!error) return {};
  return Status::IoError(fmt::format("cannot list {}: {}", options.directory, error.message()));
}

Status Damaged(const RocksOptions& options, Bytes what) {
  return Status::Corruption(
      fmt::format("{}. Restore a backup, or save what can be read: mayfly backup --salvage {} FILE",
                  what, options.directory));
}

Status CannotOpen(const RocksOptions& options, const Status& why) {
  if (why.ok()) return {};
  const std::string words = fmt::format("cannot open {}: {}", options.directory, why.message());
  if (why.code() == StatusCode::kCorruption && !options.salvage) return Damaged(options, words);
  return Status(why.code(), words);
}

// True if the directory has files of RocksDB, whatever happened to ours.
bool HoldsDatabase(const RocksOptions& options) {
  std::vector<std::string> names;
  if (!EnvOf(options).GetChildren(options.directory, &names).ok()) return false;
  return std::any_of(names.begin(), names.end(), [](std::string& name) {
    return FileNamed(std::move(name)).kind != FileKind::kOther;
  });
}

Result<DirectoryFormat> FormatOf(const RocksOptions& options) {
  auto format = ReadFormatFile(EnvOf(options), options.directory);
  if (options.salvage && !(format.has_value() && format->state == DirectoryState::kReady) &&
      format.status().code() != StatusCode::kUnsupported) {
    // A salvage reads what there is, and fails if there is no database.
    const bool encrypted = EnvOf(options).FileExists(options.directory + "/" + kKeyFileName).ok();
    return DirectoryFormat{.state = DirectoryState::kAbsent, .encrypted = encrypted};
  }
  if (format.has_value()) return format;
  return CannotOpen(options, format.error());
}

// The key of the existing database, or of the one to be created; null: not encrypted.
Result<std::shared_ptr<const crypto::DatabaseKey>> KeyOf(const RocksOptions& options,
                                                         const DirectoryFormat& format) {
  rocksdb::Env& env = EnvOf(options);
  const bool is_new = format.state != DirectoryState::kReady;
  if (format.state == DirectoryState::kCreating) {
    MAYFLY_RETURN_IF_ERROR(RemoveUnfinished(env, options.directory));
  }
  auto key = is_new ? MakeKeyFile(env, options.directory, options.password)
                    : OpenKeyFile(env, options.directory, format, options.password);
  if (key.has_value()) return key;
  return CannotOpen(options, key.error());
}

// Runs before the lock, so that a directory of another program is left as it is.
Status CheckMayOpen(const RocksOptions& options) {
  MAYFLY_TRY(const DirectoryFormat format, FormatOf(options));
  if (format.has_hot_log && !options.salvage && !HasHotLog(options.directory)) {
    return Damaged(options,
                   fmt::format("cannot open {}: the log of the memory-first engine in {}/{} "
                               "is missing, and with it what was written last. Put the "
                               "folder back if it was moved",
                               options.directory, options.directory, kHotLogFolder));
  }
  if (!options.beneath_log && !options.salvage && HasHotLog(options.directory)) {
    return Status::Invalid(fmt::format(
        "{} was written by the memory-first engine, whose log in {}/{} may hold rows that the "
        "tables lack; open it with that engine, or convert it by opening it for writing with the "
        "engine rocks",
        options.directory, options.directory, kHotLogFolder));
  }
  if (format.state == DirectoryState::kReady || options.salvage) {
    return CannotOpen(options, CheckPasswordGiven(format, options.password));
  }
  if (format.state == DirectoryState::kAbsent && HoldsDatabase(options)) {
    return Damaged(options,
                   fmt::format("cannot open {}: it holds files of a database, but the file "
                               "{} that says whose is missing",
                               options.directory, kFormatFileName));
  }
  if (options.read_only || !options.create_if_missing) return Missing(options);
  return format.state == DirectoryState::kAbsent ? CheckUnused(options) : Status();
}

rocksdb::Status OpenDatabase(const RocksOptions& options, const RocksSetup& setup,
                             RocksHandles& handles) {
  rocksdb::DB* database = nullptr;
  rocksdb::Status status =
      options.read_only ? rocksdb::DB::OpenForReadOnly(setup.database, options.directory,
                                                       setup.families, &handles.families, &database)
                        : rocksdb::DB::Open(setup.database, options.directory, setup.families,
                                            &handles.families, &database);
  handles.database.reset(database);
  return status;
}

FamilyFigures FiguresOf(const rocksdb::ColumnFamilyOptions& options) {
  return {
      .last_level = options.num_levels - 1,
      .file_bytes = options.target_file_size_base,
      .slowdown_young_files = static_cast<std::uint64_t>(options.level0_slowdown_writes_trigger),
      .stop_young_files = static_cast<std::uint64_t>(options.level0_stop_writes_trigger),
      .slowdown_pending_bytes = options.soft_pending_compaction_bytes_limit};
}

// The engine keeps what RocksDB's options refer to.
void ShareSetup(const RocksSetup& setup, RocksHandles& handles) {
  handles.flushes = setup.flushes;
  handles.block_cache = setup.block_cache;
  handles.removals = setup.removals;
  handles.open_database = setup.open_database;
  handles.damage = setup.damage;
  for (const auto& family : setup.families) handles.figures.push_back(FiguresOf(family.options));
}

std::shared_ptr<DiskReserve> ReserveOf(const RocksOptions& options, DiskSpace& space,
                                       const Clock& clock, Logger& logger) {
  if (options.reserve != nullptr) return options.reserve;
  return std::make_shared<DiskReserve>(
      space, options.directory, options.read_only ? 0 : options.reserve_bytes, clock, logger);
}

// Puts our layers between RocksDB and its files. Returns the one that can hide logs.
std::shared_ptr<EmptyLogs> LayerFiles(const RocksOptions& options, RocksSetup& setup,
                                      RocksHandles& handles) {
  handles.log_room = std::make_unique<LogRoom>();
  const auto files = std::make_shared<EmptyLogs>(setup.database.env->GetFileSystem());
  handles.files_env = rocksdb::NewCompositeEnv(
      options.tables_only ? std::static_pointer_cast<rocksdb::FileSystem>(files)
                          : handles.log_room->GiveTo(LeaveRoomForDeletes(
                                setup.database.env->GetFileSystem(), *handles.reserve)));
  setup.database.env = handles.files_env.get();
  handles.env =
      std::make_unique<RocksEnv>(*setup.database.env, *handles.flushes, !options.tables_only);
  setup.database.env = handles.env.get();
  return files;
}

// Makes room for recovery on a full disk. Returns about how many bytes it needs.
std::uint64_t MakeRoom(const RocksOptions& options, RocksHandles& handles, Logger& logger) {
  std::uint64_t needed_bytes = kRecoveryBytesMin;
  // RocksDB's own tools know this lock only. If one has it, RocksDB refuses to open.
  rocksdb::FileLock* lock = nullptr;
  if (handles.env->LockFile(options.directory + "/LOCK", &lock).ok()) {
    needed_bytes = GiveBackLeftovers(*handles.env, options.directory, logger);
    handles.env->UnlockFile(lock).PermitUncheckedError();
  }
  handles.reserve->BeforeOpen(needed_bytes);
  return needed_bytes;
}

Status NoRoomToOpen(const Status& failed, std::uint64_t needed_bytes, std::uint64_t free_bytes) {
  return Status(failed.code(), fmt::format("{}; opening needs about {} bytes, and {} are free",
                                           failed.message(), needed_bytes, free_bytes));
}

Status OpenFailed(const rocksdb::Status& status, const RocksOptions& options) {
  const std::string doing = "opening " + options.directory;
  // The format file says that there is a database, so a missing file is damage, whatever RocksDB
  // calls it.
  if (status.IsInvalidArgument() || status.IsNotFound()) {
    return Damaged(options, fmt::format("{}: {}", doing, status.ToString()));
  }
  Status failed = FromRocks(status, doing);
  if (failed.code() != StatusCode::kCorruption) return failed;
  return Damaged(options, failed.message());
}

// A database always has a log, an empty one at least. RocksDB notices missing logs that are closed,
// but treats a missing newest log as an empty one.
Status CheckLogs(const RocksOptions& options, rocksdb::Env& env) {
  // The manifest first: beside a writer, logs become newer.
  const auto manifest = ReadCurrentManifest(env, options.directory);
  const std::uint64_t newest = manifest ? NewestLogAtLeast(*manifest) : 0;
  std::vector<std::string> names;
  const rocksdb::Status listed = env.GetChildren(options.directory, &names);
  if (!listed.ok()) return FromRocks(listed, "listing " + options.directory);
  bool any = false;
  for (std::string& name : names) {
    const DirectoryFile file = FileNamed(std::move(name));
    if (file.kind != FileKind::kLog) continue;
    if (file.number >= newest) return {};
    any = true;
  }
  return Damaged(options,
                 fmt::format("cannot open {}: its {} is missing, and what was written last "
                             "with it",
                             options.directory, any ? "newest log" : "log"));
}

Result<std::unique_ptr<Engine>> OpenDamaged(const RocksOptions& options,
                                            const DirectoryFormat& format, DirectoryLock lock) {
  auto key = OpenKeyFile(EnvOf(options), options.directory, format, options.password);
  if (!key.has_value()) return CannotOpen(options, key.error());
  return OpenSalvageEngine({.directory = options.directory,
                            .lock = std::move(lock),
                            .key = *std::move(key),
                            .is_marked = format.state == DirectoryState::kReady,
                            .may_be_empty = options.beneath_log,
                            .env = EnvOf(options),
                            .logger = options.logger});
}

}  // namespace

const Clock& ClockOf(const RocksOptions& options) {
  return options.clock != nullptr ? *options.clock : SystemClock::Process();
}

Status CheckDirectory(const RocksOptions& options) {
  MAYFLY_RETURN_IF_ERROR(FindDirectory(options));
  return CheckMayOpen(options);
}

Result<std::unique_ptr<Engine>> OpenRocksEngine(const RocksOptions& options) {
  if (options.salvage && !options.read_only) {
    return Status::Invalid("salvage opens read-only: a damaged database takes no writes");
  }
  MAYFLY_RETURN_IF_ERROR(CheckDirectory(options));

  RocksHandles handles;
  handles.directory = options.directory;
  handles.clock = &ClockOf(options);
  const auto mode =
      options.read_only ? DirectoryLock::Mode::kShared : DirectoryLock::Mode::kExclusive;
  if (!options.tables_only) {
    MAYFLY_TRY(handles.lock, DirectoryLock::Take(options.directory, kLockFileName, mode));
  }
  if (!options.read_only) RemoveLeftHotLog(options.directory);

  // Read again, now that the lock keeps it from changing.
  MAYFLY_TRY(DirectoryFormat format, FormatOf(options));
  if (options.salvage) return OpenDamaged(options, format, std::move(handles.lock));
  const bool is_new = format.state != DirectoryState::kReady;
  if (is_new && options.read_only) return Missing(options);
  rocksdb::Env& env = EnvOf(options);
  MAYFLY_TRY(handles.key, KeyOf(options, format));
  DiskSpace& space = options.disk_space != nullptr ? *options.disk_space : DiskSpace::System();
  RocksSetup setup = SetupRocks(ForDisk(options, space));
  if (handles.key != nullptr) {
    handles.encrypted_files = NewEncryptedFiles(env, handles.key);
    setup.database.env = handles.encrypted_files.get();
  }
  if (!is_new) MAYFLY_RETURN_IF_ERROR(CheckLogs(options, *setup.database.env));
  if (is_new) {
    format = {.state = DirectoryState::kCreating, .encrypted = handles.key != nullptr};
    MAYFLY_RETURN_IF_ERROR(WriteFormatFile(env, options.directory, format));
    setup.database.create_if_missing = true;
    setup.database.create_missing_column_families = true;
  }
  Logger& logger = options.logger != nullptr ? *options.logger : SilentLogger();
  handles.beneath_log = options.beneath_log;
  handles.reserve = ReserveOf(options, space, *handles.clock, logger);
  ShareSetup(setup, handles);
  const auto files = LayerFiles(options, setup, handles);
  const std::uint64_t needed_bytes = options.read_only ? 0 : MakeRoom(options, handles, logger);
  const rocksdb::Status status = OpenDatabase(options, setup, handles);
  if (status.IsNoSpace()) {
    return NoRoomToOpen(OpenFailed(status, options), needed_bytes,
                        space.FreeBytes(options.directory));
  }
  if (!status.ok()) return OpenFailed(status, options);
  files->ShowLogs();
  LetChildrenExit();
  if (!options.read_only) {
    if (options.reserve == nullptr) handles.reserve->AfterOpen();
    *handles.open_database = handles.database.get();
  }
  auto engine = std::make_unique<RocksDatabase>(std::move(handles), !options.read_only, logger);
  if (is_new) {
    format.state = DirectoryState::kReady;
    MAYFLY_RETURN_IF_ERROR(WriteFormatFile(env, options.directory, format));
  }
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace mayfly::engine
