#include "engine/cluster/node/cluster_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <utility>

#include "base/log.h"
#include "engine/cluster/node/limits.h"
#include "engine/cluster/shard/shard_engine.h"

namespace mayfly::engine::cluster {
namespace {

Logger& LoggerOf(const NodeOptions& options) {
  return options.logger != nullptr ? *options.logger : SilentLogger();
}

Status CheckNodeOptions(const NodeOptions& options) {
  MAYFLY_RETURN_IF_ERROR(CheckOptions(options.format.ownership));
  if (options.clock == nullptr) return Status::Invalid("a node of a cluster needs a clock");
  if (options.server == kNobody) {
    return Status::Invalid("a server of a cluster needs an id of its own above 0");
  }
  if (options.address.size() > kAddressBytesMax) {
    return Status::Invalid(fmt::format("an address of {} bytes; the limit is {}",
                                       options.address.size(), kAddressBytesMax));
  }
  if (options.loads_in_flight_max == 0 || options.loads_in_flight_max > kLoadsInFlightMax) {
    return Status::Invalid(
        fmt::format("loads_in_flight_max must be between 1 and {}", kLoadsInFlightMax));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ClusterNode>> ClusterNode::Start(std::shared_ptr<ObjectStore> store,
                                                        const NodeOptions& options,
                                                        ShardListener& listener,
                                                        OfferSender* offers) {
  MAYFLY_RETURN_IF_ERROR(CheckNodeOptions(options));
  MAYFLY_TRY(const ClusterFormat format, OpenFormat(*store, options.format));
  MAYFLY_TRY(const ShardMap map, ShardMap::Make(format.shards, format.shards_per_group));
  std::unique_ptr<ClusterNode> node(
      new ClusterNode(std::move(store), options, format, map, listener, offers));
  node->thread_ = std::thread([running = node.get()] { running->Run(); });
  return node;
}

ClusterNode::ClusterNode(std::shared_ptr<ObjectStore> store, const NodeOptions& options,
                         const ClusterFormat& format, const ShardMap& map, ShardListener& listener,
                         OfferSender* offers)
    : store_(std::move(store)),
      options_(options),
      format_(format),
      map_(map),
      clock_(*options.clock),
      logger_(LoggerOf(options)),
      listener_(listener),
      offers_(offers),
      lease_(std::make_shared<ReadLease>(clock_)),
      lease_store_(*store_, options.format.database, format.roster_pages, mailbox_, *this, logger_),
      loads_(std::make_unique<LoadThreads>(options.loads_in_flight_max)),
      here_(map.shards(), false),
      listers_(map.groups()) {}

ClusterNode::~ClusterNode() {
  if (!owner_.IsThis()) {
    Abandon(std::move(thread_));
    Abandon(std::move(loads_));
    Abandon(std::move(held_));
    Abandon(mailbox_);
    return;
  }
  stopping_ = true;
  mailbox_->Close();
  if (thread_.joinable()) thread_.join();
  while (!held_.empty()) OnLost(held_.begin()->first);
  loads_->Stop();
}

void ClusterNode::Run() {
  ownership_ = std::make_unique<Ownership>(
      options_.format.ownership, map_,
      Ownership::Identity{
          .server = options_.server, .address = options_.address, .seed = options_.seed},
      lease_store_, static_cast<OwnershipListener&>(*this), Now());
  while (!stopping_) {
    const SteadyTime next = Step();
    const auto pause = std::chrono::ceil<Millis>(std::max(next - Now(), Nanos(0)));
    clock_.Sleep(mailbox_->waker(), clock_.Now() + std::min<Millis>(pause, kStepPauseMax));
  }
}

// Does what has come and what is due; returns when there is more.
SteadyTime ClusterNode::Step() {
  for (const Mailbox::Task& task : mailbox_->TakeAll()) task();
  SteadyTime next = ownership_->Tick(Now());
  for (auto& [shard, held] : held_) {
    if (held.retry_at <= Now()) Load(shard, held);
    next = std::min(next, held.retry_at);
  }
  LookForNamesake();
  Publish();
  return next;
}

void ClusterNode::LookForNamesake() {
  const ServerRecordPtr& namesake = ownership_->namesake();
  if (namesake == nullptr || !refused_.ok()) return;
  const Status refused = Status::Invalid(fmt::format(
      "another server of the cluster's database {} has the number {} of this one: the one at {}. "
      "Each needs a number of its own (cluster-server)",
      options_.format.database, options_.server, namesake->address));
  {
    const std::unique_lock lock(places_mutex_);
    refused_ = refused;
  }
  if (options_.on_refused) options_.on_refused(refused);
}

void ClusterNode::Publish() {
  lease_->SetUntil(ownership_->LeasedUntil());
  const std::unique_lock lock(places_mutex_);
  counted_.ownership = ownership_->counts();
  counted_.in = ownership_->IsIn(Now());
  counted_.leased_until = ownership_->LeasedUntil();
  counted_.withdrawn = ownership_->IsWithdrawn();
  counted_.shards_loading = static_cast<std::uint32_t>(held_.size()) - counted_.shards_here;
  stats_ = counted_;
  has_left_ = has_left_ || ownership_->HasLeft();
  if (has_left_ || counted_.in || !refused_.ok()) changed_.notify_all();
}

Place ClusterNode::PlaceOf(Slot slot) const {
  const ShardId shard = map_.ShardOf(slot);
  const std::shared_lock lock(places_mutex_);
  if (here_[shard]) {
    return {.kind = Place::Kind::kHere, .server = options_.server, .address = options_.address};
  }
  const ServerRecordPtr& lister = listers_[map_.GroupOf(shard)];
  if (lister == nullptr || lister->server == options_.server) return {};
  return {.kind = Place::Kind::kElsewhere, .server = lister->server, .address = lister->address};
}

ClusterMap ClusterNode::Map() const {
  const std::shared_lock lock(places_mutex_);
  ClusterMap map{.servers = servers_, .owners = {}};
  for (std::uint32_t shard = 0; shard < map_.shards(); ++shard) {
    const ServerRecordPtr& lister = listers_[map_.GroupOf(static_cast<ShardId>(shard))];
    const bool is_others = lister != nullptr && lister->server != options_.server;
    map.owners.push_back(here_[shard] ? options_.server : is_others ? lister->server : kNobody);
  }
  return map;
}

void ClusterNode::OnOffer(const ShardOffer& offer) {
  if (offer.shard >= map_.shards()) return;
  mailbox_->Post([this, offer] { ownership_->OnOffer(Now(), offer.shard, offer.released); });
}

Status ClusterNode::AwaitJoined(std::chrono::milliseconds wait_max) {
  std::unique_lock lock(places_mutex_);
  const bool done =
      changed_.wait_for(lock, wait_max, [this] { return stats_.in || !refused_.ok(); });
  if (done) return refused_;
  return Status::Busy(
      fmt::format("server {} has not joined the cluster after {} ms; it goes on trying",
                  options_.server, wait_max.count()));
}

Status ClusterNode::Leave(std::chrono::milliseconds wait_max) {
  mailbox_->Post([this] { ownership_->Leave(); });
  std::unique_lock lock(places_mutex_);
  if (changed_.wait_for(lock, wait_max, [this] { return has_left_; })) return {};
  return Status::Busy(fmt::format(
      "server {} still has {} shards after {} ms; it goes on leaving, or stop it: others take them",
      options_.server, stats_.shards_here + stats_.shards_loading, wait_max.count()));
}

void ClusterNode::GiveUp() {
  mailbox_->Post([this] {
    for (const auto& [shard, held] : held_) {
      if (held.shard != nullptr) held.shard->GiveUp(Status::Busy("the server stops"));
    }
  });
}

NodeStats ClusterNode::stats() const {
  const std::shared_lock lock(places_mutex_);
  return stats_;
}

void ClusterNode::AwaitStep() {
  std::promise<void> done;
  // Posted by a task, so that a whole step lies between.
  mailbox_->Post([this, &done] { mailbox_->Post([&done] { done.set_value(); }); });
  done.get_future().wait();
}

void ClusterNode::OnRosterPage(RequestId request, const RosterPage& records) {
  ownership_->OnRosterPage(Now(), request, records);
  const RosterView& view = ownership_->view();
  const std::unique_lock lock(places_mutex_);
  for (std::uint32_t group = 0; group < listers_.size(); ++group) {
    const std::uint16_t lister = view.ListerOf(static_cast<GroupId>(group));
    const bool is_known = lister != RosterView::kNoServer && !view.servers()[lister].HasEnded();
    listers_[group] = is_known ? view.servers()[lister].record : nullptr;
  }
  servers_.clear();
  for (const std::uint16_t server : view.by_id()) {
    if (!view.servers()[server].HasEnded()) servers_.push_back(view.servers()[server].record);
  }
}

void ClusterNode::OnServerSwapped(RequestId request, bool done, const ServerRecordPtr& found) {
  ownership_->OnServerSwapped(Now(), request, done, found);
}

void ClusterNode::OnOwnerSwapped(RequestId request, ShardId shard, bool done,
                                 const OwnerRecord& found) {
  ownership_->OnOwnerSwapped(Now(), request, shard, done, found);
}

void ClusterNode::OnOfferTo(ServerId to, ShardId shard, const OwnerRecord& released) {
  const ServerRecordPtr record = ownership_->view().RecordOf(to);
  if (record != nullptr && offers_ != nullptr) offers_->Send(record->address, {shard, released});
}

}  // namespace mayfly::engine::cluster
