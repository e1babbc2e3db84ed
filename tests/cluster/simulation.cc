// simulation.cc - the events, the network and the servers' lives. checks.cc has what is looked for.
#include "tests/cluster/simulation.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "tests/cluster/simulated_server.h"

namespace mayfly::engine::cluster::suite {

namespace {

OwnershipOptions Mutated(OwnershipOptions options, Mutant mutant) {
  switch (mutant) {
    case Mutant::kEarlyTakeover: options.takeover_wait = options.lease / 2; break;
    case Mutant::kStallIsSilence: options.counted_gap_max = std::chrono::hours(1); break;
    case Mutant::kUnboundedMoves:
      options.moves_per_second = 100'000'000;
      options.claims_in_flight_max = 100'000;
      options.handovers_in_flight_max = 100'000;
      break;
    case Mutant::kNoJitter: options.jitter_percent = 0; break;
    case Mutant::kNoTurns: options.fence_stagger = Nanos(0); break;
    default: break;
  }
  return options;
}

SimulationOptions Mutated(SimulationOptions options) {
  options.ownership = Mutated(options.ownership, options.mutant);
  return options;
}

// A troubled server may be fenced for what others saw before.
constexpr Nanos kTroubleTail = std::chrono::seconds(6);

constexpr Nanos kDrain = std::chrono::milliseconds(1);

}  // namespace

Simulation::Simulation(const SimulationOptions& options)
    // A fifth more: servers see each other's number late, and requests arrive late.
    : moves_bound_(options.ownership.moves_per_second * 6 / 5),
      options_(Mutated(options)),
      map_(ShardMap::Make(options.shards, options.shards_per_group).value()),
      random_(options.seed),
      store_(options_, findings_),
      unserved_(options.shards, Nanos(0)),
      served_before_(options.shards, false),
      stopped_at_(options.shards, Nanos(0)) {
  for (std::uint32_t i = 0; i < options_.servers; ++i) {
    nodes_.push_back(std::make_unique<Node>(*this, i));
    Node& node = *nodes_.back();
    node.clock_then = SteadyTime(Nanos(random_.Below(std::uint64_t{1} << 50)));
    node.drift_ppm =
        static_cast<std::int64_t>(random_.Below(2 * options_.drift_ppm + 1)) - options_.drift_ppm;
  }
}

Simulation::~Simulation() = default;

const Ownership& Simulation::ownership(std::uint32_t server) const {
  MAYFLY_CHECK(nodes_[server]->ownership != nullptr, "the server does not run");
  return *nodes_[server]->ownership;
}

bool Simulation::Runs(std::uint32_t server) const { return nodes_[server]->alive; }

void Simulation::Start(std::uint32_t server) {
  Node& node = *nodes_[server];
  if (node.alive) return;
  node.alive = true;
  ++node.life;
  node.cut = false;
  node.more_latency = Nanos(0);
  node.tick_at = Nanos(0);
  node.still_until = Nanos(0);
  node.ownership = std::make_unique<Ownership>(
      options_.ownership, map_,
      Ownership::Identity{
          .server = Node::IdOf(server), .address = "10.0.0.1:6379", .seed = random_.Next()},
      node, node, node.Clock());
  AfterCall(node);
  Message write{.kind = Kind::kWriteTime, .server = server, .life = node.life};
  Post(now_ + Nanos(random_.Below(static_cast<std::uint64_t>(options_.write_interval.count()))),
       std::move(write));
}

void Simulation::Kill(std::uint32_t server) {
  Node& node = *nodes_[server];
  if (!node.alive) return;
  ++deaths_;
  node.alive = false;
  ++node.life;
  node.ownership.reset();
  node.shards.clear();
  node.owned.clear();
}

void Simulation::Leave(std::uint32_t server) {
  if (nodes_[server]->alive) nodes_[server]->ownership->Leave();
}

void Simulation::StandStill(std::uint32_t server, Nanos length) {
  Node& node = *nodes_[server];
  node.still_until = std::max(node.still_until, now_ + length);
  node.troubled_until = std::max(node.troubled_until, node.still_until + kTroubleTail);
}

void Simulation::SlowDown(std::uint32_t server, Nanos more_latency) {
  Node& node = *nodes_[server];
  const Nanos under_way = 2 * node.more_latency;
  node.more_latency = more_latency;
  node.troubled_until = std::max(node.troubled_until, now_ + under_way + kTroubleTail);
}

void Simulation::CutOff(std::uint32_t server, bool cut) {
  Node& node = *nodes_[server];
  node.cut = cut;
  node.troubled_until = std::max(node.troubled_until, now_ + kTroubleTail);
}

void Simulation::SetDrift(std::uint32_t server, std::int64_t ppm) {
  Node& node = *nodes_[server];
  node.clock_then = node.Clock();
  node.rate_since = now_;
  node.drift_ppm = ppm;
  node.beyond_bound |= std::abs(ppm) > options_.ownership.drift_bound_ppm;
  if (node.alive) AfterCall(node);
}

void Simulation::StallStore(Stall what, Nanos length) {
  // What waits for one stall must not wait for it while another is over already.
  if (now_ < stall_until_) return;
  stall_ = what;
  stall_until_ = now_ + length;
  ProlongTroubles(length);
}

void Simulation::StallPage(std::uint32_t page, Nanos length) {
  if (now_ < page_stall_until_) return;
  stalled_page_ = page;
  page_stall_until_ = now_ + length;
  ProlongTroubles(length);
}

// What others have begun because of a trouble waits for the end of the stall.
void Simulation::ProlongTroubles(Nanos length) {
  for (const auto& node : nodes_) {
    if (now_ < node->troubled_until) node->troubled_until += length + kStallTail;
  }
}

void Simulation::RunFor(Nanos length) {
  const Nanos end = now_ + length;
  while (!events_.empty() && events_.top().at <= end.count()) {
    const Event event = events_.top();
    events_.pop();
    while (next_sample_.count() <= event.at) {
      now_ = next_sample_;
      Sample();
      next_sample_ += kSampleInterval;
    }
    now_ = Nanos(event.at);
    ++measured_.events;
    Message message = std::move(messages_[event.message]);
    free_messages_.push_back(event.message);
    Handle(std::move(message));
  }
  now_ = end;
}

void Simulation::Post(Nanos at, Message message) {
  std::uint32_t place = 0;
  if (free_messages_.empty()) {
    place = static_cast<std::uint32_t>(messages_.size());
    messages_.push_back(std::move(message));
  } else {
    place = free_messages_.back();
    free_messages_.pop_back();
    messages_[place] = std::move(message);
  }
  events_.push({.at = at.count(), .order = order_++, .message = place});
}

void Simulation::SendToStore(Node& node, Message message) {
  message.server = node.number;
  message.life = node.life;
  if (node.cut || IsLost()) return;
  Post(now_ + Latency(node), std::move(message));
}

void Simulation::Reply(Message message) {
  const Node& node = *nodes_[message.server];
  if (node.cut || IsLost()) return;
  Post(now_ + Latency(node), std::move(message));
}

Nanos Simulation::Latency(const Node& node) {
  Nanos latency = options_.latency_min + node.more_latency;
  latency += Nanos(random_.Below(static_cast<std::uint64_t>(options_.latency_varies.count())));
  if (random_.Below(1'000'000) < options_.late_per_million) {
    latency += Nanos(random_.Below(static_cast<std::uint64_t>(options_.late_max.count())));
  }
  return latency;
}

bool Simulation::IsLost() { return random_.Below(1'000'000) < options_.lost_per_million; }

void Simulation::Handle(Message message) {
  switch (message.kind) {
    case Kind::kReadPage:
    case Kind::kSwapServer:
    case Kind::kSwapOwner:
    case Kind::kReadNumber:
    case Kind::kWrite: HandleAtStore(std::move(message)); return;
    default: break;
  }
  Node& node = *nodes_[message.server];
  if (!node.alive || node.life != message.life) return;
  if (message.kind == Kind::kTick && now_ != node.tick_at) return;  // Another was asked for.
  if (node.StandsStill()) {
    if (message.kind == Kind::kTick) node.tick_at = node.still_until;
    Post(node.still_until, std::move(message));
    return;
  }
  HandleAtServer(node, message);
}

Nanos Simulation::StalledUntil(const Message& message) const {
  const bool reads = message.kind == Kind::kReadPage || message.kind == Kind::kReadNumber;
  if (stall_ == Stall::kAll || (stall_ == Stall::kWrites && !reads)) {
    if (now_ < stall_until_) return stall_until_;
  }
  const std::uint32_t pages = options_.ownership.roster_pages;
  const bool of_page =
      (message.kind == Kind::kReadPage && message.page == stalled_page_) ||
      (message.kind == Kind::kSwapServer && message.wanted_server->server % pages == stalled_page_);
  return of_page ? page_stall_until_ : Nanos(0);
}

// What waits for a stalled store is carried out when it goes on, in any order.
void Simulation::HandleAtStore(Message message) {
  if (const Nanos until = StalledUntil(message); now_ < until) {
    const Nanos later(random_.Below(static_cast<std::uint64_t>(kStallTail.count())));
    Post(until + later, std::move(message));
    return;
  }
  switch (message.kind) {
    case Kind::kReadPage:
      CountRequest();
      message.records = store_.Read(message.page);
      message.kind = Kind::kPageReply;
      break;
    case Kind::kSwapServer:
      CountRequest();
      message.done =
          store_.SwapServer(message.expected_server, message.wanted_server, message.found_server);
      if (message.done && message.wanted_server->state == ServerState::kFenced) {
        OnFenced(*message.wanted_server);
      }
      message.expected_server.reset();
      message.wanted_server.reset();
      message.kind = Kind::kServerReply;
      break;
    case Kind::kSwapOwner:
      CountRequest();
      message.done =
          store_.SwapOwner(message.shard, message.expected, message.wanted, message.found);
      if (message.done && message.wanted.server != kNobody) {
        OnClaimed(message.shard, message.expected);
      }
      message.kind = Kind::kOwnerReply;
      break;
    case Kind::kReadNumber:
      message.number = store_.NumberOf(message.shard);
      message.found = store_.OwnerOf(message.shard);
      message.kind = Kind::kNumberReply;
      break;
    default:
      message.done = store_.Write(message.shard, message.expected, message.number);
      message.kind = Kind::kWriteReply;
      break;
  }
  Reply(std::move(message));
}

void Simulation::HandleAtServer(Node& node, Message& message) {
  Ownership& ownership = *node.ownership;
  const SteadyTime clock = node.Clock();
  switch (message.kind) {
    case Kind::kTick: ownership.Tick(clock); break;
    case Kind::kPageReply: ownership.OnRosterPage(clock, message.request, *message.records); break;
    case Kind::kServerReply:
      ownership.OnServerSwapped(clock, message.request, message.done, message.found_server);
      break;
    case Kind::kOwnerReply:
      ownership.OnOwnerSwapped(clock, message.request, message.shard, message.done, message.found);
      break;
    case Kind::kOffer: ownership.OnOffer(clock, message.shard, message.found); break;
    case Kind::kDrained: ownership.Drained(clock, message.shard); break;
    default: Answer(node, message); return;
  }
  AfterCall(node);
}

// What concerns users' reads and writes.
void Simulation::Answer(Node& node, const Message& message) {
  if (message.kind == Kind::kWriteTime) {
    WriteTime(node);
    Message next{.kind = Kind::kWriteTime, .server = node.number, .life = node.life};
    Post(now_ + Jittered(options_.write_interval, 50, random_), std::move(next));
    return;
  }
  const auto place = node.shards.find(message.shard);
  if (place == node.shards.end()) return;
  Node::Shard& shard = place->second;
  if (message.kind == Kind::kNumberReply) {
    // A late reply must not bring back what our own writes have overtaken.
    const bool first = !shard.number.has_value() && !shard.writes;
    if (first && message.found == shard.record) shard.number = message.number;
    return;
  }
  if (message.expected != shard.record) return;  // Of a former time of ours.
  shard.writes = false;
  if (message.done) shard.number = message.number;
}

void Simulation::AfterCall(Node& node) {
  const Nanos next = std::max(node.When(node.ownership->next_tick(node.Clock())), now_ + Nanos(1));
  if (node.tick_at > now_ && node.tick_at <= next) return;
  node.tick_at = next;
  Message tick{.kind = Kind::kTick, .server = node.number, .life = node.life};
  Post(next, std::move(tick));
}

// Writes to one of the server's shards what follows on what it knows. A write whose reply is lost
// stays under way: the server does not know what the shard has, and leaves it alone.
void Simulation::WriteTime(Node& node) {
  if (node.owned.empty()) return;
  const ShardId id = node.owned[random_.Below(node.owned.size())];
  Node::Shard& shard = node.shards[id];
  if (shard.draining || shard.writes) return;
  Message message{.kind = Kind::kReadNumber, .shard = id};
  if (shard.number.has_value()) {
    message.kind = Kind::kWrite;
    message.number = *shard.number + 1;
    message.expected = shard.record;
    shard.writes = true;
  }
  SendToStore(node, std::move(message));
}

void Simulation::Node::Offer(ServerId to, ShardId shard, const OwnerRecord& released) {
  const auto receiver = static_cast<std::uint32_t>(to - 1);
  if (cut || home.nodes_[receiver]->cut || home.IsLost()) return;
  Message message{.kind = Kind::kOffer, .shard = shard, .server = receiver};
  message.life = home.nodes_[receiver]->life;
  message.found = released;
  home.Post(home.now_ + home.Latency(*this), std::move(message));
}

void Simulation::Node::OnGained(ShardId shard, const OwnerRecord& record) {
  shards[shard] = {.record = record, .number = {}, .writes = false, .draining = false};
  owned.push_back(shard);
  Nanos& stopped_at = home.stopped_at_[shard];
  if (stopped_at != Nanos(0)) home.measured_.handovers.push_back(home.now_ - stopped_at);
  stopped_at = Nanos(0);
  Message message{.kind = Kind::kReadNumber, .shard = shard};
  home.SendToStore(*this, std::move(message));
}

void Simulation::Node::OnDraining(ShardId shard) {
  shards[shard].draining = true;
  home.stopped_at_[shard] = home.now_;
  Message message{.kind = Kind::kDrained, .shard = shard, .server = number, .life = life};
  home.Post(home.now_ + kDrain, std::move(message));
}

void Simulation::Node::OnLost(ShardId shard) {
  shards.erase(shard);
  owned.erase(std::find(owned.begin(), owned.end(), shard));
}

}  // namespace mayfly::engine::cluster::suite
