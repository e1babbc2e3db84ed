#include "server/cluster/cluster_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "server/cluster/cluster_texts.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/manual/help.h"
#include "server/session/server.h"
#include "server/session/session.h"

namespace mayfly::server {
namespace {

constexpr const char* kDisabledLine = "ERR This instance has cluster support disabled";

using Handled = Answer (*)(Call& call, ClusterSide& cluster);

// Handlers of a server alone answer with one error.
template <Handled kHandler>
Answer OnCluster(Call& call) {
  ClusterSide* const cluster = call.host.server()->cluster();
  if (cluster == nullptr) return Answer::Error(kDisabledLine);
  return kHandler(call, *cluster);
}

void NoteSpeech(Call& call, ClusterSide& cluster, bool asked_for_map) {
  cluster.NoteSpeech(*call.host.session(), asked_for_map);
}

Answer Speak(Call& call, ClusterSide& cluster) {
  NoteSpeech(call, cluster, false);
  call.reply.Ok();
  return {};
}

// PEER, or PEER address user: a client of theirs has asked for the map.
Answer Peer(Call& call, ClusterSide& cluster) {
  if (call.args.size() != 2 && call.args.size() != 4) return WrongArity("cluster|peer");
  if (call.args.size() == 4) {
    cluster.NoteAsker(std::string(call.args[2]), std::string(call.args[3]));
  }
  call.host.session()->state().cluster_speech = ClusterSpeech::kPeer;
  call.reply.Ok();
  return {};
}

Answer Offer(Call& call, ClusterSide& cluster) {
  if (call.host.session()->state().cluster_speech != ClusterSpeech::kPeer) {
    return Status::Invalid("CLUSTER OFFER is for the servers of the cluster");
  }
  MAYFLY_RETURN_IF_ERROR(cluster.directory().TakeOffer(call.args[2]));
  call.reply.Ok();
  return {};
}

// Before a login: it is about one that failed.
Answer RefusedPeer(Call& call, ClusterSide& cluster) {
  cluster.NoteRefused(call.args[2]);
  call.reply.Ok();
  return {};
}

// TABLE shard target json ...: the status and the reply of each; status 0: it has not run.
Answer Table(Call& call, ClusterSide& cluster) {
  if (call.host.session()->state().cluster_speech != ClusterSpeech::kPeer) {
    return Status::Invalid("CLUSTER TABLE is for the servers of the cluster");
  }
  constexpr std::size_t kFirstCall = 3;
  if (call.args.size() % 2 != kFirstCall % 2) return WrongArity("cluster|table");
  TableShards* const tables = call.host.server()->table_shards();
  if (tables == nullptr) return Status::Unsupported("this server has no tables");
  const auto shards = static_cast<std::int64_t>(cluster.directory().shards());
  const auto shard = IntegerArgument(call.args[2], 0, shards - 1);
  if (!shard) return Status::Invalid("there is no such shard");
  const auto number = static_cast<std::size_t>(*shard);
  std::vector<TableCall> calls;
  for (std::size_t i = kFirstCall; i < call.args.size(); i += 2) {
    calls.push_back({.target = std::string(call.args[i]), .json = std::string(call.args[i + 1])});
  }
  if (!tables->Run(number, calls)) {
    const ShardDirectory& directory = cluster.directory();
    return Answer::Error(ClusterSide::RedirectLine(SlotsOf(number, directory.shards()).first,
                                                   directory.Find(number)));
  }
  call.reply.Array(calls.size() * 2);
  for (const TableCall& done : calls) {
    call.reply.Integer(done.status);
    call.reply.Bulk(done.reply);
  }
  return {};
}

Answer Slots(Call& call, ClusterSide& cluster) {
  NoteSpeech(call, cluster, true);
  WriteSlots(*cluster.directory().view(), call.reply);
  return {};
}

Answer Shards(Call& call, ClusterSide& cluster) {
  NoteSpeech(call, cluster, true);
  WriteShards(*cluster.directory().view(), call.reply);
  return {};
}

Answer Nodes(Call& call, ClusterSide& cluster) {
  NoteSpeech(call, cluster, false);
  call.reply.Verbatim("txt", NodesText(*cluster.directory().view()));
  return {};
}

Answer Info(Call& call, ClusterSide& cluster) {
  call.reply.Verbatim("txt",
                      ClusterInfoText(*cluster.directory().view(), cluster.directory().health()));
  return {};
}

// For the other servers, which compare it with theirs.
Answer Clock(Call& call, ClusterSide& /*cluster*/) {
  call.reply.Integer(ToMs(call.host.server()->clock().Now()));
  return {};
}

Answer MyId(Call& call, ClusterSide& cluster) {
  const auto view = cluster.directory().view();
  const ClusterMember* const self = view->self();
  if (self == nullptr) return Status::Busy("the server has not joined the cluster yet");
  call.reply.Bulk(self->id);
  return {};
}

Answer KeySlot(Call& call, ClusterSide& /*cluster*/) {
  call.reply.Integer(engine::SlotOf(call.args[2]));
  return {};
}

Answer Links(Call& call, ClusterSide& /*cluster*/) {
  call.reply.Array(0);
  return {};
}

const ClusterMember* MemberOf(const ClusterView& view, Bytes id) {
  const auto found = std::find_if(view.members.begin(), view.members.end(),
                                  [&](const ClusterMember& member) { return member.id == id; });
  return found == view.members.end() ? nullptr : &*found;
}

Answer UnknownNode(Bytes id) { return Status::Invalid(fmt::format("Unknown node {}", id)); }

Answer FailureReports(Call& call, ClusterSide& cluster) {
  const auto view = cluster.directory().view();
  const ClusterMember* const member = MemberOf(*view, call.args[2]);
  if (member == nullptr) return UnknownNode(call.args[2]);
  call.reply.Integer(member->state == ClusterMember::State::kReachable ? 0 : 1);
  return {};
}

Answer Replicas(Call& call, ClusterSide& cluster) {
  if (MemberOf(*cluster.directory().view(), call.args[2]) == nullptr) {
    return UnknownNode(call.args[2]);
  }
  call.reply.Array(0);
  return {};
}

// Calls `take` with the keys of the slot, until it returns false. A slot that is not here has none.
Status ForKeysIn(ClusterSide& cluster, engine::Slot slot, FunctionRef<bool(Bytes key)> take) {
  const auto data = cluster.PlaceOf(slot).here;
  if (data == nullptr) return {};
  const auto mapping = data->databases.mapping();
  MAYFLY_TRY(const auto cursor, mapping->front()->NewCursor({}));
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    if (engine::SlotOf(cursor->key()) == slot && !take(cursor->key())) break;
  }
  return cursor->status();
}

Result<engine::Slot> SlotArgument(Bytes argument, const char* error) {
  const auto slot = IntegerArgument(argument, 0, engine::kSlotCount - 1);
  if (!slot) return Status::Invalid(error);
  return static_cast<engine::Slot>(*slot);
}

Answer CountKeysInSlot(Call& call, ClusterSide& cluster) {
  MAYFLY_TRY(const engine::Slot slot, SlotArgument(call.args[2], "Invalid slot"));
  std::int64_t keys = 0;
  MAYFLY_RETURN_IF_ERROR(ForKeysIn(cluster, slot, [&](Bytes) {
    ++keys;
    return true;
  }));
  call.reply.Integer(keys);
  return {};
}

Answer GetKeysInSlot(Call& call, ClusterSide& cluster) {
  constexpr const char* kError = "Invalid slot or number of keys";
  MAYFLY_TRY(const engine::Slot slot, SlotArgument(call.args[2], kError));
  const auto most = IntegerArgument(call.args[3], 0, std::numeric_limits<std::int64_t>::max());
  if (!most) return Status::Invalid(kError);
  const auto keys = call.reply.BeginDeferred(Aggregate::kArray);
  std::int64_t found = 0;
  MAYFLY_RETURN_IF_ERROR(ForKeysIn(cluster, slot, [&](Bytes key) {
    if (found == *most) return false;
    call.reply.Bulk(key);
    ++found;
    return true;
  }));
  call.reply.EndDeferred(keys, static_cast<std::size_t>(found));
  return {};
}

Answer Help(Call& call, ClusterSide& /*cluster*/) {
  constexpr std::string_view kLines[] = {
      "CLOCK",
      "    Return what this server's clock shows, in milliseconds since 1970.",
      "COUNT-FAILURE-REPORTS <node-id>",
      "    Return 1 if nothing has been heard of the server for a while.",
      "COUNTKEYSINSLOT <slot>",
      "    Return the number of keys of the slot on this server.",
      "GETKEYSINSLOT <slot> <count>",
      "    Return keys of the slot on this server.",
      "INFO",
      "    Return the state of the cluster.",
      "KEYSLOT <key>",
      "    Return the slot of the key.",
      "LINKS",
      "    Return an empty list: there is no cluster bus.",
      "MYID",
      "    Return the id of this server.",
      "NODES",
      "    Return the servers and their slots, one in each line.",
      "OFFER <shard>",
      "    Tell this server that a shard was released for it; for servers.",
      "PEER [<address> <user>]",
      "    Tell that the client is another server of the cluster, and of a client of it.",
      "REFUSED <address>",
      "    Tell this server that it refuses the login of another one; for servers.",
      "REPLICAS <node-id>",
      "    Return an empty list: the store is replicated, and not the servers.",
      "SHARDS",
      "    Return the servers and their slots.",
      "SLOTS",
      "    Return the ranges of slots and their servers.",
      "TABLE <shard> <target> <json> ...",
      "    Run operations on the tables of a shard; for servers.",
  };
  WriteHelp(call.reply, "CLUSTER", kLines);
  return {};
}

constexpr std::uint32_t kFlags = kNoRows | kStale | kLoading;
constexpr std::uint32_t kReads = kNoRows | kStale;
constexpr std::uint32_t kOperator = kNoRows | kStale | kAdmin | kDangerous;
constexpr std::uint32_t kSpeaks = kNoRows | kFast | kLoading | kStale;

// clang-format off
constexpr CommandSpec kSubcommands[] = {
    {"clock",                 2, kReads | kFast, kNoKeys, OnCluster<Clock>,
     {"Return what the server's clock shows, in milliseconds.", "0.1.0", "O(1)"}},
    {"count-failure-reports", 3, kOperator, kNoKeys, OnCluster<FailureReports>,
     {"Tell whether a server is silent.", "3.0.0", "O(n) in the servers", "node-id"}},
    {"countkeysinslot",       3, kReads | kWalks,    kNoKeys, OnCluster<CountKeysInSlot>,
     {"Count the keys of a slot.", "3.0.0", "O(n) in the keys of its shard", "slot:int"}},
    {"getkeysinslot",         4, kReads | kWalks,    kNoKeys, OnCluster<GetKeysInSlot>,
     {"Return keys of a slot.", "3.0.0", "O(n) in the keys of its shard", "slot:int count:int"}},
    {"help",                  2, kFlags,    kNoKeys, OnCluster<Help>,
     {"Tell what the subcommands do.", "5.0.0", "O(1)"}},
    {"info",                  2, kReads,    kNoKeys, OnCluster<Info>,
     {"Tell the state of the cluster.", "3.0.0", "O(n) in the shards"}},
    {"keyslot",               3, kReads,    kNoKeys, OnCluster<KeySlot>,
     {"Return the slot of a key.", "3.0.0", "O(n) in the bytes of the key", "key:string"}},
    {"links",                 2, kReads,    kNoKeys, OnCluster<Links>,
     {"Return an empty list: there is no cluster bus.", "7.0.0", "O(1)"}},
    {"myid",                  2, kReads,    kNoKeys, OnCluster<MyId>,
     {"Return the id of the server.", "3.0.0", "O(1)"}},
    {"nodes",                 2, kReads,    kNoKeys, OnCluster<Nodes>,
     {"Describe the servers of the cluster, one in each line.", "3.0.0", "O(n) in the shards"}},
    {"offer",                 3, kOperator | kNoScript, kNoKeys, OnCluster<Offer>,
     {"Tell a server that a shard was released for it; for servers.", "0.1.0", "O(1)", "shard"}},
    {"peer",                  -2, kOperator | kNoScript, kNoKeys, OnCluster<Peer>,
     {"Tell that the client is another server of the cluster, and of its clients.", "0.1.0", "O(1)",
      "[client=(address user)]"}},
    {"refused",               3, kNoRows | kStale | kLoading | kNoAuth | kNoScript, kNoKeys, OnCluster<RefusedPeer>,
     {"Tell a server that it refuses the login of another one; for servers.", "0.1.0",
      "O(n) in the servers", "address"}},
    {"replicas",              3, kOperator, kNoKeys, OnCluster<Replicas>,
     {"Return an empty list: servers have no replicas.", "5.0.0", "O(n) in the servers", "node-id"}},
    {"shards",                2, kReads, kNoKeys, OnCluster<Shards>,
     {"Describe the servers of the cluster and their slots.", "7.0.0", "O(n) in the shards"}},
    {"slaves",                3, kOperator, kNoKeys, OnCluster<Replicas>,
     {"As CLUSTER REPLICAS.", "3.0.0", "O(n) in the servers", "node-id"}},
    {"slots",                 2, kReads, kNoKeys, OnCluster<Slots>,
     {"Return the ranges of slots and their servers.", "3.0.0", "O(n) in the shards"}},
    {"table",                 -5, kOperator | kNoScript, kNoKeys, OnCluster<Table>,
     {"Run operations on the tables of a shard; for servers.", "0.1.0", "O(n) in the operations",
      "shard:int operation=(target json)..."}},
};

constexpr CommandSpec kCommands[] = {
    {"cluster", -2, 0, kNoKeys, nullptr, {"About the cluster.", "3.0.0", "O(1)"}, kSubcommands},
};

constexpr CommandSpec kSpeechCommands[] = {
    {"asking",    1,  kNoRows | kFast, kNoKeys, OnCluster<Speak>,
     {"Tell that the client speaks cluster; slots are never between two servers.", "3.0.0", "O(1)"}},
    {"readonly",  1,  kSpeaks, kNoKeys, OnCluster<Speak>,
     {"Tell that the client speaks cluster; there are no replicas to read from.", "3.0.0", "O(1)"}},
    {"readwrite", 1,  kSpeaks, kNoKeys, OnCluster<Speak>,
     {"Tell that the client speaks cluster.", "3.0.0", "O(1)"}},
};
// clang-format on

}  // namespace

CommandFamily ClusterFamily() { return {"cluster", Category::kAdmin, kCommands}; }

CommandFamily ClusterSpeechFamily() { return {"cluster", Category::kConnection, kSpeechCommands}; }

}  // namespace mayfly::server
