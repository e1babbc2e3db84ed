#include "server/executor/command_batch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "core/transactions/member_deaths.h"
#include "server/command/run_handler.h"
#include "server/config/fsync_mode.h"
#include "server/feed/feed.h"
#include "server/session/session.h"

namespace mayfly::server {

CommandBatch::CommandBatch(Server& server, ThreadCounters& counters, std::uint64_t seed)
    : server_(server),
      counters_(counters),
      fsync_(server.config().Watched(Setting::kAppendFsync)),
      random_(seed),
      data_(&server.own_data()) {}

void CommandBatch::Use(std::shared_ptr<ServedDatabase> data, std::optional<engine::Slot> slot) {
  slot_ = slot;
  ServedDatabase* const next = data != nullptr ? data.get() : &server_.own_data();
  if (next != data_) mapping_ = nullptr;
  data_ = next;
  used_ = std::move(data);
}

Status CommandBatch::Begin(std::span<const DatabaseKeyView> keys, KeyReach reach) {
  // The mapping of database numbers may change while this waits for latches.
  while (true) {
    const Status began = BeginOnce(keys, reach);
    if (data_->databases.generation() == generation_) return began;
    transaction_.reset();
  }
}

Status CommandBatch::BeginOnce(std::span<const DatabaseKeyView> keys, KeyReach reach) {
  const bool everything = reach == KeyReach::kEverything;
  if (everything) MAYFLY_RETURN_IF_ERROR(data_->databases.MakeAll());
  RefreshMapping();
  for (const DatabaseKeyView& key : keys) {
    if (key.database == kOwnDatabase) continue;
    if ((*mapping_)[static_cast<std::size_t>(key.database)] != nullptr) continue;
    MAYFLY_RETURN_IF_ERROR(data_->databases.Make(key.database));
    RefreshMapping();
  }
  scope_.keys.clear();
  scope_.everything = everything;
  scope_.walks = reach == KeyReach::kWalks;
  scope_.memory = memory_.get();
  for (const DatabaseKeyView& key : keys) {
    const Keyspace* const keyspace =
        key.database == kOwnDatabase ? &data_->databases.own()
                                     : (*mapping_)[static_cast<std::size_t>(key.database)].get();
    scope_.keys.push_back({keyspace, key.key, key.writes});
  }
  scope_.judged_at.reset();
  if (leader_ != nullptr) {
    scope_.keys.push_back(leader_->position_key());
    scope_.judged_at = leader_->judged_at();
  }
  MAYFLY_TRY(transaction_, data_->transactions.Begin(scope_));
  return {};
}

void CommandBatch::RefreshMapping() {
  const std::uint64_t generation = data_->databases.generation();
  if (mapping_ != nullptr && generation == generation_) return;
  mapping_ = data_->databases.mapping();
  generation_ = generation;
}

Answer CommandBatch::Run(const Order& order) {
  session_ = order.session;
  block_.reset();
  const std::size_t notifications_before = notifications_.size();
  ReplyWriter writer(order.out, order.version);
  Call call{
      .args = order.args,
      .reply = writer,
      .transaction = order.entry.Is(kNoRows) ? nullptr : transaction_.get(),
      .database = order.database,
      .host = *this,
      .may_block = order.may_block,
      .retried = order.retried,
      .frozen_now = transaction_ != nullptr ? std::optional(transaction_->now()) : std::nullopt,
      .feed = server_.feed().on() ? &feed_ : nullptr};
  if (call.feed != nullptr && !order.within) feed_.NextUnit();
  Answer answer = RunHandler(*order.entry.spec, call, order.out);
  if (!answer.ok()) notifications_.resize(notifications_before);
  session_ = nullptr;
  return answer;
}

Result<std::uint64_t> CommandBatch::Evict(std::span<const Victim> victims, EvictionPolicy policy) {
  std::uint64_t evicted = 0;
  for (const Victim& victim : victims) {
    core::TransactionKeyspace& space = Space(*transaction_, victim.database);
    core::FoundRow row;
    MAYFLY_RETURN_IF_ERROR(space.Find(victim.key, row));
    // A collection may be in the index because its members all die.
    const bool moved_on =
        !row.is_collection && ((victim.deadline && row.deadline != victim.deadline) ||
                               (IsVolatile(policy) && !row.deadline));
    if (!row.exists || moved_on) continue;
    MAYFLY_TRY(const bool removed, space.Evict(victim.key));
    if (!removed) continue;
    ++evicted;
    if (server_.feed().on()) {
      const Bytes del[] = {"DEL", victim.key};
      feed_.NextUnit();
      feed_.BeginCommand(victim.database);
      feed_.EndCommand(del, /*changed=*/true);
    }
    Notify(NotifyClass::kEvicted, "evicted", victim.database, victim.key);
  }
  return evicted;
}

bool CommandBatch::Wakes() const {
  const WaitingClients& waiting = server_.waiting();
  if (waiting.empty() || transaction_ == nullptr) return false;
  if (!waiting_databases_.empty()) return true;
  const auto& changed = transaction_->changed();
  return std::any_of(changed.begin(), changed.end(), [&](const core::ChangedKey& key) {
    return waiting.AnyoneFor(Databases::NumberOf(*mapping_, key.keyspace), key.key);
  });
}

void CommandBatch::MarkChanged() {
  const auto& changed = transaction_->changed();
  if (changed.empty() && waiting_databases_.empty()) return;  // Most commands read.
  server_.changes_since_save += changed.size() + (cleared_ ? 1 : 0);
  const bool tracking = server_.tracking().any();
  if (server_.watches().empty() && server_.waiting().empty() && !tracking) return;
  if (tracking && !waiting_databases_.empty()) server_.tracking().TakeAll(invalidations_);
  const std::uint64_t writer = client_ != nullptr ? client_->origin().id : 0;
  for (const core::ChangedKey& key : changed) {
    const int database = Databases::NumberOf(*mapping_, key.keyspace);
    if (database < 0) continue;
    server_.watches().Touch(database, key.key);
    if (tracking) server_.tracking().Take({database, key.key}, writer, invalidations_);
    if (server_.waiting().AnyoneFor(database, key.key))
      ready_.push_back({database, std::string(key.key)});
  }
  for (const int database : waiting_databases_) {
    for (DatabaseKey& key : server_.waiting().KeysOf(database)) ready_.push_back(std::move(key));
  }
}

Status CommandBatch::Commit(std::size_t commands) {
  ready_.clear();
  fed_to_ = 0;
  Status committed;
  if (transaction_ != nullptr) {
    if (leader_ != nullptr) committed = leader_->NotePosition(*transaction_, commands);
    if (committed.ok() && !feed_.empty()) committed = FeedDeadlines();
    if (swapped_ != nullptr || !feed_.empty()) transaction_->set_witness(this);
    MarkChanged();
    const bool changed = cleared_ || !transaction_->changed().empty();
    if (committed.ok()) committed = transaction_->Commit();
    transaction_.reset();
    happened_ = committed.ok();
    if (happened_) {
      committed = MakeKnown(changed);
    } else {
      ready_.clear();
    }
  } else {
    happened_ = true;
    Committed();
    SendNotifications();
  }
  Reset();
  return committed;
}

// Under the latches: so followers get changes of a key in the order of their commits, and what dies
// next in a swapped database is already fed under its new number.
void CommandBatch::Committed() {
  if (swapped_ != nullptr) data_->databases.Install(swapped_);
  if (!feed_.empty()) fed_to_ = server_.feed().Append(feed_.entries());
}

// A policy may have given rows another deadline than their commands say. Followers do not have it.
Status CommandBatch::FeedDeadlines() {
  for (const core::ChangedKey& changed : transaction_->changed()) {
    const KeyspacePolicy policy = changed.keyspace->policy();
    if (!policy.default_ttl && !policy.min_ttl && !policy.max_ttl) continue;
    const int database = Databases::NumberOf(*mapping_, changed.keyspace);
    if (database < 0) continue;
    core::FoundRow row;
    const std::string key(changed.key);
    MAYFLY_RETURN_IF_ERROR(transaction_->In(*changed.keyspace).Find(key, row));
    if (!row.exists) continue;
    feed_.BeginCommand(database);
    if (row.deadline) {
      feed_.Instead({"PEXPIREAT", key, std::to_string(ToMs(*row.deadline))});
    } else {
      feed_.Instead({"PERSIST", key});
    }
  }
  return {};
}

void CommandBatch::FeedDeaths(core::LatchedTransaction& transaction, CommandFeed& feed) {
  for (const core::Death& death : transaction.TakeMetDead()) {
    const int database = Databases::NumberOf(*mapping_, death.keyspace);
    if (database >= 0) FeedDeath(death, database, feed);
  }
}

// A commit is visible to all clients even if it could not be made durable: so notifications
// are sent. The reply carries the error of the disk.
Status CommandBatch::MakeKnown(bool changed) {
  Status durable = changed ? PersistBeforeReply(data_->database, fsync_) : Status();
  SendNotifications();
  return durable;
}

// A key that changes by itself is entered with the instant at which it does.
void CommandBatch::RememberRead(std::uint64_t client, const DatabaseKeyView& key) {
  core::TransactionKeyspace& space = Space(*transaction_, key.database);
  core::FoundRow row;
  if (!space.Find(key.key, row).ok()) return;
  std::optional<WallTime> dies = row.deadline;
  if (row.exists && row.is_collection) {
    const auto member = core::NextMemberDeath(space, key.key);
    if (member && *member) dies = std::min(dies.value_or(**member), **member);
  }
  server_.tracking().Remember(client, key, dies, invalidations_);
}

void CommandBatch::RememberReads(std::uint64_t client, const CommandSpec& spec,
                                 std::span<const Bytes> args, int database) {
  if (transaction_ == nullptr || (spec.flags & kReadOnly) == 0) return;
  FindKeys(spec.keys, args, key_uses_);
  for (const KeyUse& use : key_uses_) {
    if ((use.flags & kNotKey) != 0) continue;
    RememberRead(client, {database, args[static_cast<std::size_t>(use.position)]});
  }
}

bool CommandBatch::tracks_reads() const {
  if (session_ == nullptr || transaction_ == nullptr) return false;
  const auto& tracking = session_->state().tracking;
  return tracking != nullptr && tracking->remembers();
}

void CommandBatch::NoteReads(int database, std::span<const Bytes> keys) {
  if (!tracks_reads()) return;
  for (const Bytes key : keys) RememberRead(session_->origin().id, {database, key});
}

void CommandBatch::DeliverInvalidations() {
  server_.tracking().Deliver(std::exchange(invalidations_, {}));
}

void CommandBatch::SendNotifications() {
  for (const Notification& one : notifications_) {
    server_.Notify(one.kind, one.event, one.database, one.key);
  }
}

void CommandBatch::Abandon() {
  ready_.clear();
  transaction_.reset();
  Reset();
}

void CommandBatch::Forget() {
  reads_found_ = 0;
  reads_missed_ = 0;
  Abandon();
}

void CommandBatch::Reset() {
  if (reads_found_ + reads_missed_ > 0) {
    counters_.Read(std::exchange(reads_found_, 0), std::exchange(reads_missed_, 0));
  }
  asked_for_everything_ = false;
  if (!feed_.empty()) feed_.Clear();
  notifications_.clear();
  waiting_databases_.clear();
  cleared_ = false;
  if (swapped_ != nullptr) mapping_ = nullptr;
  swapped_ = nullptr;
}

Status CommandBatch::Flush(int database) {
  cleared_ = true;
  waiting_databases_.push_back(database);
  server_.watches().TouchIf(database, [](const Watch& watch) { return watch.alive; });
  return Space(*transaction_, database).Clear();
}

Status CommandBatch::Swap(int a, int b) {
  if (a == b) return {};
  const auto there = [&](const Watch& watch, int database) {
    core::FoundRow row;
    return Space(*transaction_, database).Find(watch.key.key, row).ok() && row.exists;
  };
  const auto changed = [&](const Watch& w) { return there(w, a) || there(w, b); };
  server_.watches().TouchIf(a, changed);
  server_.watches().TouchIf(b, changed);
  MAYFLY_TRY(swapped_, data_->databases.Swap(*transaction_, *mapping_, a, b));
  mapping_ = swapped_;
  waiting_databases_.push_back(a);
  waiting_databases_.push_back(b);
  return {};
}

core::TransactionKeyspace& CommandBatch::Space(core::LatchedTransaction& transaction,
                                               int database) {
  const auto& keyspace = (*mapping_)[static_cast<std::size_t>(database)];
  MAYFLY_CHECK(keyspace != nullptr, "a command uses a database its transaction was not begun with");
  return transaction.In(*keyspace);
}

core::TransactionKeyspace* CommandBatch::OwnSpace(core::LatchedTransaction& transaction) {
  return &transaction.In(data_->databases.own());
}

Keyspace* CommandBatch::keyspace(int database) {
  if (!data_->databases.Make(database).ok()) return nullptr;
  RefreshMapping();
  return (*mapping_)[static_cast<std::size_t>(database)].get();
}

void CommandBatch::Notify(NotifyClass kind, std::string_view event, int database, Bytes key) {
  if (!server_.WantsNotifications()) return;
  notifications_.push_back({kind, std::string(event), database, std::string(key)});
}

bool CommandBatch::TooMuchToSend(std::uint64_t bytes) {
  if (session_ == nullptr) return false;
  OutputLimits limits;
  const Status read =
      ReadOutputLimits(server_.config().Text(Setting::kClientOutputBufferLimit), limits);
  const bool subscribed = session_->extension().subscriptions().any();
  const ClientClass client = subscribed ? ClientClass::kPubSub : ClientClass::kNormal;
  const std::uint64_t bytes_max = limits[static_cast<std::size_t>(client)].hard_bytes;
  if (!read.ok() || bytes_max == 0 || bytes <= bytes_max) return false;
  session_->Abort();
  return true;
}

EncodingLimits CommandBatch::encoding_limits() const {
  const Config& config = server_.config();
  return {.hash_entries = config.Number(Setting::kHashMaxListpackEntries),
          .hash_bytes = config.Number(Setting::kHashMaxListpackValue),
          .set_integers = config.Number(Setting::kSetMaxIntsetEntries),
          .sorted_set_entries = config.Number(Setting::kZsetMaxListpackEntries),
          .sorted_set_bytes = config.Number(Setting::kZsetMaxListpackValue),
          .stream_node_entries = config.Number(Setting::kStreamNodeMaxEntries),
          .sparse_hyperloglog_bytes = config.Number(Setting::kHllSparseMaxBytes)};
}

AclContext* CommandBatch::acl() {
  return session_ != nullptr ? session_->extension().acl() : nullptr;
}
PubSubContext* CommandBatch::pubsub() {
  return session_ != nullptr ? session_->extension().pubsub() : nullptr;
}
ScriptContext* CommandBatch::scripts() {
  return session_ != nullptr ? session_->extension().scripts() : nullptr;
}

}  // namespace mayfly::server
