// The time of a store: recording it, and reverting it.
#include <fmt/format.h>

#include <algorithm>
#include <shared_mutex>
#include <utility>

#include "base/coding.h"
#include "base/log.h"
#include "core/clock/time_codec.h"
#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/store/store.h"

namespace mayfly::core {
namespace {

std::string EncodeInstant(WallTime instant) {
  std::string encoded;
  AppendLittleEndian64(encoded, static_cast<std::uint64_t>(ToMs(instant)));
  return encoded;
}

}  // namespace

Result<std::optional<StoredTime>> Store::LoadTime() {
  PinnedBytes stored;
  const Status read = engine_->Get(kMeta, MetaKey(kMetaTime), stored);
  if (read.IsNotFound()) return std::optional<StoredTime>();
  MAYFLY_RETURN_IF_ERROR(read);
  MAYFLY_TRY(StoredTime time, DecodeTime(stored.view()));
  recorded_ms_ = ToMs(time.trusted);
  return std::optional(std::move(time));
}

void Store::AddTime(CommitPlan& plan, Millis lag_max) {
  if (TimeIsDue(plan.now(), lag_max)) PutTime(plan.batch(), /*orderly_stop=*/false);
}

void Store::PutTime(engine::Batch& batch, bool orderly_stop) {
  const StoredTime time = clock_->ToStore(orderly_stop);
  recorded_ms_.store(ToMs(time.trusted), std::memory_order_relaxed);
  batch.Put(kMeta, MetaKey(kMetaTime), EncodeTime(time));
}

Status Store::CommitTime(bool orderly_stop) {
  if (!engine_->capabilities().writable) return {};
  const std::lock_guard lock(time_mutex_);
  engine::Batch batch;
  PutTime(batch, orderly_stop);
  return engine_->Commit(batch, Durability::kProcess);
}

void Store::KeepDueTime(WallTime now) {
  if (!engine_->capabilities().writable || !is_open()) return;
  const std::unique_lock lock(time_mutex_, std::try_to_lock);
  if (!lock.owns_lock() || !TimeIsDue(now, kHighWaterStep)) return;  // Another thread records it.
  engine::Batch batch;
  PutTime(batch, /*orderly_stop=*/false);
  // The caller's result is right all the same; the next second tries again, and is logged if it
  // succeeds.
  const Status kept = engine_->Commit(batch, Durability::kProcess);
  if (std::exchange(time_refused_, !kept.ok()) == !kept.ok()) return;
  Log(logger_, LogLevel::kWarning, "{}",
      kept.ok() ? "the time is recorded again"
                : fmt::format("the time was not recorded, and this is not logged again until it "
                              "is: {}",
                              kept.ToString()));
}

Status Store::ConfirmClock() {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(clock_->Confirm());
  watch_.WakeAll();
  return CommitTime(/*orderly_stop=*/false);
}

// No thread may write, purge, or publish a horizon by an instant from before the revert: all
// latches keep writes and purges out, the mutex of reclaiming keeps reclaims out.
Status Store::RevertClock() {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(CheckWritable());
  MAYFLY_RETURN_IF_ERROR(CheckNotReclaiming());
  const std::lock_guard alone(reclaim_mutex_);
  auto keyspaces = catalog_->All();
  std::sort(keyspaces.begin(), keyspaces.end(),
            [](const auto& a, const auto& b) { return a->id() < b->id(); });
  std::vector<std::shared_lock<KeyspaceState::Gate>> gates;
  for (const auto& keyspace : keyspaces) gates.emplace_back(keyspace->gate());
  const KeyLatches::Many latches(latches_, StripeSet::All());
  const std::lock_guard lock(time_mutex_);
  MAYFLY_RETURN_IF_ERROR(clock_->Revert());
  const WallTime now = clock_->Now();
  engine::Batch batch;
  for (const auto& keyspace : keyspaces) {
    if (!keyspace->dropped()) MAYFLY_RETURN_IF_ERROR(LowerInstants(batch, *keyspace, now));
  }
  horizon_->Forget();
  if (counts_.last_write_ms > ToMs(now)) counts_.last_write_ms = ToMs(now);
  PutTime(batch, /*orderly_stop=*/false);
  watch_.WakeAll();
  return engine_->Commit(batch, Durability::kDisk);
}

// Lowers watermarks and "purged through": rows written from now on may die before these instants,
// and no entry may lie before a watermark, nothing dead in files before "purged through".
Status Store::LowerInstants(engine::Batch& batch, KeyspaceState& keyspace, WallTime now) {
  keyspace.LowerWatermarks(now);
  for (const bool members : {false, true}) keyspace.SetPurgePass(members, {});
  const KeyspaceId id = keyspace.id();
  batch.Put(kMeta, MetaKey(kMetaWatermark, id), EncodeInstant(keyspace.watermark()));
  batch.Put(kMeta, MetaKey(kMetaMembersWatermark, id), EncodeInstant(keyspace.members_watermark()));
  if (keyspace.removing_since() != WallTime::max()) keyspace.NoteRemoval(now);
  if (keyspace.promised_since() > now) {
    keyspace.SetPromisedSince(now);
    batch.Put(kMeta, MetaKey(kMetaPromisedSince, id), EncodeInstant(now));
  }
  PinnedBytes through;
  const Status read = engine_->Get(kMeta, MetaKey(kMetaPurgedThrough, id), through);
  if (read.IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(read);
  Bytes rest = through.view();
  std::uint64_t ms = 0;
  if (!EatLittleEndian64(rest, ms) || static_cast<std::int64_t>(ms) <= ToMs(now)) return {};
  batch.Put(kMeta, MetaKey(kMetaPurgedThrough, id), EncodeInstant(now));
  return {};
}

}  // namespace mayfly::core
