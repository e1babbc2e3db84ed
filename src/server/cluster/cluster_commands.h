// cluster_commands.h - CLUSTER, READONLY, READWRITE and ASKING: what clients of Redis Cluster ask.
// The replies have the form of Redis 7.0. A server is a master without replicas; its shards are the
// slots it has. Commands that change a Redis Cluster by hand are not offered: servers share the
// slots by themselves.
#pragma once

#include "server/command/command.h"

namespace mayfly::server {

// CLUSTER itself, and what a connection says of itself.
CommandFamily ClusterFamily();
CommandFamily ClusterSpeechFamily();

}  // namespace mayfly::server
