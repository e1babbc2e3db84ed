// ttl_commands_shard.cc - TTL.PROVE and TTL.CHECK of one shard of a cluster: the report is the reply.
// The executor adds up those of all shards (server/executor/shard_runs.h), by the names of fields; so
// what is said in words names its shard.
// A shard's rows are in its owner's memory and in the map of one object in the store. Both are looked
// at. What lies beneath in the store is not, and the report says so.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/upkeep/watched_upkeep.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/ttl/ttl_commands.h"
#include "server/commands/ttl/ttl_fields.h"
#include "server/session/server.h"

namespace mayfly::server {
namespace {

constexpr std::string_view kInWords =
    "no promise is made on a cluster, so none is kept or broken: 'checked' is what was looked at, "
    "and 'unknown' what cannot be known from here";

constexpr std::string_view kCheckedMemory =
    "the rows of each shard as its owner has them in memory, and what is open on them";
constexpr std::string_view kCheckedStore =
    "the map of each shard's object, every key, as Ceph answers now: 'store' counts it";
constexpr std::string_view kSearched =
    "the same, and the objects of values above 64 KiB, for the bytes of FIND";

constexpr std::string_view kUnknown[] = {
    "what the OSDs' own files still hold: RocksDB keeps old versions of maps until it is "
    "compacted, "
    "freed blocks keep the bytes of removed objects until they are written over, and the logs of "
    "placement groups keep names. On every replica, and on OSDs that are down",
    "copies that Ceph's operators made: snapshots, exports and mirrors of the pool",
};

bool Always(std::uint64_t /*done*/, std::uint64_t /*all*/) { return true; }

void WriteTexts(ReplyWriter& reply, std::string_view name,
                std::span<const std::string_view> texts) {
  reply.Bulk(name);
  reply.Array(texts.size());
  for (const std::string_view text : texts) reply.Bulk(text);
}

void WriteStore(ReplyWriter& reply, const StoreLook& look, WallTime now) {
  const WallTime through =
      look.first_deadline ? std::min(*look.first_deadline - Millis(1), now) : now;
  reply.Bulk("store");
  reply.Map(6);
  Field(reply, "rows", look.rows);
  Field(reply, "entries", look.entries);
  Field(reply, "bytes", look.bytes);
  Field(reply, "large-values", look.large_values);
  Field(reply, "large-values-pending", look.large_pending);
  Field(reply, "rows-purged-through", through);
}

void WriteKeyspaces(ReplyWriter& reply, const Proof& proof) {
  reply.Bulk("keyspaces");
  reply.Array(proof.keyspaces.size());
  for (const KeyspaceProof& keyspace : proof.keyspaces) {
    reply.Map(5);
    Field(reply, "name", Bytes(keyspace.name));
    Field(reply, "state", Bytes("no promise"));
    Field(reply, "rows-purged-through", keyspace.purged_rows_through);
    Field(reply, "rows", keyspace.rows);
    Field(reply, "due-rows", keyspace.due_rows);
  }
}

void WriteTraces(ReplyWriter& reply, const Proof& proof, const std::optional<StoreLook>& look,
                 std::size_t shard) {
  reply.Bulk("traces");
  reply.Array(proof.traces.size() + (look ? look->traces.size() : 0));
  const auto write = [&](Bytes where, Bytes what) {
    reply.Map(2);
    Field(reply, "where", Bytes(fmt::format("shard {}, {}", shard, where)));
    Field(reply, "what", what);
  };
  for (const ProofTrace& trace : proof.traces) write(trace.where, trace.what);
  if (!look) return;
  for (const std::string& where : look->traces) write("the store", where);
}

Result<ShardDirectory*> DirectoryOf(const Call& call) {
  Server* const server = call.host.server();
  if (server == nullptr || server->cluster() == nullptr) {
    return Status::Invalid("SHARD is for a server of a cluster");
  }
  return &server->cluster()->directory();
}

}  // namespace

Answer ProveShard(Call& call, const std::string& find, std::size_t shard) {
  MAYFLY_TRY(ShardDirectory* const directory, DirectoryOf(call));
  MAYFLY_TRY(Database* const database, WholeDatabase(call.host));
  MAYFLY_TRY(const auto look, directory->Look(shard, find));
  MAYFLY_TRY(const Proof proof, core::ProveWatched(*database, {.find = find}, Always));
  ReplyWriter& reply = call.reply;
  reply.Map(look ? 9 : 8);
  Field(reply, "taken-at", proof.taken_at);
  Field(reply, "in-words", Bytes(kInWords));
  Field(reply, "shards", std::uint64_t{1});
  WriteKeyspaces(reply, proof);
  if (look) WriteStore(reply, *look, proof.taken_at);
  reply.Bulk("holders");
  reply.Array(proof.holders.size());
  for (const ProofHolder& holder : proof.holders) {
    reply.Map(3);
    Field(reply, "kind", NameOf(holder.kind));
    Field(reply, "since", holder.since);
    Field(reply, "description", Bytes(fmt::format("shard {}: {}", shard, holder.description)));
  }
  WriteTraces(reply, proof, look, shard);
  std::vector<std::string_view> checked = {kCheckedMemory};
  if (look) checked.push_back(kCheckedStore);
  if (look && !find.empty()) checked.push_back(kSearched);
  WriteTexts(reply, "checked", checked);
  WriteTexts(reply, "unknown", kUnknown);
  return {};
}

Answer CheckShard(Call& call, bool repair, std::size_t shard) {
  MAYFLY_RETURN_IF_ERROR(DirectoryOf(call).status());
  MAYFLY_TRY(Database* const database, WholeDatabase(call.host));
  MAYFLY_TRY(CheckReport report, core::CheckWatched(*database, {.repair = repair}, Always));
  for (std::string& finding : report.findings) {
    finding = fmt::format("shard {}: {}", shard, finding);
  }
  WriteReport(call.reply, report);
  return {};
}

// SHARD and its number, which are taken out of `words`; nothing: they are not there.
Result<std::optional<std::size_t>> TakeShard(std::vector<Bytes>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (IsWord(words[i], "find")) {
      ++i;  // Bytes that may be this word.
      continue;
    }
    if (!IsWord(words[i], "shard")) continue;
    if (i + 1 == words.size()) return SyntaxError();
    MAYFLY_TRY(const std::int64_t shard, IntegerArgument(words[i + 1], 0, engine::kSlotCount - 1));
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                words.begin() + static_cast<std::ptrdiff_t>(i + 2));
    return std::optional(static_cast<std::size_t>(shard));
  }
  return std::optional<std::size_t>();
}

}  // namespace mayfly::server
