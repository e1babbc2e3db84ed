#include "engine/hot/reader/segment_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace mayfly::engine::hot {
namespace {

// How often a file that is listed cannot be opened, before that is an error.
constexpr int kOpensMax = 3;

}  // namespace

// Opened by its name each time: a number is used again if a crashed writer's segment was dropped.
Result<SegmentWalk::Place> SegmentWalk::Look(std::uint64_t number, Found& found) const {
  auto file = files_.Open(SegmentName(number));
  for (int i = 0; !file.has_value(); ++i) {
    MAYFLY_TRY(const auto numbers, ListSegments(files_));
    if (!std::binary_search(numbers.begin(), numbers.end(), number)) return Place::kMissing;
    // It may have been made in between.
    if (i == kOpensMax) return file.error();
    file = files_.Open(SegmentName(number));
  }
  found.file = *std::move(file);
  MAYFLY_TRY(auto header, ReadSegmentHeader(files_, *found.file, number));
  if (!header.has_value()) return Place::kNotBegun;
  found.header = *std::move(header);
  return Place::kBegun;
}

// The last segment that begins at or before the first record that is needed.
Result<SegmentWalk::Outcome> SegmentWalk::FindFirst() {
  MAYFLY_TRY(const auto numbers, ListSegments(files_));
  bool has_begun = false;
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
    Found found;
    MAYFLY_TRY(const Place place, Look(*number, found));
    if (place == Place::kMissing) return Outcome::kLost;
    if (place == Place::kNotBegun) continue;
    has_begun = true;
    if (found.header.first_sequence > from_) continue;
    MAYFLY_TRY(tail_, SegmentTail::Make(std::move(found.file), std::move(found.header), key_));
    return Outcome::kLevel;
  }
  // Without a fold, an empty log may be about to begin.
  return has_begun || from_ > 1 ? Outcome::kLost : Outcome::kLevel;
}

Result<SegmentWalk::Outcome> SegmentWalk::Advance(ReplayRecord replay) {
  if (tail_ == nullptr) {
    MAYFLY_TRY(const Outcome first, FindFirst());
    if (first == Outcome::kLost || tail_ == nullptr) return first;
  }
  for (;;) {
    Found next;
    MAYFLY_TRY(const Place place, Look(tail_->number() + 1, next));
    if (place != Place::kBegun) {
      MAYFLY_RETURN_IF_ERROR(ReadTo(std::numeric_limits<std::uint64_t>::max(), replay));
      return place == Place::kMissing ? WithoutNext() : Outcome::kLevel;
    }
    // Records of a failed write were whole, and the writer has taken them back.
    if (next.header.previous_end < tail_->offset()) return Outcome::kLost;
    MAYFLY_RETURN_IF_ERROR(ReadTo(next.header.previous_end, replay));
    if (tail_->offset() < next.header.previous_end) {
      if (next.header.durable >= next_sequence()) return Damaged();
      return Outcome::kLevel;
    }
    if (tail_->next_sequence() != next.header.first_sequence) return Outcome::kLost;
    passed_.push_back({.last_sequence = next_sequence() - 1, .bytes = tail_->offset()});
    MAYFLY_TRY(tail_, SegmentTail::Make(std::move(next.file), std::move(next.header), key_));
  }
}

// A closed log ends with its last segment; in another one the segments up to the active one are
// removed together, from the oldest on.
Result<SegmentWalk::Outcome> SegmentWalk::WithoutNext() const {
  MAYFLY_TRY(const auto numbers, ListSegments(files_));
  const std::uint64_t own = tail_->number();
  const auto has = [&](std::uint64_t number) {
    return std::binary_search(numbers.begin(), numbers.end(), number);
  };
  const bool has_later = !numbers.empty() && numbers.back() > own;
  // The next one may have been made in between.
  if (has_later) return has(own + 1) && has(own) ? Outcome::kLevel : Outcome::kLost;
  return has(own) ? Outcome::kLevel : Outcome::kLost;
}

Status SegmentWalk::ReadTo(std::uint64_t end, ReplayRecord replay) {
  StoredRecord record;
  for (;;) {
    const std::uint64_t at = tail_->offset();
    MAYFLY_TRY(const bool has_record, tail_->Next(end, record));
    if (!has_record) return {};
    const Sequence sequence = tail_->next_sequence() - 1;
    if (sequence < from_ || record.header.is_void) continue;
    MAYFLY_TRY(const Bytes payload, tail_->Plain(record, buffer_));
    Status replayed = replay({.sequence = sequence, .payload = payload});
    if (replayed.code() == StatusCode::kCorruption) {
      return Status::Corruption(fmt::format("{}, offset {}: {}",
                                            files_.PathOf(SegmentName(tail_->number())), at,
                                            replayed.message()));
    }
    MAYFLY_RETURN_IF_ERROR(std::move(replayed));
  }
}

Sequence SegmentWalk::next_sequence() const {
  return tail_ == nullptr ? from_ : std::max(from_, tail_->next_sequence());
}

// Nothing when the file was removed: its records are in the cold store then.
Result<std::optional<SegmentReader>> SegmentWalk::OpenWhole(const SegmentHeader& header) const {
  auto reader = SegmentReader::Open(files_, header, key_);
  if (reader.has_value()) return std::optional(*std::move(reader));
  Found found;
  MAYFLY_TRY(const Place place, Look(header.number, found));
  if (place == Place::kMissing) return std::optional<SegmentReader>();
  return reader.error();
}

Status SegmentWalk::CheckEnd() {
  if (tail_ == nullptr) return {};
  MAYFLY_TRY(const bool is_proven, IsProvenBehind());
  if (!is_proven) return {};
  // Now it must be whole: the writer may have finished it since it was read.
  MAYFLY_TRY(auto again, OpenWhole(tail_->header()));
  if (!again.has_value()) return {};
  StoredRecord record;
  while (again->offset() <= tail_->offset() && again->Next(again->bytes(), record)) {
  }
  return again->offset() > tail_->offset() ? Status() : Damaged();
}

// True if a record behind the end says that the first one that is missing was on the device.
Result<bool> SegmentWalk::IsProvenBehind() const {
  std::uint64_t checked = 0;
  const std::uint64_t own = tail_->number();
  for (std::uint64_t number = own;; ++number) {
    Found found;
    MAYFLY_TRY(const Place place, Look(number, found));
    if (place != Place::kBegun) return false;
    // The log goes on there: nothing is missing in this segment.
    if (number == own + 1 && found.header.first_sequence <= tail_->next_sequence()) return false;
    MAYFLY_TRY(auto reader, OpenWhole(found.header));
    if (!reader.has_value()) return false;
    StoredRecord record;
    while (number == own && reader->offset() < tail_->offset() &&
           reader->Next(tail_->offset(), record)) {
    }
    if (reader->IsAtZeros()) continue;
    MAYFLY_TRY(const bool proves, reader->ProvesDurable(next_sequence(), checked));
    if (!proves) continue;
    if (number > own) return true;
    // The segment may have ended, and gone on, since it was read.
    MAYFLY_TRY(const Place next, Look(own + 1, found));
    return next != Place::kBegun || found.header.first_sequence > tail_->next_sequence();
  }
}

Status SegmentWalk::Damaged() const {
  return Status::Corruption(fmt::format(
      "{}, offset {}: record {} is damaged, and later ones show that it was durable",
      files_.PathOf(SegmentName(tail_->number())), tail_->offset(), tail_->next_sequence()));
}

}  // namespace mayfly::engine::hot
