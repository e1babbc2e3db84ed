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
#include "server/events/event_pages.h"
#include "server/events/event_request.h"
#include "server/events/shard_events.h"
#include "server/session/server.h"
#include "server/stats/clock_words.h"

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
     {"Compare rows, index and counts, as a job.", "0.1.0", "O(n) in the bytes of the database",
      "[REPAIR] [SHARD shard:int]"}},
    {"ttl.clock",    -1, kAdmin | kAlone,                kNoKeys, TtlClock,
     {"Show the clock; confirm or take back a jump of it.", "0.1.0", "O(1)", "action=[SHOW | CONFIRM | REVERT]"}},
    {"ttl.compact",  1,  kAdmin | kDangerous | kAlone,   kNoKeys, TtlCompact,
     {"Purge, and give back the space of all that is gone, as a job.", "0.1.0", "O(n) in the bytes of the database"}},
    {"ttl.events",   -3, kAdmin | kAlone,                kNoKeys, TtlEvents,
     {"List rows that expired, in order, each once.", "0.1.0", "O(n) in the events returned",
      "from=(AFTER sequence:int | CURSOR cursor) [SHARD shard:int] [COUNT count:int] [SKIP]"}},
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
     {"Find out what is left of the dead, as a job.", "0.1.0", "O(n) in the bytes of the database",
      "[FIND bytes] [SHARD shard:int]"}},
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

// Of all shards; a server alone is one.
Answer EventsByCursor(Call& call, const EventRequest& request) {
  Server* const server = call.host.server();
  if (server == nullptr) return Status::Unsupported("there is no server to ask");
  MAYFLY_TRY(EventCursor cursor, EventCursor::Parse(request.cursor, 1));
  const std::shared_ptr<ServedDatabase> own(std::shared_ptr<void>(), &server->own_data());
  const Reply page = PageOf({&own, 1}, std::move(cursor), {.events = request.count}, request.skips);
  if (page.is_error()) return Answer::Error(page.text());
  WriteReply(page, call.reply);
  return {};
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

Answer TtlEvents(Call& call) {
  MAYFLY_TRY(const EventRequest request, ParseEventRequest(call.args.subspan(1)));
  if (!request.after) return EventsByCursor(call, request);
  MAYFLY_TRY(const Database* const database, WholeDatabase(call.host));
  // 0 begins with the oldest event that is kept.
  const auto after = *request.after == 0 ? std::nullopt : request.after;
  MAYFLY_TRY(const ShardEvents page, ReadShardEvents(*database, after, request.count));
  if (page.gap_through && !request.skips) {
    return Answer::Error(
        fmt::format("TRIMMED events {} to {} are no longer kept; AFTER {} goes on behind them",
                    *request.after + 1, *page.gap_through, *page.gap_through));
  }
  call.reply.Array(page.events.size());
  for (const Event& event : page.events) WriteReply(ReplyOf(event, std::nullopt), call.reply);
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
