// Implements the events of c.h.
#include "capi/handles.h"
#include "capi/memory.h"
#include "capi/structs.h"

namespace mayfly::capi {
namespace {

static_assert(static_cast<int>(EventCause::kBornDead) == MAYFLY_CAUSE_BORN_DEAD);
static_assert(static_cast<int>(EventCause::kEvicted) == MAYFLY_CAUSE_EVICTED);

// Converts an event; pointers refer to the C++ object.
mayfly_event ToEvent(const Event& event) {
  return {.sequence = event.sequence,
          .keyspace_name = event.keyspace_name.c_str(),
          .key = event.key.data(),
          .key_size = event.key.size(),
          .value = event.value ? event.value->data() : nullptr,
          .value_size = event.value ? event.value->size() : 0,
          .deadline_ms = ToMs(event.deadline),
          .purged_at_ms = ToMs(event.purged_at),
          .keyspace = event.keyspace,
          .cause = static_cast<int>(event.cause)};
}

mayfly_event_with_member ToEventWithMember(const Event& event) {
  return {.event = ToEvent(event),
          .member = event.member ? event.member->data() : nullptr,
          .member_size = event.member ? event.member->size() : 0};
}

std::size_t BytesOf(const Event& event) {
  return event.keyspace_name.size() + event.key.size() + (event.value ? event.value->size() : 0) +
         (event.member ? event.member->size() : 0);
}

// Copies the bytes that `shown` points at into the block.
template <typename T>
void CopyInto(Block<T>& block, const Event& event, mayfly_event& shown) {
  shown.keyspace_name = block.Add(event.keyspace_name);
  shown.key = block.Add(event.key);
  if (event.value) shown.value = block.Add(*event.value);
}

mayfly_event* CopyEvents(const std::vector<Event>& events) {
  std::size_t bytes = 0;
  for (const Event& event : events) bytes += BytesOf(event);
  Block<mayfly_event> block(events.size(), bytes, 3 * events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    block[i] = ToEvent(events[i]);
    CopyInto(block, events[i], block[i]);
  }
  return block.Release();
}

mayfly_event_with_member* CopyEventsWithMembers(const std::vector<Event>& events) {
  std::size_t bytes = 0;
  for (const Event& event : events) bytes += BytesOf(event);
  Block<mayfly_event_with_member> block(events.size(), bytes, 4 * events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    block[i] = ToEventWithMember(events[i]);
    CopyInto(block, events[i], block[i].event);
    if (events[i].member) block[i].member = block.Add(*events[i].member);
  }
  return block.Release();
}

// Reads the next events, converted by `copy`.
template <typename T>
Status ReadEvents(mayfly_database* database, std::uint64_t after, std::size_t events_max,
                  T** events, std::size_t* count, T* (*copy)(const std::vector<Event>&)) {
  MAYFLY_RETURN_IF_ERROR(Need(events, "the place for the events"));
  MAYFLY_RETURN_IF_ERROR(Need(count, "the place for the count"));
  *events = nullptr;
  *count = 0;
  MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
  MAYFLY_TRY(const auto found, (*database)->ReadEvents(after, events_max));
  *events = copy(found);
  *count = found.size();
  return {};
}

// Calls `function` with each event, converted by `show`.
template <typename T>
Status Subscribe(mayfly_database* database, void (*function)(void*, const T*), void* context,
                 mayfly_subscription** subscription, T (*show)(const Event&)) {
  MAYFLY_RETURN_IF_ERROR(Need(subscription, "the place for the subscription"));
  *subscription = nullptr;
  MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
  if (function == nullptr) return Status::Invalid("the event function is null; pass one");
  MAYFLY_TRY(auto subscribed, (*database)->Subscribe([function, context, show](const Event& event) {
    const T shown = show(event);
    function(context, &shown);
  }));
  *subscription = NewHandle(mayfly_subscription{database->shared, std::move(subscribed)});
  return {};
}

}  // namespace
}  // namespace mayfly::capi

using namespace mayfly;        // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::capi;  // NOLINT(google-build-using-namespace)

int mayfly_read_events(mayfly_database* database, uint64_t after, size_t events_max,
                       mayfly_event** events, size_t* count) noexcept {
  return Guard([&]() -> Status {
    return ReadEvents(database, after, events_max, events, count, &CopyEvents);
  });
}

int mayfly_read_events_with_members(mayfly_database* database, uint64_t after, size_t events_max,
                                    mayfly_event_with_member** events, size_t* count) noexcept {
  return Guard([&]() -> Status {
    return ReadEvents(database, after, events_max, events, count, &CopyEventsWithMembers);
  });
}

int mayfly_last_event_sequence(mayfly_database* database, uint64_t* sequence) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(sequence, "the place for the sequence"));
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    *sequence = (*database)->LastEventSequence();
    return {};
  });
}

int mayfly_trim_events(mayfly_database* database, const mayfly_event_trim* trim,
                       uint64_t* removed) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_RETURN_IF_ERROR(Need(trim, "what to trim"));
    MAYFLY_TRY(const mayfly_event_trim asked, TakeStruct(trim, "what to trim"));
    EventTrim wanted;
    if (asked.by_sequence) wanted.through_sequence = asked.through_sequence;
    if (asked.by_age) wanted.older_than = Millis(asked.older_than_ms);
    if (asked.by_number) wanted.keep_newest = asked.keep_newest;
    if (asked.events_max > 0) wanted.events_max = asked.events_max;
    MAYFLY_TRY(const std::uint64_t gone, (*database)->TrimEvents(wanted));
    if (removed != nullptr) *removed = gone;
    return {};
  });
}

int mayfly_subscribe(mayfly_database* database, mayfly_event_function function, void* context,
                     mayfly_subscription** subscription) noexcept {
  return Guard(
      [&]() -> Status { return Subscribe(database, function, context, subscription, &ToEvent); });
}

int mayfly_subscribe_with_members(mayfly_database* database,
                                  mayfly_event_with_member_function function, void* context,
                                  mayfly_subscription** subscription) noexcept {
  return Guard([&]() -> Status {
    return Subscribe(database, function, context, subscription, &ToEventWithMember);
  });
}

void mayfly_unsubscribe(mayfly_subscription* subscription) noexcept { delete subscription; }
