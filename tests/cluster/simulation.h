// simulation.h - a cluster in virtual time: the real ownership code, and everything else invented.
// One thread, one queue of events ordered by time, one random generator: the same options give the
// same run. Servers have clocks of their own; messages take time, get lost and overtake each other;
// servers die, stand still, are slow or cut off; the store stalls.
// What must not happen is looked for at every change of an owner, at every write, and every
// kSampleInterval over all servers and shards.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "base/random.h"
#include "engine/cluster/ownership/ownership.h"
#include "tests/cluster/findings.h"
#include "tests/cluster/simulated_store.h"
#include "tests/cluster/simulation_options.h"

namespace mayfly::engine::cluster::suite {

inline constexpr Nanos kSampleInterval = std::chrono::milliseconds(250);

// How long after the end of a stall the store has answered everything that waited.
inline constexpr Nanos kStallTail = std::chrono::milliseconds(300);

// What the store does not answer.
enum class Stall : std::uint8_t { kNothing, kWrites, kAll };

struct Measured {
  Nanos unowned_max{0};          // The longest time that nobody served a shard.
  std::vector<Nanos> handovers;  // From the stop of the giver to the start of the receiver.
  std::uint64_t moves_per_second_max = 0;
  std::uint64_t requests_per_10ms_max = 0;  // Of the store, without users' writes.
  double requests_per_10ms_mean = 0;
  std::uint64_t events = 0;

  Nanos HandoverAt(double quantile) const;
};

class Simulation {
 public:
  explicit Simulation(const SimulationOptions& options);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Servers are numbered from 0. A server that runs is left alone by Start().
  void Start(std::uint32_t server);
  void Kill(std::uint32_t server);
  void Leave(std::uint32_t server);
  void StandStill(std::uint32_t server, Nanos length);
  void SlowDown(std::uint32_t server, Nanos more_latency);  // 0: as before.
  void CutOff(std::uint32_t server, bool cut);
  void SetDrift(std::uint32_t server, std::int64_t ppm);
  // Requests wait for the end. A stall within another is ignored.
  void StallStore(Stall what, Nanos length);
  void StallPage(std::uint32_t page, Nanos length);  // Of the roster.

  void RunFor(Nanos length);

  // Finds a load further than 20% from even, among servers that run without trouble.
  void CheckEven();

  // Finds more moves than `needed`, and some, since the last call.
  void CheckMoves(std::uint64_t needed);

  // Finds more requests to fence than a few for each of the fenced.
  void CheckFences();

  // Measures requests of the store from now on, until EndLoad() looks for moments of step.
  void BeginLoad();
  void EndLoad();

  Nanos now() const { return now_; }
  const Findings& findings() const { return findings_; }
  const StoreCounts& counts() const { return store_.counts(); }
  const Measured& measured() const { return measured_; }
  const Ownership& ownership(std::uint32_t server) const;
  bool Runs(std::uint32_t server) const;
  std::uint32_t LoadOf(std::uint32_t server) const;  // Shards with its name in the store.
  std::uint64_t deaths() const { return deaths_; }

 private:
  struct Node;
  enum class Kind : std::uint8_t {
    kTick,
    kWriteTime,
    kReadPage,
    kSwapServer,
    kSwapOwner,
    kReadNumber,
    kWrite,
    kPageReply,
    kServerReply,
    kOwnerReply,
    kNumberReply,
    kWriteReply,
    kOffer,
    kDrained,
  };
  struct Message {
    Kind kind = Kind::kTick;
    bool done = false;
    ShardId shard = 0;
    std::uint32_t server = 0;  // Who asked, or who is told.
    std::uint32_t life = 0;    // Of that server, when it asked.
    std::uint32_t page = 0;
    RequestId request = 0;
    std::uint64_t number = 0;
    OwnerRecord expected = {};
    OwnerRecord wanted = {};
    OwnerRecord found = {};
    ServerRecordPtr expected_server = {};
    ServerRecordPtr wanted_server = {};
    ServerRecordPtr found_server = {};
    RosterPagePtr records = {};
  };
  struct Event {
    std::int64_t at;
    std::uint64_t order;
    std::uint32_t message;  // An index of messages_.

    friend bool operator>(const Event& a, const Event& b) {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };

  // simulation.cc: events and the network.
  void ProlongTroubles(Nanos length);
  void Post(Nanos at, Message message);
  void SendToStore(Node& node, Message message);
  void Reply(Message message);
  Nanos Latency(const Node& node);
  bool IsLost();
  Nanos StalledUntil(const Message& message) const;
  void Handle(Message message);
  void HandleAtStore(Message message);
  void HandleAtServer(Node& node, Message& message);
  void Answer(Node& node, const Message& message);
  void AfterCall(Node& node);
  void WriteTime(Node& node);

  // checks.cc
  void OnClaimed(ShardId shard, const OwnerRecord& former);
  void OnFenced(const ServerRecord& record);
  void CountMove();
  void CountRequest();
  void Sample();
  bool MayServe(const Node& node, ShardId shard) const;

  const std::uint64_t moves_bound_;  // In a second.
  const SimulationOptions options_;
  const ShardMap map_;
  Random random_;
  Findings findings_;
  SimulatedStore store_;
  Measured measured_;
  Nanos now_{0};
  std::uint64_t order_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_messages_;
  std::vector<std::unique_ptr<Node>> nodes_;
  Stall stall_ = Stall::kNothing;
  Nanos stall_until_{0};
  std::uint32_t stalled_page_ = 0;
  Nanos page_stall_until_{0};
  std::uint64_t deaths_ = 0;

  // checks.cc
  Nanos next_sample_{0};
  std::vector<Nanos> unserved_;      // By shard: how long nobody has served it, stalls not counted.
  std::vector<bool> served_before_;  // By shard.
  std::vector<Nanos> stopped_at_;    // By shard: when its giver stopped; 0: no handover.
  std::deque<Nanos> moves_;          // Of the last second.
  std::uint64_t claims_before_ = 0;
  bool load_counts_ = false;
  Nanos load_since_{0};
  std::int64_t load_slot_ = 0;
  std::uint64_t load_in_slot_ = 0;
  std::uint64_t load_total_ = 0;
};

}  // namespace mayfly::engine::cluster::suite
