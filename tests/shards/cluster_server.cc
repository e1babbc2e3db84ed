// A cluster for the tests of real clients: servers over shards in memory, in one process.
//   cluster_server SERVERS SHARDS [SETTING VALUE]...
// Prints the ports in one line. Each line "SHARD SERVER" of standard input hands a shard over, and is
// answered by "done". It ends with its input.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "shards/cluster_served.h"

int main(int argc, char** argv) {
  using mayfly::server::ClusterServed;
  if (argc < 3) return EXIT_FAILURE;
  ClusterServed::Options options{.servers = std::stoul(argv[1]),
                                 .shards = std::stoul(argv[2]),
                                 .settings = {},
                                 .clock = &mayfly::SystemClock::Process()};
  for (int i = 3; i + 1 < argc; i += 2) options.settings[argv[i]] = argv[i + 1];
  const std::size_t servers = options.servers;
  ClusterServed served(std::move(options));
  for (std::size_t i = 0; i < servers; ++i) std::cout << (i == 0 ? "" : " ") << served.port(i);
  std::cout << std::endl;
  std::size_t shard = 0;
  std::size_t server = 0;
  while (std::cin >> shard >> server) {
    served.shards().Give(shard, server);
    std::cout << "done" << std::endl;
  }
  return EXIT_SUCCESS;
}
