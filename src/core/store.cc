#include "core/store.h"

#include <fmt/format.h>

#include <mutex>
#include <shared_mutex>

#include "base/coding.h"
#include "base/log.h"
#include "core/keys.h"
#include "core/limits.h"
#include "core/liveness.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kRows{engine::Role::kRows};
constexpr engine::Address kMeta{engine::Role::kMeta};
constexpr std::uint32_t kFormat = 1;  // Stored; raise it with every change an older build misreads.

}  // namespace

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
      engine_(std::move(engine)) {}

Status Store::Load() {
  MAYFLY_RETURN_IF_ERROR(LoadFormat());
  MAYFLY_TRY(const std::optional<StoredTime> stored, LoadTime());
  const Clock& clock = options_.clock != nullptr ? *options_.clock : SystemClock::Process();
  clock_ = std::make_unique<TrustedClock>(clock, options_.clock_jump_max, stored, logger_);
  events_ = std::make_unique<EventLog>(*engine_, logger_);
  MAYFLY_RETURN_IF_ERROR(events_->Load());
  catalog_ = std::make_unique<Catalog>(*engine_);
  MAYFLY_RETURN_IF_ERROR(catalog_->Load());
  // The time recorded last may lag behind what a purge knew. New deadlines must not lie below a
  // watermark.
  for (const auto& keyspace : catalog_->All()) keyspace->LowerWatermark(clock_->Now());
  if (catalog_->Find(kDefaultKeyspaceName).has_value()) return {};
  if (!engine_->capabilities().writable) {
    return Status::Corruption(
        "the default keyspace is missing; open the database for writing once");
  }
  return catalog_->Create(kDefaultKeyspaceName, {}).status();
}

Result<std::optional<StoredTime>> Store::LoadTime() {
  PinnedBytes stored;
  const Status read = engine_->Get(kMeta, MetaKey(kMetaTime), stored);
  if (read.IsNotFound()) return std::optional<StoredTime>();
  MAYFLY_RETURN_IF_ERROR(read);
  Bytes rest = stored.view();
  std::uint64_t ms = 0;
  if (!EatLittleEndian64(rest, ms) || static_cast<std::int64_t>(ms) < 0 || rest.size() != 1) {
    return Status::Corruption("the stored time is damaged; restore a backup");
  }
  stored_high_water_ms_ = static_cast<std::int64_t>(ms);
  stored_unconfirmed_ = rest.front() != 0;
  return std::optional(
      StoredTime{WallTimeFromMs(static_cast<std::int64_t>(ms)), rest.front() != 0});
}

Status Store::LoadFormat() {
  PinnedBytes stored;
  const Status read = engine_->Get(kMeta, MetaKey(kMetaFormat), stored);
  if (read.IsNotFound()) {
    if (!engine_->capabilities().writable) {
      return Status::NotFound(fmt::format("{} holds no database yet", engine_->name()));
    }
    std::string format;
    AppendLittleEndian32(format, kFormat);
    engine::Batch batch;
    batch.Put(kMeta, MetaKey(kMetaFormat), format);
    return engine_->Commit(batch);
  }
  MAYFLY_RETURN_IF_ERROR(read);
  Bytes rest = stored.view();
  std::uint32_t format = 0;
  if (!EatLittleEndian32(rest, format)) {
    return Status::Corruption("the record of the format is damaged; restore a backup");
  }
  if (format <= kFormat) return {};
  return Status::Unsupported(
      fmt::format("{} has rows of format {}, this build reads up to format {}; use a newer mayfly",
                  engine_->name(), format, kFormat));
}

Status Store::Close() {
  if (closed_) return {};
  if (const std::uint64_t reapers = counts_.reapers.load(); reapers > 0) {
    return Status::Busy(fmt::format("{} reapers run; stop them first", reapers));
  }
  // Time must not go back across the restart. The engine's own answer counts more than this one's.
  if (clock_ != nullptr) {
    if (const Status recorded = CommitTime(); !recorded.ok()) {
      Log(logger_, LogLevel::kError, "{}", recorded.ToString());
    }
  }
  MAYFLY_RETURN_IF_ERROR(engine_->Close());
  closed_ = true;
  return {};
}

Status Store::ConfirmClock() {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  clock_->Confirm();
  watch_.WakeAll();
  return CommitTime();
}

Status Store::CommitTime() {
  if (!engine_->capabilities().writable) return {};
  CommitPlan plan(clock_->Now());
  AddTime(plan, Millis(1));
  return plan.empty() ? Status() : engine_->Commit(plan.batch(), Durability::kProcess);
}

Status Store::CheckOpen() const {
  if (!closed_.load(std::memory_order_acquire)) [[likely]]
    return {};
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

Status Store::ReadStored(const KeyspaceState& keyspace, Bytes key, const engine::Snapshot* snapshot,
                         PinnedBytes& pin, std::optional<RowView>& row) const {
  row.reset();
  const Status read = engine_->Get(kRows, RowKey(keyspace.id(), key), pin, snapshot);
  if (read.IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(read);
  MAYFLY_TRY(row, DecodeRow(pin.view()));
  return {};
}

Status Store::Mutate(KeyspaceState& keyspace, Bytes key, Decide decide) {
  MAYFLY_RETURN_IF_ERROR(CheckUserKey(key));
  std::vector<Event> events;
  {
    const std::shared_lock gate(keyspace.gate());
    MAYFLY_RETURN_IF_ERROR(CheckUsable(keyspace));
    MAYFLY_RETURN_IF_ERROR(CheckWritable());
    const Stripe stripe = StripeOf(keyspace.id(), key);
    const KeyLatches::One latch = latches_.Lock(stripe);
    CommitPlan plan(clock_->Now());
    PinnedBytes pin;
    std::optional<RowView> stored;
    MAYFLY_RETURN_IF_ERROR(ReadStored(keyspace, key, nullptr, pin, stored));
    const bool alive = stored && !IsDead(stored->deadline, plan.now());
    MAYFLY_TRY(const Change change, decide(alive ? &*stored : nullptr, plan.now()));
    switch (change.kind) {
      case Change::Kind::kNothing: return {};
      case Change::Kind::kDelete:
        if (!stored) return {};
        plan.Remove(keyspace, stripe, key, *stored, EventCause::kReplaced);
        break;
      case Change::Kind::kPut: {
        MAYFLY_RETURN_IF_ERROR(CheckUserValue(change.payload));
        MAYFLY_TRY(const auto deadline, DeadlineOf(change.span, plan.now()));
        if (change.span.clamped) ++counts_.clamped_lifetimes;
        plan.Put(keyspace, stripe, key, stored ? &*stored : nullptr, deadline, change.payload);
        break;
      }
    }
    MAYFLY_RETURN_IF_ERROR(Commit(plan, options_.durability));
    events = std::move(plan.events());
  }
  events_->Deliver(events);
  return {};
}

Status Store::Commit(CommitPlan& plan, Durability durability) {
  MAYFLY_RETURN_IF_ERROR(plan.Seal());
  // A batch that removes the dead records the time that made them so.
  AddTime(plan, plan.dead_removed() > 0 ? Millis(1) : kHighWaterStep);
  MAYFLY_RETURN_IF_ERROR(events_->Commit(plan.batch(), durability, plan.events()));
  plan.Applied();
  counts_.purged_rows += plan.dead_removed();
  if (plan.earliest()) watch_.Written(*plan.earliest());
  return {};
}

void Store::AddTime(CommitPlan& plan, Millis lag_max) {
  const bool unconfirmed = !clock_->may_delete();
  std::int64_t now = ToMs(plan.now());
  const std::int64_t stored = stored_high_water_ms_.load(std::memory_order_relaxed);
  if (now - stored < lag_max.count() &&
      unconfirmed == stored_unconfirmed_.load(std::memory_order_relaxed)) {
    return;
  }
  now = std::max(now, stored);
  std::string record;
  AppendLittleEndian64(record, static_cast<std::uint64_t>(now));
  record.push_back(static_cast<char>(unconfirmed));
  plan.batch().Put(kMeta, MetaKey(kMetaTime), record);
  stored_high_water_ms_.store(now, std::memory_order_relaxed);
  stored_unconfirmed_.store(unconfirmed, std::memory_order_relaxed);
}

void Store::PurgeOnRead(KeyspaceState& keyspace, Bytes key) {
  if (!options_.purge_on_read || !clock_->may_delete() || !engine_->capabilities().writable) return;
  std::vector<Event> events;
  {
    const std::shared_lock gate(keyspace.gate(), std::try_to_lock);
    if (!gate.owns_lock() || keyspace.dropped()) return;
    const Stripe stripe = StripeOf(keyspace.id(), key);
    const KeyLatches::One latch = latches_.TryLock(stripe);
    if (!latch.owns_lock()) return;
    CommitPlan plan(clock_->Now());
    if (!clock_->may_delete()) return;  // That very reading may have been a jump.
    PinnedBytes pin;
    std::optional<RowView> stored;
    if (!ReadStored(keyspace, key, nullptr, pin, stored).ok()) return;
    if (!stored || !IsDead(stored->deadline, plan.now())) return;
    plan.Remove(keyspace, stripe, key, *stored, EventCause::kRead);
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
