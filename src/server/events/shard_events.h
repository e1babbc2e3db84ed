// shard_events.h - the events of one database: a page of them, and each as a reply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mayfly/database.h"
#include "mayfly/result.h"
#include "wire/reply.h"

namespace mayfly::server {

struct ShardEvents {
  std::vector<Event> events;
  // What a reader of these has seen: nothing up to it is still to come.
  std::uint64_t read_through = 0;
  // Events behind `after` up to this one are not kept any more; nothing: there are no such.
  std::optional<std::uint64_t> gap_through = std::nullopt;
};

// The first events behind `after`; nothing: from the oldest one that is kept, which is no gap.
Result<ShardEvents> ReadShardEvents(const Database& database, std::optional<std::uint64_t> after,
                                    std::size_t events_max);

// A map. `shard`: its first field; nothing: without one.
Reply ReplyOf(const Event& event, std::optional<std::size_t> shard);

// Bytes of the key and the value.
std::size_t BytesOf(const Event& event);

}  // namespace mayfly::server
