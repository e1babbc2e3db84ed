// stream_value.h - a stream as dumps hold it, without the form in which they pack it.
// value_reader.h decodes every version of them to this, and stream_writer.h encodes that of 7.0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mayfly/clock.h"

namespace mayfly::rdb {

struct StreamId {
  std::uint64_t ms = 0;
  std::uint64_t sequence = 0;

  friend auto operator<=>(const StreamId&, const StreamId&) = default;
};

struct StreamEntry {
  StreamId id;
  std::vector<std::pair<std::string, std::string>> fields;
};

struct PendingEntry {
  StreamId id;
  WallTime delivered;
  std::uint64_t deliveries = 0;
  std::string consumer;
};

struct StreamConsumer {
  std::string name;
  WallTime seen;
  std::optional<WallTime> active;  // Since version 11.
};

struct StreamGroup {
  std::string name;
  StreamId last;
  std::optional<std::uint64_t> entries_read;  // Since version 10, unless unknown.
  std::vector<PendingEntry> pending;
  std::vector<StreamConsumer> consumers;
};

// What follows the entries.
struct StreamState {
  std::uint64_t entries = 0;
  StreamId last;
  std::optional<StreamId> first;  // These three since version 10.
  std::optional<StreamId> last_deleted;
  std::optional<std::uint64_t> entries_added;
  std::vector<StreamGroup> groups;
};

}  // namespace mayfly::rdb
