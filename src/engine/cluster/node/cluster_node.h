// cluster_node.h - one server of a cluster: owns shards, opens and closes them, and knows where the
// others are.
// A thread of its own runs Ownership (engine/cluster/ownership) on a store of objects, by the time
// that passes (Clock::Passed()). A shard that ownership gains is read into memory by one of a few
// loading threads, and then given to the listener as an engine; shards that break are read again.
//
//   Ownership: gained --> loading --> OnGained(engine) --> serving --> OnDraining --> OnLost
//
// Invariants:
// (1) Before another server can own a shard, its engine here refuses writes (the store sees to
//     that) and answers no read that the shard has not confirmed.
// (2) The listener hears of a shard in the order above; OnLost comes once for each OnGained. A
//     shard may be lost without draining, and gained again.
// Threads: every call from any thread, except that the destructor must be alone. The listener is
// called on the node's thread: it should return within some milliseconds, since leases wait.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/owner_process.h"
#include "engine/cluster/node/cluster_format.h"
#include "engine/cluster/node/load_threads.h"
#include "engine/cluster/node/object_lease_store.h"
#include "engine/cluster/ownership/ownership.h"
#include "engine/cluster/shard/shard.h"
#include "engine/engine.h"

namespace mayfly::engine::cluster {

// A shard that was released for another server, as one server tells another.
struct ShardOffer {
  ShardId shard = 0;
  OwnerRecord released;
};

// Carries offers to other servers. They may get lost, which costs seconds and nothing else. Called
// on the node's thread; must return at once.
class OfferSender {
 public:
  virtual ~OfferSender() = default;
  virtual void Send(const std::string& address, const ShardOffer& offer) = 0;
};

// What the server does with its shards.
class ShardListener {
 public:
  virtual ~ShardListener() = default;

  // The shard is here, and `engine` is its rows. Destroy it whenever nothing uses it any more, also
  // long after OnLost(): it then only returns errors. `is_closed`, from any thread: it already does,
  // since the store has said that the shard is another server's; OnLost() follows.
  using IsClosed = std::function<bool()>;
  virtual void OnGained(ShardId shard, std::unique_ptr<Engine> engine, IsClosed is_closed) = 0;

  // Begin nothing new on the shard; call `done` when nothing is in flight, from any thread. What is
  // not done after OwnershipOptions::drain_max is refused.
  virtual void OnDraining(ShardId shard, std::function<void()> done) = 0;

  // The shard is not here any more.
  virtual void OnLost(ShardId shard) = 0;
};

struct NodeOptions {
  FormatRequest format;  // The database, and how it is made if it is new.
  ServerId server = kNobody;
  std::string address;     // For clients and for the other servers.
  std::uint64_t seed = 0;  // Differs between servers and between starts.
  ShardOptions shard;

  // Shards that are read at the same time. More: a takeover of many is over sooner, and takes more
  // of the store from others meanwhile.
  std::uint32_t loads_in_flight_max = 4;

  // Called once, on the node's thread, when another living server has this one's number. The node
  // owns nothing then, and will not, for as long as the other one lives. May be null.
  std::function<void(const Status&)> on_refused = nullptr;

  const Clock* clock = nullptr;  // Must outlive the node.
  Logger* logger = nullptr;      // Null: silence. Must outlive the node.
};

struct Place {
  enum class Kind : std::uint8_t {
    kNowhere,    // No server serves it, as far as is known: it is on its way. Try again soon.
    kHere,       // The listener has it.
    kElsewhere,  // At `address`. May be out of date: then that server knows more.
  };
  Kind kind = Kind::kNowhere;
  ServerId server = kNobody;
  std::string address = {};
};

// The servers and the shards, as this server sees them now.
struct ClusterMap {
  std::vector<ServerRecordPtr> servers;  // Those that have not ended, by id.
  std::vector<ServerId> owners;          // By shard; kNobody: none is known.
};

struct NodeStats {
  OwnershipCounts ownership;
  std::uint32_t shards_here = 0;     // Served.
  std::uint32_t shards_loading = 0;  // Owned, and not served yet.
  std::uint64_t loads = 0;           // Shards read, since the start.
  std::uint64_t load_failures = 0;
  bool in = false;                              // In the roster, with a lease that holds.
  SteadyTime leased_until = SteadyTime::min();  // When that ends, or has ended; min(): not in.
  bool withdrawn = false;                       // The clock is beyond the bound.
};

class ClusterNode final : private OwnershipListener, private LeaseReplies {
 public:
  // Opens or creates the database and joins. Invalid for bad options or another format; Busy when
  // the store does not answer. `listener` must outlive the node; `offers` may be null: they get
  // lost.
  static Result<std::unique_ptr<ClusterNode>> Start(std::shared_ptr<ObjectStore> store,
                                                    const NodeOptions& options,
                                                    ShardListener& listener,
                                                    OfferSender* offers = nullptr);

  // Stops without leaving, as a crash does: the others wait until the lease is over. All shards are
  // lost to the listener before it returns. In a child made by fork() it leaves threads and shards.
  ~ClusterNode() override;

  const ShardMap& map() const { return map_; }
  const ClusterFormat& format() const { return format_; }

  Place PlaceOf(Slot slot) const;
  ClusterMap Map() const;

  // A server that released a shard for this one says so.
  void OnOffer(const ShardOffer& offer);

  // Returns when the server is in the roster. Invalid when another living server has its number;
  // Busy when that takes longer than `wait_max`, say since the store does not answer, or an earlier
  // life of this server may still hold its lease.
  Status AwaitJoined(std::chrono::milliseconds wait_max);

  // Gives all shards to others and leaves the roster. Busy when that takes longer than `wait_max`;
  // it goes on then.
  Status Leave(std::chrono::milliseconds wait_max);

  // All commits that wait for the store end, with an unknown outcome, and no shard is served any
  // more: for a server that stops while the store is silent.
  void GiveUp();

  NodeStats stats() const;

  // Waits until the node has done what had come, and what was due, when this was called. For tests,
  // which move the clock.
  void AwaitStep();

 private:
  // A shard that ownership says is ours.
  struct Held {
    OwnerRecord record;
    std::shared_ptr<Shard> shard;  // Null: waits for its next try.
    bool is_given = false;         // The listener has it.
    SteadyTime claimed;            // Or found broken: since when it cannot be used.
    SteadyTime retry_at = SteadyTime::max();
  };

  ClusterNode(std::shared_ptr<ObjectStore> store, const NodeOptions& options,
              const ClusterFormat& format, const ShardMap& map, ShardListener& listener,
              OfferSender* offers);

  void Run();
  SteadyTime Step();
  void LookForNamesake();
  void Publish();

  // From Ownership, on the node's thread.
  void OnGained(ShardId shard, const OwnerRecord& record) override;
  void OnDraining(ShardId shard) override;
  void OnLost(ShardId shard) override;

  // Replies of the store, on the node's thread.
  void OnRosterPage(RequestId request, const RosterPage& records) override;
  void OnServerSwapped(RequestId request, bool done, const ServerRecordPtr& found) override;
  void OnOwnerSwapped(RequestId request, ShardId shard, bool done,
                      const OwnerRecord& found) override;
  void OnOfferTo(ServerId to, ShardId shard, const OwnerRecord& released) override;

  void Load(ShardId shard, Held& held);
  void OnLoaded(ShardId shard, const std::shared_ptr<Shard>& loaded, const Status& status);
  void OnBroken(ShardId shard, const Shard* broken);
  void TakeFromListener(ShardId shard, Held& held);
  void SetHere(ShardId shard, bool here);
  SteadyTime Now() const { return clock_.Passed(); }

  const std::shared_ptr<ObjectStore> store_;
  const NodeOptions options_;
  const ClusterFormat format_;
  const ShardMap map_;
  const Clock& clock_;
  Logger& logger_;
  ShardListener& listener_;
  OfferSender* const offers_;
  const std::shared_ptr<ReadLease> lease_;
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  ObjectLeaseStore lease_store_;
  std::unique_ptr<LoadThreads> loads_;
  const OwnerProcess owner_;

  // Of the node's thread alone.
  std::unique_ptr<Ownership> ownership_;
  std::map<ShardId, Held> held_;
  NodeStats counted_;

  mutable std::shared_mutex places_mutex_;
  std::vector<bool> here_;                // Guarded by places_mutex_, as below. By shard.
  std::vector<ServerRecordPtr> listers_;  // By group; null: nobody.
  std::vector<ServerRecordPtr> servers_;  // By id; those that have not ended.
  NodeStats stats_;
  bool has_left_ = false;
  Status refused_;  // Ok: no other server has our number.
  std::condition_variable_any changed_;

  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace mayfly::engine::cluster
