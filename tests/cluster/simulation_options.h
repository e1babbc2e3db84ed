// simulation_options.h - a simulated cluster: its size, its network, its clocks, and what is broken.
#pragma once

#include <cstdint>

#include "engine/cluster/ownership/ownership_options.h"

namespace mayfly::engine::cluster::suite {

// One thing taken out of the logic or its surroundings, to show that a test sees it.
enum class Mutant : std::uint8_t {
  kNone,
  kNoEpochCompare,    // The shard takes every write.
  kBlindRenewal,      // A renewal overwrites whatever record it finds, a fenced one, too.
  kEarlyTakeover,     // Others wait for half of the lease.
  kServesAfterLease,  // A server answers from memory for all it believes to own.
  kNoFence,           // Servers are believed to be fenced when they are not.
  kStallIsSilence,    // All time between two reads counts as silence.
  kUnboundedMoves,    // Everybody begins all moves at once.
  kNoJitter,          // All pauses have the same length, and begin at the same moment.
  kNoTurns,           // All servers fence a silent one at once.
};

struct SimulationOptions {
  std::uint64_t seed = 1;
  std::uint32_t servers = 1000;
  std::uint32_t shards = 16384;
  std::uint32_t shards_per_group = 1;
  OwnershipOptions ownership;
  Mutant mutant = Mutant::kNone;

  // Each server's clock runs off by a random rate up to this, either way.
  std::uint32_t drift_ppm = 5'000;

  // One way, of a message.
  Nanos latency_min = std::chrono::microseconds(300);
  Nanos latency_varies = std::chrono::microseconds(1400);

  // Of a million messages, requests and replies alike. Late ones take up to late_max more, and so
  // arrive behind younger ones.
  std::uint32_t lost_per_million = 500;
  std::uint32_t late_per_million = 2'000;
  Nanos late_max = std::chrono::milliseconds(2000);

  // The longest that nobody may serve a shard while the store answers.
  Nanos unserved_max = std::chrono::seconds(10);

  // Pause between two writes of one server.
  Nanos write_interval = std::chrono::milliseconds(500);
};

}  // namespace mayfly::engine::cluster::suite
