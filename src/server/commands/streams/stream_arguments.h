// stream_arguments.h - parses the arguments of stream commands, with Redis' errors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"
#include "server/command/key_spec.h"
#include "types/streams/stream.h"

namespace mayfly::server {

Status InvalidStreamId();

// "ms" or "ms-sequence"; without a sequence it is `missing`.
Result<types::StreamId> StreamIdArgument(Bytes argument, std::uint64_t missing = 0);

// All ids, or the first error.
Result<std::vector<types::StreamId>> StreamIdArguments(std::span<const Bytes> arguments);

// As StreamIdArgument(), and also "-" and "+", the least and the greatest id.
Result<types::StreamId> OpenStreamIdArgument(Bytes argument, std::uint64_t missing = 0);

// The ends of a range: as OpenStreamIdArgument(), or "(" and an id that is not in it.
Result<types::StreamId> RangeStartArgument(Bytes argument);
Result<types::StreamId> RangeEndArgument(Bytes argument);

// The id of a new entry: "*", "ms-*", "ms" or "ms-sequence".
struct NewIdArgument {
  std::optional<types::StreamId> id;  // Nothing for "*".
  bool has_sequence = true;           // Not for "ms-*".
};
Result<NewIdArgument> ParseNewId(Bytes argument);

// The options of XADD and XTRIM.
struct StreamOptions {
  std::optional<types::StreamTrim> trim;
  std::optional<Millis> max_age;  // Of XADD.
  bool make_stream = true;        // Of XADD.
  NewIdArgument id;               // Of XADD.
  std::size_t fields_at = 0;      // Of XADD: where the fields begin.
};
enum class StreamOptionsOf : std::uint8_t { kXAdd, kXTrim };

// How a trim with "~" is carried out.
struct TrimRules {
  std::int64_t node_entries = 0;  // Removed at a time.
  // Redis sends what it has trimmed as an exact trim, and leaves a LIMIT there: it means nothing.
  bool from_leader = false;
};
Result<StreamOptions> ParseStreamOptions(std::span<const Bytes> args, StreamOptionsOf command,
                                         const TrimRules& rules);

// MAXAGE's milliseconds; 0 means no max age.
Result<Millis> MaxAgeArgument(Bytes argument);

// XREAD and XREADGROUP.
struct ReadRequest {
  std::optional<std::int64_t> block_ms;  // Nothing: it does not block; 0: for ever.
  std::uint64_t count = 0;               // 0: no bound.
  std::optional<Bytes> group;
  Bytes consumer;
  bool no_ack = false;
  std::span<const Bytes> keys;
  std::span<const Bytes> ids;  // As many.
};
Result<ReadRequest> ParseRead(std::span<const Bytes> args, bool grouped, bool from_script);

// The keys behind STREAMS, found as ParseRead() finds them.
void FindReadKeys(std::span<const Bytes> args, std::vector<KeyUse>& keys);
void FindGroupReadKeys(std::span<const Bytes> args, std::vector<KeyUse>& keys);

}  // namespace mayfly::server
