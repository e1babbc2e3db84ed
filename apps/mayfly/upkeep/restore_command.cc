// `mayfly restore`: fills a new folder from a backup.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "apps/mayfly/cli/progress.h"
#include "apps/mayfly/cli/question.h"
#include "apps/mayfly/target/key_file.h"
#include "apps/mayfly/target/new_folder.h"
#include "apps/mayfly/terminal/interrupt.h"
#include "apps/mayfly/terminal/units.h"
#include "apps/mayfly/upkeep/upkeep_commands.h"
#include "base/line_logger.h"
#include "core/upkeep/watched_upkeep.h"
#include "mayfly/database.h"

namespace mayfly::app {
namespace {

struct RestoreFlags {
  std::string directory;
  std::string file;
  std::string key_file;
  std::string backup_key_file;  // Empty: the same.
  std::string deadlines = "honour";
  std::int64_t shift_ms = 0;
  bool yes = false;
};

RestoreMode ModeNamed(const std::string& name) {
  if (name == "freeze") return RestoreMode::kFreeze;
  if (name == "shift") return RestoreMode::kShift;
  return name == "strip" ? RestoreMode::kStrip : RestoreMode::kHonour;
}

void PrintReport(const RestoreFlags& flags, const RestoreReport& report) {
  fmt::print("{}: {} of {}; {} had died and were left out\n", flags.directory,
             Counted(report.rows, "row"), Counted(report.keyspaces, "keyspace"),
             report.dropped_rows);
  if (report.lost_collections > 0) {
    fmt::print("left out: {} of which the backup, a salvage, has no member\n",
               Counted(report.lost_collections, "collection"));
  }
}

// Restores first, into a folder that is removed again unless the answer is yes: so what it prints
// before the question is what was counted, not an estimate.
Result<ExitCode> RunRestore(const RestoreFlags& flags) {
  if (IsUrl(flags.directory)) {
    return Status::Unsupported(
        "a running server cannot be filled from a backup; restore to a new folder and serve that");
  }
  NewFolder folder(flags.directory);
  const auto logger = NewStderrLogger(LogLevel::kError);
  MAYFLY_TRY(const crypto::Secret password, PasswordIn(flags.key_file));
  MAYFLY_TRY(const crypto::Secret backup_password, PasswordIn(flags.backup_key_file));
  auto opened = Database::Open(
      {.directory = flags.directory, .password = password.view(), .logger = logger.get()});
  // Another process may have made it at the same moment.
  if (!opened && opened.error().code() == StatusCode::kBusy) folder.Keep();
  MAYFLY_RETURN_IF_ERROR(opened.status());
  const std::unique_ptr<Database> database = *std::move(opened);
  RestoreReport report;
  {
    ProgressBar bar("restore", ProgressBar::Unit::kRows);
    bar.Report(0, 0);
    const Bytes of_backup = backup_password.empty() ? password.view() : backup_password.view();
    MAYFLY_TRY(report, core::RestoreWatched(*database, flags.file,
                                            {.mode = ModeNamed(flags.deadlines),
                                             .shift = Millis(flags.shift_ms),
                                             .password = of_backup},
                                            bar.function()));
  }
  MAYFLY_RETURN_IF_ERROR(database->Close());
  if (Interrupted()) return kExitFailed;
  PrintReport(flags, report);
  std::fflush(stdout);
  const bool complete = report.dropped_rows + report.lost_collections == 0;
  MAYFLY_TRY(const bool agreed,
             Agreed(flags.yes || complete,
                    "Keep the new database without them? (--deadlines freeze, shift or strip "
                    "restores rows that have died since.)"));
  if (!agreed) {
    fmt::print("nothing was restored\n");
    return kExitFailed;
  }
  folder.Keep();
  return kExitDone;
}

}  // namespace

void AddRestore(Commands& commands) {
  const auto flags = std::make_shared<RestoreFlags>();
  CLI::App* const restore = commands.Add(
      commands.app(), "restore",
      "Fill a new database from the file of a backup. Tells what is left out because it has died\n"
      "since, and asks before it keeps the result.",
      {"mayfly restore monday.mayfly data", "mayfly restore monday.mayfly data --deadlines freeze",
       "mayfly restore monday.mayfly data --yes"},
      [=] { return RunRestore(*flags); });
  restore->add_option("FILE", flags->file, "The file of the backup.")->required();
  restore->add_option("DIR", flags->directory, "The new database's folder.")->required();
  restore
      ->add_option("--deadlines", flags->deadlines,
                   "honour: rows that died meanwhile are left out (default). freeze: each has the "
                   "time left that it had at the backup. shift: moved by --shift-ms. strip: none.")
      ->check(CLI::IsMember({"honour", "freeze", "shift", "strip"}));
  restore->add_option("--shift-ms", flags->shift_ms, "For --deadlines shift; may be negative.");
  restore->add_flag("-y,--yes", flags->yes, "Do not ask.");
  AddKeyFile(*restore, flags->key_file);
  restore
      ->add_option("--backup-key-file", flags->backup_key_file,
                   "The file with the password that the database had when it was backed up, if it "
                   "is not that of --encryption-key-file.")
      ->type_name("FILE");
  restore->final_callback([flags] {
    if ((flags->shift_ms != 0) == (flags->deadlines == "shift")) return;
    throw CLI::ValidationError("--shift-ms", "it and --deadlines shift go together");
  });
}

}  // namespace mayfly::app
