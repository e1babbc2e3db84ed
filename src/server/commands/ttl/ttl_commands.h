// ttl_commands.h - the handlers of mayfly's own commands; their table is in ttl_commands.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/database.h"
#include "mayfly/proof.h"
#include "server/command/command.h"

namespace mayfly::server {

// ttl_commands.cc: commands on the expiry index and the events.
Answer TtlHelp(Call& call);
Answer TtlEvents(Call& call);
Answer TtlPurge(Call& call);
Answer TtlStats(Call& call);

// ttl_commands_upkeep.cc
Answer TtlBackup(Call& call);
Answer TtlBackups(Call& call);
Answer TtlRestore(Call& call);
Answer TtlCheck(Call& call);
Answer TtlCompact(Call& call);

// ttl_commands_clock.cc
Answer TtlClock(Call& call);

// ttl_commands_forecast.cc
Answer TtlForecast(Call& call);

// ttl_commands_scan.cc
Answer TtlScan(Call& call);

// ttl_commands_policy.cc
Answer TtlPolicy(Call& call);

// ttl_commands_table.cc
Answer TtlTableRead(Call& call);
Answer TtlTableWrite(Call& call);

// ttl_commands_tree.cc
Answer TtlTree(Call& call);

// ttl_commands_proof.cc
Answer TtlProve(Call& call);
Answer TtlJob(Call& call);
std::string_view NameOf(ProofHolder::Kind kind);

// ttl_commands_shard.cc: on a cluster, of the shard that is named.
Answer ProveShard(Call& call, const std::string& find, std::size_t shard);
Answer CheckShard(Call& call, bool repair, std::size_t shard);
Result<std::optional<std::size_t>> TakeShard(std::vector<Bytes>& words);

// ttl_commands_upkeep.cc
void WriteReport(ReplyWriter& reply, const CheckReport& report);
void WriteReport(ReplyWriter& reply, const ReclaimReport& report);

// The selected database. These commands hold no transaction, and use the public interface.
Result<Keyspace*> SelectedKeyspace(const Call& call);
Result<Database*> WholeDatabase(HostDatabases& host);

// Lines of one reply.
inline constexpr std::int64_t kTtlPageMax = 10'000;
inline constexpr std::int64_t kTtlNumberMax = std::numeric_limits<std::int64_t>::max();

// Option and number, in pairs.
struct NumberOption {
  std::string_view name;
  std::int64_t first;
  std::int64_t last;
  std::optional<std::int64_t>& value;
};

// SyntaxError() for words that are not among the options.
Status ParseNumbers(std::span<const Bytes> words, std::span<const NumberOption> options);

}  // namespace mayfly::server
