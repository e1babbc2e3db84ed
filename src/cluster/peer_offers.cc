#include "cluster/peer_offers.h"

#include <array>

#include "cluster/cluster_map.h"
#include "cluster/limits.h"
#include "cluster/offer_codec.h"
#include "server/command/command_feed.h"

namespace mayfly::cluster {

void PeerOffers::Send(const std::string& address, const engine::cluster::ShardOffer& offer) {
  const std::string bytes = Encode(offer);
  server::PeerRequest request{.to = AddressOf(address), .bytes = {}, .replies = 1};
  if (request.to.port == 0) return;  // It finds the shard by itself, some seconds later.
  server::AppendCommand(request.bytes, std::array<Bytes, 3>{"CLUSTER", "OFFER", bytes});
  auto call = peers_.Send(std::move(request), [](const server::PeerReplies& /*of no use*/) {});
  std::unique_ptr<server::PeerCall> oldest;
  const std::lock_guard lock(mutex_);
  calls_.push_back(std::move(call));
  if (calls_.size() <= kOffersUnderWay) return;
  oldest = std::move(calls_.front());
  calls_.pop_front();
}

}  // namespace mayfly::cluster
