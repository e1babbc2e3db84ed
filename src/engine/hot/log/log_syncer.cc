#include "engine/hot/log/log_syncer.h"

#include <fmt/format.h>

#include <algorithm>

namespace mayfly::engine::hot {

LogSyncer::LogSyncer(SegmentChain& chain, const std::atomic<std::uint64_t>& published,
                     std::uint64_t durable)
    : chain_(chain), published_(published), durable_(durable) {}

Status LogSyncer::SyncThrough(std::uint64_t sequence) {
  if (durable() >= sequence) return {};
  std::unique_lock lock(mutex_);
  while (durable() < sequence) {
    if (is_syncing_) {
      done_.wait(lock);
    } else {
      MAYFLY_RETURN_IF_ERROR(Lead(lock));
    }
  }
  return {};
}

Status LogSyncer::SyncNow() {
  std::unique_lock lock(mutex_);
  while (is_syncing_) done_.wait(lock);
  return Lead(lock);
}

Status LogSyncer::Lead(std::unique_lock<std::mutex>& lock) {
  if (failed_segment_ != 0) return failure_;
  is_syncing_ = true;
  lock.unlock();
  const std::uint64_t target = published_.load(std::memory_order_acquire);
  Status synced = SyncSegments(target);
  lock.lock();
  is_syncing_ = false;
  if (synced.ok()) {
    durable_.store(std::max(durable(), target), std::memory_order_release);
  }
  done_.notify_all();
  return synced;
}

Status LogSyncer::SyncSegments(std::uint64_t target) {
  // A record counts only with all before it, so segments are synced in their order.
  for (const auto& segment : chain_.Unsynced()) {
    MAYFLY_RETURN_IF_ERROR(SyncFile(*segment));
    chain_.SetSynced(segment->number(), target);
  }
  return {};
}

Status LogSyncer::SyncFile(Segment& segment) {
  const Status synced = segment.file().Sync();
  if (synced.ok()) return {};
  const std::lock_guard lock(mutex_);
  failed_segment_ = std::max(failed_segment_, segment.number());
  failure_ = Status::IoError(
      fmt::format("{}. What the log holds since its last sync may be lost by a power cut, and no "
                  "sync is promised until it has been written again, which is tried",
                  synced.message()));
  return failure_;
}

Status LogSyncer::SyncHeader(Segment& segment) {
  {
    std::unique_lock lock(mutex_);
    while (is_syncing_) done_.wait(lock);
    if (failed_segment_ == segment.number()) return failure_;
  }
  return SyncFile(segment);
}

std::uint64_t LogSyncer::failed_segment() const {
  const std::lock_guard lock(mutex_);
  return failed_segment_;
}

Status LogSyncer::WriteAgain() {
  std::unique_lock lock(mutex_);
  while (is_syncing_) done_.wait(lock);
  const std::uint64_t failed = failed_segment_;
  if (failed == 0) return {};
  is_syncing_ = true;
  lock.unlock();
  Status written = chain_.WriteAgain(failed);
  lock.lock();
  is_syncing_ = false;
  if (written.ok() && failed_segment_ == failed) failed_segment_ = 0;
  done_.notify_all();
  return written;
}

void LogSyncer::Removed(std::uint64_t oldest, std::uint64_t sequence) {
  std::unique_lock lock(mutex_);
  while (is_syncing_) done_.wait(lock);
  if (failed_segment_ < oldest) failed_segment_ = 0;
  // Records in a failed segment that stays are not durable, whatever was removed before it.
  const std::uint64_t published = published_.load(std::memory_order_acquire);
  durable_.store(std::max(durable(), std::min(sequence, published)), std::memory_order_release);
}

}  // namespace mayfly::engine::hot
