// simulated_server.h - one server of a simulation: its clock, its troubles, and what it has of its
// shards in memory.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tests/cluster/simulation.h"

namespace mayfly::engine::cluster::suite {

struct Simulation::Node final : LeaseStore, OwnershipListener {
  Node(Simulation& simulation, std::uint32_t its_number) : home(simulation), number(its_number) {}

  static ServerId IdOf(std::uint32_t number) { return ServerId{number} + 1; }

  // The server's own clock.
  SteadyTime Clock() const { return ClockAt(home.now_); }
  SteadyTime ClockAt(Nanos now) const {
    const std::int64_t passed = (now - rate_since).count();
    return clock_then + Nanos(passed + passed / kMillion * drift_ppm);
  }
  // When that clock will show `instant`, or a little later.
  Nanos When(SteadyTime instant) const {
    const std::int64_t shown = (instant - clock_then).count();
    return rate_since + Nanos(shown / (kMillion + drift_ppm) * kMillion + 2 * kMillion);
  }

  bool StandsStill() const { return home.now_ < still_until; }

  // Whether others have a reason to think it dead.
  bool IsTroubled() const {
    return !alive || cut || more_latency > Nanos(0) || beyond_bound || home.now_ < troubled_until;
  }

  void ReadRosterPage(RequestId request, std::uint32_t page) override {
    Message message{.kind = Kind::kReadPage, .page = page, .request = request};
    home.SendToStore(*this, std::move(message));
  }
  void SwapServer(RequestId request, ServerRecordPtr expected, ServerRecordPtr wanted) override {
    Message message{.kind = Kind::kSwapServer, .request = request};
    message.expected_server = std::move(expected);
    message.wanted_server = std::move(wanted);
    home.SendToStore(*this, std::move(message));
  }
  void SwapOwner(RequestId request, ShardId shard, const OwnerRecord& expected,
                 const OwnerRecord& wanted) override {
    Message message{.kind = Kind::kSwapOwner, .shard = shard, .request = request};
    message.expected = expected;
    message.wanted = wanted;
    home.SendToStore(*this, std::move(message));
  }
  void Offer(ServerId to, ShardId shard, const OwnerRecord& released) override;
  void OnGained(ShardId shard, const OwnerRecord& record) override;
  void OnDraining(ShardId shard) override;
  void OnLost(ShardId shard) override;

  // What the server knows of a shard that it owns.
  struct Shard {
    OwnerRecord record;
    std::optional<std::uint64_t> number;  // Nothing: not read yet, or a write's outcome is unknown.
    bool writes = false;                  // A write is under way.
    bool draining = false;
  };

  Simulation& home;
  const std::uint32_t number;
  std::unique_ptr<Ownership> ownership;  // Null: the process does not run.
  bool alive = false;
  bool cut = false;
  bool beyond_bound = false;  // Its clock has ever been further off than the bound.
  std::uint32_t life = 0;
  Nanos more_latency{0};
  Nanos still_until{0};
  Nanos troubled_until{0};
  SteadyTime clock_then;
  Nanos rate_since{0};
  std::int64_t drift_ppm = 0;
  Nanos tick_at{0};
  std::unordered_map<ShardId, Shard> shards;
  std::vector<ShardId> owned;  // The keys of `shards`.
};

}  // namespace mayfly::engine::cluster::suite
