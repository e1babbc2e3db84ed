#include "engine/hot/log/segment_chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/hot/log/segment_reader.h"

namespace mayfly::engine::hot {

SegmentChain::SegmentChain(ChainOptions options, std::uint64_t last_number)
    : options_(std::move(options)), last_number_(last_number) {}

void SegmentChain::Adopt(std::shared_ptr<Segment> segment, std::uint64_t last_sequence) {
  const std::lock_guard lock(mutex_);
  members_.push_back({.segment = std::move(segment), .last_sequence = last_sequence});
}

Status SegmentChain::Prepare(std::uint64_t record_bytes) {
  const std::lock_guard preparing(preparing_);
  const std::uint64_t least = kSegmentHeaderBytes + record_bytes;
  std::shared_ptr<Segment> next;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    next = next_;
    number = last_number_ + 1;
  }
  if (next == nullptr) {
    MAYFLY_TRY(const std::uint64_t bytes, LengthOfNext(record_bytes));
    auto made =
        Segment::Prepare(*options_.files, number, bytes, options_.mapped, options_.key.get());
    is_directory_synced_ = false;
    if (!made.has_value()) {
      // Whatever was made goes, as well as it can: recovery removes it otherwise.
      static_cast<void>(options_.files->Remove(SegmentName(number)));
      return made.error();
    }
    next = *std::move(made);
    const std::lock_guard lock(mutex_);
    next_ = next;
    last_number_ = number;
  } else if (next->bytes() < least) {
    MAYFLY_TRY(const std::uint64_t bytes, LengthOfNext(record_bytes));
    MAYFLY_RETURN_IF_ERROR(next->Grow(bytes));
  }
  if (is_directory_synced_) return {};
  MAYFLY_RETURN_IF_ERROR(options_.files->SyncDirectory());
  is_directory_synced_ = true;
  return {};
}

Result<std::uint64_t> SegmentChain::LengthOfNext(std::uint64_t record_bytes) const {
  const std::uint64_t least = kSegmentHeaderBytes + record_bytes;
  const std::uint64_t usual = std::max(options_.segment_bytes, least);
  if (!options_.length) return usual;
  const std::optional<std::uint64_t> length = options_.length(usual, least);
  if (!length) {
    return Status::Busy(fmt::format("the disk of {} has no room for another segment of the log",
                                    options_.files->PathOf("")));
  }
  MAYFLY_CHECK(*length >= least && *length % kRecordAlignment == 0, "a segment of a wrong length");
  return *length;
}

Result<Segment*> SegmentChain::Begin(const SegmentPlace& place) {
  const std::lock_guard lock(mutex_);
  MAYFLY_CHECK(next_ != nullptr, "a segment begins that was not prepared");
  MAYFLY_RETURN_IF_ERROR(next_->Begin(place.first_sequence, place.previous_end, place.durable));
  if (!members_.empty()) members_.back().last_sequence = place.first_sequence - 1;
  members_.push_back({.segment = std::exchange(next_, nullptr)});
  return members_.back().segment.get();
}

std::vector<std::shared_ptr<Segment>> SegmentChain::Unsynced() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Segment>> unsynced;
  for (const Member& member : members_) {
    if (!member.is_synced) unsynced.push_back(member.segment);
  }
  return unsynced;
}

void SegmentChain::SetSynced(std::uint64_t number, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i + 1 < members_.size(); ++i) {
    Member& member = members_[i];
    // Records behind `sequence` may have been copied to the mapping after the sync.
    if (member.segment->number() <= number && member.last_sequence <= sequence) {
      member.is_synced = true;
    }
  }
}

Status SegmentChain::WriteAgain(std::uint64_t number) {
  std::vector<Member> members;
  std::shared_ptr<Segment> active;
  {
    const std::lock_guard lock(mutex_);
    active = members_.back().segment;
    for (const Member& member : members_) {
      if (!member.is_synced && member.segment->number() <= number) members.push_back(member);
    }
  }
  for (const Member& member : members) {
    const Segment& segment = *member.segment;
    if (member.segment != active) {
      MAYFLY_RETURN_IF_ERROR(WriteRecordsAgain(segment, member.last_sequence));
    }
    MAYFLY_RETURN_IF_ERROR(segment.file().Write(0, EncodeSegmentHeader(segment.header())));
    MAYFLY_RETURN_IF_ERROR(segment.file().Sync());
    SetSynced(segment.number(), member.last_sequence);
  }
  return {};
}

Status SegmentChain::WriteRecordsAgain(const Segment& segment, std::uint64_t last_sequence) const {
  MAYFLY_TRY(SegmentReader reader,
             SegmentReader::Open(*options_.files, segment.header(), options_.key.get()));
  StoredRecord record;
  while (reader.next_sequence() <= last_sequence) {
    if (reader.Next(reader.bytes(), record)) continue;
    return Status::Corruption(
        fmt::format("{}: record {} cannot be read back after a sync that failed",
                    options_.files->PathOf(SegmentName(segment.number())), reader.next_sequence()));
  }
  return segment.file().Write(kSegmentHeaderBytes, reader.records());
}

std::shared_ptr<Segment> SegmentChain::OldestKept(std::uint64_t sequence) const {
  const std::lock_guard lock(mutex_);
  std::size_t kept = 0;
  while (kept + 1 < members_.size() && members_[kept].last_sequence <= sequence) ++kept;
  return kept == 0 ? nullptr : members_[kept].segment;
}

Result<std::uint64_t> SegmentChain::RemoveThrough(std::uint64_t sequence) {
  const std::lock_guard preparing(preparing_);
  for (;;) {
    std::shared_ptr<Segment> oldest;
    {
      const std::lock_guard lock(mutex_);
      oldest = members_.front().segment;
      if (members_.size() == 1 || members_.front().last_sequence > sequence) break;
    }
    MAYFLY_RETURN_IF_ERROR(options_.files->Remove(SegmentName(oldest->number())));
    is_directory_synced_ = false;
    const std::lock_guard lock(mutex_);
    members_.pop_front();
  }
  if (!is_directory_synced_) {
    MAYFLY_RETURN_IF_ERROR(options_.files->SyncDirectory());
    is_directory_synced_ = true;
  }
  const std::lock_guard lock(mutex_);
  return members_.front().segment->number();
}

Status SegmentChain::ShrinkPrepared() {
  const std::lock_guard preparing(preparing_);
  const std::lock_guard lock(mutex_);
  if (next_ == nullptr) return {};
  const std::shared_ptr<Segment> prepared = std::exchange(next_, nullptr);
  return prepared->file().Truncate(0);
}

std::vector<SegmentInfo> SegmentChain::List(std::uint64_t last_sequence) const {
  const std::lock_guard lock(mutex_);
  std::vector<SegmentInfo> segments;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Segment& segment = *members_[i].segment;
    const bool is_active = i + 1 == members_.size();
    segments.push_back({.number = segment.number(),
                        .path = options_.files->PathOf(SegmentName(segment.number())),
                        .bytes = segment.bytes(),
                        .first_sequence = segment.first_sequence(),
                        .last_sequence = is_active
                                             ? std::max(last_sequence, segment.first_sequence() - 1)
                                             : members_[i].last_sequence,
                        .is_active = is_active});
  }
  return segments;
}

}  // namespace mayfly::engine::hot
