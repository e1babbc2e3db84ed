// executor_walk.cc - commands that walk all keys by pages, on a cluster: shard by shard.
// A position is | shard u16 | position in the shard |. Between servers it is the cursor itself
// (place_cursor.h). SCAN's cursors are numbers to clients, which this server translates.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/coding.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/limits.h"
#include "server/command/place_cursor.h"
#include "server/executor/executor.h"
#include "wire/reply_parser.h"

namespace mayfly::server {
namespace {

Reply ErrorOf(const Status& status) {
  return Reply::Text(Reply::Kind::kError, Answer(status).error());
}

// [cursor, page], as all these commands reply.
bool IsPage(const Reply& reply) {
  return reply.kind == Reply::Kind::kArray && reply.items().size() == 2 &&
         reply.items()[0].kind == Reply::Kind::kBulk;
}

// The number behind COUNT; ten, as SCAN has it, if there is none.
std::uint64_t CountOf(std::span<const Bytes> args) {
  constexpr std::uint64_t kUsual = 10;
  for (std::size_t i = 1; i + 1 < args.size(); ++i) {
    if (!IsWord(args[i], "count")) continue;
    const auto count = IntegerArgument(args[i + 1]);
    return count && *count > 0 ? static_cast<std::uint64_t>(*count) : kUsual;
  }
  return kUsual;
}

}  // namespace

// One call of such a command: its cursor, and where it stands.
class Executor::Walk {
 public:
  struct Position {
    std::size_t shard = 0;
    std::string within;  // Empty: its beginning.

    std::string place() const {
      std::string place;
      AppendBigEndian16(place, static_cast<std::uint16_t>(shard));
      return place.append(within);
    }
  };

  // `now`: of a command whose shards all begin with one instant.
  Walk(const ClusterRule& rule, std::span<const Bytes> args, WallTime now)
      : args_(args.begin(), args.end()), by_number_(rule.cursor_at > 0) {
    if (rule.from_one_instant) AppendBigEndian64(front_, FromOf(args, now));
    cursor_at_ = static_cast<std::size_t>(rule.cursor_at);
    if (by_number_) return;
    for (std::size_t i = 1; i + 1 < args.size(); ++i) {
      if (IsWord(args[i], "cursor")) cursor_at_ = i + 1;
    }
    if (cursor_at_ > 0) return;
    args_.insert(args_.end(), {"CURSOR", "0"});
    cursor_at_ = args_.size() - 1;
  }

  // Positions between servers are never numbers.
  Status Begin(ScanCursors& cursors) {
    const Bytes cursor = args_[cursor_at_];
    numbered_ = by_number_ && !IsPlaceCursor(cursor);
    std::string place;
    if (numbered_) {
      MAYFLY_TRY(const std::uint64_t number, ScanCursorArgument(cursor));
      from_ = cursors.Find(0, number);
      place = from_.key;
    } else {
      MAYFLY_TRY(const auto given, PlaceOf(cursor));
      place = given.value_or("");
    }
    MAYFLY_TRY(at, PositionOf(place));
    if (place.empty()) at.within = front_;
    if (at.within.size() < front_.size()) return InvalidCursor();
    front_ = at.within.substr(0, front_.size());
    return {};
  }

  Position NextShard() const { return {at.shard + 1, front_}; }

  std::span<const Bytes> WithCursor(const std::string& cursor) {
    cursor_ = cursor;
    args_[cursor_at_] = cursor_;
    return args_;
  }
  std::string InnerCursor() const { return at.within.empty() ? "0" : CursorText(at.within); }

  // The cursor as the client gets it.
  std::string Outer(ScanCursors& cursors, bool ended) const {
    if (ended) return "0";
    if (!numbered_) return CursorText(at.place());
    return std::to_string(cursors.Keep(0, from_, rows, at.place()));
  }

  bool numbered() const { return numbered_; }
  std::uint64_t rows_min() const { return from_.rows_min; }
  const ScanCursors::Place& from() const { return from_; }

  Position at;
  std::uint64_t rows = 0;  // Visited so far, about.

 private:
  // The number behind FROM; what is none is refused by the command.
  static std::uint64_t FromOf(std::span<const Bytes> args, WallTime now) {
    for (std::size_t i = 1; i + 1 < args.size(); ++i) {
      if (!IsWord(args[i], "from")) continue;
      const auto from = IntegerArgument(args[i + 1], 0, std::numeric_limits<std::int64_t>::max());
      if (from) return static_cast<std::uint64_t>(*from);
    }
    return static_cast<std::uint64_t>(ToMs(now));
  }

  static Result<Position> PositionOf(Bytes place) {
    if (place.empty()) return Position();
    std::uint16_t shard = 0;
    if (!EatBigEndian16(place, shard)) return InvalidCursor();
    return Position{shard, std::string(place)};
  }

  std::vector<Bytes> args_;
  const bool by_number_;
  std::string front_;  // Of the positions in each shard.
  std::size_t cursor_at_ = 0;
  bool numbered_ = false;
  ScanCursors::Place from_;
  std::string cursor_;
};

void Executor::RunWalk(Session& session, const CommandEntry& entry, std::span<const Bytes> args) {
  const SteadyTime begin = server_.Steady();
  Show(session, entry, args);
  Walk walk(*entry.cluster_rule, args, server_.clock().Now());
  if (const Status begun = walk.Begin(server_.scan_cursors()); !begun.ok()) {
    return ReplyWith(session, entry, args, ErrorOf(begun), begin);
  }
  std::optional<Reply> reply = WalkHere(session, entry, args, walk);
  run_.Use(nullptr);
  if (reply) return ReplyWith(session, entry, args, *reply, begin);
  const ShardPlace place = cluster_->directory().Find(walk.at.shard);
  if (place.elsewhere.port == 0) {
    const Reply down = Reply::Text(Reply::Kind::kError, "CLUSTERDOWN Hash slot not served");
    return ReplyWith(session, entry, args, down, begin);
  }
  WalkAtPeer(session, entry, args, walk, place.elsewhere);
}

// Nothing: the shard at which the walk stands is at another server, which is to be asked.
std::optional<Reply> Executor::WalkHere(Session& session, const CommandEntry& entry,
                                        std::span<const Bytes> args, Walk& walk) {
  ShardDirectory& directory = cluster_->directory();
  const bool is_peer = session.state().cluster_speech == ClusterSpeech::kPeer;
  const bool skips_others = !is_peer && cluster_->Redirects(session);
  const std::uint64_t rows_wanted = std::max(CountOf(args), walk.rows_min());
  std::optional<Reply> page;
  const auto answer = [&](bool ended) {
    if (!page) page = Reply::Array({});
    return Reply::Array({Reply::Bulk(walk.Outer(server_.scan_cursors(), ended)), std::move(*page)});
  };
  for (std::size_t visited = 0; walk.at.shard < directory.shards(); ++visited) {
    auto here = directory.Find(walk.at.shard).here;
    if (here == nullptr && skips_others) {
      walk.at = walk.NextShard();
      continue;
    }
    if (here == nullptr && is_peer) {
      const engine::Slot slot = SlotsOf(walk.at.shard, directory.shards()).first;
      return Reply::Text(Reply::Kind::kError,
                         ClusterSide::RedirectLine(slot, directory.Find(walk.at.shard)));
    }
    if (page && (here == nullptr || visited >= kShardsPerPage)) return answer(false);
    if (here == nullptr) return std::nullopt;
    Reply part = RunOn(session, entry, walk.WithCursor(walk.InnerCursor()), std::move(here));
    if (!IsPage(part)) return part;  // An error.
    const auto within = PlaceOf(part.items()[0].text());
    if (!within) return ErrorOf(within.error());
    walk.at = *within ? Walk::Position{walk.at.shard, **within} : walk.NextShard();
    walk.rows += CountOf(args);
    const bool is_list = part.items()[1].kind == Reply::Kind::kArray;
    if (page && is_list) {
      for (Reply& item : part.items()[1].items()) page->items().push_back(std::move(item));
    } else {
      page = std::move(part.items()[1]);
    }
    const bool enough = !is_list || page->items().size() >= rows_wanted || *within;
    if (is_peer || (enough && walk.rows >= walk.rows_min())) {
      return answer(walk.at.shard >= directory.shards());
    }
  }
  return answer(true);
}

void Executor::WalkAtPeer(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                          Walk& walk, const ServerAddress& to) {
  PeerCommands::Order order{.to = to,
                            .version = session.state().version,
                            .commands = {WireText(walk.WithCursor(CursorText(walk.at.place())))}};
  if (!walk.numbered()) return SendToPeer(session, entry, args, std::move(order));
  SendToPeer(session, entry, args, std::move(order),
             [&cursors = server_.scan_cursors(), from = walk.from(), rows = CountOf(args),
              version = session.state().version](std::string bytes) {
               ReplyParser parser;
               parser.Feed(bytes);
               auto reply = parser.Next();
               if (!reply || !reply->has_value() || !IsPage(**reply)) return bytes;
               Reply& cursor = (*reply)->items()[0];
               const auto place = PlaceOf(cursor.text());
               if (!place || !*place) return bytes;
               cursor = Reply::Bulk(std::to_string(cursors.Keep(0, from, rows, **place)));
               OutputBuffer out;
               ReplyWriter writer(out, version);
               WriteReply(**reply, writer);
               return std::string(out.view());
             });
}

}  // namespace mayfly::server
