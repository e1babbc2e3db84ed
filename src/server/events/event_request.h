// event_request.h - the words of TTL.EVENTS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::server {

struct EventRequest {
  static constexpr std::size_t kEventsMax = 10'000;

  // One of the two: AFTER, of one database, or CURSOR, of all shards.
  std::optional<std::uint64_t> after;
  Bytes cursor;  // As it was given; empty: AFTER. Points into the arguments.
  std::size_t count = 100;
  bool skips = false;  // SKIP: goes on behind events that are not kept any more.
};

// `words`: behind the command's name.
Result<EventRequest> ParseEventRequest(std::span<const Bytes> words);

}  // namespace mayfly::server
