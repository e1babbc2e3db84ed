// peer_offers.h - carries offers of shards to other servers, as CLUSTER OFFER.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "engine/cluster/node/cluster_node.h"
#include "server/session/peer_calls.h"

namespace mayfly::cluster {

// Safe to call from any thread.
class PeerOffers final : public engine::cluster::OfferSender {
 public:
  // `peers` must outlive it.
  explicit PeerOffers(server::PeerCalls& peers) : peers_(peers) {}

  void Send(const std::string& address, const engine::cluster::ShardOffer& offer) override;

 private:
  server::PeerCalls& peers_;
  std::mutex mutex_;
  std::deque<std::unique_ptr<server::PeerCall>> calls_;  // Guarded by mutex_: the newest.
};

}  // namespace mayfly::cluster
