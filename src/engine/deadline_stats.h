// deadline_stats.h - when the rows of one file die, in a few hundred bytes.
//   | version u8 | mortal_rows | immortal_rows | immortal_bytes            (varints)
//   | min_ms zigzag | max_ms zigzag | width_log2 | first_bucket zigzag | count | bytes... |
// Stored as a property of the file, so that "is any row in it still alive" and "how much of it is
// dead" are answered without reading it. Buckets are 2^width_log2 ms wide and aligned to multiples
// of their width; when a deadline falls outside kBucketsMax of them, widths double and buckets
// merge, so memory is bounded whatever the deadlines are. Invariants: (1) The bytes of all buckets
// plus immortal_bytes are the bytes added. (2) Bytes are never counted as dead before their
// deadline: BytesDeadBy counts whole buckets only. Layout: docs/formats/deadline_stats.md.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::engine {

class DeadlineStats {
 public:
  static constexpr std::size_t kBucketsMax = 64;

  // Counts a row of `bytes` bytes, key and value together. No deadline: it lives forever.
  void Add(std::optional<WallTime> deadline, std::uint64_t bytes);

  std::uint64_t mortal_rows() const { return mortal_rows_; }
  std::uint64_t immortal_rows() const { return immortal_rows_; }
  std::uint64_t immortal_bytes() const { return immortal_bytes_; }
  std::uint64_t mortal_bytes() const;

  // The earliest and latest deadline; nothing when no row has one.
  std::optional<WallTime> min_deadline() const;
  std::optional<WallTime> max_deadline() const;

  // A lower bound of the bytes dead at `now`; too low by at most one bucket.
  std::uint64_t BytesDeadBy(WallTime now) const;

  // True when every row counted is dead at `now`; exact. False for an empty file.
  bool AllDeadBy(WallTime now) const;

  std::string Encode() const;

  // Corruption when the bytes are not Encode()'s; Unsupported when a newer mayfly wrote them.
  static Result<DeadlineStats> Decode(Bytes encoded);

  friend bool operator==(const DeadlineStats&, const DeadlineStats&) = default;

 private:
  static constexpr unsigned kWidthLog2Min = 10;  // About a second; the initial width.

  void Widen();
  bool EatBuckets(Bytes& in);

  std::uint64_t mortal_rows_ = 0;
  std::uint64_t immortal_rows_ = 0;
  std::uint64_t immortal_bytes_ = 0;
  std::int64_t min_ms_ = 0;  // Both only when mortal_rows_ > 0.
  std::int64_t max_ms_ = 0;
  unsigned width_log2_ = kWidthLog2Min;
  std::int64_t first_bucket_ = 0;  // Of buckets_.front(); b covers [b, b+1) << width_log2_.
  std::deque<std::uint64_t> buckets_;
};

}  // namespace mayfly::engine
