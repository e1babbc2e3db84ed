// ttl_commands.cc - mayfly's own commands, based on the expiry index. docs/ttl_commands.md shows
// each with its reply.
#include "server/commands/ttl/ttl_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "mayfly/database.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/support/families.h"
#include "server/commands/ttl/ttl_fields.h"
#include "server/stats/clock_words.h"
#include "types/member_key.h"
#include "types/streams/stream.h"
#include "wire/decimal.h"

namespace mayfly::server {
namespace {

// Not within MULTI or a script: there the thread holds a latched transaction, and must not call the
// database.
constexpr std::uint32_t kAlone = kNoRows | kNoMulti | kNoScript;

// Not in @read and @write: tables are no keys, and a user of keys need not be one of tables.
// clang-format off
constexpr CommandSpec kTableSubcommands[] = {
    {"read",  4, kAdmin | kAlone,              kNoKeys, TtlTableRead,
     {"Run an operation that reads.", "0.1.0", "Depends on the operation", "operation json"}},
    {"write", 4, kAdmin | kDangerous | kAlone, kNoKeys, TtlTableWrite,
     {"Run an operation that may change something.", "0.1.0", "Depends on the operation", "operation json"}},
};

constexpr CommandSpec kTtlCommands[] = {
    {"ttl.backup",   -1, kAdmin | kDangerous | kAlone,   kNoKeys, TtlBackup,
     {"Write a backup, as a job.", "0.1.0", "O(n) in the bytes of the database", "[name]"}},
    {"ttl.backups",  1,  kAdmin | kAlone,                kNoKeys, TtlBackups,
     {"List the backups that are there, the latest first.", "0.1.0", "O(n) in the backups"}},
    {"ttl.check",    -1, kAdmin | kDangerous | kAlone,   kNoKeys, TtlCheck,
     {"Compare rows, index and counts, as a job.", "0.1.0", "O(n) in the bytes of the database", "[REPAIR]"}},
    {"ttl.clock",    -1, kAdmin | kAlone,                kNoKeys, TtlClock,
     {"Show the clock; confirm or take back a jump of it.", "0.1.0", "O(1)", "action=[SHOW | CONFIRM | REVERT]"}},
    {"ttl.compact",  1,  kAdmin | kDangerous | kAlone,   kNoKeys, TtlCompact,
     {"Purge, and give back the space of all that is gone, as a job.", "0.1.0", "O(n) in the bytes of the database"}},
    {"ttl.events",   -3, kAdmin | kAlone,                kNoKeys, TtlEvents,
     {"List rows that expired, in order, each once.", "0.1.0", "O(n) in the events returned",
      "AFTER sequence:int [COUNT count:int]"}},
    {"ttl.forecast", -1, kReadOnly | kAlone,             kNoKeys, TtlForecast,
     {"Tell how many keys will die, and when.", "0.1.0", "O(n) in the entries of the expiry index that are counted",
      "[KEYSPACE name] [FROM milliseconds:time] [BUCKET milliseconds:int] [BUCKETS count:int] [NOBYTES] "
      "[COUNT keys:int] [CURSOR cursor]"}},
    {"ttl.help",     1,  kReadOnly | kAlone,             kNoKeys, TtlHelp,
     {"Tell what these commands do.", "0.1.0", "O(1)"}},
    {"ttl.job",      -2, kAdmin | kSkipSlowlog | kAlone, kNoKeys, TtlJob,
     {"Tell of long work, or end it.", "0.1.0", "O(1)", "action=(GET id:int | LIST | CANCEL id:int)"}},
    {"ttl.policy",   -1, kAdmin | kAlone,                kNoKeys, TtlPolicy,
     {"Show or change what keys' lives must be like.", "0.1.0", "O(1)",
      "action=[GET | SET policy=(field value)... | TRY trial=(policy=(field value)... [COUNT keys:int] [CURSOR "
      "cursor]) | TABLE table=(name action=[GET | SET promise=(purge-within "
      "milliseconds:int)])]"}},
    {"ttl.prove",    -1, kAdmin | kSkipSlowlog | kAlone, kNoKeys, TtlProve,
     {"Find out what is left of the dead, as a job.", "0.1.0", "O(n) in the bytes of the database", "[FIND bytes]"}},
    {"ttl.purge",    -1, kWrite | kAlone | kDangerous,   kNoKeys, TtlPurge,
     {"Remove what has expired, in all databases.", "0.1.0", "O(n) in the rows purged",
      "[ROWS count:int] [TIME milliseconds:int]"}},
    {"ttl.restore",  -3, kAdmin | kDangerous | kAlone,   kNoKeys, TtlRestore,
     {"Make a database of a backup, in a new folder, as a job.", "0.1.0", "O(n) in the bytes of the backup",
      "backup folder [DEADLINES mode=(HONOUR | FREEZE | STRIP)]"}},
    {"ttl.scan",     -2, kReadOnly | kAlone,             kNoKeys, TtlScan,
     {"List keys by deadline, or those without one.", "0.1.0", "O(n) in the rows returned",
      "range=(NOTTL | window=([FROM milliseconds:time] [TO milliseconds:time])) [COUNT count:int] [CURSOR cursor]"}},
    {"ttl.stats",    1,  kReadOnly | kAlone,             kNoKeys, TtlStats,
     {"Tell about expiry, purging and the clock.", "0.1.0", "O(1)"}},
    {"ttl.table",    -2, 0,                              kNoKeys, nullptr,
     {"Run an operation of DynamoDB's API.", "0.1.0", "Depends on the operation"}, kTableSubcommands},
    {"ttl.tree",     -2, kReadOnly | kAlone,             kNoKeys, TtlTree,
     {"List keys and prefixes of keys, as a folder lists files and folders.", "0.1.0",
      "O(n) in the keys that are counted",
      "prefix [DELIMITER text] [COUNT lines:int] [KEYS keys:int] [CURSOR cursor]"}},
};
// clang-format on

// How long TTL.PURGE may take: other clients of its thread wait meanwhile.
constexpr std::int64_t kPurgeMillisDefault = 100;
constexpr std::int64_t kPurgeMillisMax = 10'000;

std::string_view NameOf(EventCause cause) {
  switch (cause) {
    case EventCause::kPurged: return "purged";
    case EventCause::kRead: return "read";
    case EventCause::kReplaced: return "replaced";
    case EventCause::kBornDead: return "born-dead";
    case EventCause::kEvicted: return "evicted";
  }
  return "unknown";
}

void ReplyKeyspace(ReplyWriter& reply, const KeyspaceStatistics& keyspace) {
  reply.Map(keyspace.purge_within ? 8 : 6);
  Field(reply, "name", Bytes(keyspace.name));
  Field(reply, "rows", keyspace.rows);
  Field(reply, "mortal-rows", keyspace.mortal_rows);
  Field(reply, "due-rows", keyspace.due_rows);
  Field(reply, "lag-ms", static_cast<std::uint64_t>(keyspace.lag.count()));
  Field(reply, "purged-through", keyspace.purged_through);
  if (!keyspace.purge_within) return;
  Field(reply, "purge-within", static_cast<std::uint64_t>(keyspace.purge_within->count()));
  Field(reply, "promise-overdue-ms", static_cast<std::uint64_t>(keyspace.promise_overdue.count()));
}

// What died within a row: a field of a hash, or an entry of a stream.
void WriteMember(ReplyWriter& reply, Bytes member) {
  if (const auto entry = types::Stream::EntryOf(member)) {
    Field(reply, "entry", Bytes(types::ToText(*entry)));
  } else {
    Field(reply, "field", types::NameOfMember(member));
  }
}

}  // namespace

Status ParseNumbers(std::span<const Bytes> words, std::span<const NumberOption> options) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto option = std::find_if(options.begin(), options.end(), [&](const auto& known) {
      return IsWord(words[i], known.name);
    });
    if (option == options.end() || i + 1 == words.size()) return SyntaxError();
    MAYFLY_TRY(option->value, IntegerArgument(words[i + 1], option->first, option->last));
  }
  return {};
}

CommandFamily TtlFamily() { return {"ttl", Category::kKeyspace, kTtlCommands}; }

Result<Keyspace*> SelectedKeyspace(const Call& call) {
  Keyspace* const keyspace = call.host.keyspace(call.database);
  if (keyspace == nullptr) return Status::Unsupported("there is no database to ask");
  return keyspace;
}

Result<Database*> WholeDatabase(HostDatabases& host) {
  Database* const database = host.database_handle();
  if (database == nullptr) return Status::Unsupported("there is no database to ask");
  return database;
}

Answer TtlHelp(Call& call) {
  call.reply.Array(std::size(kTtlCommands));
  for (const CommandSpec& spec : kTtlCommands) {
    call.reply.Bulk(fmt::format("{}: {}", ToUpper(spec.name), spec.manual.summary));
  }
  return {};
}

// An error when events behind `after` were trimmed before the client saw them; 0 begins at the
// first event kept.
Answer CheckGap(const Database& database, std::uint64_t after, const std::vector<Event>& events) {
  if (after == 0) return {};
  const std::uint64_t kept_behind =
      events.empty() ? database.LastEventSequence() : events.front().sequence - 1;
  if (kept_behind <= after) return {};
  return Answer::Error(
      fmt::format("TRIMMED events {} to {} are no longer kept; AFTER {} goes on behind them",
                  after + 1, kept_behind, kept_behind));
}

Answer TtlEvents(Call& call) {
  std::optional<std::int64_t> after;
  std::optional<std::int64_t> count;
  const NumberOption options[] = {
      {"after", 0, kTtlNumberMax, after},
      {"count", 1, kTtlPageMax, count},
  };
  MAYFLY_RETURN_IF_ERROR(ParseNumbers(call.args.subspan(1), options));
  if (!after) return SyntaxError();
  MAYFLY_TRY(const Database* const database, WholeDatabase(call.host));
  MAYFLY_TRY(const auto events,
             database->ReadEvents(static_cast<std::uint64_t>(*after),
                                  static_cast<std::size_t>(count.value_or(100))));
  if (Answer gap = CheckGap(*database, static_cast<std::uint64_t>(*after), events); !gap.ok()) {
    return gap;
  }
  call.reply.Array(events.size());
  for (const Event& event : events) {
    call.reply.Map(6u + (event.member ? 1 : 0) + (event.value ? 1 : 0));
    Field(call.reply, "sequence", event.sequence);
    Field(call.reply, "keyspace", Bytes(event.keyspace_name));
    Field(call.reply, "key", Bytes(event.key));
    if (event.member) WriteMember(call.reply, *event.member);
    Field(call.reply, "deadline", event.deadline);
    Field(call.reply, "purged-at", event.purged_at);
    Field(call.reply, "cause", NameOf(event.cause));
    if (event.value) Field(call.reply, "value", Bytes(*event.value));
  }
  return {};
}

Answer TtlPurge(Call& call) {
  std::optional<std::int64_t> rows;
  std::optional<std::int64_t> time;
  const NumberOption options[] = {
      {"rows", 1, kTtlNumberMax, rows},
      {"time", 1, kPurgeMillisMax, time},
  };
  MAYFLY_RETURN_IF_ERROR(ParseNumbers(call.args.subspan(1), options));
  PurgeOptions asked;
  if (rows) asked.rows_max = static_cast<std::uint64_t>(*rows);
  asked.time_max = Millis(time.value_or(kPurgeMillisDefault));
  MAYFLY_TRY(Database* const database, WholeDatabase(call.host));
  MAYFLY_TRY(const PurgeReport report, database->Purge(asked));
  if (call.feed != nullptr) call.feed->Nothing();  // But the deaths, which feed themselves.
  call.reply.Map(3);
  Field(call.reply, "rows", report.rows);
  Field(call.reply, "more-due", report.more_due);
  Field(call.reply, "stopped-by-clock", report.stopped_by_clock);
  return {};
}

Answer TtlStats(Call& call) {
  MAYFLY_TRY(const Database* const database, WholeDatabase(call.host));
  MAYFLY_TRY(const Statistics statistics, database->GetStatistics());
  ReplyWriter& reply = call.reply;
  reply.Map(11);
  Field(reply, "now", statistics.clock.now);
  reply.Bulk("clock-state");
  reply.Bulk(ClockState(statistics.clock));
  Field(reply, "deletion-stopped-by-clock", statistics.clock.physical_deletion_stopped);
  Field(reply, "purged-rows", statistics.purged_rows);
  Field(reply, "purged-by-reads", statistics.purged_by_reads);
  Field(reply, "clamped-lifetimes", statistics.clamped_lifetimes);
  Field(reply, "events-first", statistics.events_first);
  Field(reply, "events-last", statistics.events_last);
  Field(reply, "disk-bytes", statistics.disk_bytes);
  Field(reply, "memory-bytes", statistics.memory_bytes);
  reply.Bulk("keyspaces");
  reply.Array(statistics.keyspaces.size());
  for (const KeyspaceStatistics& keyspace : statistics.keyspaces) {
    ReplyKeyspace(reply, keyspace);
  }
  return {};
}

}  // namespace mayfly::server
