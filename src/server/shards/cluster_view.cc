#include "server/shards/cluster_view.h"

#include <fmt/format.h>

#include <algorithm>

namespace mayfly::server {

std::string ToText(const ServerAddress& address) {
  return fmt::format("{}:{}", address.host, address.port);
}

const ClusterMember* ClusterView::self() const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [](const ClusterMember& member) { return member.is_self; });
  return found == members.end() ? nullptr : &*found;
}

std::vector<ServerAddress> OthersIn(const ClusterView& view) {
  std::vector<ServerAddress> others;
  for (const ClusterMember& member : view.members) {
    if (!member.is_self && member.state != ClusterMember::State::kGone) {
      others.push_back(member.address);
    }
  }
  return others;
}

bool IsWhole(const ClusterView& view) {
  return std::find(view.owners.begin(), view.owners.end(), ClusterView::kNobody) ==
         view.owners.end();
}

std::vector<SlotRange> SlotsOfMember(const ClusterView& view, std::size_t member) {
  std::vector<SlotRange> ranges;
  for (std::size_t shard = 0; shard < view.owners.size(); ++shard) {
    if (view.owners[shard] != member) continue;
    const SlotRange slots = SlotsOf(shard, view.owners.size());
    if (!ranges.empty() && ranges.back().last + 1 == slots.first) {
      ranges.back().last = slots.last;
    } else {
      ranges.push_back(slots);
    }
  }
  return ranges;
}

std::size_t CountSlots(const ClusterView& view, ClusterMember::State state) {
  if (view.owners.empty()) return 0;
  const auto shards = static_cast<std::size_t>(
      std::count_if(view.owners.begin(), view.owners.end(), [&](std::size_t owner) {
        return owner != ClusterView::kNobody && view.members[owner].state == state;
      }));
  return shards * (engine::kSlotCount / view.owners.size());
}

}  // namespace mayfly::server
