// cluster_figures.h - what a server of a cluster has counted, since it started. For metrics.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/duration_counts.h"

namespace mayfly::server {

struct ClusterFigures {
  bool is_in = false;         // It is one of the servers, with a lease that holds.
  bool is_withdrawn = false;  // Its clock is beyond the bound.

  // Shards: claimed from a server that had died, or from nobody; claimed from one that handed it over;
  // handed over to another.
  std::uint64_t taken_over = 0;
  std::uint64_t received = 0;
  std::uint64_t given = 0;
  std::uint64_t servers_ended = 0;  // By this one.
  DurationCounts::Counts openings;  // From a claim until the rows are in memory.
  std::uint64_t openings_failed = 0;

  // The lease: renewed; renewed after it had run out; ended by another server.
  std::uint64_t renewals = 0;
  std::uint64_t lapses = 0;
  std::uint64_t losses = 0;

  // The store: writes, and the commits and keys that these carried.
  DurationCounts::Counts writes;
  std::uint64_t commits = 0;
  std::uint64_t keys = 0;
  std::uint64_t resends = 0;
  std::uint64_t confirmed_reads = 0;
  std::chrono::nanoseconds stall{0};  // How long writes wait without an answer to any of them.
};

}  // namespace mayfly::server
