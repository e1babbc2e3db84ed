// top_command.cc - what a database does now: operations, latencies, lag, and what dies next.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "apps/mayfly/live/live_commands.h"
#include "apps/mayfly/live/terminal_mode.h"
#include "apps/mayfly/terminal/interrupt.h"
#include "apps/mayfly/terminal/text_table.h"
#include "apps/mayfly/terminal/units.h"
#include "base/printable.h"

namespace mayfly::app {
namespace {

constexpr std::size_t kNextMax = 5;
constexpr std::size_t kCommandsMax = 8;

struct TopFlags {
  TargetFlags target;
  OutputFlags output;
  std::string every = "1s";
  bool once = false;
};

struct Frame {
  Activity activity;
  SteadyTime at;
};

// Per second since the frame before; nothing in the first one, and for a folder.
std::optional<double> OperationsPerSecond(const Frame& now, const std::optional<Frame>& before) {
  if (!now.activity.commands_total || !before || !before->activity.commands_total) {
    return std::nullopt;
  }
  const double seconds = std::chrono::duration<double>(now.at - before->at).count();
  const std::uint64_t done = *now.activity.commands_total - *before->activity.commands_total;
  return seconds > 0 ? static_cast<double>(done) / seconds : 0.0;
}

struct Sums {
  std::uint64_t rows = 0;
  std::uint64_t mortal = 0;
  std::uint64_t due = 0;
  Millis lag{0};
};

Sums SumsOf(const Statistics& statistics) {
  Sums sums;
  for (const KeyspaceStatistics& one : statistics.keyspaces) {
    sums.rows += one.rows;
    sums.mortal += one.mortal_rows;
    sums.due += one.due_rows;
    sums.lag = std::max(sums.lag, one.lag);
  }
  return sums;
}

std::string CommandLines(const Output& output, const Frame& now,
                         const std::optional<Frame>& before) {
  if (now.activity.commands.empty()) return {};
  const double seconds = before ? std::chrono::duration<double>(now.at - before->at).count() : 0.0;
  TextTable table({{"command", TextTable::Align::kLeft},
                   {"calls", TextTable::Align::kRight},
                   {"per second", TextTable::Align::kRight},
                   {"p50", TextTable::Align::kRight},
                   {"p99", TextTable::Align::kRight}});
  std::size_t shown = 0;
  for (const CommandFigures& one : now.activity.commands) {
    if (shown++ == kCommandsMax) break;
    std::string rate = "-";
    if (before && seconds > 0) {
      for (const CommandFigures& old : before->activity.commands) {
        if (old.name != one.name) continue;
        rate = fmt::format("{:.0f}", static_cast<double>(one.calls - old.calls) / seconds);
      }
    }
    table.Add({one.name, std::to_string(one.calls), rate, fmt::format("{:.0f} us", one.p50_us),
               fmt::format("{:.0f} us", one.p99_us)});
  }
  const std::string text = table.ToString();
  const std::size_t end = text.find('\n');
  return "\n" + output.Bold(text.substr(0, end)) + text.substr(end);
}

std::string NextLines(const Output& output, const Frame& now) {
  std::string text = "\n" + output.Bold("dies next") + "\n";
  const WallTime instant = now.activity.statistics.clock.now;
  for (const DeadlineEntry& entry : now.activity.next) {
    const Millis left = std::max(entry.deadline - instant, Millis(0));
    text += fmt::format("  in {:>12}  {}\n", ToText(left, 2), Printable(entry.key, 60));
  }
  return now.activity.next.empty() ? text + "  nothing\n" : text;
}

std::string Draw(const Output& output, const Target& target, const Frame& now,
                 const std::optional<Frame>& before) {
  const Statistics& statistics = now.activity.statistics;
  const Sums sums = SumsOf(statistics);
  std::string text =
      fmt::format("{}  {}\n\n", output.Bold(target.name()), ToText(statistics.clock.now));
  if (now.activity.commands_total) {
    const auto rate = OperationsPerSecond(now, before);
    text += fmt::format("operations  {} per second, {} in all, {}\n",
                        rate ? fmt::format("{:.0f}", *rate) : "-", *now.activity.commands_total,
                        Counted(now.activity.clients, "client"));
  }
  text += fmt::format("rows        {}, {} with a deadline\n", sums.rows, sums.mortal);
  const std::string due = fmt::format("due         {}, lag {}, {} purged since the start", sums.due,
                                      ToText(sums.lag, 2), statistics.purged_rows);
  text += (sums.lag > std::chrono::minutes(1) ? output.Alarm(due) : due) + "\n";
  if (statistics.clock.physical_deletion_stopped) {
    text += output.Alarm("clock       it jumped ahead: nothing is removed until that is settled") +
            "\n";
  }
  text += fmt::format("disk        {}, memory {}\n", SizeToText(statistics.disk_bytes),
                      SizeToText(statistics.memory_bytes));
  return text + CommandLines(output, now, before) + NextLines(output, now);
}

void PrintFields(Output& output, const Frame& now, const std::optional<Frame>& before) {
  const Statistics& statistics = now.activity.statistics;
  const Sums sums = SumsOf(statistics);
  const auto rate = OperationsPerSecond(now, before);
  const auto& next = now.activity.next;
  output.Row(
      {{"now", Cell::Instant(statistics.clock.now)},
       {"operations_per_second", rate ? Cell::Real(*rate) : Cell::Nothing()},
       {"operations",
        now.activity.commands_total ? Cell::Count(*now.activity.commands_total) : Cell::Nothing()},
       {"clients", Cell::Count(now.activity.clients)},
       {"rows", Cell::Count(sums.rows)},
       {"mortal_rows", Cell::Count(sums.mortal)},
       {"due_rows", Cell::Count(sums.due)},
       {"lag", Cell::Length(sums.lag)},
       {"disk", Cell::Size(statistics.disk_bytes)},
       {"memory", Cell::Size(statistics.memory_bytes)},
       {"next_key", next.empty() ? Cell::Nothing() : Cell::Text(next.front().key)},
       {"next_deadline", next.empty() ? Cell::Nothing() : Cell::Instant(next.front().deadline)}});
}

Result<ExitCode> RunTop(const TopFlags& flags) {
  Output output(flags.output);
  MAYFLY_TRY(const Millis every, ParseDuration(flags.every));
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kRead));
  const bool live = output.human() && !flags.once;
  const SingleKeys keys(live);
  std::optional<Frame> before;
  while (!Interrupted() && std::ferror(stdout) == 0) {
    MAYFLY_TRY(Activity activity, target->ReadActivity(kNextMax));
    Frame now{.activity = std::move(activity), .at = SystemClock::Process().Steady()};
    if (output.human()) {
      // Home, the frame with each line cleared to its end, and the rest of the screen.
      std::string text = Draw(output, *target, now, before);
      if (live) {
        for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 4) {
          text.insert(at, "\x1b[K");
        }
        text.insert(0, "\x1b[H");
        text += "\nq ends\x1b[J";
      }
      output.Bytes(text);
    } else {
      PrintFields(output, now, before);
    }
    std::fflush(stdout);
    if (flags.once) return kExitDone;
    before = std::move(now);
    const int pause = static_cast<int>(std::min<std::int64_t>(every.count(), 3'600'000));
    const char key = keys.Await(pause);
    if (key == 'q' || key == 'Q') break;
  }
  if (live) output.Bytes("\n");
  return kExitDone;
}

}  // namespace

void AddTop(Commands& commands) {
  const auto flags = std::make_shared<TopFlags>();
  CLI::App* const top = commands.Add(
      commands.app(), "top",
      "Show operations, latencies, the lag of purging and what dies next, again and again; q ends.",
      {"mayfly top --url redis://localhost", "mayfly top data --every 5s",
       "mayfly top --url redis://localhost --once --json"},
      [=] { return RunTop(*flags); });
  AddTarget(*top, flags->target);
  top->add_option("--every", flags->every, "How often (default: 1s).")
      ->check(CheckDuration)
      ->type_name("LENGTH");
  top->add_flag("--once", flags->once, "Show it once and end.");
  AddKeyspace(*top, flags->target);
  AddOutput(*top, flags->output);
}

}  // namespace mayfly::app
