// c.h, events.
#include "capi/handles.h"
#include "capi/memory.h"
#include "capi/structs.h"

namespace mayfly::capi {
namespace {

static_assert(static_cast<int>(EventCause::kBornDead) == MAYFLY_CAUSE_BORN_DEAD);

// Shows the event as it lies in C++.
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

mayfly_event* CopyEvents(const std::vector<Event>& events) {
  std::size_t bytes = 0;
  for (const Event& event : events) {
    bytes +=
        event.keyspace_name.size() + event.key.size() + (event.value ? event.value->size() : 0);
  }
  Block<mayfly_event> block(events.size(), bytes, 3 * events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    block[i] = ToEvent(event);
    block[i].keyspace_name = block.Add(event.keyspace_name);
    block[i].key = block.Add(event.key);
    if (event.value) block[i].value = block.Add(*event.value);
  }
  return block.Release();
}

}  // namespace
}  // namespace mayfly::capi

using namespace mayfly;        // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::capi;  // NOLINT(google-build-using-namespace)

int mayfly_read_events(mayfly_database* database, uint64_t after, size_t events_max,
                       mayfly_event** events, size_t* count) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(events, "the place for the events"));
    MAYFLY_RETURN_IF_ERROR(Need(count, "the place for the count"));
    *events = nullptr;
    *count = 0;
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_TRY(const auto found, (*database)->ReadEvents(after, events_max));
    *events = CopyEvents(found);
    *count = found.size();
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
    MAYFLY_TRY(const std::uint64_t gone, (*database)->TrimEvents(wanted));
    if (removed != nullptr) *removed = gone;
    return {};
  });
}

int mayfly_subscribe(mayfly_database* database, mayfly_event_function function, void* context,
                     mayfly_subscription** subscription) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(subscription, "the place for the subscription"));
    *subscription = nullptr;
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    if (function == nullptr) return Status::Invalid("the event function is null; pass one");
    MAYFLY_TRY(auto subscribed, (*database)->Subscribe([function, context](const Event& event) {
      const mayfly_event shown = ToEvent(event);
      function(context, &shown);
    }));
    *subscription = NewHandle(mayfly_subscription{database->shared, std::move(subscribed)});
    return {};
  });
}

void mayfly_unsubscribe(mayfly_subscription* subscription) noexcept { delete subscription; }
