// shard_iterator.h - a position in a stream, which clients pass from one GetRecords to the next.
//   stream ARN | issued, ms | sequence of the next record
// It is valid for a quarter of an hour. A stream is one shard: its records have one order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dynamo/json/refusal.h"
#include "dynamo/tables/arn.h"
#include "mayfly/clock.h"

namespace mayfly::dynamo {

inline constexpr std::string_view kShardId = "shardId-00000000000000000000-00000000";

struct ShardIterator {
  StreamName stream;
  WallTime issued;
  std::uint64_t sequence = 0;
};

std::string WriteIterator(const ShardIterator& iterator);

// Refused: malformed, or expired at `now`.
Outcome<ShardIterator> ReadIterator(std::string_view text, WallTime now);

// A sequence in 21 digits, the least that clients expect.
std::string WriteSequence(std::uint64_t sequence);
Outcome<std::uint64_t> ReadSequence(std::string_view text);

}  // namespace mayfly::dynamo
