#include "server/session/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/log.h"
#include "base/random.h"
#include "server/command/limits.h"
#include "server/command/notify_classes.h"
#include "server/session/session.h"
#include "types/streams/stream.h"

namespace mayfly::server {

Result<std::unique_ptr<Server>> Server::Open(ServerParts parts) {
  std::unique_ptr<Server> server(new Server(std::move(parts)));
  MAYFLY_RETURN_IF_ERROR(server->Start());
  return server;
}

Server::Server(ServerParts parts)
    : parts_(std::move(parts)),
      authorizer_(parts_.authorizer != nullptr ? parts_.authorizer : &own_authorizer_),
      publisher_(parts_.publisher != nullptr ? parts_.publisher : &own_publisher_),
      started_(Steady()),
      tracking_(parts_.database, parts_.clock, clients_),
      scan_cursors_(parts_.clock.Now()),
      script_gate_(parts_.real_clock),
      statistics_(parts_.table.entries().size()),
      throughput_(started_),
      latency_millis_(parts_.config.Watched(Setting::kLatencyMonitorThreshold)),
      slow_micros_(parts_.config.Watched(Setting::kSlowlogLogSlowerThan)),
      replica_read_only_(parts_.config.Watched(Setting::kReplicaReadOnly)),
      min_followers_(parts_.config.Watched(Setting::kMinReplicasToWrite)),
      ignores_max_(parts_.config.Watched(Setting::kReplicaIgnoreMaxMemory)),
      data_limit_(parts_.config, parts_.database, parts_.real_clock, FreshSeed()),
      foreigner_told_ms_(std::numeric_limits<std::int64_t>::min()),
      jobs_(parts_.clock, parts_.real_clock),
      backups_(parts_.database, parts_.config, parts_.clock, jobs_, parts_.restore) {
  Random random(FreshSeed());
  for (int i = 0; i < 5; ++i) run_id_ += fmt::format("{:08x}", random.Below(0x1'0000'0000));
  last_save_ms = ToMs(clock().Now());
  last_asked_save_ms = last_save_ms.load();
}

Server::~Server() {
  jobs_.Stop();  // One may look at shards.
  cluster_.reset();
  expired_.clear();
  jobs_.Stop();
}

Status Server::Start() {
  MAYFLY_TRY(
      databases_,
      Databases::Open(database(), parts_.shards != nullptr
                                      ? 1
                                      : static_cast<int>(config().Number(Setting::kDatabases))));
  own_data_ = std::make_shared<ServedDatabase>(ServedDatabase{
      .database = database(), .transactions = transactions(), .databases = *databases_});
  feed_ = std::make_unique<Feed>(
      [this](const std::string& keyspace) {
        return Databases::NumberOf(*databases_->mapping(), keyspace);
      },
      config().Watched(Setting::kReplBacklogSize));
  data_limit_.Follow();
  tracking_.SetKeysMax(static_cast<std::size_t>(config().Number(Setting::kTrackingTableMaxKeys)));
  config().OnChange(Setting::kTrackingTableMaxKeys, [this](const SettingValue& value) {
    tracking_.SetKeysMax(static_cast<std::size_t>(value.number));
    return Status();
  });
  authorizer_->SetDefaultPassword(config().Text(Setting::kRequirePass));
  config().OnChange(Setting::kRequirePass, [this](const SettingValue& value) {
    authorizer_->SetDefaultPassword(value.text);
    return Status();
  });
  config().OnChange(Setting::kNotifyKeyspaceEvents, [this](const SettingValue& value) {
    return FollowNotifications(static_cast<std::uint32_t>(value.number));
  });
  MAYFLY_RETURN_IF_ERROR(FollowNotifications(
      static_cast<std::uint32_t>(config().Number(Setting::kNotifyKeyspaceEvents))));
  if (parts_.shards == nullptr) return {};
  cluster_ = std::make_unique<ClusterSide>(*this, *parts_.shards, parts_.peers);
  return cluster_->Start();
}

std::vector<std::shared_ptr<ServedDatabase>> Server::DataHere() {
  if (parts_.shards != nullptr) return parts_.shards->Here();
  return {own_data_};
}

// Purges of expired keys, fields of hashes and entries of streams are notified through the events of
// the keyspaces.
Status Server::FollowNotifications(std::uint32_t bits) {
  const std::lock_guard lock(following_deaths_);
  return FollowDeaths(bits);
}

Status Server::FollowDeaths(std::uint32_t bits) {
  for (const auto& data : DataHere()) MAYFLY_RETURN_IF_ERROR(FollowDeathsIn(*data, bits));
  notify_bits_ = bits;
  return {};
}

Status Server::FollowDeathsIn(ServedDatabase& data, std::uint32_t bits) {
  const NotifyClasses classes = NotifyClasses::FromBits(bits);
  const bool expired = classes.Wants(NotifyClass::kExpired) || classes.Wants(NotifyClass::kHash) ||
                       classes.Wants(NotifyClass::kStream) || tracking_.any_broadcast();
  if (!expired) return {};
  MAYFLY_RETURN_IF_ERROR(data.databases.MakeAll());
  for (const auto& keyspace : *data.databases.mapping()) {
    KeyspacePolicy policy = keyspace->policy();
    if (policy.events != EventDetail::kOff) continue;
    policy.events = EventDetail::kKey;
    MAYFLY_RETURN_IF_ERROR(keyspace->SetPolicy(policy));
  }
  auto& subscription = expired_[data.shard];
  if (subscription != nullptr) return {};
  MAYFLY_TRY(subscription,
             data.database.Subscribe([this](const Event& event) { NotifyOfDeath(event); }));
  return {};
}

Status Server::FollowDeathsIn(ServedDatabase& data) {
  const std::lock_guard lock(following_deaths_);
  return FollowDeathsIn(data, notify_bits_.load(std::memory_order_relaxed));
}

void Server::StopFollowingDeathsIn(std::size_t shard) {
  const std::lock_guard lock(following_deaths_);
  expired_.erase(shard);
}

Status Server::NotifyOfDeaths() {
  const std::lock_guard lock(following_deaths_);
  return FollowDeaths(notify_bits_.load(std::memory_order_relaxed));
}

void Server::NotifyOfDeath(const Event& event) {
  if (event.cause == EventCause::kEvicted) return;  // The one who evicts tells that.
  const bool entry = event.member && types::Stream::EntryOf(*event.member);
  const NotifyClass kind = entry          ? NotifyClass::kStream
                           : event.member ? NotifyClass::kHash
                                          : NotifyClass::kExpired;
  if (!Wants(kind) && !tracking_.any_broadcast()) return;
  const int number = NumberOf(event.keyspace_name);
  if (number >= 0) tracking_.KeyDied({number, event.key});
  const std::string_view name = entry ? "xexpired" : event.member ? "hexpired" : "expired";
  if (number >= 0) Notify(kind, name, number, event.key);
}

// Of a purge's events most have the same keyspace.
int Server::NumberOf(const std::string& keyspace_name) {
  // Databases of several shards call this at the same time. Theirs are not swapped.
  if (parts_.shards != nullptr) return keyspace_name == kFirstKeyspace ? 0 : -1;
  const std::uint64_t generation = databases_->generation();
  if (died_in_.generation == generation && died_in_.name == keyspace_name) return died_in_.number;
  const auto mapping = databases_->mapping();
  const auto found = std::find_if(mapping->begin(), mapping->end(), [&](const auto& keyspace) {
    return keyspace != nullptr && keyspace->name() == keyspace_name;
  });
  const int number = found == mapping->end() ? -1 : static_cast<int>(found - mapping->begin());
  died_in_ = {.generation = generation, .name = keyspace_name, .number = number};
  return number;
}

std::unique_ptr<SessionExtension> Server::NewExtension(Session& session) {
  return parts_.extensions != nullptr ? parts_.extensions->ForSession(*this, session)
                                      : std::make_unique<SessionExtension>();
}

ScriptFigures Server::script_figures() const {
  return parts_.extensions != nullptr ? parts_.extensions->script_figures() : ScriptFigures();
}

void Server::NoteLatency(std::string_view event, std::chrono::nanoseconds took) {
  const std::int64_t threshold = latency_millis_.load(std::memory_order_relaxed);
  const std::int64_t millis = std::chrono::duration_cast<Millis>(took).count();
  if (threshold == 0 || millis < threshold) return;
  latency_events_.Add(event, ToMs(clock().Now()) / 1000, static_cast<std::uint64_t>(millis));
}

void Server::Notify(NotifyClass kind, std::string_view event, int database, Bytes key) {
  const NotifyClasses classes =
      NotifyClasses::FromBits(notify_bits_.load(std::memory_order_relaxed));
  if (!classes.Wants(kind)) return;
  if (classes.on_keyspace_channel()) {
    publisher().Publish(fmt::format("__keyspace@{}__:{}", database, key), event);
  }
  if (classes.on_event_channel()) {
    publisher().Publish(fmt::format("__keyevent@{}__:{}", database, event), key);
  }
}

void Server::NoteSlow(Session& session, const CommandEntry& entry, std::span<const Bytes> args,
                      std::uint64_t nanos) {
  constexpr std::uint64_t kNanosPerMicro = 1000;
  const std::int64_t slow = slow_micros_.load(std::memory_order_relaxed);
  const std::uint64_t micros = nanos / kNanosPerMicro;
  if (slow < 0 || micros < static_cast<std::uint64_t>(slow) || entry.Is(kSkipSlowlog)) return;
  slowlog_.Add({.at = clock().Now(),
                .micros = micros,
                .args = ShortenedArgs(*entry.spec, args),
                .client_address = session.origin().address,
                .client_name = session.state().name},
               static_cast<std::size_t>(config().Number(Setting::kSlowlogMaxLen)));
}

void Server::WarnOfForeignProtocol(const Session& session) {
  const auto now = std::chrono::duration_cast<Millis>(Steady().time_since_epoch()).count();
  std::int64_t told = foreigner_told_ms_.load();
  if (told != std::numeric_limits<std::int64_t>::min() && now - told < kWarningInterval.count()) {
    return;
  }
  if (!foreigner_told_ms_.compare_exchange_strong(told, now)) return;
  Log(logger(), LogLevel::kWarning,
      "client closed: it sends HTTP to the port of the Redis protocol. A web page may be trying to "
      "reach this server through a user's browser ({})",
      session.Describe());
}

void Server::ResumePaused() {
  for (const auto& session : clients_.All()) {
    session->Post([](Session& self) { self.Unpause(); });
  }
}

Status Server::Save() {
  const std::lock_guard lock(saving_);
  const std::uint64_t changes = changes_since_save;
  const Status saved = database().Sync(Durability::kDisk);
  last_save_ok = saved.ok();
  if (!saved.ok()) {
    Log(logger(), LogLevel::kError, "cannot make commits durable: {}", saved.ToString());
    return saved;
  }
  changes_since_save -= changes;
  last_save_ms = ToMs(clock().Now());
  return {};
}

void Server::OnShutdown(std::function<void()> stop) {
  const std::lock_guard lock(stopping_);
  stop_ = std::move(stop);
}

void Server::Shutdown() {
  const std::lock_guard lock(stopping_);
  if (stop_) stop_();
}

}  // namespace mayfly::server
