// `mayfly prove`: what is left of the dead in files, and whether promises are kept.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "apps/mayfly/cli/progress.h"
#include "apps/mayfly/terminal/text_table.h"
#include "apps/mayfly/terminal/units.h"
#include "apps/mayfly/upkeep/upkeep_commands.h"
#include "base/printable.h"
#include "base/text.h"

namespace mayfly::app {
namespace {

using Align = TextTable::Align;

struct ProveFlags {
  TargetFlags target;
  OutputFlags output;
  std::string find;  // Bytes to search for; empty: none.
  std::string find_hex;
  bool files = false;
};

void Print(const std::string& text) { std::fputs(text.c_str(), stdout); }

// Of a keyspace that promises nothing, false says that nothing is known of older bytes.
Cell KeptCell(const KeyspaceProof& keyspace) {
  return keyspace.kept || keyspace.purge_within ? Cell::YesNo(keyspace.kept) : Cell::Nothing();
}

// Nothing: it is not known.
std::optional<WallTime> PurgedThrough(const KeyspaceProof& keyspace) {
  if (!keyspace.kept && !keyspace.purge_within) return std::nullopt;
  return keyspace.purged_through;
}

bool IsUnknown(const Proof& proof) {
  return std::any_of(proof.keyspaces.begin(), proof.keyspaces.end(),
                     [](const auto& keyspace) { return !keyspace.kept && !keyspace.purge_within; });
}

bool IsBroken(const Proof& proof) {
  return std::any_of(proof.keyspaces.begin(), proof.keyspaces.end(), [](const auto& keyspace) {
    return !keyspace.kept && keyspace.purge_within.has_value();
  });
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
               ToText(PurgedThrough(keyspace)), ToText(keyspace.purged_rows_through),
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
  const char* const nowhere =
      IsUnknown(proof)
          ? "\nnot found in what was searched; see what is not known\n"
          : "\nnot found in any file or log of the database; backups are not searched\n";
  Print(proof.traces.empty() ? nowhere : "\nFOUND\n");
  for (const ProofTrace& trace : proof.traces) {
    Print(fmt::format("  {}: {}\n", trace.where, trace.what));
  }
}

// Prints rows of several kinds: in JSON their fields tell which, in lines the first cell does.
class ProofRows {
 public:
  explicit ProofRows(const OutputFlags& flags) : output_(flags) {}

  void Add(const char* kind, std::vector<Field> fields) {
    if (output_.form() != Output::Form::kJson)
      fields.insert(fields.begin(), {"kind", Cell::Text(kind)});
    output_.Row(std::move(fields));
  }

 private:
  Output output_;
};

void AddFiles(const KeyspaceProof& keyspace, ProofRows& rows) {
  for (const ProofFile& file : keyspace.files) {
    rows.Add("file", {{"file", Cell::Text(file.name)},
                      {"keyspace", Cell::Text(keyspace.name)},
                      {"role", Cell::Text(file.role)},
                      {"level", Cell::Count(static_cast<std::uint64_t>(file.level))},
                      {"bytes", Cell::Size(file.bytes)},
                      {"first_deadline", Cell::Instant(file.first_deadline)},
                      {"last_deadline", Cell::Instant(file.last_deadline)},
                      {"dead_share", Cell::Real(file.dead_share())},
                      {"tombstones", Cell::Count(file.tombstones)}});
  }
}

void PrintRows(const ProveFlags& flags, const Proof& proof) {
  ProofRows rows(flags.output);
  for (const KeyspaceProof& keyspace : proof.keyspaces) {
    if (!IsWorthTelling(keyspace)) continue;
    rows.Add("keyspace", {{"keyspace", Cell::Text(keyspace.name)},
                          {"promise", Cell::Length(keyspace.purge_within)},
                          {"kept", KeptCell(keyspace)},
                          {"purged_through", Cell::Instant(PurgedThrough(keyspace))},
                          {"rows_purged_through", Cell::Instant(keyspace.purged_rows_through)},
                          {"rows", Cell::Count(keyspace.rows)},
                          {"due_rows", Cell::Count(keyspace.due_rows)}});
    if (flags.files) AddFiles(keyspace, rows);
  }
  for (const ProofHolder& holder : proof.holders) {
    rows.Add("holder",
             {{"holder", Cell::Text(holder.description)}, {"since", Cell::Instant(holder.since)}});
  }
  for (const ProofTrace& trace : proof.traces) {
    rows.Add("found", {{"found", Cell::Text(trace.where)}, {"what", Cell::Text(trace.what)}});
  }
  rows.Add("proof", {{"taken_at", Cell::Instant(proof.taken_at)},
                     {"kept", IsUnknown(proof) ? Cell::Nothing() : Cell::YesNo(proof.kept())},
                     {"found", Cell::Count(proof.traces.size())}});
}

Result<ExitCode> RunProve(const ProveFlags& flags) {
  if (flags.files && IsUrl(flags.target.target)) {
    return Status::Unsupported("--files lists the files of a folder; a server does not tell them");
  }
  ProveRequest request{.find = flags.find};
  if (!flags.find_hex.empty()) request.find = FromHex(flags.find_hex).value();
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kRead));
  Proof proof;
  {
    ProgressBar bar("prove", ProgressBar::Unit::kBytes);
    auto made = target->Prove(request, bar.function());
    if (!made && made.error().code() == StatusCode::kBusy) {
      return Status::Busy(fmt::format(
          "{} is in use. If a server has it, ask that: mayfly prove --url redis://HOST; a program "
          "that has it open calls Database::Prove()",
          flags.target.target));
    }
    MAYFLY_RETURN_IF_ERROR(made.status());
    proof = *std::move(made);
  }
  const ExitCode code = !IsBroken(proof) && proof.traces.empty() ? kExitDone : kExitFoundFault;
  if (!flags.output.wants_words()) {
    PrintRows(flags, proof);
    return code;
  }
  Print(fmt::format("{} at {}\n\n", target->name(), ToText(proof.taken_at)));
  PrintKeyspaces(proof);
  if (flags.files) PrintFiles(proof);
  PrintHolders(proof);
  if (!request.find.empty()) PrintTraces(proof);
  return code;
}

std::string CheckHex(const std::string& hex) {
  const auto bytes = FromHex(hex);
  return bytes && !bytes->empty() ? ""
                                  : "--find-hex needs pairs of hexadecimal digits, as in 00ff7f";
}

}  // namespace

void AddProve(Commands& commands) {
  const auto flags = std::make_shared<ProveFlags>();
  CLI::App* const prove = commands.Add(
      commands.app(), "prove",
      "Tell what is left of the dead in a database, where, and why. Exit code 3: a promise is\n"
      "broken, or what was searched for was found.",
      {"mayfly prove data --find alice@example.com", "mayfly prove --url redis://localhost"},
      [=] { return RunProve(*flags); });
  AddTarget(*prove, flags->target);
  CLI::Option* const find = prove->add_option(
      "--find", flags->find,
      "Look for this text in every file and log, compressed or not; not in backups.");
  find->check([](const std::string& text) { return std::string(text.empty() ? "no text" : ""); });
  prove
      ->add_option("--find-hex", flags->find_hex,
                   "The same, for bytes given as hexadecimal digits.")
      ->check(CheckHex)
      ->excludes(find);
  prove->add_flag("--files", flags->files, "Tell of each file; of a folder only.");
  AddOutput(*prove, flags->output);
}

}  // namespace mayfly::app
