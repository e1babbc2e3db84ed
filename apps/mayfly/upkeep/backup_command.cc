// `mayfly backup`: of a folder or a server, and `--salvage` of a damaged folder.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "apps/mayfly/cli/progress.h"
#include "apps/mayfly/target/key_file.h"
#include "apps/mayfly/terminal/units.h"
#include "apps/mayfly/upkeep/upkeep_commands.h"
#include "base/line_logger.h"
#include "core/upkeep/watched_upkeep.h"
#include "mayfly/database.h"

namespace mayfly::app {

// Prints the places that could not be read. True if there are none.
Result<bool> PrintDamage(const Database& database, const OutputFlags& flags) {
  MAYFLY_TRY(const Statistics statistics, database.GetStatistics());
  if (statistics.damage_seen == 0) return true;
  if (!flags.wants_words()) {
    const Output output(flags);
    for (const std::string& what : statistics.given_up) {
      output.Record({{"damage", Cell::Text(what)}});
    }
    return false;
  }
  fmt::print("{} could not be read:\n", Counted(statistics.damage_seen, "place"));
  for (const std::string& what : statistics.given_up) fmt::print("  {}\n", what);
  if (statistics.given_up.size() < statistics.damage_seen) fmt::print("  ...\n");
  return false;
}

namespace {

struct BackupFlags {
  TargetFlags target;
  OutputFlags output;
  std::string file;
  bool salvage = false;
};

void Print(const BackupFlags& flags, const std::string& file, const BackupReport& report) {
  if (!flags.output.wants_words()) {
    std::vector<Field> fields = {{"file", Cell::Text(file)},
                                 {"rows", Cell::Count(report.rows)},
                                 {"bytes", Cell::Size(report.bytes)},
                                 {"taken_at", Cell::Instant(report.taken_at)}};
    if (flags.salvage) {
      fields.emplace_back("lost_rows", Cell::Count(report.lost_rows));
      fields.emplace_back("lost_members", Cell::Count(report.lost_members));
    }
    Output(flags.output).Record(fields);
    return;
  }
  // A server does not tell of how many keyspaces.
  const std::string of =
      report.keyspaces > 0 ? " of " + Counted(report.keyspaces, "keyspace") : std::string();
  fmt::print("{}: {}{}, {} bytes\n", file, Counted(report.rows, "row"), of, report.bytes);
}

Result<ExitCode> BackUpServer(const BackupFlags& flags) {
  if (flags.salvage) {
    return Status::Unsupported("--salvage reads a folder; stop the server and name the folder");
  }
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kWrite));
  ProgressBar bar("backup", ProgressBar::Unit::kRows);
  bar.Report(0, 0);
  MAYFLY_TRY(const auto written, target->Backup(flags.file, bar.function()));
  Print(flags, written.first, written.second);
  return kExitDone;
}

Result<ExitCode> BackUpFolder(const BackupFlags& flags) {
  const auto logger = NewStderrLogger(flags.salvage ? LogLevel::kWarning : LogLevel::kError);
  MAYFLY_TRY(const crypto::Secret password, PasswordIn(flags.target.key_file));
  // Read-only when it is damaged: then the backup is not recorded in the database.
  MAYFLY_TRY(const auto database, Database::Open({.directory = flags.target.target,
                                                  .read_only = flags.salvage,
                                                  .create_if_missing = false,
                                                  .salvage = flags.salvage,
                                                  .password = password.view(),
                                                  .logger = logger.get()}));
  ProgressBar bar("backup", ProgressBar::Unit::kRows);
  bar.Report(0, 0);
  MAYFLY_TRY(const BackupReport report, core::BackupWatched(*database, flags.file, bar.function()));
  Print(flags, flags.file, report);
  const bool words = flags.output.wants_words();
  if (flags.salvage && words) {
    fmt::print(
        "The file holds rows, and no database knows of it: no promise covers it, and no proof "
        "names\n"
        "it, neither of {} nor of what is restored from it. Remove it when it has been restored.\n",
        flags.target.target);
  }
  MAYFLY_TRY(const bool readable, PrintDamage(*database, flags.output));
  if (readable && report.lost_rows + report.lost_members == 0) return kExitDone;
  if (!words) return kExitFoundFault;
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
      flags.target.target);
  return kExitFoundFault;
}

Result<ExitCode> RunBackup(const BackupFlags& flags) {
  if (IsUrl(flags.target.target)) return BackUpServer(flags);
  if (flags.file.empty()) return Status::Invalid("name the FILE to write");
  return BackUpFolder(flags);
}

}  // namespace

void AddBackup(Commands& commands) {
  const auto flags = std::make_shared<BackupFlags>();
  CLI::App* const backup = commands.Add(
      commands.app(), "backup",
      "Write a whole database to one file. A running server writes it to its own folder of\n"
      "backups, while clients go on. Exit code 3: with --salvage, something could not be read\n"
      "and is not in the file.",
      {"mayfly backup data monday.mayfly", "mayfly backup --url redis://localhost before-upgrade",
       "mayfly backup --salvage damaged rest.mayfly"},
      [=] { return RunBackup(*flags); });
  AddTarget(*backup, flags->target);
  backup->add_option("FILE", flags->file,
                     "The file to write. Of a server: its name among the server's backups "
                     "(default: named after the instant).");
  backup->add_flag("--salvage", flags->salvage,
                   "Leave out what cannot be read, instead of failing at the first damaged file.");
  AddOutput(*backup, flags->output);
}

}  // namespace mayfly::app
