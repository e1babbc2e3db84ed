#include "core/store/event_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "base/coding.h"
#include "base/log.h"
#include "base/owner_process.h"
#include "core/layout/addresses.h"
#include "core/layout/event_codec.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"

namespace mayfly::core {

class EventLog::Subscription final : public EventSubscription {
 public:
  explicit Subscription(std::shared_ptr<Subscriber> subscriber)
      : subscriber_(std::move(subscriber)) {}
  ~Subscription() override {
    if (!owner_.IsThis()) {
      Abandon(std::shared_ptr<Subscriber>(subscriber_));
      return;
    }
    std::unique_lock lock(subscriber_->mutex);
    subscriber_->ended = true;
    // A callback may end its own subscription.
    subscriber_->quiet.wait(lock, [this] {
      return subscriber_->calling_thread == std::thread::id() ||
             subscriber_->calling_thread == std::this_thread::get_id();
    });
  }

 private:
  const OwnerProcess owner_;
  const std::shared_ptr<Subscriber> subscriber_;
};

Status EventLog::Load() {
  // After a trim meta keeps the last number given out, so that none is given out twice.
  PinnedBytes trimmed;
  const Status read = engine_.Get(kMeta, MetaKey(kMetaEventsTrimmed), trimmed);
  if (!read.ok() && !read.IsNotFound()) return read;
  if (read.ok()) MAYFLY_RETURN_IF_ERROR(LoadTrimmed(trimmed.view()));
  MAYFLY_TRY(const auto cursor, engine_.NewCursor(kEvents));
  cursor->SeekToLast();
  if (cursor->Valid()) {
    std::uint64_t last = 0;
    if (!DecodeEventKey(cursor->key(), last)) {
      return Status::Corruption("the key of an event is damaged; restore a backup");
    }
    last_sequence_ = std::max(last_sequence_, last);
  }
  return cursor->status();
}

Status EventLog::LoadTrimmed(Bytes record) {
  bool good = EatLittleEndian64(record, last_sequence_);
  // Older records lack this field: any event with a number may have been trimmed.
  trimmed_through_ = last_sequence_;
  if (!record.empty()) good = EatLittleEndian64(record, trimmed_through_) && good;
  if (good && record.empty() && trimmed_through_ <= last_sequence_) return {};
  return Status::Corruption("the record of trimmed events is damaged; restore a backup");
}

void EventLog::PutTrimmed(engine::Batch& batch, std::uint64_t last, std::uint64_t through) {
  std::string record;
  AppendLittleEndian64(record, last);
  AppendLittleEndian64(record, through);
  batch.Put(kMeta, MetaKey(kMetaEventsTrimmed), record);
}

Status EventLog::Commit(engine::Batch& batch, Durability durability, std::vector<Event>& events) {
  {
    const std::lock_guard lock(sequence_mutex_);
    std::uint64_t sequence = last_sequence_;
    std::string encoded;
    for (Event& event : events) {
      event.sequence = ++sequence;
      encoded.clear();
      AppendEvent(encoded, event);
      batch.Put(kEvents, EventKey(event.sequence), encoded);
    }
    MAYFLY_RETURN_IF_ERROR(engine_.Commit(batch, Durability::kProcess));
    last_sequence_ = sequence;
  }
  // The fsync comes after the lock, so that other commits share it instead of waiting for it.
  if (durability != Durability::kDisk) return {};
  const Status synced = engine_.Sync(Durability::kDisk);
  if (synced.ok()) return {};
  return Status::IoError(fmt::format(
      "the batch is visible but its outcome after a power cut is unknown: {}", synced.message()));
}

void EventLog::Deliver(std::vector<Event>&& events) {
  if (events.empty()) return;
  std::vector<std::shared_ptr<Subscriber>> subscribers;
  {
    const std::lock_guard lock(subscribers_mutex_);
    std::erase_if(subscribers_, [](const auto& subscriber) { return subscriber.expired(); });
    for (const auto& subscriber : subscribers_) {
      if (auto alive = subscriber.lock()) subscribers.push_back(std::move(alive));
    }
  }
  for (const auto& subscriber : subscribers) {
    std::vector<Event> own =
        // NOLINTNEXTLINE(bugprone-use-after-move): the last one gets them, and no turn follows.
        subscriber == subscribers.back() ? std::move(events) : std::vector<Event>(events);
    {
      const std::lock_guard lock(subscriber->mutex);
      if (subscriber->ended) continue;
      if (subscriber->waiting.empty()) {
        subscriber->waiting = std::move(own);
      } else {
        std::move(own.begin(), own.end(), std::back_inserter(subscriber->waiting));
      }
      // Another thread, or this one further up its stack, is delivering and will deliver these,
      // too.
      if (subscriber->calling_thread != std::thread::id()) continue;
      subscriber->calling_thread = std::this_thread::get_id();
    }
    CallAll(*subscriber);
  }
}

void EventLog::CallAll(Subscriber& subscriber) {
  std::unique_lock lock(subscriber.mutex);
  while (!subscriber.waiting.empty() && !subscriber.ended) {
    const std::vector<Event> events = std::exchange(subscriber.waiting, {});
    lock.unlock();
    for (const Event& event : events) {
      if (subscriber.ended) break;
      Call(subscriber, event);
    }
    lock.lock();
  }
  subscriber.calling_thread = {};
  subscriber.quiet.notify_all();
}

void EventLog::Call(const Subscriber& subscriber, const Event& event) {
  try {
    subscriber.callback(event);
  } catch (const std::exception& thrown) {
    Log(logger_, LogLevel::kError, "an event callback threw: {}", thrown.what());
  } catch (...) {
    Log(logger_, LogLevel::kError, "an event callback threw something");
  }
}

std::unique_ptr<EventSubscription> EventLog::Subscribe(EventCallback callback) {
  auto subscriber = std::make_shared<Subscriber>(std::move(callback));
  const std::lock_guard lock(subscribers_mutex_);
  subscribers_.push_back(subscriber);
  return std::make_unique<Subscription>(std::move(subscriber));
}

Result<std::vector<Event>> EventLog::Read(std::uint64_t after, std::size_t events_max) const {
  std::vector<Event> events;
  if (after == UINT64_MAX) return events;
  MAYFLY_TRY(const auto cursor, engine_.NewCursor(kEvents));
  for (cursor->SeekAtOrAfter(EventKey(after + 1)); cursor->Valid() && events.size() < events_max;
       cursor->Next()) {
    MAYFLY_TRY(Event event, DecodeEvent(cursor->value()));
    if (!DecodeEventKey(cursor->key(), event.sequence)) {
      return Status::Corruption("the key of an event is damaged; trim it away");
    }
    events.push_back(std::move(event));
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return events;
}

Result<std::pair<std::uint64_t, std::uint64_t>> EventLog::Extent() const {
  std::pair<std::uint64_t, std::uint64_t> extent{0, 0};
  MAYFLY_TRY(const auto cursor, engine_.NewCursor(kEvents));
  const auto sequence = [&](std::uint64_t& into) {
    return !cursor->Valid() || DecodeEventKey(cursor->key(), into);
  };
  cursor->SeekToFirst();
  bool good = sequence(extent.first);
  cursor->SeekToLast();
  good = sequence(extent.second) && good;
  if (!good) return Status::Corruption("the key of an event is damaged; trim it away");
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return extent;
}

std::uint64_t EventLog::LastSequence() const {
  const std::lock_guard lock(sequence_mutex_);
  return last_sequence_;
}

std::uint64_t EventLog::TrimmedThrough() const {
  const std::lock_guard lock(sequence_mutex_);
  return trimmed_through_;
}

// The last sequence that any of the conditions selects, within the bound; 0 for none.
Result<std::uint64_t> EventLog::TrimThrough(const EventTrim& trim, WallTime now) const {
  MAYFLY_TRY(const auto extent, Extent());
  const auto [first, last] = extent;
  const std::uint64_t count = last - first + 1;
  const std::uint64_t bound = first - 1 + std::min(trim.events_max.value_or(count), count);
  std::uint64_t through = std::min(trim.through_sequence.value_or(0), last);
  if (trim.keep_newest && count > *trim.keep_newest) {
    through = std::max(through, last - *trim.keep_newest);
  }
  through = std::min(through, bound);
  if (!trim.older_than) return through;
  // Purge times rise with sequences, so the first young event ends the scan. Events from a time
  // that was reverted since have no known age: they go with the next old one.
  MAYFLY_TRY(const auto cursor, engine_.NewCursor(kEvents));
  for (cursor->SeekAtOrAfter(EventKey(through + 1)); through < bound && cursor->Valid();
       cursor->Next()) {
    MAYFLY_TRY(const Event event, DecodeEvent(cursor->value()));
    if (event.purged_at > now) continue;
    if (now - event.purged_at <= *trim.older_than) break;
    if (!DecodeEventKey(cursor->key(), through)) {
      return Status::Corruption("the key of an event is damaged; trim it away");
    }
  }
  through = std::min(through, bound);
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return through;
}

Result<EventLog::Kept> EventLog::TrimKeyspace(KeyspaceId keyspace, WallTime purged_by,
                                              WallTime now) {
  Kept kept;
  std::optional<std::uint64_t> next = 0;
  while (next) {
    MAYFLY_TRY(next, TrimSome({keyspace, purged_by, now}, *next, kept));
  }
  return kept;
}

// Trims one step of events from `first` on; commits with events wait for one step at most. Returns
// where the next step begins; nothing when the newest event was reached.
Result<std::optional<std::uint64_t>> EventLog::TrimSome(const KeyspaceTrim& trim,
                                                        std::uint64_t first, Kept& kept) {
  const std::lock_guard lock(sequence_mutex_);
  engine::Batch batch;
  MAYFLY_TRY(const auto cursor, engine_.NewCursor(kEvents));
  cursor->SeekAtOrAfter(EventKey(first));
  for (std::size_t i = 0; i < kTrimStepEventsMax && cursor->Valid(); ++i, cursor->Next()) {
    MAYFLY_TRY(const Event event, DecodeEvent(cursor->value()));
    if (event.keyspace != trim.keyspace) continue;
    // An event from a time that was reverted since would stay for as long again.
    const bool taken_back = event.purged_at > trim.now + kClockTolerance;
    if (event.purged_at <= trim.purged_by || taken_back) {
      batch.Delete(kEvents, cursor->key());
      ++kept.removed;
      continue;
    }
    kept.first_purged_at =
        std::min(kept.first_purged_at.value_or(event.purged_at), event.purged_at);
    kept.first_deadline = std::min(kept.first_deadline.value_or(event.deadline), event.deadline);
  }
  std::optional<std::uint64_t> next;
  if (cursor->Valid() && !DecodeEventKey(cursor->key(), next.emplace())) {
    return Status::Corruption("the key of an event is damaged; trim it away");
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  if (batch.empty()) return next;
  // No number is given out twice, even if the last event is trimmed.
  PutTrimmed(batch, last_sequence_, trimmed_through_);
  MAYFLY_RETURN_IF_ERROR(engine_.Commit(batch));
  return next;
}

Status EventLog::GoOnBehind(std::uint64_t sequence) {
  const std::lock_guard lock(sequence_mutex_);
  if (sequence <= last_sequence_) return {};
  engine::Batch batch;
  PutTrimmed(batch, sequence, sequence);
  MAYFLY_RETURN_IF_ERROR(engine_.Commit(batch));
  last_sequence_ = sequence;
  trimmed_through_ = sequence;
  return {};
}

Result<std::uint64_t> EventLog::Trim(const EventTrim& trim, WallTime now) {
  // One trim at a time, so that the record of what was trimmed never goes back.
  const std::lock_guard lock(sequence_mutex_);
  MAYFLY_TRY(const auto extent, Extent());
  if (extent.second == 0) return std::uint64_t{0};
  MAYFLY_TRY(const std::uint64_t through, TrimThrough(trim, now));
  if (through < extent.first) return std::uint64_t{0};
  // Counted one by one, since events of keyspaces with a promise may have been trimmed before.
  std::uint64_t removed = 0;
  {
    MAYFLY_TRY(const auto cursor, engine_.NewCursor(kEvents));
    for (cursor->SeekToFirst(); cursor->Valid() && cursor->key() < Bytes(EventKey(through + 1));
         cursor->Next()) {
      ++removed;
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
  }
  engine::Batch batch;
  batch.DeleteRange(kEvents, EventKey(extent.first), EventKey(through + 1));
  const std::uint64_t trimmed = std::max(trimmed_through_, through);
  PutTrimmed(batch, last_sequence_, trimmed);
  MAYFLY_RETURN_IF_ERROR(engine_.Commit(batch));
  trimmed_through_ = trimmed;
  return removed;
}

}  // namespace mayfly::core
