// ttl_commands_proof.cc - TTL.PROVE: searches for remains of dead rows, as a job; and TTL.JOB,
// which shows jobs.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/upkeep/watched_upkeep.h"
#include "mayfly/database.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/ttl/ttl_commands.h"
#include "server/commands/ttl/ttl_fields.h"
#include "server/session/jobs/jobs.h"
#include "server/session/server.h"

namespace mayfly::server {
namespace {

bool IsWorthTelling(const KeyspaceProof& keyspace) {
  return keyspace.purge_within || keyspace.rows > 0 || keyspace.due_rows > 0;
}

bool HasBackups(const Proof& proof) {
  return std::any_of(proof.holders.begin(), proof.holders.end(), [](const ProofHolder& holder) {
    return holder.kind == ProofHolder::Kind::kBackup;
  });
}

std::string InWords(const Proof& proof, bool searched) {
  std::string words;
  for (const KeyspaceProof& keyspace : proof.keyspaces) {
    if (keyspace.kept) continue;
    words += fmt::format("{}{}", words.empty() ? "the promise is broken in " : ", ", keyspace.name);
  }
  if (words.empty()) words = "every promise is kept";
  if (!proof.holders.empty()) words += "; something is in the way or to know of, see holders";
  if (searched) {
    words += proof.traces.empty() ? "; the bytes are in no file and no log of the database"
                                  : "; the bytes were FOUND, see traces";
    if (HasBackups(proof)) words += "; backups were not searched, see holders";
  }
  return words;
}

void WriteKeyspace(ReplyWriter& reply, const KeyspaceProof& keyspace) {
  std::uint64_t bytes = 0;
  std::uint64_t tombstones = 0;
  for (const ProofFile& file : keyspace.files) {
    bytes += file.bytes;
    tombstones += file.tombstones;
  }
  reply.Map(10);
  Field(reply, "name", Bytes(keyspace.name));
  Field(reply, "purge-within",
        static_cast<std::uint64_t>(keyspace.purge_within.value_or(Millis(0)).count()));
  Field(reply, "state",
        Bytes(!keyspace.purge_within ? "no promise" : (keyspace.kept ? "kept" : "broken")));
  Field(reply, "purged-through", keyspace.purged_through);
  Field(reply, "rows-purged-through", keyspace.purged_rows_through);
  Field(reply, "rows", keyspace.rows);
  Field(reply, "due-rows", keyspace.due_rows);
  Field(reply, "files", std::uint64_t{keyspace.files.size()});
  Field(reply, "file-bytes", bytes);
  Field(reply, "tombstones", tombstones);
}

void WriteProof(ReplyWriter& reply, const Proof& proof, bool searched) {
  reply.Map(7);
  Field(reply, "taken-at", proof.taken_at);
  Field(reply, "in-words", Bytes(InWords(proof, searched)));
  Field(reply, "kept", proof.kept());
  std::vector<const KeyspaceProof*> told;
  for (const KeyspaceProof& keyspace : proof.keyspaces) {
    if (IsWorthTelling(keyspace)) told.push_back(&keyspace);
  }
  Field(reply, "empty-keyspaces", std::uint64_t{proof.keyspaces.size() - told.size()});
  reply.Bulk("keyspaces");
  reply.Array(told.size());
  for (const KeyspaceProof* keyspace : told) WriteKeyspace(reply, *keyspace);
  reply.Bulk("holders");
  reply.Array(proof.holders.size());
  for (const ProofHolder& holder : proof.holders) {
    reply.Map(3);
    Field(reply, "kind", NameOf(holder.kind));
    Field(reply, "since", holder.since);
    Field(reply, "description", Bytes(holder.description));
  }
  reply.Bulk("traces");
  reply.Array(proof.traces.size());
  for (const ProofTrace& trace : proof.traces) {
    reply.Map(2);
    Field(reply, "where", Bytes(trace.where));
    Field(reply, "what", Bytes(trace.what));
  }
}

Result<JobResult> Prove(Database& database, const std::string& find, JobControl& control) {
  const auto progress = [&](std::uint64_t done, std::uint64_t all) {
    return control.Report(done, all);
  };
  MAYFLY_TRY(Proof proof, core::ProveWatched(database, {.find = find}, progress));
  // Shared with readers, while another thread drops it.
  return JobResult(
      [proof = std::make_shared<const Proof>(std::move(proof)),
       searched = !find.empty()](ReplyWriter& reply) { WriteProof(reply, *proof, searched); });
}

void WriteJob(ReplyWriter& reply, const JobInfo& job, bool with_result) {
  const bool has_result = with_result && job.result != nullptr;
  reply.Map(7u + (job.error.empty() ? 0 : 1) + (has_result ? 1 : 0));
  Field(reply, "id", job.id);
  Field(reply, "kind", Bytes(job.kind));
  Field(reply, "state", server::NameOf(job.state));
  Field(reply, "started", job.started);
  Field(reply, "took-ms", static_cast<std::uint64_t>(job.took.count()));
  Field(reply, "done", job.done);
  Field(reply, "all", job.all);
  if (!job.error.empty()) Field(reply, "error", Bytes(job.error));
  if (!has_result) return;
  reply.Bulk("result");
  job.result(reply);
}

Result<Jobs*> JobsOf(HostContexts& host) {
  if (host.server() == nullptr) return Status::Unsupported("there is no server to ask");
  return &host.server()->jobs();
}

}  // namespace

std::string_view NameOf(ProofHolder::Kind kind) {
  switch (kind) {
    case ProofHolder::Kind::kSnapshot: return "snapshot";
    case ProofHolder::Kind::kTransaction: return "transaction";
    case ProofHolder::Kind::kCursor: return "cursor";
    case ProofHolder::Kind::kBackup: return "backup";
    case ProofHolder::Kind::kClock: return "clock";
    case ProofHolder::Kind::kBacklog: return "backlog";
    case ProofHolder::Kind::kReader: return "reader";
  }
  return "unknown";
}

Answer TtlProve(Call& call) {
  std::vector<Bytes> words(call.args.begin() + 1, call.args.end());
  MAYFLY_TRY(const auto shard, TakeShard(words));
  std::string find;
  if (words.size() == 2 && IsWord(words[0], "find")) {
    find = words[1];
    if (find.empty()) return Status::Invalid("FIND needs at least one byte to look for");
  } else if (!words.empty()) {
    return SyntaxError();
  }
  if (shard) return ProveShard(call, find, *shard);
  MAYFLY_TRY(Database* const database, WholeDatabase(call.host));
  MAYFLY_TRY(Jobs* const jobs, JobsOf(call.host));
  MAYFLY_TRY(const std::uint64_t id,
             jobs->Start("prove", [database, find = std::move(find)](JobControl& control) {
               return Prove(*database, find, control);
             }));
  call.reply.Integer(static_cast<std::int64_t>(id));
  return {};
}

Answer TtlJob(Call& call) {
  MAYFLY_TRY(Jobs* const jobs, JobsOf(call.host));
  if (call.args.size() == 2 && IsWord(call.args[1], "list")) {
    const auto list = jobs->List();
    call.reply.Array(list.size());
    for (const JobInfo& job : list) WriteJob(call.reply, job, /*with_result=*/false);
    return {};
  }
  if (call.args.size() != 3) return SyntaxError();
  MAYFLY_TRY(const std::int64_t id,
             IntegerArgument(call.args[2], 1, std::numeric_limits<std::int64_t>::max()));
  if (IsWord(call.args[1], "get")) {
    MAYFLY_TRY(const JobInfo job, jobs->Find(static_cast<std::uint64_t>(id)));
    WriteJob(call.reply, job, /*with_result=*/true);
    return {};
  }
  if (!IsWord(call.args[1], "cancel")) return SyntaxError();
  MAYFLY_RETURN_IF_ERROR(jobs->Cancel(static_cast<std::uint64_t>(id)));
  call.reply.Ok();
  return {};
}

}  // namespace mayfly::server
