// load_server.h - a process that serves shards of a database on Ceph and loads them with writes.
// Each write counts one pair of rows up, "a" and "b" of a key: it reads the pair, and commits the
// next number on condition that both still have the one read. So a number that is acknowledged
// twice is a write that was lost, and two rows that differ are a torn one. What happens is told by
// lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mayfly::engine::cluster::suite {

inline constexpr std::uint32_t kLoadShards = 16;
inline constexpr std::uint32_t kKeysPerShard = 8;

struct LoadLine {
  enum class Kind : std::uint32_t { kGained = 1, kLost, kAcknowledged };
  Kind kind = Kind::kGained;
  std::uint32_t shard = 0;
  std::uint32_t key = 0;
  std::uint32_t unused = 0;
  std::uint64_t number = 0;  // Of the pair, kAcknowledged.
  std::int64_t at_ns = 0;    // SteadyTime: all processes of a machine share it.
};

// How such a process is started: --load-server CONF DATABASE ID [HOST]. `host`: the FarHost that it
// runs on, or empty.
std::vector<std::string> LoadServerArguments(const std::string& conf_file,
                                             const std::string& database, int id,
                                             const std::string& host = {});

// Runs it, if the arguments of main() say so: then it never returns.
void RunLoadServer(int argc, char** argv);

// The key of a row in the map of its shard's object: "a" or "b" of the pair.
std::string LoadRow(char which, std::uint32_t key);

}  // namespace mayfly::engine::cluster::suite
