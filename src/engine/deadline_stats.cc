#include "engine/deadline_stats.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/coding.h"

namespace mayfly::engine {
namespace {

constexpr char kVersion = 1;            // Stored.
constexpr unsigned kWidthLog2Max = 58;  // kBucketsMax buckets then hold all of time.

// How many buckets lie from a to b, both included; a <= b. Unsigned, so that the difference cannot
// overflow; buckets are wider than one millisecond, so that the one added cannot either.
std::uint64_t Span(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a) + 1;
}

// The buckets from min to max, when these are 2^width_log2 ms wide.
std::uint64_t SpanOf(std::int64_t min_ms, std::int64_t max_ms, unsigned width_log2) {
  return Span(min_ms >> width_log2, max_ms >> width_log2);
}

}  // namespace

void DeadlineStats::Add(std::optional<WallTime> deadline, std::uint64_t bytes) {
  if (!deadline) {
    ++immortal_rows_;
    immortal_bytes_ += bytes;
    return;
  }
  const std::int64_t ms = ToMs(*deadline);
  min_ms_ = mortal_rows_ == 0 ? ms : std::min(min_ms_, ms);
  max_ms_ = mortal_rows_ == 0 ? ms : std::max(max_ms_, ms);
  ++mortal_rows_;

  if (buckets_.empty()) {
    first_bucket_ = ms >> width_log2_;
    buckets_.push_back(bytes);
    return;
  }
  // An arithmetic shift rounds towards the past, so buckets before 1970 line up as well.
  std::int64_t bucket = ms >> width_log2_;
  const auto last = [this] {
    return first_bucket_ + static_cast<std::int64_t>(buckets_.size()) - 1;
  };
  while (Span(std::min(bucket, first_bucket_), std::max(bucket, last())) > kBucketsMax) {
    Widen();
    bucket = ms >> width_log2_;
  }
  for (; bucket < first_bucket_; --first_bucket_) buckets_.push_front(0);
  while (bucket > last()) buckets_.push_back(0);
  buckets_[static_cast<std::size_t>(bucket - first_bucket_)] += bytes;
}

void DeadlineStats::Widen() {
  MAYFLY_CHECK(width_log2_ < kWidthLog2Max, "the widest buckets hold all of time");
  std::deque<std::uint64_t> wide;
  const std::int64_t first_wide = first_bucket_ >> 1;
  std::int64_t bucket = first_bucket_;
  for (const std::uint64_t bytes : buckets_) {
    const auto i = static_cast<std::size_t>((bucket >> 1) - first_wide);
    if (i == wide.size()) wide.push_back(0);
    wide[i] += bytes;
    ++bucket;
  }
  buckets_ = std::move(wide);
  first_bucket_ = first_wide;
  ++width_log2_;
}

std::uint64_t DeadlineStats::mortal_bytes() const {
  return std::accumulate(buckets_.begin(), buckets_.end(), std::uint64_t{0});
}

std::optional<WallTime> DeadlineStats::min_deadline() const {
  if (mortal_rows_ == 0) return std::nullopt;
  return WallTimeFromMs(min_ms_);
}

std::optional<WallTime> DeadlineStats::max_deadline() const {
  if (mortal_rows_ == 0) return std::nullopt;
  return WallTimeFromMs(max_ms_);
}

std::uint64_t DeadlineStats::BytesDeadBy(WallTime now) const {
  if (mortal_rows_ == 0 || now < WallTimeFromMs(min_ms_)) return 0;
  if (now >= WallTimeFromMs(max_ms_)) return mortal_bytes();
  // Bucket b is dead when its last instant, ((b + 1) << width) - 1, is not ahead of now.
  const std::int64_t alive_bucket = (ToMs(now) + 1) >> width_log2_;
  const auto dead = std::clamp<std::int64_t>(alive_bucket - first_bucket_, 0,
                                             static_cast<std::int64_t>(buckets_.size()));
  return std::accumulate(buckets_.begin(), buckets_.begin() + dead, std::uint64_t{0});
}

bool DeadlineStats::AllDeadBy(WallTime now) const {
  return immortal_rows_ == 0 && mortal_rows_ > 0 && WallTimeFromMs(max_ms_) <= now;
}

std::string DeadlineStats::Encode() const {
  std::string out(1, kVersion);
  AppendVarint(out, mortal_rows_);
  AppendVarint(out, immortal_rows_);
  AppendVarint(out, immortal_bytes_);
  if (mortal_rows_ == 0) return out;
  AppendZigZag(out, min_ms_);
  AppendZigZag(out, max_ms_);
  AppendVarint(out, width_log2_);
  AppendZigZag(out, first_bucket_);
  AppendVarint(out, buckets_.size());
  for (const std::uint64_t bytes : buckets_) AppendVarint(out, bytes);
  return out;
}

Result<DeadlineStats> DeadlineStats::Decode(Bytes in) {
  const Status damaged = Status::Corruption("damaged deadline statistics of a file");
  if (in.empty()) return damaged;
  if (in.front() != kVersion) {
    return Status::Unsupported("deadline statistics of a newer format; use a newer mayfly");
  }
  in.remove_prefix(1);
  DeadlineStats stats;
  if (!EatVarint(in, stats.mortal_rows_) || !EatVarint(in, stats.immortal_rows_) ||
      !EatVarint(in, stats.immortal_bytes_) ||
      (stats.immortal_rows_ == 0 && stats.immortal_bytes_ > 0)) {
    return damaged;
  }
  if (stats.mortal_rows_ > 0 && !stats.EatBuckets(in)) return damaged;
  if (!in.empty()) return damaged;
  return stats;
}

// Accepts only what Add() can have made: a forged minimum or width would count living bytes as
// dead.
bool DeadlineStats::EatBuckets(Bytes& in) {
  std::uint64_t width_log2 = 0;
  std::uint64_t count = 0;
  if (!EatZigZag(in, min_ms_) || !EatZigZag(in, max_ms_) || !EatVarint(in, width_log2) ||
      !EatZigZag(in, first_bucket_) || !EatVarint(in, count)) {
    return false;
  }
  if (min_ms_ > max_ms_ || (mortal_rows_ == 1 && min_ms_ != max_ms_)) return false;
  if (width_log2 < kWidthLog2Min || width_log2 > kWidthLog2Max) return false;
  width_log2_ = static_cast<unsigned>(width_log2);
  if (first_bucket_ != min_ms_ >> width_log2_) return false;
  if (count > kBucketsMax || count != SpanOf(min_ms_, max_ms_, width_log2_)) return false;
  // Widths double only when they must.
  if (width_log2_ > kWidthLog2Min && SpanOf(min_ms_, max_ms_, width_log2_ - 1) <= kBucketsMax) {
    return false;
  }
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t bytes = 0;
    if (!EatVarint(in, bytes) || __builtin_add_overflow(sum, bytes, &sum)) return false;
    buckets_.push_back(bytes);
  }
  return true;
}

}  // namespace mayfly::engine
