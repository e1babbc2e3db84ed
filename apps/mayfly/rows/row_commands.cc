#include "apps/mayfly/rows/row_commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "apps/mayfly/terminal/interrupt.h"
#include "apps/mayfly/terminal/units.h"
#include "base/printable.h"

namespace mayfly::app {
namespace {

// On a terminal a table is complete before it is drawn.
constexpr std::uint64_t kHumanRowsMax = 1000;

struct RowFlags {
  TargetFlags target;
  OutputFlags output;
  std::string key;
  std::vector<std::string> keys;
  std::string value;
  std::string ttl;
  std::string at;
  bool keep = false;
  bool forever = false;
  std::string prefix;
  std::uint64_t limit = 0;
  bool reverse = false;
  bool keys_only = false;
};

using Flags = std::shared_ptr<RowFlags>;  // Shared by CLI11's options and the function that runs.

Result<Lifetime> LifetimeIn(const RowFlags& flags) {
  if (flags.keep) return Lifetime::Keep();
  if (flags.forever) return Lifetime::Forever();
  if (!flags.ttl.empty()) {
    MAYFLY_TRY(const Millis ttl, ParseDuration(flags.ttl));
    return Lifetime::For(ttl);
  }
  if (!flags.at.empty()) {
    MAYFLY_TRY(const WallTime at, ParseInstant(flags.at));
    return Lifetime::Until(at);
  }
  return Lifetime::Default();
}

// Standard input to its end. Conflict: Ctrl-C came before that; what was read is no value.
Result<std::string> ReadInput() {
  std::string text;
  char buffer[65536];
  for (std::size_t size = 0; (size = std::fread(buffer, 1, sizeof buffer, stdin)) > 0;) {
    text.append(buffer, size);
  }
  if (Interrupted()) return Status::Conflict("interrupted");
  if (std::ferror(stdin) != 0) {
    return Status::IoError(fmt::format("standard input: {}", std::strerror(errno)));
  }
  return text;
}

Result<ExitCode> NoSuchKey(const std::string& key) {
  fmt::print(stderr, "mayfly: there is no key '{}'\n", Printable(key));
  return kExitNotFound;
}

std::vector<Field> FieldsOf(const TargetRow& row, std::optional<WallTime> now, bool with_value) {
  std::vector<Field> fields = {{"key", Cell::Text(row.key)}};
  if (now) {
    fields.emplace_back("ttl", row.deadline ? Cell::Length(*row.deadline - *now) : Cell::Nothing());
  }
  fields.emplace_back("deadline", Cell::Instant(row.deadline));
  fields.emplace_back("type", Cell::Text(row.type));
  if (with_value) fields.emplace_back("value", Cell::Text(row.value));
  return fields;
}

Result<ExitCode> RunGet(const RowFlags& flags) {
  Output output(flags.output);
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kRead));
  const auto row = target->Get(flags.key);
  if (!row && row.error().IsNotFound()) return NoSuchKey(flags.key);
  MAYFLY_RETURN_IF_ERROR(row.status());
  if (output.form() == Output::Form::kJson) {
    output.Record(FieldsOf(*row, std::nullopt, true));
  } else {
    output.Bytes(row->value);  // Byte for byte, so that a file can be made of it.
    if (output.human()) output.Bytes("\n");
  }
  return kExitDone;
}

Result<ExitCode> RunPut(const RowFlags& flags, bool value_given) {
  MAYFLY_TRY(const Lifetime lifetime, LifetimeIn(flags));
  std::string value = flags.value;
  if (!value_given) {
    MAYFLY_TRY(value, ReadInput());
  }
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kWrite));
  MAYFLY_RETURN_IF_ERROR(target->Put(flags.key, value, lifetime));
  target->Keep();
  return kExitDone;
}

Result<ExitCode> RunDelete(const RowFlags& flags) {
  Output output(flags.output);
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kWrite));
  std::uint64_t deleted = 0;
  for (const std::string& key : flags.keys) {
    MAYFLY_TRY(const bool existed, target->Delete(key));
    deleted += existed ? 1 : 0;
  }
  output.Record({{"deleted", Cell::Count(deleted)}});
  return deleted > 0 ? kExitDone : kExitNotFound;
}

Result<ExitCode> RunExpire(const RowFlags& flags) {
  MAYFLY_TRY(const Lifetime lifetime, LifetimeIn(flags));
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kWrite));
  const Status changed = target->Expire(flags.key, lifetime);
  if (changed.IsNotFound()) return NoSuchKey(flags.key);
  MAYFLY_RETURN_IF_ERROR(changed);
  return kExitDone;
}

Result<ExitCode> RunTtl(const RowFlags& flags) {
  Output output(flags.output);
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kRead));
  const auto ttl = target->Ttl(flags.key);
  if (!ttl && ttl.error().IsNotFound()) return NoSuchKey(flags.key);
  MAYFLY_RETURN_IF_ERROR(ttl.status());
  const bool forever = *ttl == kForever;
  if (output.form() == Output::Form::kJson) {
    output.Record(
        {{"key", Cell::Text(flags.key)}, {"ttl", forever ? Cell::Nothing() : Cell::Length(*ttl)}});
  } else if (output.human()) {
    output.Note(forever ? "for ever" : ToText(*ttl));
  } else {
    output.Bytes(forever ? "forever\n" : std::to_string(ttl->count()) + "\n");
  }
  return kExitDone;
}

Result<ExitCode> RunScan(const RowFlags& flags) {
  Output output(flags.output);
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kRead));
  // The ttl of a row changes with the moment; in a pipe the deadline says all.
  std::optional<WallTime> now;
  if (output.human()) {
    MAYFLY_TRY(const Statistics statistics, target->Stats());
    now = statistics.clock.now;
  }
  const std::uint64_t all = output.human() ? kHumanRowsMax : UINT64_MAX;
  const std::uint64_t rows_max = flags.limit > 0 ? flags.limit : all;
  std::uint64_t shown = 0;
  bool more = false;
  MAYFLY_RETURN_IF_ERROR(target->Scan({.prefix = flags.prefix,
                                       .rows_max = rows_max == UINT64_MAX ? all : rows_max + 1,
                                       .reverse = flags.reverse,
                                       .with_values = !flags.keys_only},
                                      [&](const TargetRow& row) {
                                        more = shown == rows_max;
                                        if (more || Interrupted()) return false;
                                        ++shown;
                                        output.Row(FieldsOf(row, now, !flags.keys_only));
                                        return std::ferror(stdout) == 0;
                                      }));
  output.End();
  output.Note(fmt::format("{}{}", Counted(shown, "row"), more ? "; there are more: --limit" : ""));
  return kExitDone;
}

Result<ExitCode> RunCount(const RowFlags& flags) {
  Output output(flags.output);
  MAYFLY_TRY(const auto target, OpenTarget(flags.target, Access::kRead));
  MAYFLY_TRY(const std::uint64_t count, target->Count(flags.prefix));
  if (output.form() == Output::Form::kJson) {
    output.Record({{"count", Cell::Count(count)}});
  } else {
    output.Bytes(std::to_string(count) + "\n");
  }
  return kExitDone;
}

void AddLifetime(CLI::App& command, RowFlags& flags, bool of_new_row) {
  CLI::Option* const ttl =
      command.add_option("--ttl", flags.ttl, "Dies so long from now: 250ms, 30s, 5m, 1h30m, 7d.")
          ->check(CheckDuration)
          ->type_name("LENGTH");
  CLI::Option* const at =
      command
          .add_option("--at", flags.at,
                      "Dies at this instant: 2030-01-01, 2030-01-01T12:00:00Z or @SECONDS.")
          ->check(CheckInstant)
          ->type_name("INSTANT")
          ->excludes(ttl);
  CLI::Option* const forever =
      command.add_flag("--forever", flags.forever, "Has no deadline.")->excludes(ttl)->excludes(at);
  if (of_new_row) {
    command.add_flag("--keep-ttl", flags.keep, "Keeps the deadline of the row that is replaced.")
        ->excludes(ttl)
        ->excludes(at)
        ->excludes(forever);
  }
}

void AddWrites(Commands& commands) {
  const auto put_flags = std::make_shared<RowFlags>();
  CLI::App* put = nullptr;
  const auto value_given = std::make_shared<CLI::Option*>(nullptr);
  put = commands.Add(commands.app(), "put",
                     "Write a row, with a deadline if one is given; without VALUE, from standard "
                     "input.",
                     {"mayfly put data session:7 alice --ttl 30m",
                      "mayfly put --url redis://localhost logo --at 2030-01-01 < logo.png"},
                     [=] { return RunPut(*put_flags, (*value_given)->count() > 0); });
  AddTarget(*put, put_flags->target);
  put->add_option("KEY", put_flags->key, "The row's key.")->required();
  *value_given = put->add_option("VALUE", put_flags->value, "Its value.");
  AddLifetime(*put, *put_flags, true);
  AddKeyspace(*put, put_flags->target);
  AddCreate(*put, put_flags->target);

  const auto del_flags = std::make_shared<RowFlags>();
  CLI::App* const del = commands.Add(
      commands.app(), "del", "Delete rows. Exit code 4: none of them existed.",
      {"mayfly del data session:7 session:8", "mayfly del --url redis://localhost session:7"},
      [=] { return RunDelete(*del_flags); });
  AddTarget(*del, del_flags->target);
  del->add_option("KEY", del_flags->keys, "The keys.")->required();
  AddKeyspace(*del, del_flags->target);
  AddOutput(*del, del_flags->output);

  const auto expire_flags = std::make_shared<RowFlags>();
  CLI::App* const expire = commands.Add(
      commands.app(), "expire", "Change the deadline of a row. Exit code 4: there is no such key.",
      {"mayfly expire data session:7 --ttl 1h", "mayfly expire data session:7 --forever"},
      [=] { return RunExpire(*expire_flags); });
  AddTarget(*expire, expire_flags->target);
  expire->add_option("KEY", expire_flags->key, "The row's key.")->required();
  AddLifetime(*expire, *expire_flags, false);
  expire->final_callback([expire_flags] {
    const RowFlags& flags = *expire_flags;
    if (flags.ttl.empty() && flags.at.empty() && !flags.forever) {
      throw CLI::RequiredError("one of --ttl, --at and --forever");
    }
  });
  AddKeyspace(*expire, expire_flags->target);
}

void AddReads(Commands& commands) {
  const auto one = [&](const char* name, const char* summary,
                       const std::vector<std::string>& examples,
                       Result<ExitCode> (*run)(const RowFlags&)) {
    const auto flags = std::make_shared<RowFlags>();
    CLI::App* const command =
        commands.Add(commands.app(), name, summary, examples, [=] { return run(*flags); });
    AddTarget(*command, flags->target);
    AddKeyspace(*command, flags->target);
    AddOutput(*command, flags->output);
    return std::pair(command, flags);
  };
  const auto [get, get_flags] =
      one("get", "Print the value of a row, byte for byte. Exit code 4: there is no such key.",
          {"mayfly get data session:7", "mayfly get --url redis://localhost/1 logo > logo.png"},
          RunGet);
  get->add_option("KEY", get_flags->key, "The row's key.")->required();
  const auto [ttl, ttl_flags] =
      one("ttl", "Print how long a row has left; in a pipe, in milliseconds or 'forever'.",
          {"mayfly ttl data session:7"}, RunTtl);
  ttl->add_option("KEY", ttl_flags->key, "The row's key.")->required();
  const auto [scan, scan_flags] = one("scan", "List rows in the order of their keys.",
                                      {"mayfly scan data --prefix session: --limit 20",
                                       "mayfly scan --url redis://localhost --json | jq .key"},
                                      RunScan);
  scan->add_option("--prefix", scan_flags->prefix, "Only keys that begin with this.");
  scan->add_option("--limit", scan_flags->limit,
                   "At most so many rows (default: all; on a terminal 1000).")
      ->check(CheckCount);
  scan->add_flag("--reverse", scan_flags->reverse,
                 "From the last key to the first; a folder only.");
  scan->add_flag("--keys-only", scan_flags->keys_only, "Leave the values out.");
  const auto [count, count_flags] =
      one("count", "Count living rows.",
          {"mayfly count data", "mayfly count data --prefix session:"}, RunCount);
  count->add_option("--prefix", count_flags->prefix, "Only keys that begin with this.");
}

}  // namespace

void AddRowCommands(Commands& commands) {
  AddReads(commands);
  AddWrites(commands);
}

}  // namespace mayfly::app
