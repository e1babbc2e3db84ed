#include "cluster/shard_databases.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "cluster/cluster_map.h"
#include "cluster/limits.h"
#include "cluster/offer_codec.h"
#include "cluster/shard_look.h"
#include "core/new_database.h"
#include "mayfly/database.h"
#include "server/command/core_transaction_source.h"
#include "server/databases/databases.h"

namespace mayfly::cluster {

using engine::cluster::ShardId;

// A database of a shard with what serves it. Closed in the shard's lane, when its last use has ended.
struct ShardDatabases::OpenShard {
  std::unique_ptr<Database> database;
  std::unique_ptr<server::CoreTransactionSource> transactions;
  std::unique_ptr<server::Databases> databases;
  std::unique_ptr<Reaper> reaper;
  std::unique_ptr<server::ServedDatabase> served;
  std::function<void()> done = nullptr;  // Called when it is closed. In the lane.
};

Result<std::unique_ptr<ShardDatabases>> ShardDatabases::Open(
    std::shared_ptr<engine::cluster::ObjectStore> store, engine::cluster::NodeOptions node,
    const ShardDatabaseOptions& options) {
  MAYFLY_TRY(const auto format, engine::cluster::OpenFormat(*store, node.format));
  return std::unique_ptr<ShardDatabases>(
      new ShardDatabases(std::move(store), std::move(node), format, options));
}

ShardDatabases::ShardDatabases(std::shared_ptr<engine::cluster::ObjectStore> store,
                               engine::cluster::NodeOptions node,
                               const engine::cluster::ClusterFormat& format,
                               const ShardDatabaseOptions& options)
    : store_(std::move(store)),
      node_options_(std::move(node)),
      format_(format),
      options_(options),
      logger_(options.logger != nullptr ? *options.logger : SilentLogger()),
      lanes_(kLanes),
      here_(format.shards),
      tenures_(format.shards) {
  node_options_.shard.totals = totals_;
}

ShardDatabases::~ShardDatabases() {
  node_.reset();  // All shards are lost.
  lanes_.Stop();
}

Status ShardDatabases::Join(const server::ServerAddress& address,
                            engine::cluster::OfferSender* offers) {
  node_options_.address = server::ToText(address);
  MAYFLY_TRY(node_, engine::cluster::ClusterNode::Start(store_, node_options_, *this, offers));
  return {};
}

Status ShardDatabases::Leave(Millis wait_max) {
  return node_ == nullptr ? Status() : node_->Leave(wait_max);
}

void ShardDatabases::GiveUp() {
  if (node_ != nullptr) node_->GiveUp();
}

engine::cluster::NodeStats ShardDatabases::stats() const {
  return node_ == nullptr ? engine::cluster::NodeStats() : node_->stats();
}

server::ShardPlace ShardDatabases::Find(std::size_t shard) const {
  server::ShardPlace place;
  {
    const std::shared_lock lock(mutex_);
    place.here = here_.at(shard).usable();
  }
  if (place.here != nullptr || node_ == nullptr) return place;
  const auto at = node_->PlaceOf(server::SlotsOf(shard, format_.shards).first);
  if (at.kind == engine::cluster::Place::Kind::kElsewhere) place.elsewhere = AddressOf(at.address);
  return place;
}

std::vector<std::shared_ptr<server::ServedDatabase>> ShardDatabases::Here() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<server::ServedDatabase>> here;
  for (const Found& found : here_) {
    if (auto data = found.usable(); data != nullptr) here.push_back(std::move(data));
  }
  return here;
}

std::shared_ptr<const server::ClusterView> ShardDatabases::view() const {
  const std::lock_guard lock(view_mutex_);
  if (node_ == nullptr) return view_;
  auto now = ViewOf(node_->Map(), node_options_.server);
  if (now->owners == view_->owners && now->members == view_->members) return view_;
  now->epoch = std::max(now->epoch, view_->epoch + 1);
  return view_ = std::move(now);
}

// A lease is renewed in the store every second, and holds for some.
server::ClusterHealth ShardDatabases::health() const {
  const engine::cluster::NodeStats node = stats();
  server::ClusterHealth health{.store_answers = node.in};
  if (!node.in) {
    health.store_silent =
        node.leased_until == SteadyTime::min()
            ? Millis::max()
            : std::chrono::duration_cast<Millis>(node_options_.clock->Passed() - node.leased_until);
  }
  if (options_.clocks != nullptr) health.clocks = options_.clocks->Report();
  return health;
}

void ShardDatabases::SetListener(server::ShardListener* listener) {
  const std::lock_guard calls(listener_mutex_);
  listener_ = listener;
  if (listener == nullptr) return;
  for (const auto& data : Here()) {
    const Status came = listener->ShardComes(*data);
    if (!came.ok()) {
      Log(logger_, LogLevel::kError, "cluster: shard {}: {}", data->shard, came.message());
    }
  }
}

Status ShardDatabases::TakeOffer(Bytes bytes) {
  MAYFLY_TRY(const engine::cluster::ShardOffer offer, DecodeOffer(bytes));
  if (node_ != nullptr) node_->OnOffer(offer);
  return {};
}

server::ClusterFigures ShardDatabases::figures() const {
  const engine::cluster::NodeStats node = stats();
  server::ClusterFigures figures{.is_in = node.in,
                                 .is_withdrawn = node.withdrawn,
                                 .taken_over = node.ownership.takeovers,
                                 .received = node.ownership.received,
                                 .given = node.ownership.given,
                                 .servers_ended = node.ownership.fences,
                                 .openings = totals_->openings.Read(),
                                 .openings_failed = node.load_failures,
                                 .renewals = node.ownership.renewed,
                                 .lapses = node.ownership.regained,
                                 .losses = node.ownership.ended,
                                 .writes = totals_->writes.Read(),
                                 .commits = totals_->commits,
                                 .keys = totals_->keys,
                                 .resends = totals_->resends,
                                 .confirmed_reads = totals_->confirmed};
  if (node_options_.clock != nullptr) {
    figures.stall = totals_->Stall(node_options_.clock->Passed());
  }
  return figures;
}

Result<std::optional<server::StoreLook>> ShardDatabases::Look(std::size_t shard, Bytes find) const {
  const std::string object =
      engine::cluster::ShardObject(node_options_.format.database, static_cast<ShardId>(shard));
  MAYFLY_TRY(server::StoreLook look, LookInto(*store_, object, find));
  return std::optional(std::move(look));
}

void ShardDatabases::OnGained(ShardId shard, std::unique_ptr<engine::Engine> engine,
                              IsClosed is_closed) {
  std::uint64_t tenure = 0;
  {
    const std::unique_lock lock(mutex_);
    tenure = ++tenures_[shard];
  }
  lanes_.Add(shard, [this, shard, tenure,
                     engine = std::make_shared<std::unique_ptr<engine::Engine>>(std::move(engine)),
                     is_closed = std::move(is_closed)] {
    Open(shard, tenure, std::move(*engine), is_closed);
  });
}

void ShardDatabases::OnDraining(ShardId shard, std::function<void()> done) {
  TakeAway(shard, std::move(done));
}

void ShardDatabases::OnLost(ShardId shard) { TakeAway(shard, nullptr); }

// Nothing new finds the shard from here on. `done` is called when what found it before has ended, and
// the database is closed.
void ShardDatabases::TakeAway(ShardId shard, std::function<void()> done) {
  Found found;
  {
    const std::unique_lock lock(mutex_);
    ++tenures_[shard];
    found = std::exchange(here_[shard], {});
  }
  lanes_.Add(shard, [this, shard, found = std::move(found), done = std::move(done)]() mutable {
    if (found.data == nullptr) {
      if (done) done();
      return;
    }
    {
      const std::lock_guard calls(listener_mutex_);
      if (listener_ != nullptr) listener_->ShardGoes(shard);
    }
    found.open->reaper.reset();
    found.open->done = std::move(done);
    found.data.reset();
  });
}

bool ShardDatabases::IsCurrent(ShardId shard, std::uint64_t tenure) const {
  const std::shared_lock lock(mutex_);
  return tenures_[shard] == tenure;
}

void ShardDatabases::Open(ShardId shard, std::uint64_t tenure,
                          std::unique_ptr<engine::Engine> engine, IsClosed is_closed) {
  if (!IsCurrent(shard, tenure)) return;
  auto open = std::make_shared<OpenShard>();
  const Status opened = OpenOn(std::move(engine), *open);
  if (!opened.ok()) {
    if (IsCurrent(shard, tenure)) {
      Log(logger_, LogLevel::kError, "cluster: shard {} cannot be opened: {}", shard,
          opened.message());
    }
    Close(*open);
    return;
  }
  open->served = std::make_unique<server::ServedDatabase>(
      server::ServedDatabase{.database = *open->database,
                             .transactions = *open->transactions,
                             .databases = *open->databases,
                             .shard = shard,
                             .tenure = tenure});
  std::shared_ptr<server::ServedDatabase> data(
      open->served.get(), [this, shard, open](server::ServedDatabase* /*of open*/) {
        lanes_.Add(shard, [this, open] { Close(*open); });
      });
  const std::lock_guard calls(listener_mutex_);
  const Status came = listener_ == nullptr ? Status() : listener_->ShardComes(*data);
  if (!came.ok()) {
    Log(logger_, LogLevel::kError, "cluster: shard {} cannot be served: {}", shard, came.message());
    return;
  }
  bool is_here = false;
  {
    const std::unique_lock lock(mutex_);
    if (tenures_[shard] == tenure) {
      here_[shard] = {.data = std::move(data), .open = open, .is_closed = std::move(is_closed)};
      is_here = true;
    }
  }
  if (is_here) {
    if (options_.on_first_shard) std::call_once(first_shard_, options_.on_first_shard);
    return;
  }
  if (listener_ != nullptr) listener_->ShardGoes(shard);
}

Status ShardDatabases::OpenOn(std::unique_ptr<engine::Engine> engine, OpenShard& open) const {
  MAYFLY_TRY(open.database,
             core::NewDatabase(std::move(engine), {.allow_any_instant = true,
                                                   .clock_jump_max = options_.clock_jump_max,
                                                   .clock = options_.clock,
                                                   .removal_limit = options_.clocks,
                                                   .logger = options_.logger}));
  open.transactions = std::make_unique<server::CoreTransactionSource>(*open.database);
  MAYFLY_TRY(open.databases, server::Databases::Open(*open.database, 1));
  MAYFLY_RETURN_IF_ERROR(open.databases->MakeAll());
  if (options_.reap) {
    MAYFLY_TRY(open.reaper, open.database->StartReaper({.reclaim = false}));
  }
  return {};
}

void ShardDatabases::Close(OpenShard& open) const {
  open.reaper.reset();
  open.databases.reset();
  if (open.database != nullptr) {
    // A shard that is another's refuses to be written; the next owner has all of it.
    const Status closed = open.database->Close();
    if (!closed.ok()) Log(logger_, LogLevel::kDebug, "cluster: {}", closed.message());
  }
  open.transactions.reset();
  open.database.reset();
  if (open.done) std::exchange(open.done, nullptr)();
}

}  // namespace mayfly::cluster
