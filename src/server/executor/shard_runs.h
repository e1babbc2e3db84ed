// shard_runs.h - commands that look at whole shards, for as long as that takes: TTL.PROVE, TTL.CHECK.
// One shard is looked at by a thread of its owner that serves no clients. All shards are a job of the
// server that is asked: it looks at one after the other, those of other servers by asking them, and
// adds up what they say. A shard that moves meanwhile is asked for again where it is then.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/command/command_table.h"
#include "server/executor/command_batch.h"
#include "wire/reply.h"

namespace mayfly::server {

// The place of the word SHARD among the arguments, if it is there.
std::optional<std::size_t> FindShardWord(std::span<const Bytes> args);

// Runs a command that touches no row through a transaction, and returns its reply, in RESP3.
Reply RunOnce(CommandBatch& run, const CommandEntry& entry, std::span<const Bytes> args,
              std::shared_ptr<ServedDatabase> data, Session* session);

// The reply for a shard that is here; an error, as clients get it, when it is not. On a thread
// without a batch of its own.
Reply LookAtShard(Server& server, const CommandEntry& entry, std::span<const std::string> args,
                  std::size_t shard);

// Starts the job, and returns its number. `args`: without SHARD.
Result<std::uint64_t> StartShardsJob(Server& server, const CommandEntry& entry,
                                     std::vector<std::string> args);

}  // namespace mayfly::server
