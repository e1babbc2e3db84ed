// shard_iterator.h - a place in a stream, as clients carry it from one GetRecords to the next.
//   stream ARN | issued, ms | sequence of the next record
// It works for a quarter of an hour. A stream is one shard: its records have one order.
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

// Refused: not one of ours, or older than `now` allows.
Outcome<ShardIterator> ReadIterator(std::string_view text, WallTime now);

// A sequence as the 21 digits clients expect at least.
std::string WriteSequence(std::uint64_t sequence);
Outcome<std::uint64_t> ReadSequence(std::string_view text);

}  // namespace mayfly::dynamo
