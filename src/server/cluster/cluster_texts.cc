#include "server/cluster/cluster_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace mayfly::server {
namespace {

using State = ClusterMember::State;

// What Redis adds to the port of clients for its cluster bus. Clients skip it; none is there.
constexpr int kBusPortOffset = 10'000;

std::string_view HealthOf(State state) { return state == State::kGone ? "fail" : "online"; }

// "myself,master", "master,fail?", "master,fail".
std::string FlagsOf(const ClusterMember& member) {
  std::string flags = member.is_self ? "myself,master" : "master";
  if (member.state == State::kSilent) flags += ",fail?";
  if (member.state == State::kGone) flags += ",fail";
  return flags;
}

void Text(ReplyWriter& reply, std::string_view name, Bytes text) {
  reply.Bulk(name);
  reply.Bulk(text);
}

void Number(ReplyWriter& reply, std::string_view name, std::int64_t number) {
  reply.Bulk(name);
  reply.Integer(number);
}

}  // namespace

void WriteSlots(const ClusterView& view, ReplyWriter& reply) {
  std::vector<std::pair<SlotRange, const ClusterMember*>> ranges;
  for (std::size_t i = 0; i < view.members.size(); ++i) {
    for (const SlotRange& range : SlotsOfMember(view, i)) {
      ranges.emplace_back(range, &view.members[i]);
    }
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return a.first.first < b.first.first; });
  reply.Array(ranges.size());
  for (const auto& [range, member] : ranges) {
    reply.Array(3);
    reply.Integer(range.first);
    reply.Integer(range.last);
    reply.Array(4);
    reply.Bulk(member->address.host);
    reply.Integer(member->address.port);
    reply.Bulk(member->id);
    reply.Map(0);
  }
}

void WriteShards(const ClusterView& view, ReplyWriter& reply) {
  reply.Array(view.members.size());
  for (std::size_t i = 0; i < view.members.size(); ++i) {
    const ClusterMember& member = view.members[i];
    const std::vector<SlotRange> ranges = SlotsOfMember(view, i);
    reply.Map(2);
    reply.Bulk("slots");
    reply.Array(2 * ranges.size());
    for (const SlotRange& range : ranges) {
      reply.Integer(range.first);
      reply.Integer(range.last);
    }
    reply.Bulk("nodes");
    reply.Array(1);
    reply.Map(7);
    Text(reply, "id", member.id);
    Number(reply, "port", member.address.port);
    Text(reply, "ip", member.address.host);
    Text(reply, "endpoint", member.address.host);
    Text(reply, "role", "master");
    Number(reply, "replication-offset", 0);
    Text(reply, "health", HealthOf(member.state));
  }
}

std::string NodesText(const ClusterView& view) {
  std::string text;
  for (std::size_t i = 0; i < view.members.size(); ++i) {
    const ClusterMember& member = view.members[i];
    text += fmt::format("{} {}@{} {} - 0 0 {} {}", member.id, ToText(member.address),
                        member.address.port + kBusPortOffset, FlagsOf(member), member.epoch,
                        member.state == State::kReachable ? "connected" : "disconnected");
    for (const SlotRange& range : SlotsOfMember(view, i)) {
      text += range.first == range.last ? fmt::format(" {}", range.first)
                                        : fmt::format(" {}-{}", range.first, range.last);
    }
    text += '\n';
  }
  return text;
}

std::string ClusterInfoText(const ClusterView& view, const ClusterHealth& health) {
  const std::size_t ok = CountSlots(view, State::kReachable);
  const std::size_t silent = CountSlots(view, State::kSilent);
  const std::size_t gone = CountSlots(view, State::kGone);
  std::size_t owners = 0;
  for (std::size_t i = 0; i < view.members.size(); ++i) {
    if (!SlotsOfMember(view, i).empty()) ++owners;
  }
  const ClusterMember* const self = view.self();
  const bool is_ok = ok + silent == engine::kSlotCount && health.store_answers;
  std::string text = fmt::format(
      "cluster_state:{}\r\ncluster_slots_assigned:{}\r\ncluster_slots_ok:{}\r\n"
      "cluster_slots_pfail:{}\r\ncluster_slots_fail:{}\r\ncluster_known_nodes:{}\r\n"
      "cluster_size:{}\r\ncluster_current_epoch:{}\r\ncluster_my_epoch:{}\r\n"
      "cluster_stats_messages_sent:0\r\ncluster_stats_messages_received:0\r\n"
      "total_cluster_links_buffer_limit_exceeded:0\r\n",
      is_ok ? "ok" : "fail", ok + silent + gone, ok, silent, gone, view.members.size(), owners,
      view.epoch, self != nullptr ? self->epoch : 0);
  return text + HealthText(health);
}

}  // namespace mayfly::server
