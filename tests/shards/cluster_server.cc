// A cluster for the tests of real clients: servers over shards in memory, in one process.
//   cluster_server SERVERS SHARDS [SETTING VALUE]...
//   cluster_server SERVERS SHARDS --on-store [SETTING VALUE]...
// Prints the ports in one line, and those of HTTP in a second one. Each line of standard input is a
// command, and is answered by "done". It ends with its input.
//   SHARD SERVER   hands a shard over; without --on-store
//   release SHARD  makes it nobody's
//   kill SERVER    ends a server without a word to the others; with --on-store, where shards are
//                  owned by lease
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "shards/cluster_served.h"

using mayfly::server::ClusterServed;

int main(int argc, char** argv) {
  if (argc < 3) return EXIT_FAILURE;
  ClusterServed::Options options{.servers = std::stoul(argv[1]),
                                 .shards = std::stoul(argv[2]),
                                 .settings = {},
                                 .clock = &mayfly::SystemClock::Process()};
  int next = 3;
  options.on_store = next < argc && std::string(argv[next]) == "--on-store";
  if (options.on_store) ++next;
  for (; next + 1 < argc; next += 2) options.settings[argv[next]] = argv[next + 1];
  const std::size_t servers = options.servers;
  const bool on_store = options.on_store;
  ClusterServed served(std::move(options));
  if (on_store) served.AwaitShards();
  for (std::size_t i = 0; i < servers; ++i) std::cout << (i == 0 ? "" : " ") << served.port(i);
  std::cout << std::endl;
  for (std::size_t i = 0; i < servers; ++i) std::cout << (i == 0 ? "" : " ") << served.http_port(i);
  std::cout << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string first;
    std::size_t server = 0;  // Or the shard of "release".
    words >> first >> server;
    if (first == "kill") {
      served.Kill(server);
    } else if (first == "release") {
      served.shards().Release(server);
    } else {
      served.shards().Give(std::stoul(first), server);
    }
    std::cout << "done" << std::endl;
  }
  return EXIT_SUCCESS;
}
