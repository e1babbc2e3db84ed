#include "engine/hot/log/log_recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/hot/log/found_segments.h"
#include "engine/hot/log/segment_reader.h"

namespace mayfly::engine::hot {
namespace {

class LogWalk {
 public:
  LogWalk(LogFiles& files, const crypto::DatabaseKey* key, std::uint64_t replay_from,
          ReplayRecord replay)
      : files_(files), key_(key), replay_from_(replay_from), replay_(replay) {}

  Result<Recovered> Run() {
    MAYFLY_TRY(found_, FindSegments(files_));
    MAYFLY_TRY(const std::size_t first, FirstNeeded());
    for (std::size_t i = 0; i < first; ++i) {
      out_.folded.push_back(SegmentName(found_[i].number));
    }
    if (first > 0) out_.last_number = found_[first - 1].number;
    out_.next_sequence = replay_from_;
    MAYFLY_TRY(const std::size_t end, WalkAll(first));
    for (std::size_t i = found_.size(); i > end; --i) {
      out_.dropped.push_back(SegmentName(found_[i - 1].number));
    }
    if (out_.next_sequence < replay_from_) ForgetFolded();
    return std::move(out_);
  }

 private:
  // The segment with the first record that is needed; found_.size() in a log that never began.
  Result<std::size_t> FirstNeeded() const {
    std::size_t first = found_.size();
    bool has_begun = false;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      has_begun = has_begun || found_[i].header.has_value() || !found_[i].damage.ok();
      if (found_[i].header.has_value() && found_[i].header->first_sequence <= replay_from_) {
        first = i;
      }
    }
    if (first < found_.size()) return first;
    for (const FoundSegment& segment : found_) MAYFLY_RETURN_IF_ERROR(segment.damage);
    // The first one is made first, and none is removed before a fold.
    const bool is_new = found_.empty() || found_.front().number == 1;
    if (!has_begun && replay_from_ <= 1 && is_new) return std::size_t{0};
    return Status::Corruption(fmt::format(
        "{}: a segment of the log is missing: none has record {}",
        files_.PathOf(found_.empty() ? "" : SegmentName(found_.front().number)), replay_from_));
  }

  // Replays from segment `first` on; returns the index behind the last segment of the log.
  Result<std::size_t> WalkAll(std::size_t first) {
    const std::size_t begun_end = BegunEnd(first);
    MAYFLY_RETURN_IF_ERROR(CheckNumbers(first));
    for (std::size_t i = first; i < begun_end; ++i) {
      const bool is_last = i + 1 == begun_end;
      MAYFLY_RETURN_IF_ERROR(found_[i].damage);
      if (!found_[i].header.has_value()) {
        // Never begun, but a later one has: unsynced headers reach the device in any order.
        MAYFLY_RETURN_IF_ERROR(Cut(i, begun_end, nullptr));
        return i;
      }
      const SegmentHeader& header = *found_[i].header;
      out_.durable = std::max(out_.durable, header.durable);
      if (i > first && header.first_sequence != out_.next_sequence) {
        return Damage(i, 0,
                      fmt::format("the segment begins with record {} instead of {}",
                                  header.first_sequence, out_.next_sequence));
      }
      MAYFLY_TRY(SegmentReader reader, SegmentReader::Open(files_, header, key_));
      const bool next_begun = !is_last && found_[i + 1].header.has_value();
      const std::uint64_t end = next_begun ? found_[i + 1].header->previous_end : reader.bytes();
      MAYFLY_RETURN_IF_ERROR(ReplaySegment(reader, end, i));
      out_.segments.push_back(
          {.header = header, .last_sequence = reader.next_sequence() - 1, .end = reader.offset()});
      out_.last_number = header.number;
      out_.next_sequence = reader.next_sequence();
      const bool is_whole = next_begun ? reader.offset() == end : reader.IsAtZeros();
      if (is_whole) continue;
      MAYFLY_RETURN_IF_ERROR(Cut(i, begun_end, &reader));
      return i + 1;
    }
    return begun_end;
  }

  // The index behind the last segment with a header, whole or damaged.
  std::size_t BegunEnd(std::size_t first) const {
    std::size_t end = found_.size();
    while (end > first && !found_[end - 1].header.has_value() && found_[end - 1].damage.ok()) --end;
    return end;
  }

  Status CheckNumbers(std::size_t first) const {
    for (std::size_t i = first + 1; i < found_.size(); ++i) {
      if (found_[i].number != found_[i - 1].number + 1) {
        return Status::Corruption(
            fmt::format("{}: the segment is missing, and later ones are there",
                        files_.PathOf(SegmentName(found_[i - 1].number + 1))));
      }
    }
    return {};
  }

  Status ReplaySegment(SegmentReader& reader, std::uint64_t end, std::size_t index) {
    StoredRecord record;
    for (std::uint64_t at = reader.offset(); reader.Next(end, record); at = reader.offset()) {
      const std::uint64_t sequence = reader.next_sequence() - 1;
      if (record.header.unsynced <= sequence) {
        out_.durable = std::max(out_.durable, sequence - record.header.unsynced);
      }
      if (sequence < replay_from_ || record.header.is_void) continue;
      MAYFLY_TRY(const Bytes payload, reader.Plain(record, buffer_));
      Status replayed = replay_({.sequence = sequence, .payload = payload});
      if (replayed.code() == StatusCode::kCorruption) {
        return Damage(index, at, replayed.message());
      }
      MAYFLY_RETURN_IF_ERROR(std::move(replayed));
      ++out_.records;
    }
    return {};
  }

  // Ends the log before segment `index`, or within it, where `torn` stopped. Corruption when the
  // record there, or one behind it that is needed, is known to have been on the device.
  Status Cut(std::size_t index, std::size_t begun_end, const SegmentReader* torn) {
    const std::uint64_t offset = torn != nullptr ? torn->offset() : 0;
    const std::uint64_t needed = std::max(out_.next_sequence, replay_from_);
    const auto damage = [&] {
      return Damage(index, offset,
                    fmt::format("record {} is damaged, and later ones show that it was durable",
                                out_.next_sequence));
    };
    std::uint64_t checked = 0;
    if (torn != nullptr) {
      MAYFLY_TRY(const bool proves, torn->ProvesDurable(needed, checked));
      if (proves) return damage();
    }
    for (std::size_t i = index + 1; i < begun_end; ++i) {
      MAYFLY_RETURN_IF_ERROR(found_[i].damage);
      if (!found_[i].header.has_value()) continue;
      if (found_[i].header->durable >= needed) return damage();
      MAYFLY_TRY(const SegmentReader reader, SegmentReader::Open(files_, *found_[i].header, key_));
      MAYFLY_TRY(const bool proves, reader.ProvesDurable(needed, checked));
      if (proves) return damage();
    }
    out_.cut = {.path = files_.PathOf(SegmentName(found_[index].number)), .offset = offset};
    return {};
  }

  // The log ends before the first record that is needed: nothing in it is.
  void ForgetFolded() {
    for (const RecoveredSegment& segment : out_.segments) {
      out_.folded.push_back(SegmentName(segment.header.number));
    }
    out_.segments.clear();
    out_.next_sequence = replay_from_;
  }

  Status Damage(std::size_t index, std::uint64_t offset, std::string_view what) const {
    return Status::Corruption(fmt::format(
        "{}, offset {}: {}", files_.PathOf(SegmentName(found_[index].number)), offset, what));
  }

  LogFiles& files_;
  const crypto::DatabaseKey* const key_;
  const std::uint64_t replay_from_;
  const ReplayRecord replay_;
  std::vector<FoundSegment> found_;
  Recovered out_;
  std::string buffer_;
};

}  // namespace

Result<Recovered> RecoverLog(LogFiles& files, const crypto::DatabaseKey* key,
                             std::uint64_t replay_from, ReplayRecord replay) {
  return LogWalk(files, key, replay_from, replay).Run();
}

}  // namespace mayfly::engine::hot
