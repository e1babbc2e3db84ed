#include "upkeep.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/line_logger.h"
#include "mayfly/database.h"
#include "reencrypt.h"

namespace mayfly::app {
namespace {

// "1 row", "2 rows".
std::string Counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// Prints the places that could not be read. True if there are none.
Result<bool> PrintDamage(const Database& database) {
  MAYFLY_TRY(const Statistics statistics, database.GetStatistics());
  if (statistics.damage_seen == 0) return true;
  fmt::print("{} could not be read:\n", Counted(statistics.damage_seen, "place"));
  for (const std::string& what : statistics.given_up) fmt::print("  {}\n", what);
  if (statistics.given_up.size() < statistics.damage_seen) fmt::print("  ...\n");
  return false;
}

RestoreMode ModeNamed(const std::string& name) {
  if (name == "freeze") return RestoreMode::kFreeze;
  if (name == "shift") return RestoreMode::kShift;
  return name == "strip" ? RestoreMode::kStrip : RestoreMode::kHonour;
}

}  // namespace

CLI::App* AddBackup(CLI::App& app, UpkeepFlags& flags) {
  CLI::App* const backup = app.add_subcommand(
      "backup",
      "Write a whole database to one file. A served database: use its command BGSAVE.\n"
      "Exit code 3: with --salvage, something could not be read and is not in the file.");
  backup->add_option("DIR", flags.directory, "The database's folder.")->required();
  backup->add_option("FILE", flags.file, "The file to write.")->required();
  backup->add_flag("--salvage", flags.salvage,
                   "Leave out what cannot be read, instead of failing at the first damaged file.");
  AddKeyFile(*backup, flags.key_file);
  return backup;
}

CLI::App* AddRestore(CLI::App& app, UpkeepFlags& flags) {
  CLI::App* const restore =
      app.add_subcommand("restore", "Fill a new database from the file of a backup.");
  restore->add_option("FILE", flags.file, "The file of the backup.")->required();
  restore->add_option("DIR", flags.directory, "The new database's folder.")->required();
  restore
      ->add_option("--deadlines", flags.deadlines,
                   "honour: rows that died meanwhile are left out (default). freeze: each has the "
                   "time left that it had at the backup. shift: moved by --shift-ms. strip: none.")
      ->check(CLI::IsMember({"honour", "freeze", "shift", "strip"}));
  restore->add_option("--shift-ms", flags.shift_ms, "For --deadlines shift; may be negative.");
  AddKeyFile(*restore, flags.key_file);
  restore
      ->add_option("--backup-key-file", flags.backup_key_file,
                   "The file with the password that the database had when it was backed up, if it "
                   "is not that of --encryption-key-file.")
      ->type_name("FILE");
  restore->final_callback([&flags] {
    if ((flags.shift_ms != 0) == (flags.deadlines == "shift")) return;
    throw CLI::ValidationError("--shift-ms", "it and --deadlines shift go together");
  });
  return restore;
}

CLI::App* AddCheck(CLI::App& app, UpkeepFlags& flags) {
  CLI::App* const check = app.add_subcommand(
      "check",
      "Read a whole database and compare rows, index and counts. A served database: use its\n"
      "command TTL.CHECK. Exit code 3: something is wrong.");
  check->add_option("DIR", flags.directory, "The database's folder.")->required();
  check->add_flag("--repair", flags.repair, "Mend index and counts from the rows.");
  check->add_flag("--show-keys", flags.show_keys, "Name the keys of what is found.");
  AddKeyFile(*check, flags.key_file);
  return check;
}

Result<bool> RunBackup(const UpkeepFlags& flags) {
  const auto logger = NewStderrLogger(flags.salvage ? LogLevel::kWarning : LogLevel::kError);
  MAYFLY_TRY(const crypto::Secret password, PasswordIn(flags.key_file));
  // Read-only when it is damaged: then the backup is not recorded in the database.
  MAYFLY_TRY(const auto database, Database::Open({.directory = flags.directory,
                                                  .read_only = flags.salvage,
                                                  .create_if_missing = false,
                                                  .salvage = flags.salvage,
                                                  .password = password.view(),
                                                  .logger = logger.get()}));
  MAYFLY_TRY(const BackupReport report, database->Backup(flags.file));
  fmt::print("{}: {} of {}, {} bytes\n", flags.file, Counted(report.rows, "row"),
             Counted(report.keyspaces, "keyspace"), report.bytes);
  if (flags.salvage) {
    fmt::print(
        "The file holds rows, and no database knows of it: no promise covers it, and no proof "
        "names\n"
        "it, neither of {} nor of what is restored from it. Remove it when it has been restored.\n",
        flags.directory);
  }
  MAYFLY_TRY(const bool readable, PrintDamage(*database));
  if (readable && report.lost_rows + report.lost_members == 0) return true;
  if (report.lost_rows > 0) {
    fmt::print("left out: {} that, or all members of which, could not be read\n",
               Counted(report.lost_rows, "row"));
  }
  if (report.lost_members > 0) {
    fmt::print("missing in collections that are in the file: {}\n",
               Counted(report.lost_members, "member"));
  }
  fmt::print(
      "Of a row whose newest version could not be read, the file has an older one or none: a row\n"
      "may be as it was before, and one that was deleted may be back. Each still dies at the\n"
      "deadline that it carries. {} was not changed.\n",
      flags.directory);
  return false;
}

namespace {

// A folder that a command creates, and that is removed again if the command fails.
class NewFolder {
 public:
  explicit NewFolder(const std::string& directory) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::absolute(directory, error);
    if (std::filesystem::is_directory(path, error)) {
      if (std::filesystem::is_empty(path, error)) inside_ = path;
      return;
    }
    // With its missing parent folders.
    for (made_ = path;
         !std::filesystem::exists(made_.parent_path(), error) && made_.has_relative_path();) {
      made_ = made_.parent_path();
    }
  }
  ~NewFolder() {
    std::error_code error;
    if (!made_.empty()) std::filesystem::remove_all(made_, error);
    if (inside_.empty()) return;
    for (const auto& entry : std::filesystem::directory_iterator(inside_, error)) {
      std::filesystem::remove_all(entry.path(), error);
    }
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void Keep() {
    made_.clear();
    inside_.clear();
  }

 private:
  std::filesystem::path made_;
  std::filesystem::path inside_;
};

}  // namespace

Result<bool> RunRestore(const UpkeepFlags& flags) {
  NewFolder folder(flags.directory);
  const auto logger = NewStderrLogger(LogLevel::kError);
  MAYFLY_TRY(const crypto::Secret password, PasswordIn(flags.key_file));
  MAYFLY_TRY(const crypto::Secret backup_password, PasswordIn(flags.backup_key_file));
  MAYFLY_TRY(const auto database, Database::Open({.directory = flags.directory,
                                                  .password = password.view(),
                                                  .logger = logger.get()}));
  MAYFLY_TRY(const RestoreReport report,
             database->Restore(
                 flags.file,
                 {.mode = ModeNamed(flags.deadlines),
                  .shift = Millis(flags.shift_ms),
                  .password = backup_password.empty() ? password.view() : backup_password.view()}));
  MAYFLY_RETURN_IF_ERROR(database->Close());
  folder.Keep();
  fmt::print("{}: {} of {}; {} had died and were left out\n", flags.directory,
             Counted(report.rows, "row"), Counted(report.keyspaces, "keyspace"),
             report.dropped_rows);
  if (report.lost_collections > 0) {
    fmt::print("left out: {} of which the backup, a salvage, has no member\n",
               Counted(report.lost_collections, "collection"));
  }
  return true;
}

namespace {

// Removes the key from a finding, which is: keyspace 'NAME': WHAT: 'KEY'. Output may end up where
// keys must not be.
std::string WithoutKey(const std::string& finding) {
  return finding.substr(0, finding.find(": '"));
}

// With `salvage`, checks what can be read of damaged files.
Result<CheckReport> CheckAs(const UpkeepFlags& flags, bool salvage, Bytes password, Logger& logger,
                            std::unique_ptr<Database>& database) {
  MAYFLY_TRY(database, Database::Open({.directory = flags.directory,
                                       .read_only = !flags.repair,
                                       .create_if_missing = false,
                                       .salvage = salvage,
                                       .password = password,
                                       .logger = &logger}));
  return database->Check({.repair = flags.repair});
}

}  // namespace

Result<bool> RunCheck(const UpkeepFlags& flags) {
  const auto logger = NewStderrLogger(LogLevel::kError);
  MAYFLY_TRY(const crypto::Secret password, PasswordIn(flags.key_file));
  std::unique_ptr<Database> database;
  Result<CheckReport> report =
      CheckAs(flags, /*salvage=*/false, password.view(), *logger, database);
  if (!report && report.error().code() == StatusCode::kCorruption && !flags.repair) {
    fmt::print(stderr, "mayfly: {}\n", report.error().ToString());
    database.reset();
    report = CheckAs(flags, /*salvage=*/true, password.view(), *logger, database);
  }
  MAYFLY_RETURN_IF_ERROR(report.status());
  fmt::print("{}, {} members and versions, {} index entries\n", Counted(report->rows, "row"),
             report->members + report->versions, report->entries);
  for (const std::string& finding : report->findings) {
    fmt::print("  {}\n", flags.show_keys ? finding : WithoutKey(finding));
  }
  if (!report->findings.empty() && !flags.show_keys) {
    fmt::print("  --show-keys tells which keys these are\n");
  }
  MAYFLY_TRY(const bool readable, PrintDamage(*database));
  if (!readable) {
    fmt::print("save the rest with: mayfly backup --salvage {} FILE\n", flags.directory);
    return false;
  }
  if (report->clean()) {
    fmt::print("nothing is wrong\n");
    return true;
  }
  fmt::print("{}, {} repaired\n",
             Counted(report->missing_entries + report->stale_entries + report->wrong_counts +
                         report->unreadable_rows + report->stray_versions + report->stray_members,
                     "finding"),
             report->repaired);
  return false;
}

}  // namespace mayfly::app
