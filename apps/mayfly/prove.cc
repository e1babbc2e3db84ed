#include "prove.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/line_logger.h"
#include "base/printable.h"
#include "base/text.h"
#include "mayfly/database.h"
#include "reencrypt.h"
#include "text_table.h"

namespace mayfly::app {
namespace {

using Align = TextTable::Align;

void Print(const std::string& text) { std::fputs(text.c_str(), stdout); }

// ISO 8601, UTC, to the millisecond.
std::string ToText(WallTime time) {
  constexpr std::int64_t kYear9999Ms = 253'370'764'800'000;
  const std::int64_t ms = ToMs(time);
  if (ms <= 0) return "unknown";
  if (ms >= kYear9999Ms) return "after the year 9999";
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(static_cast<std::time_t>(ms / 1000)), ms % 1000);
}

std::string ToText(const std::optional<WallTime>& time) { return time ? ToText(*time) : "-"; }

// The largest units first, and none that is zero: "1d 12h", "250ms".
std::string ToText(Millis length) {
  struct Unit {
    const char* name;
    std::int64_t ms;
  };
  // clang-format off
  constexpr std::array kUnits = {
      Unit{"d",   86'400'000},
      Unit{"h",   3'600'000},
      Unit{"min", 60'000},
      Unit{"s",   1'000},
      Unit{"ms",  1}
  };
  // clang-format on
  std::string text;
  std::int64_t rest = length.count();
  for (const Unit& unit : kUnits) {
    if (rest < unit.ms) continue;
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", rest / unit.ms, unit.name);
    rest %= unit.ms;
  }
  return text.empty() ? "0ms" : text;
}

std::string SizeToText(std::uint64_t bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  auto size = static_cast<double>(bytes);
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

bool IsWorthTelling(const KeyspaceProof& keyspace) {
  return keyspace.purge_within || keyspace.rows > 0 || keyspace.due_rows > 0;
}

void PrintKeyspaces(const Proof& proof) {
  // clang-format off
  TextTable table({
      {"keyspace",            Align::kLeft},
      {"promise",             Align::kRight},
      {"purged through",      Align::kLeft},
      {"rows purged through", Align::kLeft},
      {"rows",                Align::kRight},
      {"due rows",            Align::kRight},
      {"state",               Align::kLeft},
  });
  // clang-format on
  std::size_t empty = 0;
  for (const KeyspaceProof& keyspace : proof.keyspaces) {
    if (!IsWorthTelling(keyspace)) {
      ++empty;
      continue;
    }
    const char* const state =
        !keyspace.purge_within ? "no promise" : (keyspace.kept ? "kept" : "BROKEN");
    table.Add({Printable(keyspace.name),
               keyspace.purge_within ? ToText(*keyspace.purge_within) : "-",
               ToText(keyspace.purged_through), ToText(keyspace.purged_rows_through),
               std::to_string(keyspace.rows), std::to_string(keyspace.due_rows), state});
  }
  Print(table.ToString());
  if (empty == 1) Print("and 1 empty keyspace that promises nothing\n");
  if (empty > 1) Print(fmt::format("and {} empty keyspaces that promise nothing\n", empty));
}

void PrintFiles(const Proof& proof) {
  for (const KeyspaceProof& keyspace : proof.keyspaces) {
    if (!IsWorthTelling(keyspace)) continue;
    Print(fmt::format("\nfiles that may hold something of {}\n", Printable(keyspace.name)));
    // clang-format off
    TextTable table({
        {"role",           Align::kLeft},
        {"file",           Align::kLeft},
        {"level",          Align::kRight},
        {"size",           Align::kRight},
        {"first deadline", Align::kLeft},
        {"last deadline",  Align::kLeft},
        {"dead",           Align::kRight},
        {"tombstones",     Align::kRight},
    });
    // clang-format on
    for (const ProofFile& file : keyspace.files) {
      table.Add({file.role, file.name, std::to_string(file.level), SizeToText(file.bytes),
                 ToText(file.first_deadline), ToText(file.last_deadline),
                 fmt::format("{:.0f}%", 100 * file.dead_share()), std::to_string(file.tombstones)});
    }
    Print(keyspace.files.empty() ? "none\n" : table.ToString());
  }
}

void PrintHolders(const Proof& proof) {
  if (proof.holders.empty()) return;
  Print("\nin the way, or to know of\n");
  for (const ProofHolder& holder : proof.holders) {
    Print(fmt::format("  since {}: {}\n", ToText(holder.since), holder.description));
  }
}

void PrintTraces(const Proof& proof) {
  Print(proof.traces.empty()
            ? "\nnot found in any file or log of the database; backups are not searched\n"
            : "\nFOUND\n");
  for (const ProofTrace& trace : proof.traces) {
    Print(fmt::format("  {}: {}\n", trace.where, trace.what));
  }
}

}  // namespace

Result<bool> RunProve(const ProveFlags& flags) {
  const auto logger = NewStderrLogger(LogLevel::kError);
  MAYFLY_TRY(const crypto::Secret password, PasswordIn(flags.key_file));
  const auto opened = Database::Open({.directory = flags.directory,
                                      .read_only = true,
                                      .create_if_missing = false,
                                      .password = password.view(),
                                      .logger = logger.get()});
  if (!opened && opened.error().code() == StatusCode::kBusy) {
    return Status::Busy(fmt::format(
        "{} is in use. If a server has it, ask that: 'redis-cli TTL.PROVE{}' answers with a "
        "number, "
        "and 'redis-cli TTL.JOB GET' with that number tells the proof; a program that has it open "
        "calls Database::Prove()",
        flags.directory, flags.find.empty() ? "" : " FIND text"));
  }
  MAYFLY_RETURN_IF_ERROR(opened.status());
  const auto& database = *opened;
  MAYFLY_TRY(const Proof proof, database->Prove({.find = flags.find}));
  Print(fmt::format("{} at {}\n\n", flags.directory, ToText(proof.taken_at)));
  PrintKeyspaces(proof);
  if (flags.files) PrintFiles(proof);
  PrintHolders(proof);
  if (!flags.find.empty()) PrintTraces(proof);
  return proof.kept() && proof.traces.empty();
}

Result<std::string> BytesFromHex(const std::string& hex) {
  std::optional<std::string> bytes = FromHex(hex);
  if (bytes && !bytes->empty()) return *std::move(bytes);
  return Status::Invalid("--find-hex needs pairs of hexadecimal digits, as in 00ff7f");
}

}  // namespace mayfly::app
