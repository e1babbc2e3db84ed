#include "core/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "base/coding.h"
#include "base/log.h"
#include "core/commit/version_plan.h"
#include "core/commit/whole_value.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/store/collection_reads.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kRows{engine::Role::kRows};
constexpr engine::Address kMembers{engine::Role::kMembers};
constexpr engine::Address kMeta{engine::Role::kMeta};
// Stored; raise it with every change that an older build misreads. 3: the record of time, and
// counts of dead members.
constexpr std::uint32_t kFormat = 3;
constexpr std::uint32_t kFirstFormat = 2;  // The oldest that this build reads.

}  // namespace

WallTime TimestampOf(const Change& change, const KeyState& key_state, WallTime now) {
  if (change.timestamp) return *change.timestamp;
  const auto newest = key_state.newest();
  // A row that has died during the transaction is written anew.
  if (change.same_timestamp && key_state.Living(now) != nullptr) return *newest;
  return std::max({now, newest.value_or(now), change.not_before.value_or(now)});
}

Status CheckUserKey(Bytes key) {
  if (!key.empty() && key.size() <= kKeyBytesMax) [[likely]]
    return {};
  if (key.empty()) return Status::Invalid("empty key; a key has at least one byte");
  return Status::Invalid(
      fmt::format("key of {} bytes is too long; the limit is {} bytes, store a hash of it",
                  key.size(), kKeyBytesMax));
}

Status CheckUserValue(Bytes value) {
  if (value.size() <= kValueBytesMax) [[likely]]
    return {};
  return Status::Invalid(
      fmt::format("value of {} bytes is too large; the limit is {} bytes, split it", value.size(),
                  kValueBytesMax));
}

Store::Store(std::unique_ptr<engine::Engine> engine, const StoreOptions& options)
    : options_(options),
      logger_(options.logger != nullptr ? *options.logger : SilentLogger()),
      engine_(std::move(engine)),
      states_(std::make_unique<OpenStates>(*engine_)),
      horizon_(options.horizon != nullptr ? options.horizon : std::make_shared<DropHorizon>()),
      cache_(options.cache_bytes),
      collection_ids_(*engine_) {}

Status Store::Load() {
  MAYFLY_RETURN_IF_ERROR(LoadFormat());
  MAYFLY_TRY(const std::optional<StoredTime> stored, LoadTime());
  const Clock& clock = options_.clock != nullptr ? *options_.clock : SystemClock::Process();
  clock_ = std::make_unique<TrustedClock>(clock, options_.clock_jump_max, stored, logger_);
  events_ = std::make_unique<EventLog>(*engine_, logger_);
  MAYFLY_RETURN_IF_ERROR(events_->Load());
  MAYFLY_RETURN_IF_ERROR(collection_ids_.Load());
  catalog_ = std::make_unique<Catalog>(*engine_, cache_);
  MAYFLY_RETURN_IF_ERROR(options_.salvage ? catalog_->LoadSalvaged(logger_) : catalog_->Load());
  // The recorded time may lag behind the instant of the last purge. New deadlines must not lie
  // below a watermark.
  for (const auto& keyspace : catalog_->All()) keyspace->LowerWatermarks(clock_->Now());
  // From here on the database is in use: an end without Close() is no orderly stop. If this fails,
  // say on a full disk, the database still opens, and the first use tries again.
  KeepTime(clock_->Now());
  follows_ = engine_->capabilities().follows;
  if (follows_ && stored) clock_->Follow(*stored);
  if (catalog_->Find(kDefaultKeyspaceName).has_value()) return {};
  if (!engine_->capabilities().writable) {
    return Status::Corruption(
        "the default keyspace is missing; open the database for writing once");
  }
  return catalog_->Create(kDefaultKeyspaceName, {}).status();
}

Status Store::FollowWriter() {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_TRY(const std::uint64_t change, engine_->Refresh());
  if (change <= followed_.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(follow_mutex_);
  const std::uint64_t before = followed_.load(std::memory_order_acquire);
  if (change <= before) return {};
  const auto changed = [&](engine::Role role, char first) {
    return engine_->ChangedAt(role, static_cast<unsigned char>(first)) > before;
  };
  if (changed(engine::Role::kMeta, kMetaTime)) {
    MAYFLY_TRY(const std::optional<StoredTime> stored, LoadTime());
    if (stored) clock_->Follow(*stored);
  }
  if (changed(engine::Role::kMeta, kMetaKeyspace) || changed(engine::Role::kMeta, kMetaDropped) ||
      changed(engine::Role::kMeta, kMetaPurgedThrough) ||
      changed(engine::Role::kMeta, kMetaRemovingSince) ||
      changed(engine::Role::kMeta, kMetaOrphan)) {
    MAYFLY_RETURN_IF_ERROR(catalog_->Reload());
  }
  if (changed(engine::Role::kEvents, '\0') || changed(engine::Role::kMeta, kMetaEventsTrimmed)) {
    MAYFLY_RETURN_IF_ERROR(events_->Reload());
  }
  followed_.store(change, std::memory_order_release);
  return {};
}

Status Store::StoreFormat() {
  std::string format;
  AppendLittleEndian32(format, kFormat);
  engine::Batch batch;
  batch.Put(kMeta, MetaKey(kMetaFormat), format);
  return engine_->Commit(batch);
}

Status Store::LoadFormat() {
  PinnedBytes stored;
  const Status read = engine_->Get(kMeta, MetaKey(kMetaFormat), stored);
  if (read.IsNotFound() && options_.salvage) return {};  // Rows can be decoded without it.
  if (read.IsNotFound()) {
    if (!engine_->capabilities().writable) {
      return Status::NotFound(fmt::format("{} holds no database yet", engine_->name()));
    }
    return StoreFormat();
  }
  MAYFLY_RETURN_IF_ERROR(read);
  Bytes rest = stored.view();
  std::uint32_t format = 0;
  if (!EatLittleEndian32(rest, format)) {
    return Status::Corruption("the record of the format is damaged; restore a backup");
  }
  if (format < kFirstFormat) {
    return Status::Unsupported(fmt::format(
        "{} has rows of format {}, this build reads {} to {}; take a backup with the build that "
        "wrote it, and restore that",
        engine_->name(), format, kFirstFormat, kFormat));
  }
  if (format == kFormat) return {};
  if (format < kFormat) {
    // Old data is read as it is; an older build must not change what this one writes.
    return engine_->capabilities().writable ? StoreFormat() : Status();
  }
  return Status::Unsupported(
      fmt::format("{} has rows of format {}, this build reads up to format {}; use a newer mayfly",
                  engine_->name(), format, kFormat));
}

Status Store::Close() {
  if (closed_ || !is_owner()) return {};
  if (const std::uint64_t reapers = counts_.reapers.load(); reapers > 0) {
    return Status::Busy(fmt::format("{} reapers run; stop them first", reapers));
  }
  // The engine's own status counts more than those of the records written here.
  Status recorded;
  const auto attempt = [&recorded](Status status) {
    if (recorded.ok()) recorded = std::move(status);
  };
  const bool records = clock_ != nullptr && catalog_ != nullptr && engine_->capabilities().writable;
  if (records) {
    // Time must not go back across the restart, and the time in between is no jump.
    attempt(CommitTime(/*orderly_stop=*/true));
    attempt(catalog_->RecordRemovals());
  }
  const Status closed = engine_->Close();
  // If the database stays open, the record must go: later removals are not in it.
  if (!closed.ok() && records) {
    attempt(catalog_->ForgetRecordedRemovals());
    attempt(CommitTime(/*orderly_stop=*/false));
  }
  closed_ = closed.ok();
  if (!closed.ok() || recorded.ok()) return closed;
  return Status(recorded.code(),
                fmt::format("closed, but not in good order: when it stopped and what it removed "
                            "could not be recorded, so the next start takes this one for a crash: "
                            "{}",
                            recorded.message()));
}

Status Store::CheckOpen() const {
  if (is_open()) [[likely]]
    return {};
  if (!is_owner()) return OwnerProcess::Refusal();
  return Status::Invalid("the database is closed; open it again before using it");
}

Status Store::CheckUsable(const KeyspaceState& keyspace) const {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  if (!keyspace.dropped()) [[likely]]
    return {};
  return Status::Invalid(
      fmt::format("the keyspace '{}' was dropped; open or create another", keyspace.name()));
}

Status Store::CheckWritable() const {
  if (engine_->capabilities().writable) [[likely]]
    return {};
  return Status::ReadOnly("the database is open read-only; open it for writing to change it");
}

Status Store::CheckNotReclaiming() const {
  if (!reclaim_mutex_.IsHeldHere()) [[likely]]
    return {};
  return Status::Busy(
      "this thread reclaims space, and an event's callback asked for it again; call it from "
      "another "
      "thread");
}

Status Store::ReadStored(const KeyspaceState& keyspace, Bytes key, const engine::Snapshot* snapshot,
                         PinnedBytes& pin, std::optional<RowView>& row) const {
  row.reset();
  const Status read = engine_->Get(kRows, RowKey(keyspace.id(), key), pin, snapshot);
  if (read.IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(read);
  MAYFLY_TRY(row, DecodeRow(pin.view()));
  return {};
}

Status Store::ReadLatched(const KeyspaceState& keyspace, Bytes key, PinnedBytes& pin,
                          std::optional<RowView>& row) {
  row.reset();
  const Status read = GetLatched(engine::Role::kRows, RowKey(keyspace.id(), key), pin);
  if (read.IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(read);
  MAYFLY_TRY(row, DecodeRow(pin.view()));
  return {};
}

Status Store::GetLatched(engine::Role role, Bytes key, PinnedBytes& pin) {
  if (!cache_.on()) return engine_->Get({role}, key, pin);
  switch (cache_.Find(role, key, pin)) {
    case StoredCache::Answer::kPresent: return {};
    case StoredCache::Answer::kAbsent: return Status::NotFound();
    case StoredCache::Answer::kUnknown: break;
  }
  const Status read = engine_->Get({role}, key, pin);
  if (read.ok()) cache_.KeepPresent(role, key, pin.view());
  if (read.IsNotFound()) cache_.KeepAbsent(role, key);
  return read;
}

Status Store::ReadKeyState(const KeyspaceState& keyspace, Bytes key,
                           const engine::Snapshot* snapshot, KeyState& key_state) const {
  MAYFLY_RETURN_IF_ERROR(ReadStored(keyspace, key, snapshot, key_state.pin, key_state.stored));
  key_state.marker.reset();
  if (!keyspace.by_timestamp() || key_state.stored) return {};
  PinnedBytes pin;  // A marker has no payload to point at.
  return ReadVersion(keyspace, MarkerKey(key), snapshot, pin, key_state.marker);
}

Status Store::ReadVersion(const KeyspaceState& keyspace, Bytes member_key,
                          const engine::Snapshot* snapshot, PinnedBytes& pin,
                          std::optional<VersionView>& version) const {
  version.reset();
  const Status read = engine_->Get(kMembers, RowKey(keyspace.id(), member_key), pin, snapshot);
  if (read.IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(read);
  MAYFLY_TRY(version, DecodeVersion(pin.view()));
  return {};
}

Status Store::PlanChange(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                         const KeyState& key_state, const Change& change) {
  if (change.kind == Change::Kind::kPut) {
    MAYFLY_RETURN_IF_ERROR(CheckUserValue(change.payload));
    if (change.span.clamped) plan.CountClamped();
  }
  const RowView* const old = key_state.stored ? &*key_state.stored : nullptr;
  if (!keyspace.by_timestamp()) {
    const Stripe stripe = StripeOf(keyspace.id(), key);
    if (change.kind == Change::Kind::kDelete) {
      if (old != nullptr) plan.Remove(keyspace, stripe, key, *old, EventCause::kReplaced);
      return {};
    }
    if (change.of_collection) {
      return PlanCollectionDeadline(plan, keyspace, key, key_state, change.span);
    }
    MAYFLY_TRY(const auto deadline, DeadlineOf(change.span, plan.now()));
    plan.Put(keyspace, stripe, key, old, {.deadline = deadline, .payload = change.payload});
    return {};
  }
  const auto newest = key_state.newest();
  if (change.timestamp && newest && *change.timestamp < *newest) {
    return PlanLateChange(plan, keyspace, key, key_state, change, *newest);
  }
  const WallTime timestamp = TimestampOf(change, key_state, plan.now());
  VersionPlan versions(plan, keyspace, key, key_state);
  if (change.kind == Change::Kind::kDelete) {
    versions.Delete(timestamp);
    return {};
  }
  MAYFLY_TRY(const auto deadline, DeadlineOf(change.span, change.TtlFrom(plan.now())));
  versions.Put({.deadline = deadline, .payload = change.payload, .timestamp = timestamp});
  return {};
}

Status Store::PlanCollectionDeadline(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                                     const KeyState& key_state, const Span& span) const {
  const RowView* const old = key_state.Living(plan.now());
  if (old == nullptr || !old->collection_id) {
    return Status::Conflict("the collection died before its deadline was changed; begin again");
  }
  MAYFLY_TRY(Collection collection, DecodeCollection(old->payload));
  MAYFLY_TRY(collection.own_deadline, DeadlineOf(span, plan.now()));
  std::optional<WallTime> last;
  if (collection.all_mortal()) {
    const PartKeys keys(keyspace.id(), *old->collection_id);
    MAYFLY_TRY(last, LastMemberDeadline(*engine_, keys, [](Bytes) { return false; }));
  }
  std::string payload;
  AppendCollection(payload, collection);
  const RowView fresh{.deadline = DeadlineOf(collection, last),
                      .payload = payload,
                      .collection_id = old->collection_id};
  plan.Put(keyspace, StripeOf(keyspace.id(), key), key, old, fresh);
  return {};
}

Status Store::PlanLateChange(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                             const KeyState& key_state, const Change& change,
                             WallTime overtaken_at) {
  VersionPlan versions(plan, keyspace, key, key_state);
  if (!versions.KeptUntil(overtaken_at)) return {};
  VersionView late{.row = {.deadline = {}, .payload = {}, .timestamp = change.timestamp},
                   .deleted = change.kind == Change::Kind::kDelete};
  if (!late.deleted) {
    MAYFLY_TRY(late.row.deadline, DeadlineOf(change.span, change.TtlFrom(plan.now())));
    late.row.payload = change.payload;
  }
  PinnedBytes pin;
  std::optional<VersionView> same;
  MAYFLY_RETURN_IF_ERROR(
      ReadVersion(keyspace, VersionKey(key, *change.timestamp), nullptr, pin, same));
  versions.PutLate(late, overtaken_at, same ? &*same : nullptr);
  return {};
}

void Store::PlanPurge(CommitPlan& plan, KeyspaceState& keyspace, Bytes key,
                      const KeyState& key_state, EventCause cause) {
  if (keyspace.by_timestamp()) return VersionPlan(plan, keyspace, key, key_state).Purge(cause);
  plan.Remove(keyspace, StripeOf(keyspace.id(), key), key, *key_state.stored, cause);
}

Status Store::Mutate(KeyspaceState& keyspace, Bytes key, Decide decide) {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(CheckUserKey(key));
  std::vector<Event> events;
  {
    const std::shared_lock gate(keyspace.gate());
    MAYFLY_RETURN_IF_ERROR(CheckUsable(keyspace));
    MAYFLY_RETURN_IF_ERROR(CheckWritable());
    const KeyLatches::One latch = latches_.Lock(StripeOf(keyspace.id(), key));
    CommitPlan plan(clock_->Now());
    KeyState key_state;
    MAYFLY_RETURN_IF_ERROR(ReadKeyState(keyspace, key, nullptr, key_state));
    const RowView* living = key_state.Living(plan.now());
    RowView plain;
    PinnedBytes pin;
    if (living != nullptr) {
      plain = *living;
      MAYFLY_RETURN_IF_ERROR(ShowWhole(*engine_, keyspace.id(), nullptr, pin, plain));
      living = &plain;
    }
    const Result<Change> change =
        decide({.row = living, .now = plan.now(), .newest = key_state.newest()});
    if (!change) {
      KeepTime(plan.now());  // The caller may learn that the row is dead.
      return change.status();
    }
    if (change->kind != Change::Kind::kNothing) {
      MAYFLY_RETURN_IF_ERROR(PlanChange(plan, keyspace, key, key_state, *change));
    }
    if (IsNothing(plan)) {
      KeepTime(plan.now());
      return {};
    }
    MAYFLY_RETURN_IF_ERROR(Commit(plan, options_.durability));
    counts_.last_write_ms.store(ToMs(plan.now()), std::memory_order_relaxed);
    events = std::move(plan.events());
  }
  events_->Deliver(events);
  return {};
}

bool Store::IsNothing(CommitPlan& plan) {
  if (!plan.empty() || !plan.events().empty()) return false;
  counts_.clamped_lifetimes += plan.clamped();
  return true;
}

Status Store::Commit(CommitPlan& plan, Durability durability) {
  MAYFLY_RETURN_IF_ERROR(plan.Seal(*engine_));
  // A batch that removes dead rows also records the instant at which they were dead.
  const bool removes_dead = plan.dead_removed() + plan.dead_members_removed() > 0;
  AddTime(plan, removes_dead ? Millis(1) : kHighWaterStep);
  if (const Status committed = events_->Commit(plan.batch(), durability, plan.events());
      !committed.ok()) {
    cache_.Failed(plan.batch());
    return committed;
  }
  cache_.Applied(plan.batch());
  const auto promised = plan.Applied();
  counts_.purged_rows += plan.dead_removed();
  counts_.purged_members += plan.dead_members_removed();
  counts_.removed_rows += plan.removed();
  counts_.clamped_lifetimes += plan.clamped();
  if (plan.earliest()) watch_.Written(*plan.earliest());
  if (promised) watch_.Written(*promised);  // Deletes and overwrites set no deadline.
  // Orphans are due at once, and so is the space of cleared keyspaces.
  if (plan.orphans_queued() || plan.clears()) watch_.Written(WallTimeFromMs(0));
  return {};
}

void Store::PurgeOnRead(KeyspaceState& keyspace, Bytes key) {
  if (!options_.purge_on_read || !clock_->may_delete() || !engine_->capabilities().writable) return;
  std::vector<Event> events;
  {
    const std::shared_lock gate(keyspace.gate(), std::try_to_lock);
    if (!gate.owns_lock() || keyspace.dropped()) return;
    const KeyLatches::One latch = latches_.TryLock(StripeOf(keyspace.id(), key));
    if (!latch.owns_lock()) return;
    CommitPlan plan(clock_->Now());
    if (!clock_->may_delete()) return;  // This reading of the clock may have been a jump.
    KeyState key_state;
    if (!ReadKeyState(keyspace, key, nullptr, key_state).ok()) return;
    if (!key_state.stored || key_state.Living(plan.now()) != nullptr) return;
    PlanPurge(plan, keyspace, key, key_state, EventCause::kRead);
    if (const Status purged = Commit(plan, Durability::kNone); !purged.ok()) {
      Log(logger_, LogLevel::kWarning, "a dead row was not removed on read: {}", purged.ToString());
      return;
    }
    ++counts_.purged_by_reads;
    events = std::move(plan.events());
  }
  events_->Deliver(events);
}

}  // namespace mayfly::core
