// Goal: no bytes break the decoder, what it accepts is the one encoding of its contents, and
// counting keeps invariants (1) and (2) of deadline_stats.h. Method: the first byte picks: decode
// the rest, or read it as rows and compare with a plain list.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/coding.h"
#include "engine/deadline_stats.h"

namespace mayfly::engine {
namespace {

void DecodeAnything(Bytes in) {
  const Result<DeadlineStats> decoded = DeadlineStats::Decode(in);
  if (!decoded.has_value()) return;
  MAYFLY_CHECK(decoded->Encode() == in, "two encodings of the same statistics");
  DeadlineStats stats = *decoded;
  std::uint64_t before = 0;
  for (const std::optional<WallTime> now : {stats.min_deadline(), stats.max_deadline()}) {
    const std::uint64_t dead = stats.BytesDeadBy(now.value_or(WallTime()));
    MAYFLY_CHECK(dead >= before, "time went on and bytes came back to life");
    before = dead;
  }
  MAYFLY_CHECK(before == stats.mortal_bytes(), "bytes live on behind the last deadline");
  stats.Add(WallTimeFromMs(std::numeric_limits<std::int64_t>::min()), 1);
  stats.Add(WallTimeFromMs(std::numeric_limits<std::int64_t>::max()), 1);
  MAYFLY_CHECK(stats.mortal_bytes() == before + 2, "bytes were lost");
}

void CountRows(Bytes in) {
  struct Row {
    WallTime deadline;
    std::uint64_t bytes;
  };
  std::vector<Row> rows;
  std::uint64_t immortal_bytes = 0;
  DeadlineStats stats;
  std::uint64_t deadline_ms = 0;
  std::uint16_t bytes = 0;
  while (EatVarint(in, deadline_ms) && EatBigEndian16(in, bytes)) {
    if (bytes % 8 == 7) {
      stats.Add(std::nullopt, bytes);
      immortal_bytes += bytes;
    } else {
      // The lowest bit is the sign, so that both ends of time are a few bytes away.
      const auto half = static_cast<std::int64_t>(deadline_ms >> 1);
      const WallTime deadline = WallTimeFromMs((deadline_ms & 1) != 0 ? -half - 1 : half);
      stats.Add(deadline, bytes);
      rows.push_back({deadline, bytes});
    }
  }
  const auto dead_by = [&](WallTime now) {
    std::uint64_t sum = 0;
    for (const Row& row : rows) sum += row.deadline <= now ? row.bytes : 0;
    return sum;
  };
  const std::uint64_t mortal_bytes = dead_by(WallTime::max());
  MAYFLY_CHECK(stats.mortal_bytes() == mortal_bytes, "invariant (1), mortal bytes");
  MAYFLY_CHECK(stats.immortal_bytes() == immortal_bytes, "invariant (1), immortal bytes");
  for (const Row& row : rows) {
    MAYFLY_CHECK(stats.BytesDeadBy(row.deadline) <= dead_by(row.deadline), "invariant (2)");
  }
  const Result<DeadlineStats> decoded = DeadlineStats::Decode(stats.Encode());
  MAYFLY_CHECK(decoded.has_value() && *decoded == stats, "a round trip changed something");
}

}  // namespace
}  // namespace mayfly::engine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const mayfly::Bytes rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0) {
    mayfly::engine::DecodeAnything(rest);
  } else {
    mayfly::engine::CountRows(rest);
  }
  return 0;
}
