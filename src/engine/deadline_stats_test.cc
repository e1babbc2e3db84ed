// Goal: the statistics never call living bytes dead, lose no bytes, and refuse damaged encodings.
// Method: seeded random rows against a plain list of them, the edges of buckets and of time, and
// every truncation and every flipped bit of encodings.
#include "engine/deadline_stats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/random.h"

namespace mayfly::engine {
namespace {

constexpr std::int64_t kMinMs = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxMs = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kBucketMs = 1024;  // Of statistics that were never widened.

struct Row {
  std::optional<WallTime> deadline;
  std::uint64_t bytes;
};

DeadlineStats StatsOf(const std::vector<Row>& rows) {
  DeadlineStats stats;
  for (const Row& row : rows) stats.Add(row.deadline, row.bytes);
  return stats;
}

std::uint64_t BytesIf(const std::vector<Row>& rows, auto predicate) {
  std::uint64_t sum = 0;
  for (const Row& row : rows) sum += predicate(row) ? row.bytes : 0;
  return sum;
}

// The narrowest width, as a power of two, with which the deadlines fit into the buckets.
int WidthLog2(const std::vector<Row>& rows) {
  std::int64_t min = kMaxMs;
  std::int64_t max = kMinMs;
  for (const Row& row : rows) {
    if (!row.deadline) continue;
    min = std::min(min, ToMs(*row.deadline));
    max = std::max(max, ToMs(*row.deadline));
  }
  int width = 10;
  while (min <= max &&
         static_cast<std::uint64_t>(max >> width) - static_cast<std::uint64_t>(min >> width) >=
             DeadlineStats::kBucketsMax) {
    ++width;
  }
  return width;
}

// Everything the header promises about `now`, from the rows themselves.
void ExpectTrueAt(const DeadlineStats& stats, const std::vector<Row>& rows, std::int64_t now_ms) {
  const WallTime now = WallTimeFromMs(now_ms);
  const auto dead = [&](const Row& row) { return row.deadline && *row.deadline <= now; };
  const std::uint64_t truth = BytesIf(rows, dead);
  const std::uint64_t told = stats.BytesDeadBy(now);
  ASSERT_LE(told, truth) << "living bytes called dead at " << now_ms;

  const int width = WidthLog2(rows);
  const std::uint64_t in_bucket_of_now = BytesIf(rows, [&](const Row& row) {
    return dead(row) && (ToMs(*row.deadline) >> width) == (now_ms >> width);
  });
  ASSERT_LE(truth - told, in_bucket_of_now) << "short by more than a bucket at " << now_ms;
  ASSERT_EQ(stats.AllDeadBy(now), !rows.empty() && std::all_of(rows.begin(), rows.end(), dead));
}

// Everything the header promises, at the instants where answers may change.
void ExpectTrue(const std::vector<Row>& rows) {
  const DeadlineStats stats = StatsOf(rows);
  const auto mortal = [](const Row& row) { return row.deadline.has_value(); };
  EXPECT_EQ(stats.mortal_bytes(), BytesIf(rows, mortal));
  EXPECT_EQ(stats.immortal_bytes(), BytesIf(rows, std::not_fn(mortal)));
  const auto mortals = static_cast<std::uint64_t>(std::count_if(rows.begin(), rows.end(), mortal));
  EXPECT_EQ(stats.mortal_rows(), mortals);
  EXPECT_EQ(stats.immortal_rows(), rows.size() - mortals);

  ExpectTrueAt(stats, rows, kMinMs);
  ExpectTrueAt(stats, rows, kMaxMs);
  std::optional<WallTime> min;
  std::optional<WallTime> max;
  for (const Row& row : rows) {
    if (!row.deadline) continue;
    min = std::min(min.value_or(*row.deadline), *row.deadline);
    max = std::max(max.value_or(*row.deadline), *row.deadline);
    const std::int64_t ms = ToMs(*row.deadline);
    if (ms > kMinMs) ExpectTrueAt(stats, rows, ms - 1);
    ExpectTrueAt(stats, rows, ms);
    if (ms < kMaxMs) ExpectTrueAt(stats, rows, ms + 1);
  }
  EXPECT_EQ(stats.min_deadline(), min);
  EXPECT_EQ(stats.max_deadline(), max);

  const Result<DeadlineStats> decoded = DeadlineStats::Decode(stats.Encode());
  ASSERT_TRUE(decoded.has_value()) << decoded.status().ToString();
  EXPECT_EQ(*decoded, stats);
}

// Up to `rows` rows with deadlines within 2^spread_log2 ms around `centre_ms`.
std::vector<Row> RandomRows(Random& random, std::size_t rows, unsigned spread_log2,
                            std::int64_t centre_ms) {
  std::vector<Row> drawn(random.Below(rows + 1));
  for (Row& row : drawn) {
    row.bytes = random.OneIn(10) ? 0 : random.Below(1 << 20);
    if (random.OneIn(5)) continue;
    const std::uint64_t offset = random.Next() >> (64 - spread_log2);
    row.deadline =
        WallTimeFromMs(static_cast<std::int64_t>(static_cast<std::uint64_t>(centre_ms) + offset));
  }
  return drawn;
}

TEST(DeadlineStats, OfNothingAreEmpty) {
  const DeadlineStats stats;
  EXPECT_EQ(stats.mortal_bytes(), 0u);
  EXPECT_FALSE(stats.min_deadline().has_value());
  EXPECT_FALSE(stats.max_deadline().has_value());
  EXPECT_EQ(stats.BytesDeadBy(WallTimeFromMs(kMaxMs)), 0u);
  EXPECT_FALSE(stats.AllDeadBy(WallTimeFromMs(kMaxMs)));
  ExpectTrue({});
}

TEST(DeadlineStats, HoldForRandomRowsOfEverySpread) {
  for (unsigned spread_log2 = 1; spread_log2 <= 64; ++spread_log2) {
    Random random(spread_log2);
    SCOPED_TRACE(testing::Message() << "spread of 2^" << spread_log2 << " ms");
    for (const std::int64_t centre_ms :
         {std::int64_t{0}, std::int64_t{1'700'000'000'000}, -1'000L}) {
      ExpectTrue(RandomRows(random, 60, spread_log2, centre_ms));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(DeadlineStats, DoNotDependOnTheOrderOfRows) {
  Random random(7);
  std::vector<Row> rows = RandomRows(random, 200, 40, 1'700'000'000'000);
  const DeadlineStats first = StatsOf(rows);
  std::reverse(rows.begin(), rows.end());
  EXPECT_EQ(StatsOf(rows), first);
}

TEST(DeadlineStats, CallABucketDeadOnceItsLastInstantHasPassed) {
  // One row per bucket, each on its bucket's last instant, and a far one that keeps `max` away.
  std::vector<Row> rows;
  for (std::int64_t b = 0; b < 4; ++b)
    rows.push_back({WallTimeFromMs((b + 1) * kBucketMs - 1), 10});
  const DeadlineStats stats = StatsOf(rows);
  EXPECT_EQ(stats.BytesDeadBy(WallTimeFromMs(kBucketMs - 2)), 0u);
  EXPECT_EQ(stats.BytesDeadBy(WallTimeFromMs(kBucketMs - 1)), 10u);
  EXPECT_EQ(stats.BytesDeadBy(WallTimeFromMs(kBucketMs)), 10u);
  EXPECT_EQ(stats.BytesDeadBy(WallTimeFromMs(4 * kBucketMs - 2)), 30u);
  EXPECT_EQ(stats.BytesDeadBy(WallTimeFromMs(4 * kBucketMs - 1)), 40u);
}

TEST(DeadlineStats, CountTheLastBucketWithItsLastRow) {
  const DeadlineStats stats = StatsOf({{WallTimeFromMs(100), 1}, {WallTimeFromMs(200), 2}});
  EXPECT_EQ(stats.BytesDeadBy(WallTimeFromMs(99)), 0u);
  EXPECT_EQ(stats.BytesDeadBy(WallTimeFromMs(100)), 0u) << "the bucket is not whole yet";
  EXPECT_EQ(stats.BytesDeadBy(WallTimeFromMs(199)), 0u);
  EXPECT_EQ(stats.BytesDeadBy(WallTimeFromMs(200)), 3u) << "nothing behind the last deadline";
}

TEST(DeadlineStats, KeepAsManyBucketsAsFitBeforeTheyWiden) {
  const auto fits = static_cast<std::int64_t>(DeadlineStats::kBucketsMax);
  std::vector<Row> rows{{WallTimeFromMs(0), 1}, {WallTimeFromMs(fits * kBucketMs - 1), 2}};
  EXPECT_EQ(StatsOf(rows).BytesDeadBy(WallTimeFromMs(kBucketMs - 1)), 1u);
  rows.push_back({WallTimeFromMs(fits * kBucketMs), 4});
  EXPECT_EQ(StatsOf(rows).BytesDeadBy(WallTimeFromMs(kBucketMs - 1)), 0u) << "widths doubled";
  EXPECT_EQ(StatsOf(rows).BytesDeadBy(WallTimeFromMs(2 * kBucketMs - 1)), 1u);
  ExpectTrue(rows);
}

TEST(DeadlineStats, AreNeverAllDeadWithAnImmortalRow) {
  DeadlineStats stats = StatsOf({{WallTimeFromMs(5), 1}});
  EXPECT_FALSE(stats.AllDeadBy(WallTimeFromMs(4)));
  EXPECT_TRUE(stats.AllDeadBy(WallTimeFromMs(5)));
  EXPECT_TRUE(stats.AllDeadBy(WallTimeFromMs(6)));
  stats.Add(std::nullopt, 0);
  EXPECT_FALSE(stats.AllDeadBy(WallTimeFromMs(kMaxMs)));
}

TEST(DeadlineStats, HoldAtBothEndsOfTime) {
  const WallTime first = WallTimeFromMs(kMinMs);
  const WallTime last = WallTimeFromMs(kMaxMs);
  ExpectTrue({{first, 1}});
  ExpectTrue({{last, 1}});
  ExpectTrue({{first, 1}, {last, 2}});
  ExpectTrue({{last, 1}, {first, 2}});
  // clang-format off
  ExpectTrue({
      {first,              1},
      {WallTimeFromMs(0),  2},
      {last,               4},
      {WallTimeFromMs(-1), 8}
  });
  ExpectTrue({
      {WallTimeFromMs(kMaxMs - 1), 1},
      {last,                       2},
      {WallTimeFromMs(kMinMs + 1), 4}
  });
  // clang-format on
}

TEST(DeadlineStats, StayWithinAFewHundredBytes) {
  Random random(9);
  DeadlineStats stats;
  for (int i = 0; i < 10'000; ++i) {
    stats.Add(WallTimeFromMs(static_cast<std::int64_t>(random.Next())), random.Below(1 << 20));
  }
  EXPECT_LT(stats.Encode().size(), 500u);
}

TEST(DeadlineStats, HaveTheseBytesOnDisk) {
  EXPECT_EQ(DeadlineStats().Encode(), std::string("\x01\x00\x00\x00", 4));
  // Two mortal rows, one immortal of 5 bytes; deadlines -1 and 1024; buckets -1, 0 and 1 of 2^10
  // ms.
  // clang-format off
  const DeadlineStats stats = StatsOf({
      {WallTimeFromMs(-1),   3},
      {std::nullopt,         5},
      {WallTimeFromMs(1024), 300}
  });
  // clang-format on
  EXPECT_EQ(stats.Encode(),
            std::string("\x01\x02\x01\x05\x01\x80\x10\x0a\x01\x03\x03\x00\xac\x02", 14));
}

// Stored statistics of several shapes, to be damaged.
std::vector<std::string> Encodings() {
  Random random(11);
  std::vector<std::string> encodings{
      DeadlineStats().Encode(),
      StatsOf({{std::nullopt, 5}}).Encode(),
      StatsOf({{WallTimeFromMs(1), 5}}).Encode(),
      StatsOf({{WallTimeFromMs(kMinMs), 5}, {WallTimeFromMs(kMaxMs), 6}}).Encode(),
  };
  for (const unsigned spread_log2 : {4u, 14u, 17u, 40u, 64u}) {
    encodings.push_back(StatsOf(RandomRows(random, 100, spread_log2, 1'700'000'000'000)).Encode());
  }
  return encodings;
}

// Expects of an accepted encoding, whatever its bytes were: it is the only encoding of its
// contents, the results are in order and add up, and counting goes on.
void ExpectSelfConsistent(DeadlineStats stats, const std::string& encoded) {
  EXPECT_EQ(stats.Encode(), encoded);
  EXPECT_EQ(stats.min_deadline().has_value(), stats.mortal_rows() > 0);
  EXPECT_LE(stats.min_deadline(), stats.max_deadline());
  std::uint64_t before = 0;
  for (unsigned step = 0; step <= 256; ++step) {
    const auto ms = static_cast<std::int64_t>((std::uint64_t{step} << 56) - (step == 256 ? 1 : 0) +
                                              static_cast<std::uint64_t>(kMinMs));
    const std::uint64_t dead = stats.BytesDeadBy(WallTimeFromMs(ms));
    ASSERT_GE(dead, before);
    ASSERT_LE(dead, stats.mortal_bytes());
    before = dead;
  }
  EXPECT_EQ(stats.BytesDeadBy(WallTimeFromMs(kMaxMs)), stats.mortal_bytes());
  const std::uint64_t bytes = stats.mortal_bytes();
  stats.Add(WallTimeFromMs(kMinMs), 1);
  stats.Add(WallTimeFromMs(kMaxMs), 1);
  EXPECT_EQ(stats.mortal_bytes(), bytes + 2);
}

TEST(DeadlineStatsDecode, RefusesEveryTruncation) {
  for (const std::string& encoded : Encodings()) {
    for (std::size_t size = 0; size < encoded.size(); ++size) {
      const auto result = DeadlineStats::Decode(Bytes(encoded).substr(0, size));
      ASSERT_EQ(result.status().code(), StatusCode::kCorruption)
          << size << " of " << encoded.size();
    }
  }
}

TEST(DeadlineStatsDecode, RefusesWhatFollows) {
  for (const std::string& encoded : Encodings()) {
    EXPECT_EQ(DeadlineStats::Decode(encoded + '\0').status().code(), StatusCode::kCorruption);
  }
}

TEST(DeadlineStatsDecode, RefusesEveryFlippedBitOrMakesSenseOfIt) {
  for (const std::string& encoded : Encodings()) {
    for (std::size_t bit = 0; bit < encoded.size() * 8; ++bit) {
      std::string damaged = encoded;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      const auto result = DeadlineStats::Decode(damaged);
      if (result.has_value()) {
        ExpectSelfConsistent(*result, damaged);
      } else {
        EXPECT_EQ(result.error().code(),
                  bit < 8 ? StatusCode::kUnsupported : StatusCode::kCorruption);
      }
      ASSERT_FALSE(testing::Test::HasFailure()) << "bit " << bit;
    }
  }
}

// The fields in their stored order, for forged encodings.
struct Forged {
  std::uint64_t mortal_rows = 2;
  std::uint64_t immortal_rows = 0;
  std::uint64_t immortal_bytes = 0;
  std::int64_t min_ms = 0;
  std::int64_t max_ms = 1;
  std::uint64_t width_log2 = 10;
  std::int64_t first_bucket = 0;
  std::vector<std::uint64_t> buckets = {7};

  StatusCode Decoded() const {
    const auto zigzag = [](std::int64_t n) {
      return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
    };
    std::string out(1, 1);
    for (const std::uint64_t field :
         {mortal_rows, immortal_rows, immortal_bytes, zigzag(min_ms), zigzag(max_ms), width_log2,
          zigzag(first_bucket), std::uint64_t{buckets.size()}}) {
      AppendVarint(out, field);
    }
    for (const std::uint64_t bytes : buckets) AppendVarint(out, bytes);
    const auto result = DeadlineStats::Decode(out);
    if (result.has_value()) ExpectSelfConsistent(*result, out);
    return result.status().code();
  }
};

TEST(DeadlineStatsDecode, RefusesWhatAddingRowsCannotGive) {
  constexpr StatusCode kDamaged = StatusCode::kCorruption;
  EXPECT_EQ(Forged{}.Decoded(), StatusCode::kOk);
  EXPECT_EQ(Forged{.max_ms = -1}.Decoded(), kDamaged) << "max before min";
  EXPECT_EQ((Forged{.max_ms = 0, .width_log2 = 0}.Decoded()), kDamaged) << "narrower than any";
  EXPECT_EQ((Forged{.min_ms = kMinMs, .max_ms = kMaxMs, .width_log2 = 0}.Decoded()), kDamaged);
  EXPECT_EQ((Forged{.width_log2 = 11}.Decoded()), kDamaged) << "wider than needed";
  EXPECT_EQ((Forged{.width_log2 = 63}.Decoded()), kDamaged);
  EXPECT_EQ((Forged{.width_log2 = 64}.Decoded()), kDamaged);
  EXPECT_EQ((Forged{.first_bucket = 1}.Decoded()), kDamaged) << "not the bucket of min";
  EXPECT_EQ((Forged{.buckets = {}}.Decoded()), kDamaged);
  EXPECT_EQ((Forged{.buckets = {7, 7}}.Decoded()), kDamaged) << "a bucket behind max";
  EXPECT_EQ((Forged{.mortal_rows = 1}.Decoded()), kDamaged) << "one row with two deadlines";
  EXPECT_EQ((Forged{.immortal_bytes = 1}.Decoded()), kDamaged) << "bytes of no row";
  EXPECT_EQ((Forged{.max_ms = 1024, .buckets = {~std::uint64_t{0}, 1}}.Decoded()), kDamaged)
      << "more bytes than can be counted";
}

}  // namespace
}  // namespace mayfly::engine
