// event_pages.h - pages of the events of many shards: [cursor, events], each event with its shard.
// A page is in the order of `purged-at`, as far as that order and the one of a shard agree: the
// events of a shard are always in the order of their sequences. What is written while pages are
// read comes with a later page, whatever its instant is.
// Memory: EventBounds, and for each shard the events that were read ahead, kEventsAheadMax at most.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "server/command/answer.h"
#include "server/events/event_cursor.h"
#include "server/shards/served_database.h"
#include "wire/reply.h"

namespace mayfly::server {

// Of a page. Its events end with the one that reaches one of these.
struct EventBounds {
  std::size_t events = 0;
  std::size_t bytes = std::size_t{16} << 20;  // Of keys and values.
};

inline constexpr std::size_t kEventsAheadMax = 64;

// Of these shards. `cursor` may have positions of others, which pass through. An error: events are not
// kept any more, and `skips` is false.
Reply PageOf(std::span<const std::shared_ptr<ServedDatabase>> shards, EventCursor cursor,
             const EventBounds& bounds, bool skips);

// What each of `servers` is asked for, so that all of them together have about twice the events
// that are wanted. A shorter page is still right: one that could not be merged to its end stops there.
EventBounds BoundsOfEach(const EventBounds& bounds, std::size_t servers);

// One page of those of several servers, each made from `cursor` with the bounds `of_each`. A shard
// that moved meanwhile may be in two of them, or in none: its events come once, or later. An error
// among the pages is the result.
Reply MergePages(EventCursor cursor, std::size_t shards, const EventBounds& bounds,
                 const EventBounds& of_each, std::vector<Reply> pages);

}  // namespace mayfly::server
