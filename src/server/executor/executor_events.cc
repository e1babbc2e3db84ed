// executor_events.cc - TTL.EVENTS on a cluster: of one shard, or of all, merged by time.
// Each server makes a page of its shards from the same cursor; this one merges the pages, and the
// cursor passes what the client gets. A shard that moves meanwhile is no error, since its position
// stays: its events come with a later page.
#include <algorithm>
#include <utility>

#include "server/command/arguments.h"
#include "server/events/event_pages.h"
#include "server/events/event_request.h"
#include "server/executor/across_call.h"
#include "server/executor/executor.h"

namespace mayfly::server {

void Executor::RunEvents(Session& session, const CommandEntry& entry, std::span<const Bytes> args) {
  const auto word = std::find_if(args.begin() + 1, args.end(),
                                 [](Bytes argument) { return IsWord(argument, "shard"); });
  if (word != args.end()) {
    return RunOnShard(session, entry, args, static_cast<std::size_t>(word - args.begin()));
  }
  const SteadyTime begin = server_.Steady();
  Show(session, entry, args);
  const auto fail = [&](const Answer& answer) {
    ReplyWith(session, entry, args, Reply::Text(Reply::Kind::kError, answer.error()), begin);
  };
  ShardDirectory& directory = cluster_->directory();
  const auto request = ParseEventRequest(args.subspan(1));
  if (!request) return fail(request.error());
  if (request->after) {
    return fail(
        Answer::Error("ERR on a cluster each shard numbers its own events: AFTER needs SHARD and a "
                      "number; CURSOR "
                      "is for all shards, and begins with 0"));
  }
  auto cursor = EventCursor::Parse(request->cursor, directory.shards());
  if (!cursor) return fail(cursor.error());
  const auto view = directory.view();
  std::vector<ServerAddress> others;
  if (!cluster_->Redirects(session)) {
    if (!IsWhole(*view)) return fail(Answer::Error("CLUSTERDOWN Hash slot not served"));
    others = OthersIn(*view);
  }
  const EventBounds bounds{.events = request->count};
  const EventBounds of_each = BoundsOfEach(bounds, others.size() + 1);
  Reply own = PageOf(directory.Here(), *cursor, of_each, request->skips);
  if (others.empty() || own.is_error()) return ReplyWith(session, entry, args, own, begin);
  const std::string count = std::to_string(of_each.events);
  std::vector<Bytes> words = {args[0], "CURSOR", request->cursor, "COUNT", count};
  if (request->skips) words.emplace_back("SKIP");
  const auto waiter = ParkForPeers(session, entry, args);
  waiter->work =
      AcrossCall::Start(*cluster_->peers(),
                        {.others = std::move(others),
                         .command = WireText(words),
                         .combine =
                             [cursor = *std::move(cursor), shards = directory.shards(), bounds,
                              of_each](std::vector<Reply> pages) {
                               return MergePages(cursor, shards, bounds, of_each, std::move(pages));
                             },
                         .own = {std::move(own)},
                         .version = session.state().version},
                        [weak = std::weak_ptr(waiter)](std::string reply) {
                          const auto its = weak.lock();
                          const auto client = its != nullptr ? its->session.lock() : nullptr;
                          if (client != nullptr) client->EndPeerWait(its, std::move(reply));
                        });
}

}  // namespace mayfly::server
