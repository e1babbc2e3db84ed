// cluster_health.h - what a server of a cluster knows of its store and of the others' clocks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mayfly/clock.h"

namespace mayfly::server {

// This server's wall clock beside those of other servers.
struct ClusterClocks {
  enum class State : std::uint8_t {
    kAlone,    // There is no other server.
    kAgree,    // Within the bound of most others.
    kAhead,    // Beyond it: what is dead by this clock alone is not removed.
    kBehind,   // Beyond it on the other side: rows live longer.
    kUnknown,  // Too few are known: nothing is removed.
  };
  State state = State::kUnknown;
  Millis bound{0};
  Millis ahead{0};          // Of most others, at most; negative: behind.
  Millis skew{0};           // To the one that is furthest away, either way.
  std::size_t servers = 0;  // With which it is compared.
  std::size_t known = 0;    // Of these, whose clocks are known.
};

struct ClusterHealth {
  // Within the time of a lease. Otherwise what touches rows waits or fails.
  bool store_answers = true;
  Millis store_silent{0};  // For how long it has not, beyond the time of a lease.
  std::optional<ClusterClocks> clocks = std::nullopt;  // Nothing: they are not compared.
};

// "alone", "agree", "ahead", "behind", "unknown".
std::string_view Word(ClusterClocks::State state);

// What an operator should know and do; empty when all is well.
std::string ClocksAdvice(const ClusterClocks& clocks);

// Lines for INFO and CLUSTER INFO.
std::string HealthText(const ClusterHealth& health);

}  // namespace mayfly::server
