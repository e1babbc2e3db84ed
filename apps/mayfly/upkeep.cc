#include "upkeep.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/stderr_logger.h"
#include "mayfly/database.h"
#include "reencrypt.h"

namespace mayfly::app {
namespace {

// Prints what could not be read. True: everything could.
Result<bool> PrintDamage(const Database& database) {
  MAYFLY_TRY(const Statistics statistics, database.GetStatistics());
  if (statistics.damage_seen == 0) return true;
  fmt::print("{} places in damaged files could not be read; the first: {}\n",
             statistics.damage_seen, statistics.first_damage);
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
  return restore;
}

CLI::App* AddCheck(CLI::App& app, UpkeepFlags& flags) {
  CLI::App* const check = app.add_subcommand(
      "check",
      "Read a whole database and compare rows, index and counts. A served database: use its\n"
      "command TTL.CHECK. Exit code 3: something is wrong.");
  check->add_option("DIR", flags.directory, "The database's folder.")->required();
  check->add_flag("--repair", flags.repair, "Mend index and counts from the rows.");
  AddKeyFile(*check, flags.key_file);
  return check;
}

Result<bool> RunBackup(const UpkeepFlags& flags) {
  const auto logger = NewStderrLogger(flags.salvage ? LogLevel::kWarning : LogLevel::kError);
  MAYFLY_TRY(const crypto::Secret password, PasswordIn(flags.key_file));
  // For reading alone when it is damaged: then the backup is not noted in the database.
  MAYFLY_TRY(const auto database, Database::Open({.directory = flags.directory,
                                                  .read_only = flags.salvage,
                                                  .create_if_missing = false,
                                                  .salvage = flags.salvage,
                                                  .password = password.view(),
                                                  .logger = logger.get()}));
  MAYFLY_TRY(const BackupReport report, database->Backup(flags.file));
  fmt::print("{}: {} rows of {} keyspaces, {} bytes\n", flags.file, report.rows, report.keyspaces,
             report.bytes);
  return PrintDamage(*database);
}

Result<bool> RunRestore(const UpkeepFlags& flags) {
  if ((flags.shift_ms != 0) != (flags.deadlines == "shift")) {
    return Status::Invalid("--deadlines shift and --shift-ms go together");
  }
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
  fmt::print("{}: {} rows of {} keyspaces; {} had died and were left out\n", flags.directory,
             report.rows, report.keyspaces, report.dropped_rows);
  MAYFLY_RETURN_IF_ERROR(database->Close());
  return true;
}

Result<bool> RunCheck(const UpkeepFlags& flags) {
  const auto logger = NewStderrLogger(LogLevel::kError);
  MAYFLY_TRY(const crypto::Secret password, PasswordIn(flags.key_file));
  MAYFLY_TRY(const auto database, Database::Open({.directory = flags.directory,
                                                  .read_only = !flags.repair,
                                                  .create_if_missing = false,
                                                  .salvage = !flags.repair,
                                                  .password = password.view(),
                                                  .logger = logger.get()}));
  MAYFLY_TRY(const CheckReport report, database->Check({.repair = flags.repair}));
  fmt::print("{} rows, {} members and versions, {} index entries\n", report.rows,
             report.members + report.versions, report.entries);
  for (const std::string& finding : report.findings) fmt::print("  {}\n", finding);
  MAYFLY_TRY(const bool readable, PrintDamage(*database));
  if (!readable) {
    fmt::print("save the rest with: mayfly backup --salvage {} FILE\n", flags.directory);
    return false;
  }
  if (report.clean()) {
    fmt::print("nothing is wrong\n");
    return true;
  }
  fmt::print("{} findings, {} repaired\n",
             report.missing_entries + report.stale_entries + report.wrong_counts +
                 report.unreadable_rows + report.stray_versions + report.stray_members,
             report.repaired);
  return false;
}

}  // namespace mayfly::app
