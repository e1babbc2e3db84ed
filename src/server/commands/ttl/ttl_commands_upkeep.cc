// ttl_commands_upkeep.cc - TTL.BACKUP, TTL.RESTORE, TTL.CHECK and TTL.COMPACT: jobs on the served
// database, which TTL.JOB shows; and TTL.BACKUPS.
#include <optional>
#include <string>
#include <vector>

#include "core/upkeep/watched_upkeep.h"
#include "mayfly/database.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/ttl/ttl_commands.h"
#include "server/commands/ttl/ttl_fields.h"
#include "server/session/server.h"

namespace mayfly::server {
namespace {

// By a time of its own (SHIFT), a backup is restored by `mayfly restore`.
std::optional<RestoreMode> ModeNamed(Bytes word) {
  if (IsWord(word, "honour")) return RestoreMode::kHonour;
  if (IsWord(word, "freeze")) return RestoreMode::kFreeze;
  if (IsWord(word, "strip")) return RestoreMode::kStrip;
  return std::nullopt;
}

Result<Server*> ServerToAsk(HostContexts& host) {
  if (host.server() == nullptr) return Status::Unsupported("there is no server to ask");
  return host.server();
}

// `work`: from the database and a core::Progress to a report that WriteReport() takes.
template <typename Work>
Answer StartJob(Call& call, const char* kind, Work work) {
  MAYFLY_TRY(Server* const server, ServerToAsk(call.host));
  MAYFLY_TRY(Database* const database, WholeDatabase(call.host));
  const auto run = [database, work](JobControl& control) -> Result<JobResult> {
    const auto tell = [&](std::uint64_t done, std::uint64_t all) {
      return control.Report(done, all);
    };
    MAYFLY_TRY(auto report, work(*database, tell));
    return JobResult(
        [report = std::move(report)](ReplyWriter& reply) { WriteReport(reply, report); });
  };
  MAYFLY_TRY(const std::uint64_t id, server->jobs().Start(kind, run));
  call.reply.Integer(static_cast<std::int64_t>(id));
  return {};
}

}  // namespace

void WriteReport(ReplyWriter& reply, const ReclaimReport& report) {
  reply.Map(5);
  Field(reply, "files-dropped", report.files_dropped);
  Field(reply, "files-rewritten", report.files_rewritten);
  Field(reply, "bytes-rewritten", report.bytes_rewritten);
  Field(reply, "held-up", report.held_up);
  Field(reply, "stopped-by-clock", report.stopped_by_clock);
}

void WriteReport(ReplyWriter& reply, const CheckReport& report) {
  reply.Map(9);
  Field(reply, "clean", report.clean());
  Field(reply, "rows", report.rows);
  Field(reply, "members", report.members);
  Field(reply, "entries", report.entries);
  Field(reply, "missing-entries", report.missing_entries);
  Field(reply, "stale-entries", report.stale_entries);
  Field(reply, "wrong-counts", report.wrong_counts);
  Field(reply, "repaired", report.repaired);
  reply.Bulk("findings");
  reply.Array(report.findings.size());
  for (const std::string& finding : report.findings) reply.Bulk(finding);
}

Answer TtlBackup(Call& call) {
  if (call.args.size() > 2) return SyntaxError();
  const std::string name(call.args.size() == 2 ? call.args[1] : Bytes());
  MAYFLY_TRY(Server* const server, ServerToAsk(call.host));
  MAYFLY_TRY(const std::uint64_t id, server->backups().Start(name));
  call.reply.Integer(static_cast<std::int64_t>(id));
  return {};
}

Answer TtlBackups(Call& call) {
  MAYFLY_TRY(Server* const server, ServerToAsk(call.host));
  MAYFLY_TRY(const auto files, server->backups().List());
  call.reply.Array(files.size());
  for (const BackupFile& file : files) {
    call.reply.Map(3);
    Field(call.reply, "name", Bytes(file.name));
    Field(call.reply, "bytes", file.bytes);
    Field(call.reply, "written-at", WallTimeFromMs(file.written_ms));
  }
  return {};
}

Answer TtlRestore(Call& call) {
  RestoreMode mode = RestoreMode::kHonour;
  if (call.args.size() != 3) {
    if (call.args.size() != 5 || !IsWord(call.args[3], "deadlines")) return SyntaxError();
    const std::optional<RestoreMode> named = ModeNamed(call.args[4]);
    if (!named) return SyntaxError();
    mode = *named;
  }
  MAYFLY_TRY(Server* const server, ServerToAsk(call.host));
  MAYFLY_TRY(
      const std::uint64_t id,
      server->backups().StartRestore(std::string(call.args[1]), std::string(call.args[2]), mode));
  call.reply.Integer(static_cast<std::int64_t>(id));
  return {};
}

Answer TtlCheck(Call& call) {
  std::vector<Bytes> words(call.args.begin() + 1, call.args.end());
  MAYFLY_TRY(const auto shard, TakeShard(words));
  const bool repair = words.size() == 1 && IsWord(words[0], "repair");
  if (!words.empty() && !repair) return SyntaxError();
  if (shard) return CheckShard(call, repair, *shard);
  return StartJob(call, "check", [repair](Database& database, const core::Progress& progress) {
    return core::CheckWatched(database, {.repair = repair}, progress);
  });
}

Answer TtlCompact(Call& call) {
  // As fast as the reaper rewrites: clients go on meanwhile.
  const std::uint64_t rate = ReaperOptions().reclaim_bytes_per_second;
  return StartJob(call, "compact", [rate](Database& database, const core::Progress& progress) {
    return core::ReclaimWatched(database, {.bytes_per_second = rate, .everything = true}, progress);
  });
}

}  // namespace mayfly::server
