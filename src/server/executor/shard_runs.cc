#include "server/executor/shard_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "server/command/arguments.h"
#include "server/command/limits.h"
#include "server/executor/cluster_merge.h"
#include "server/executor/peer_commands.h"
#include "wire/reply_parser.h"

namespace mayfly::server {
namespace {

constexpr std::uint64_t kSeed = 0;  // Nothing that runs here draws a number.

Reply ErrorLine(std::string line) { return Reply::Text(Reply::Kind::kError, std::move(line)); }

Reply ParseReply(Bytes bytes) {
  ReplyParser parser;
  parser.Feed(bytes);
  auto reply = parser.Next();
  if (reply && reply->has_value()) return **std::move(reply);
  return ErrorLine("ERR the reply of a shard cannot be read");
}

// A reply that comes on another thread.
class Mailbox {
 public:
  void Put(Reply reply) {
    const std::lock_guard lock(mutex_);
    reply_ = std::move(reply);
    arrived_.notify_all();
  }
  // Nothing: it has not come within that time.
  std::optional<Reply> Await(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, time, [this] { return reply_.has_value(); });
    return std::exchange(reply_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::optional<Reply> reply_;  // Guarded by mutex_.
};

// One job: its shards, one after the other.
class ShardsJob {
 public:
  ShardsJob(Server& server, const CommandEntry& entry, std::vector<std::string> args,
            JobControl& control)
      : server_(server), entry_(entry), args_(std::move(args)), control_(control) {
    args_.insert(args_.end(), {"SHARD", ""});
  }

  Result<JobResult> Run() {
    const std::size_t shards = directory().shards();
    Random random(kSeed);
    std::optional<Reply> merged;
    for (std::size_t shard = 0; shard < shards; ++shard) {
      if (!control_.Report(shard, shards)) return Cancelled();
      args_.back() = std::to_string(shard);
      MAYFLY_TRY(Reply reply, AwaitReply(shard));
      if (!merged) {
        merged = std::move(reply);
        continue;
      }
      std::vector<Reply> both;
      both.push_back(*std::move(merged));
      both.push_back(std::move(reply));
      merged = MergeReplies(ClusterMerge::kSum, std::move(both), random);
    }
    static_cast<void>(control_.Report(shards, shards));
    return JobResult([reply = std::make_shared<const Reply>(*std::move(merged))](
                         ReplyWriter& writer) { WriteReply(*reply, writer); });
  }

 private:
  ShardDirectory& directory() { return server_.cluster()->directory(); }
  static Status Cancelled() { return Status::Conflict("it was cancelled"); }

  // Tries again for a while: a shard on its way, or of a server that has died, is found again.
  Result<Reply> AwaitReply(std::size_t shard) {
    const SteadyTime begin = server_.Steady();
    while (true) {
      Reply reply = Ask(shard);
      if (!reply.is_error()) return reply;
      if (control_.cancelled()) return Cancelled();
      if (server_.Steady() - begin > kShardLookPatience) {
        return Status::Busy(fmt::format("shard {}: {}", shard, reply.text()));
      }
      Mailbox().Await(kShardLookPause);
    }
  }

  Reply Ask(std::size_t shard) {
    const ShardPlace place = directory().Find(shard);
    if (place.here != nullptr) return LookAtShard(server_, entry_, args_, shard);
    PeerCalls* const peers = server_.cluster()->peers();
    if (place.elsewhere.port == 0 || peers == nullptr) {
      return ErrorLine("CLUSTERDOWN Hash slot not served");
    }
    const auto mailbox = std::make_shared<Mailbox>();
    const auto call =
        PeerCommands::Start(*peers,
                            {.to = place.elsewhere,
                             .version = ProtocolVersion::kResp3,
                             .commands = {WireText(std::vector<Bytes>(args_.begin(), args_.end()))},
                             .waits = true},
                            [mailbox](const std::vector<std::string>& replies) {
                              mailbox->Put(ParseReply(replies.front()));
                            });
    const SteadyTime begin = server_.Steady();
    while (!control_.cancelled() && server_.Steady() - begin < kShardLookMax) {
      if (auto reply = mailbox->Await(kShardLookPause)) return *std::move(reply);
    }
    return ErrorLine(
        fmt::format("TRYAGAIN the server {} does not answer", ToText(place.elsewhere)));
  }

  Server& server_;
  const CommandEntry& entry_;
  std::vector<std::string> args_;
  JobControl& control_;
};

}  // namespace

std::optional<std::size_t> FindShardWord(std::span<const Bytes> args) {
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (IsWord(args[i], "shard")) return i;
    if (IsWord(args[i], "find")) ++i;  // Bytes that may be this word.
  }
  return std::nullopt;
}

Reply RunOnce(CommandBatch& run, const CommandEntry& entry, std::span<const Bytes> args,
              std::shared_ptr<ServedDatabase> data, Session* session) {
  const auto failed = [&](const Status& status) {
    run.Abandon();
    return ErrorLine(Answer(status).error());
  };
  run.Use(std::move(data));
  if (entry.Is(kNoRows)) {
    run.BeginWithout();
  } else if (const Status began = run.Begin({}, ReachOf(entry)); !began.ok()) {
    return failed(began);
  }
  OutputBuffer out;
  static_cast<void>(run.Run({.entry = entry,
                             .args = args,
                             .out = out,
                             .version = ProtocolVersion::kResp3,
                             .database = 0,
                             .session = session}));
  const Status committed = run.Commit();
  if (!committed.ok()) return failed(committed);
  return ParseReply(out.view());
}

Reply LookAtShard(Server& server, const CommandEntry& entry, std::span<const std::string> args,
                  std::size_t shard) {
  ShardPlace place = server.cluster()->directory().Find(shard);
  if (place.here == nullptr) {
    const SlotRange slots = SlotsOf(shard, server.cluster()->directory().shards());
    return ErrorLine(ClusterSide::RedirectLine(slots.first, place));
  }
  ThreadCounters uncounted(server.table().entries().size());
  CommandBatch run(server, uncounted, kSeed);
  const std::vector<Bytes> words(args.begin(), args.end());
  return RunOnce(run, entry, words, std::move(place.here), nullptr);
}

Result<std::uint64_t> StartShardsJob(Server& server, const CommandEntry& entry,
                                     std::vector<std::string> args) {
  std::string kind = entry.full_name.substr(entry.full_name.find('.') + 1);
  return server.jobs().Start(std::move(kind),
                             [&server, &entry, args = std::move(args)](JobControl& control) {
                               return ShardsJob(server, entry, args, control).Run();
                             });
}

}  // namespace mayfly::server
