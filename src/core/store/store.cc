#include "core/store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <mutex>
#include <shared_mutex>

#include "base/coding.h"
#include "base/log.h"
#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"

namespace mayfly::core {
namespace {

// Stored; raise it with every change that an older build misreads. 3: the record of time, and
// counts of dead members.
constexpr std::uint32_t kFormat = 3;
constexpr std::uint32_t kFirstFormat = 2;  // The oldest that this build reads.

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
      engine_(std::move(engine)),
      states_(std::make_unique<OpenStates>(*engine_)),
      horizon_(options.horizon != nullptr ? options.horizon : std::make_shared<DropHorizon>()),
      collection_ids_(*engine_),
      meter_(*engine_) {}

Status Store::Load() {
  MAYFLY_RETURN_IF_ERROR(LoadFormat());
  MAYFLY_TRY(const std::optional<StoredTime> stored, LoadTime());
  const Clock& clock = options_.clock != nullptr ? *options_.clock : SystemClock::Process();
  clock_ = std::make_unique<TrustedClock>(clock, options_.clock_jump_max, stored, logger_,
                                          options_.removal_limit);
  events_ = std::make_unique<EventLog>(*engine_, logger_);
  MAYFLY_RETURN_IF_ERROR(events_->Load());
  MAYFLY_RETURN_IF_ERROR(collection_ids_.Load());
  catalog_ = std::make_unique<Catalog>(*engine_);
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
  const bool stays_open = closed.code() == StatusCode::kBusy;
  if (stays_open && records) {
    attempt(catalog_->ForgetRecordedRemovals());
    attempt(CommitTime(/*orderly_stop=*/false));
  }
  closed_ = !stays_open;
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

Status Store::RefuseUse(const KeyspaceState& keyspace) const {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  return Status::Invalid(
      fmt::format("the keyspace '{}' was dropped; open or create another", keyspace.name()));
}

Status Store::RefuseWrite() {
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
  // The pair of CommitPlan's assertions, which writes go through.
  assert(row->timestamp.has_value() == keyspace.by_timestamp());
  assert(!row->collection_id || !keyspace.by_timestamp());
  return {};
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

}  // namespace mayfly::core
