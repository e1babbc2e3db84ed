#include "engine/cluster/shard/shard.h"

#include <utility>
#include <vector>

#include "engine/cluster/shard/limits.h"

namespace mayfly::engine::cluster {

Shard::Shard(std::shared_ptr<ObjectStore> store, const ShardPlace& place,
             std::shared_ptr<const ReadLease> lease, const ShardOptions& options)
    : store_(std::move(store)),
      lease_(std::move(lease)),
      options_(options),
      state_(options.by_slot),
      writer_(*store_, place, lease_->clock(), options.patience, options.while_waiting),
      large_(*store_, place.object, place.record.epoch) {}

void Shard::SetOnBroken(OnBroken on_broken) {
  const std::lock_guard lock(broken_mutex_);
  on_broken_ = std::move(on_broken);
}

Status Shard::Commit(const Batch& batch, std::size_t& broken) {
  Waiter waiter{.batch = &batch};
  std::unique_lock lock(mutex_);
  queue_.push_back(&waiter);
  AwaitTurn(waiter, lock);
  if (!waiter.done) {
    led_ = true;
    while (!waiter.done) Lead(lock);
    led_ = false;
    if (!queue_.empty()) queue_.front()->turn.notify_one();
  }
  lock.unlock();
  ReportIfStopped();
  broken = waiter.broken;
  // A condition that does not hold is an answer from memory, as a read is.
  if (waiter.status.code() == StatusCode::kConflict) MAYFLY_RETURN_IF_ERROR(Confirm());
  return waiter.status;
}

// Until it is done, or has to lead.
void Shard::AwaitTurn(Waiter& waiter, std::unique_lock<std::mutex>& lock) {
  const auto is_its_turn = [&] { return waiter.done || !led_; };
  for (int step = 1; !waiter.turn.wait_for(lock, kWaitStep, is_its_turn); ++step) {
    if (!options_.while_waiting || step < kStepsAlone) continue;
    lock.unlock();
    options_.while_waiting();
    lock.lock();
  }
}

void Shard::Lead(std::unique_lock<std::mutex>& lock) {
  std::vector<Waiter*> group(queue_.begin(), queue_.end());
  lock.unlock();
  CommitTogether(group);
  lock.lock();
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(group.size()));
  for (Waiter* const waiter : group) {
    waiter->done = true;
    waiter->turn.notify_one();
  }
}

// Commits as many as fit, from the front, and leaves these in `waiters`.
void Shard::CommitTogether(std::vector<Waiter*>& waiters) {
  CommitGroup group(state_, large_);
  std::vector<Waiter*> taken;
  std::size_t seen = 0;
  for (; seen < waiters.size() && group.HasRoomFor(*waiters[seen]->batch); ++seen) {
    Waiter& waiter = *waiters[seen];
    const auto added = group.Add(*waiter.batch);
    if (!added) {
      waiter.status = added.error();
      writer_.Stop(added.error());  // A part of it may be in the group.
    } else if (added->done) {
      taken.push_back(&waiter);
    } else {
      waiter.status = Status::Conflict("");
      waiter.broken = added->broken;
    }
  }
  waiters.resize(seen);
  if (taken.empty() && !writer_.is_stopped()) return;
  const Status status = WriteCounted(group, taken.size());
  for (Waiter* const waiter : taken) waiter->status = status;
  if (!status.ok()) return;
  counts_.batches += taken.size();
  ++counts_.groups;
}

Status Shard::WriteCounted(CommitGroup& group, std::size_t commits) {
  ShardTotals* const totals = options_.totals.get();
  if (totals == nullptr) return Write(group);
  const WriterCounts& writer = writer_.counts();
  const std::uint64_t keys_before = writer.keys;
  const std::uint64_t resends_before = writer.resends;
  const SteadyTime began = lease_->clock().Passed();
  totals->BeginWrite(began);
  const Status status = Write(group);
  totals->EndWrite(began, lease_->clock().Passed(), !writer_.is_uncertain());
  totals->keys += writer.keys - keys_before;
  totals->resends += writer.resends - resends_before;
  if (status.ok()) totals->commits += commits;
  return status;
}

Status Shard::Write(CommitGroup& group) {
  MAYFLY_RETURN_IF_ERROR(writer_.stopped());
  const auto news = group.AssignLarge();
  if (!news.empty()) MAYFLY_RETURN_IF_ERROR(WriteLarge(news));
  MapWrite write = group.ToWrite();
  for (const LargeId& id : large_.TakeRemoved()) write.removals.push_back(AnnouncementKey(id));
  const Status status = writer_.Write(std::move(write));
  if (!status.ok()) {
    // With an unknown outcome the next owner finds out what a row names.
    if (!writer_.is_uncertain()) {
      for (const auto& [large, value] : news) large_.Remove(large.id, PartsOf(large.size));
    }
    return status;
  }
  if (const Status applied = state_.Apply(group.changes()); !applied.ok()) {
    writer_.Stop(applied);
    return {};  // It is in the store.
  }
  for (const LargeValue& dropped : group.SettleLarge()) {
    large_.Remove(dropped.id, PartsOf(dropped.size));
  }
  return {};
}

Status Shard::WriteLarge(const std::vector<CommitGroup::NewLarge>& news) {
  MapWrite announcement;
  for (const auto& [large, value] : news) {
    announcement.sets.emplace_back(AnnouncementKey(large.id),
                                   EncodeAnnouncement(PartsOf(large.size)));
  }
  MAYFLY_RETURN_IF_ERROR(writer_.Write(std::move(announcement)));
  Status status;
  for (const auto& [large, value] : news) {
    if (status.ok()) status = large_.Store(large, value);
  }
  // What may still arrive keeps its announcement, and is removed when the shard is opened next.
  if (status.ok() || status.code() == StatusCode::kBusy) return status;
  for (const auto& [large, value] : news) large_.Remove(large.id, PartsOf(large.size));
  return status;
}

Status Shard::Confirm() {
  if (writer_.is_stopped()) return writer_.stopped();
  // In this order: a shard is stopped before its lease could be another's.
  if (lease_->Holds() && !writer_.is_stopped()) return {};
  ++counts_.confirmed;
  if (options_.totals != nullptr) ++options_.totals->confirmed;
  const Status status = writer_.Confirm();
  ReportIfStopped();
  return status;
}

std::size_t Shard::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void Shard::Stop(const Status& why) {
  {
    const std::lock_guard lock(broken_mutex_);
    on_broken_ = nullptr;
  }
  writer_.Stop(why);
}

void Shard::GiveUp(const Status& why) {
  Stop(why);
  writer_.GiveUp();
}

void Shard::ReportIfStopped() {
  if (!writer_.is_stopped()) return;
  OnBroken report;
  {
    const std::lock_guard lock(broken_mutex_);
    report = std::exchange(on_broken_, nullptr);
  }
  if (report) report();
}

}  // namespace mayfly::engine::cluster
