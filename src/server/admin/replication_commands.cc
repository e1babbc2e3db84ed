// replication_commands.cc - following other servers, and being followed: what a follower sends, and
// what clients ask about it.
#include <fmt/format.h>

#include <string>

#include "server/admin/admin_handlers.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"

namespace mayfly::server::admin {
namespace {

constexpr std::int64_t kPortMax = 65535;

void ReplyFollowed(Call& call, const LeadFigures& figures) {
  call.reply.Array(3);
  call.reply.Bulk("master");
  call.reply.Integer(figures.offset);
  call.reply.Array(figures.followers.size());
  for (const FollowerFigures& follower : figures.followers) {
    call.reply.Array(3);
    call.reply.Bulk(follower.address);
    call.reply.Bulk(std::to_string(follower.port));
    call.reply.Bulk(std::to_string(follower.acknowledged));
  }
}

// A copy of what this server has not got itself yet would be none.
Answer CheckMayLead(Server& server) {
  if (server.leading() == nullptr) return Status::Unsupported("this server cannot be followed");
  Following* const following = server.following();
  if (server.follows && following != nullptr &&
      following->figures().state != LinkState::kConnected) {
    return Answer::Error("NOMASTERLINK Can't SYNC while not connected with my master");
  }
  return {};
}

Answer BeginServing(Call& call, const std::string& id, std::int64_t offset) {
  Server& server = ServerOf(call);
  if (SessionOf(call).has_source()) return {};
  if (Answer may = CheckMayLead(server); !may.ok()) return may;
  return server.leading()->Serve(SessionOf(call), id, offset);
}

Answer Configure(Call& call, Bytes option, Bytes value) {
  FollowerTraits& traits = SessionOf(call).state().follower;
  if (IsWord(option, "listening-port")) {
    MAYFLY_TRY(const std::int64_t port, IntegerArgument(value, 0, kPortMax));
    traits.port = static_cast<int>(port);
  } else if (IsWord(option, "ip-address")) {
    constexpr std::size_t kAddressBytesMax = 255;
    if (value.size() > kAddressBytesMax) {
      return Status::Invalid("REPLCONF ip-address provided by replica instance is too long");
    }
    traits.address = value;
  } else if (IsWord(option, "capa")) {
    traits.ends_by_mark = traits.ends_by_mark || IsWord(value, "eof");
    traits.field_deadlines = traits.field_deadlines || IsWord(value, "mayfly");
  } else if (IsWord(option, "rdb-filter-only") && !value.empty()) {
    return Status::Unsupported("a copy without some of the keys is not offered");
  } else if (!IsWord(option, "version") && !IsWord(option, "rdb-only") &&
             !IsWord(option, "rdb-filter-only")) {
    // Who wants a copy alone (redis-cli --rdb) leaves behind it.
    return Status::Invalid(fmt::format("Unrecognized REPLCONF option: {}", option));
  }
  return {};
}

Result<Millis> WaitTime(Bytes argument) {
  const auto timeout = IntegerArgument(argument);
  if (!timeout) return Status::Invalid("timeout is not an integer or out of range");
  if (*timeout < 0) return Status::Invalid("timeout is negative");
  return Millis(*timeout);
}

}  // namespace

Answer ReplicaOf(Call& call) {
  Following* const following = ServerOf(call).following();
  if (IsWord(call.args[1], "no") && IsWord(call.args[2], "one")) {
    if (following != nullptr) MAYFLY_RETURN_IF_ERROR(following->Leave());
    call.reply.Ok();
    return {};
  }
  const auto port = IntegerArgument(call.args[2], 0, kPortMax);
  if (!port) return Status::Invalid("Invalid master port");
  if (following == nullptr) return Status::Unsupported("this server cannot follow another one");
  MAYFLY_RETURN_IF_ERROR(following->Follow(std::string(call.args[1]), static_cast<int>(*port)));
  call.reply.Ok();
  return {};
}

Answer Role(Call& call) {
  Server& server = ServerOf(call);
  Following* const following = server.following();
  if (following != nullptr && server.follows) {
    const FollowFigures figures = following->figures();
    call.reply.Array(5);
    call.reply.Bulk("slave");
    call.reply.Bulk(figures.host);
    call.reply.Integer(figures.port);
    call.reply.Bulk(figures.state == LinkState::kConnected ? "connected"
                    : figures.state == LinkState::kCopying ? "sync"
                                                           : "connect");
    call.reply.Integer(figures.applied);
    return {};
  }
  ReplyFollowed(call, server.leading() != nullptr ? server.leading()->figures() : LeadFigures());
  return {};
}

// What follows on this connection is written by the session's source, and no reply.
Answer PSync(Call& call) {
  if (call.args.size() > 3) return Status::Unsupported("FAILOVER is not offered");
  MAYFLY_TRY(const std::int64_t offset, IntegerArgument(call.args[2]));
  return BeginServing(call, std::string(call.args[1]), offset);
}

Answer Sync(Call& call) { return BeginServing(call, {}, -1); }

Answer ReplConf(Call& call) {
  if (call.args.size() % 2 == 0) return SyntaxError();
  if (call.args.size() >= 3 && IsWord(call.args[1], "ack")) {
    const auto offset = IntegerArgument(call.args[2]);
    Leading* const leading = ServerOf(call).leading();
    if (offset && leading != nullptr && SessionOf(call).has_source()) {
      leading->Acknowledged(SessionOf(call), *offset);
    }
    return {};  // Never a reply: it would be read as a part of the stream.
  }
  for (std::size_t i = 1; i < call.args.size(); i += 2) {
    if (Answer done = Configure(call, call.args[i], call.args[i + 1]); !done.ok()) return done;
  }
  call.reply.Ok();
  return {};
}

Answer Wait(Call& call) {
  MAYFLY_TRY(const std::int64_t wanted, IntegerArgument(call.args[1]));
  MAYFLY_TRY(const Millis timeout, WaitTime(call.args[2]));
  Server& server = ServerOf(call);
  if (server.follows) {
    return Status::Invalid(
        "WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a "
        "replica is configured to be writable (which is not the default) writes to replicas are "
        "just local and are not propagated.");
  }
  Leading* const leading = server.leading();
  const std::int64_t offset = SessionOf(call).state().fed_to;
  const std::size_t count = leading != nullptr ? leading->CountAt(offset) : 0;
  const auto goal = static_cast<std::size_t>(std::max<std::int64_t>(wanted, 0));
  if (leading == nullptr || count >= goal || !call.may_block) {
    call.reply.Integer(static_cast<std::int64_t>(count));
    return {};
  }
  BlockRequest block;
  if (timeout.count() > 0) block.timeout = timeout;
  block.at_end = [leading, offset](ReplyWriter& reply) {
    reply.Integer(static_cast<std::int64_t>(leading->CountAt(offset)));
  };
  block.parked = [leading, offset, goal](const std::shared_ptr<Waiter>& waiter) {
    leading->Await(waiter, offset, goal);
  };
  call.host.Block(std::move(block));
  return Answer::Later();
}

// WAITAOF local followers timeout. What is on the disks of followers is not known here.
Answer WaitAof(Call& call) {
  MAYFLY_TRY(const std::int64_t local, IntegerArgument(call.args[1], 0, 1));
  MAYFLY_TRY(const std::int64_t followers, IntegerArgument(call.args[2], 0, INT64_MAX));
  MAYFLY_RETURN_IF_ERROR(WaitTime(call.args[3]).status());
  if (followers > 0) {
    return Status::Unsupported(
        "WAITAOF for followers is not offered: nothing is known of their disks; WAIT tells what "
        "they have applied");
  }
  if (local > 0) MAYFLY_RETURN_IF_ERROR(ServerOf(call).Save());
  call.reply.Array(2);
  call.reply.Integer(local);
  call.reply.Integer(0);
  return {};
}

}  // namespace mayfly::server::admin
