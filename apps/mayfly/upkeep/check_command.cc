// `mayfly check`: looks for damage, and repairs what can be derived from rows.
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
namespace {

struct CheckFlags {
  TargetFlags target;
  OutputFlags output;
  bool repair = false;
  bool show_keys = false;
};

// Removes the key from a finding, which is: keyspace 'NAME': WHAT: 'KEY'. Output may end up where
// keys must not be.
std::string WithoutKey(const std::string& finding) {
  return finding.substr(0, finding.find(": '"));
}

std::uint64_t Faults(const CheckReport& report) {
  return report.missing_entries + report.stale_entries + report.wrong_counts +
         report.unreadable_rows + report.stray_versions + report.stray_members;
}

std::string Shown(const CheckFlags& flags, const std::string& finding) {
  return flags.show_keys ? finding : WithoutKey(finding);
}

void PrintFields(const CheckFlags& flags, const CheckReport& report, bool readable) {
  const Output output(flags.output);
  output.Record({{"clean", Cell::YesNo(report.clean() && readable)},
                 {"rows", Cell::Count(report.rows)},
                 {"members", Cell::Count(report.members + report.versions)},
                 {"entries", Cell::Count(report.entries)},
                 {"missing_entries", Cell::Count(report.missing_entries)},
                 {"stale_entries", Cell::Count(report.stale_entries)},
                 {"wrong_counts", Cell::Count(report.wrong_counts)},
                 {"faults", Cell::Count(Faults(report))},
                 {"repaired", Cell::Count(report.repaired)}});
  for (const std::string& finding : report.findings) {
    output.Record({{"finding", Cell::Text(Shown(flags, finding))}});
  }
}

void PrintFigures(const CheckFlags& flags, const CheckReport& report, bool readable) {
  if (!flags.output.wants_words()) {
    PrintFields(flags, report, readable);
    return;
  }
  fmt::print("{}, {} members and versions, {} index entries\n", Counted(report.rows, "row"),
             report.members + report.versions, report.entries);
  for (const std::string& finding : report.findings) fmt::print("  {}\n", Shown(flags, finding));
  if (!report.findings.empty() && !flags.show_keys) {
    fmt::print("  --show-keys tells which keys these are\n");
  }
}

ExitCode PrintVerdict(const CheckFlags& flags, const CheckReport& report) {
  const ExitCode code = report.clean() ? kExitDone : kExitFoundFault;
  if (!flags.output.wants_words()) return code;
  if (report.clean()) {
    fmt::print("nothing is wrong\n");
  } else {
    fmt::print("{}, {} repaired\n", Counted(Faults(report), "finding"), report.repaired);
  }
  return code;
}

bool IsDamage(const Status& status) { return status.code() == StatusCode::kCorruption; }

Result<ExitCode> CheckServer(const CheckFlags& flags) {
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kWrite));
  ProgressBar bar("check", ProgressBar::Unit::kRows);
  const auto report = target->Check(flags.repair, bar.function());
  if (!report && IsDamage(report.error())) {
    PrintError(report.error());
    return kExitFoundFault;
  }
  MAYFLY_RETURN_IF_ERROR(report.status());
  PrintFigures(flags, *report, /*readable=*/true);
  return PrintVerdict(flags, *report);
}

// With `salvage`, checks what can be read of damaged files.
// A damaged database is not changed, whatever the flags say.
Result<CheckReport> CheckAs(const CheckFlags& flags, bool salvage, Bytes password, Logger& logger,
                            std::unique_ptr<Database>& database) {
  const bool repair = flags.repair && !salvage;
  MAYFLY_TRY(database, Database::Open({.directory = flags.target.target,
                                       .read_only = !repair,
                                       .create_if_missing = false,
                                       .salvage = salvage,
                                       .password = password,
                                       .logger = &logger}));
  ProgressBar bar("check", ProgressBar::Unit::kRows);
  return core::CheckWatched(*database, {.repair = repair}, bar.function());
}

Result<ExitCode> CheckFolder(const CheckFlags& flags) {
  const auto logger = NewStderrLogger(LogLevel::kError);
  MAYFLY_TRY(const crypto::Secret password, PasswordIn(flags.target.key_file));
  std::unique_ptr<Database> database;
  Result<CheckReport> report =
      CheckAs(flags, /*salvage=*/false, password.view(), *logger, database);
  if (!report && IsDamage(report.error())) {
    PrintError(report.error());
    database.reset();
    report = CheckAs(flags, /*salvage=*/true, password.view(), *logger, database);
    if (!report && IsDamage(report.error())) {
      PrintError(report.error());
      return kExitFoundFault;
    }
  }
  MAYFLY_RETURN_IF_ERROR(report.status());
  MAYFLY_TRY(const Statistics statistics, database->GetStatistics());
  PrintFigures(flags, *report, statistics.damage_seen == 0);
  MAYFLY_TRY(const bool readable, PrintDamage(*database, flags.output));
  if (!readable) {
    if (flags.output.wants_words()) {
      fmt::print("{}save the rest with: mayfly backup --salvage {} FILE\n",
                 flags.repair ? "nothing was repaired: index and counts are made from rows, which "
                                "cannot be read\n"
                              : "",
                 flags.target.target);
    }
    return kExitFoundFault;
  }
  return PrintVerdict(flags, *report);
}

}  // namespace

void AddCheck(Commands& commands) {
  const auto flags = std::make_shared<CheckFlags>();
  CLI::App* const check = commands.Add(
      commands.app(), "check",
      "Read a whole database and compare rows, index and counts. Exit code 3: something is wrong.",
      {"mayfly check data", "mayfly check --url redis://localhost --repair"},
      [=] { return IsUrl(flags->target.target) ? CheckServer(*flags) : CheckFolder(*flags); });
  AddTarget(*check, flags->target);
  check->add_flag("--repair", flags->repair, "Mend index and counts from the rows.");
  check->add_flag("--show-keys", flags->show_keys, "Name the keys of what is found.");
  AddOutput(*check, flags->output);
}

}  // namespace mayfly::app
