// cluster_format.h - what is fixed when a database is created on a cluster, in its object
// "NAME.meta".
//   "format" -> | version u8 | shards, shards per group, roster pages: varints |
//               | lease in ms, wait in ms, drift bound in ppm: varints |
// Bytes: docs/formats/cluster_shard.md.
// All servers must agree on these, so a server that is configured otherwise does not start.
#pragma once

#include <cstdint>
#include <string>

#include "engine/cluster/objects/object_store.h"
#include "engine/cluster/ownership/ownership_options.h"
#include "engine/cluster/ownership/shard_map.h"

namespace mayfly::engine::cluster {

inline constexpr std::uint32_t kShardsDefault = 1024;

struct ClusterFormat {
  std::uint32_t shards = 0;
  std::uint32_t shards_per_group = 0;
  std::uint32_t roster_pages = 0;
  std::uint64_t lease_ms = 0;
  std::uint64_t wait_ms = 0;
  std::uint64_t drift_ppm = 0;

  friend bool operator==(const ClusterFormat&, const ClusterFormat&) = default;
};

std::string Encode(const ClusterFormat& format);

// Corruption when bytes are missing, left over or out of range; Unsupported for a later version.
Result<ClusterFormat> DecodeClusterFormat(Bytes bytes);

// Invalid unless it has 1 to 64 of a-z, A-Z, 0-9, '-' and '_'.
Status CheckDatabaseName(const std::string& name);

std::string MetaObject(const std::string& database);
std::string RosterObject(const std::string& database, std::uint32_t page);
std::string ShardObject(const std::string& database, ShardId shard);

struct FormatRequest {
  std::string database = {};
  std::uint32_t shards = 0;            // 0: as found; for a new one kShardsDefault.
  std::uint32_t shards_per_group = 0;  // 0: as found; for a new one 1.
  OwnershipOptions ownership = {};     // What of it is fixed must agree.
  bool create_if_missing = true;
};

// Reads the format, or creates the database. Invalid when it is another; NotFound when there is
// none and it may not be created; Busy when the store does not answer.
Result<ClusterFormat> OpenFormat(ObjectStore& store, const FormatRequest& request);

}  // namespace mayfly::engine::cluster
