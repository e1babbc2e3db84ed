// cluster_map.h - the servers of a cluster as the node knows them, in the words of the Redis protocol.
#pragma once

#include <memory>
#include <string>

#include "engine/cluster/node/cluster_node.h"
#include "server/shards/cluster_view.h"

namespace mayfly::cluster {

// "host:port", as a server gives it to the roster. Without a port when it is another text.
server::ServerAddress AddressOf(const std::string& text);

// A server's id among Redis' nodes: 40 hexadecimal digits.
std::string NodeIdOf(engine::cluster::ServerId server);

std::shared_ptr<server::ClusterView> ViewOf(const engine::cluster::ClusterMap& map,
                                            engine::cluster::ServerId self);

}  // namespace mayfly::cluster
