// executor_looks.cc - TTL.PROVE and TTL.CHECK on a cluster. Without SHARD: a job of this server over
// all shards. With it: one shard, looked at beside the threads that serve clients; the client waits.
#include <fmt/format.h>

#include <utility>

#include "server/command/arguments.h"
#include "server/executor/executor.h"
#include "server/executor/shard_runs.h"

namespace mayfly::server {

void Executor::RunLook(Session& session, const CommandEntry& entry, std::span<const Bytes> args) {
  const SteadyTime begin = server_.Steady();
  Show(session, entry, args);
  const auto reply = [&](const Reply& what) { ReplyWith(session, entry, args, what, begin); };
  const auto fail = [&](std::string line) {
    reply(Reply::Text(Reply::Kind::kError, std::move(line)));
  };
  std::vector<std::string> words(args.begin(), args.end());
  const auto at = FindShardWord(args);
  if (!at) {
    const auto id = StartShardsJob(server_, entry, std::move(words));
    if (!id) return fail(Answer(id.error()).error());
    return reply(Reply::Integer(static_cast<std::int64_t>(*id)));
  }
  ShardDirectory& directory = cluster_->directory();
  if (*at + 1 == args.size()) return fail("ERR syntax error");
  const auto shard =
      IntegerArgument(args[*at + 1], 0, static_cast<std::int64_t>(directory.shards()) - 1);
  if (!shard) return fail("ERR there is no such shard");
  const auto number = static_cast<std::size_t>(*shard);
  const ShardPlace place = directory.Find(number);
  if (place.here == nullptr) {
    if (cluster_->Redirects(session) || place.elsewhere.port == 0) {
      return fail(ClusterSide::RedirectLine(SlotsOf(number, directory.shards()).first, place));
    }
    return SendToPeer(session, entry, args,
                      {.to = place.elsewhere,
                       .version = session.state().version,
                       .commands = {WireText(args)},
                       .waits = true});
  }
  const auto waiter = ParkForPeers(session, entry, args);
  const auto end = [weak = std::weak_ptr(waiter)](const Reply& what) {
    const auto its = weak.lock();
    const auto client = its != nullptr ? its->session.lock() : nullptr;
    if (client == nullptr) return;
    OutputBuffer out;
    ReplyWriter writer(out, its->version);
    WriteReply(what, writer);
    client->EndPeerWait(its, std::string(out.view()));
  };
  const auto started = cluster_->looks().Start(
      entry.full_name, [&server = server_, &entry, words, number, end](JobControl&) {
        end(LookAtShard(server, entry, words, number));
        return Result<JobResult>(JobResult());
      });
  if (!started.has_value()) {
    end(Reply::Text(Reply::Kind::kError, fmt::format("TRYAGAIN {}", started.error().message())));
  }
}

}  // namespace mayfly::server
