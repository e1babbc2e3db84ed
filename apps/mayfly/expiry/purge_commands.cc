// purge_commands.cc - stats, purge and compact: space that the dead still take, and its return.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "apps/mayfly/cli/progress.h"
#include "apps/mayfly/expiry/expiry_commands.h"
#include "apps/mayfly/terminal/interrupt.h"
#include "apps/mayfly/terminal/units.h"

namespace mayfly::app {
namespace {

constexpr std::uint64_t kStepRows = 10'000;
constexpr Millis kStepTime(100);
constexpr const char* kStoppedByClock =
    "the clock jumped ahead, and nothing that died is removed until that is settled: TTL.CLOCK "
    "CONFIRM or REVERT on a server, Database::ConfirmClock() in a program";

struct PurgeFlags {
  TargetFlags target;
  OutputFlags output;
  std::uint64_t rows = UINT64_MAX;
};

std::uint64_t DueRows(const Statistics& statistics) {
  std::uint64_t due = 0;
  for (const KeyspaceStatistics& one : statistics.keyspaces) due += one.due_rows;
  return due;
}

Result<ExitCode> RunStats(const PurgeFlags& flags) {
  const Output output(flags.output);
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kRead));
  MAYFLY_TRY(const Statistics statistics, target->Stats());
  std::uint64_t rows = 0;
  std::uint64_t mortal = 0;
  Millis lag(0);
  for (const KeyspaceStatistics& one : statistics.keyspaces) {
    rows += one.rows;
    mortal += one.mortal_rows;
    lag = std::max(lag, one.lag);
  }
  output.Record(
      {{"now", Cell::Instant(statistics.clock.now)},
       {"deletion_stopped_by_clock", Cell::YesNo(statistics.clock.physical_deletion_stopped)},
       {"keyspaces", Cell::Count(statistics.keyspaces.size())},
       {"rows", Cell::Count(rows)},
       {"mortal_rows", Cell::Count(mortal)},
       {"due_rows", Cell::Count(DueRows(statistics))},
       {"lag", Cell::Length(lag)},
       {"purged_rows", Cell::Count(statistics.purged_rows)},
       {"events_first", Cell::Count(statistics.events_first)},
       {"events_last", Cell::Count(statistics.events_last)},
       {"disk", Cell::Size(statistics.disk_bytes)},
       {"memory", Cell::Size(statistics.memory_bytes)}});
  return kExitDone;
}

Result<ExitCode> RunPurge(const PurgeFlags& flags) {
  const Output output(flags.output);
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kWrite));
  MAYFLY_TRY(const Statistics statistics, target->Stats());
  const std::uint64_t due = std::min(DueRows(statistics), flags.rows);
  std::uint64_t purged = 0;
  {
    ProgressBar bar("purge", ProgressBar::Unit::kRows);
    for (bool more = true; more && purged < flags.rows && bar.Report(purged, due);) {
      MAYFLY_TRY(const PurgeReport report,
                 target->Purge(std::min(kStepRows, flags.rows - purged), kStepTime));
      if (report.stopped_by_clock) return Status::Busy(kStoppedByClock);
      purged += report.rows;
      more = report.more_due;
    }
  }
  output.Record({{"purged", Cell::Count(purged)}});
  return kExitDone;
}

ExitCode ReportDamage(const Target& target) {
  fmt::print(stderr, "mayfly: {} is damaged; `mayfly check` tells where\n", target.name());
  return kExitFoundFault;
}

Result<ExitCode> RunCompact(const PurgeFlags& flags) {
  const Output output(flags.output);
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kWrite));
  MAYFLY_TRY(const Statistics before, target->Stats());
  ReclaimReport report;
  {
    ProgressBar bar("compact", ProgressBar::Unit::kBytes);
    auto made = target->Compact(bar.function());
    if (!made && made.error().code() == StatusCode::kCorruption) {
      PrintError(made.error());
      return ReportDamage(*target);
    }
    MAYFLY_RETURN_IF_ERROR(made.status());
    report = *made;
  }
  MAYFLY_TRY(const Statistics after, target->Stats());
  output.Record({{"files_dropped", Cell::Count(report.files_dropped)},
                 {"files_rewritten", Cell::Count(report.files_rewritten)},
                 {"rewritten", Cell::Size(report.bytes_rewritten)},
                 {"disk_before", Cell::Size(before.disk_bytes)},
                 {"disk_after", Cell::Size(after.disk_bytes)}});
  if (report.stopped_by_clock) return Status::Busy(kStoppedByClock);
  return after.damage_seen > 0 ? ReportDamage(*target) : kExitDone;
}

std::pair<CLI::App*, std::shared_ptr<PurgeFlags>> AddOne(
    Commands& commands, const char* name, const char* summary,
    const std::vector<std::string>& examples, Result<ExitCode> (*run)(const PurgeFlags&)) {
  const auto flags = std::make_shared<PurgeFlags>();
  CLI::App* const command =
      commands.Add(commands.app(), name, summary, examples, [=] { return run(*flags); });
  AddTarget(*command, flags->target);
  AddOutput(*command, flags->output);
  return {command, flags};
}

}  // namespace

void AddStats(Commands& commands) {
  AddOne(commands, "stats", "Show rows, those due, the lag of purging, events, disk and memory.",
         {"mayfly stats data", "mayfly stats --url redis://localhost --json"}, RunStats);
}

void AddPurge(Commands& commands) {
  const auto [purge, flags] =
      AddOne(commands, "purge", "Remove rows that have died, of all keyspaces.",
             {"mayfly purge data", "mayfly purge --url redis://localhost --rows 1000"}, RunPurge);
  purge->add_option("--rows", flags->rows, "At most so many (default: all).")->check(CheckCount);
}

void AddCompact(Commands& commands) {
  AddOne(commands, "compact",
         "Purge, and rewrite every file that holds something dead or deleted, so that its space\n"
         "goes back to the disk. A server does it by itself, and at once when asked. Other\n"
         "files are not read: `mayfly check` looks for damage. Exit code 3: a file that was read "
         "is damaged.",
         {"mayfly compact data", "mayfly compact --url redis://localhost"}, RunCompact);
}

}  // namespace mayfly::app
