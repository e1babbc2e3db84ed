#include "engine/hot/log/log_salvage.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "engine/hot/log/found_segments.h"
#include "engine/hot/log/limits.h"
#include "engine/hot/log/segment_reader.h"

namespace mayfly::engine::hot {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kLostMax = 100;

// A lost record may have been a delete, or a newer value than the one that is left. There may be none
// left: what it replaced was not folded.
constexpr const char* kMeans = "rows changed there may be missing, old, or back";

// What a device that fails here and there still gives; zeros for the rest.
std::string ReadAround(LogFile& file, std::uint64_t size) {
  constexpr std::uint64_t kPieceBytes = 4096;
  if (auto all = file.Read(0, size)) return *std::move(all);
  std::string bytes;
  while (bytes.size() < size) {
    const std::uint64_t wanted = std::min<std::uint64_t>(kPieceBytes, size - bytes.size());
    std::string piece = file.Read(bytes.size(), wanted).value_or(std::string());
    piece.resize(wanted);
    bytes += piece;
  }
  return bytes;
}

class LogSalvager {
 public:
  LogSalvager(const LogToSalvage& log, ReplayRecord replay)
      : log_(log), files_(*log.files), replay_(replay) {}

  Result<SalvagedLog> Run() {
    MAYFLY_RETURN_IF_ERROR(LookAtSegments());
    std::size_t next = NextReadable(0);
    NoteBeginning(next);
    while (next < found_.size()) {
      const std::size_t at = next;
      next = NextReadable(at + 1);
      const std::uint64_t limit =
          next < found_.size() ? found_[next].header->first_sequence : kNoLimit;
      if (limit <= log_.folded + 1) continue;  // The cold store has all of it.
      MAYFLY_TRY(const std::uint64_t missing, ReadSegment(at, next, limit));
      NoteBetween(at, next, missing, limit);
    }
    return std::move(out_);
  }

 private:
  Status LookAtSegments() {
    MAYFLY_TRY(const std::vector<std::uint64_t> numbers, ListSegments(files_));
    for (const std::uint64_t number : numbers) {
      FoundSegment found;
      if (const auto bytes = BytesOf(number, kSegmentHeaderBytes)) {
        found = SegmentFoundIn(files_, number, *bytes);
      } else {
        found.number = number;
        found.damage = bytes.error();
      }
      if (found.damage.code() == StatusCode::kUnsupported) return found.damage;
      found_.push_back(std::move(found));
    }
    return {};
  }

  Result<std::string> BytesOf(std::uint64_t number, std::uint64_t bytes_max = kNoLimit) {
    MAYFLY_TRY(const std::unique_ptr<LogFile> file, files_.Open(SegmentName(number)));
    MAYFLY_TRY(const std::uint64_t size, file->Size());
    return ReadAround(*file, std::min(size, bytes_max));
  }

  // The first segment from `index` on with a header; found_.size(): none.
  std::size_t NextReadable(std::size_t index) const {
    while (index < found_.size() && !found_[index].header.has_value()) ++index;
    return index;
  }

  // `next` is the segment with a header behind this one, and `limit` its first record. Returns the
  // first record of which nothing was seen or noted.
  Result<std::uint64_t> ReadSegment(std::size_t index, std::size_t next, std::uint64_t limit) {
    const SegmentHeader& header = *found_[index].header;
    number_ = header.number;
    auto bytes = BytesOf(header.number);
    auto opened = bytes ? SegmentReader::Over(*std::move(bytes), header, log_.key)
                        : Result<SegmentReader>(bytes.error());
    if (!opened) {
      Note(fmt::format("{}: {}; {}", NameOf(number_), opened.error().message(),
                       Lost(std::max(header.first_sequence, log_.folded + 1), limit)));
      return limit;
    }
    SegmentReader& reader = *opened;
    out_.bytes += reader.bytes();
    // Only the segment right behind says where this one ends.
    const bool knows_end = next < found_.size() && found_[next].number == header.number + 1;
    const std::uint64_t end = knows_end ? found_[next].header->previous_end : reader.bytes();
    for (;;) {
      MAYFLY_RETURN_IF_ERROR(ReadRecords(reader, end, limit));
      const std::uint64_t first = reader.next_sequence();
      if (first >= limit) return limit;
      if (knows_end ? reader.offset() >= end : reader.IsAtZeros()) return first;
      const std::uint64_t from = reader.offset();
      if (!reader.SkipDamage(end, limit, checked_)) {
        NoteEnd(from, knows_end ? end - from : reader.rest().find_last_not_of('\0') + 1, first,
                limit);
        return limit;
      }
      NotePlace(from, reader.offset() - from, first, reader.next_sequence());
    }
  }

  Status ReadRecords(SegmentReader& reader, std::uint64_t end, std::uint64_t limit) {
    StoredRecord record;
    for (std::uint64_t at = reader.offset();
         reader.next_sequence() < limit && reader.Next(end, record); at = reader.offset()) {
      const std::uint64_t sequence = reader.next_sequence() - 1;
      if (sequence <= log_.folded || record.header.is_void) continue;
      MAYFLY_TRY(const Bytes payload, reader.Plain(record, buffer_));
      const Status replayed = replay_({.sequence = sequence, .payload = payload});
      if (replayed.code() == StatusCode::kCorruption) {
        NotePlace(at, reader.offset() - at, sequence, sequence + 1);
        continue;
      }
      MAYFLY_RETURN_IF_ERROR(replayed);
      ++out_.records;
    }
    return {};
  }

  // Records may be missing before the first segment with a header.
  void NoteBeginning(std::size_t first) {
    // A new log has the first segment, prepared.
    const bool has_none = found_.empty() || (first == found_.size() && found_.front().number > 1);
    if (has_none) {
      Note(fmt::format("{}: no segment of the log is there; what was written last is lost",
                       log_.folder));
    }
    if (first == found_.size()) return NoteHeaders(0, first);
    const std::uint64_t begin = found_[first].header->first_sequence;
    if (begin <= log_.folded + 1) return;
    NoteHeaders(0, first);
    if (log_.folded > 0) {
      return Note(fmt::format("{}: the log begins with {}; {}", log_.folder,
                              SegmentName(found_[first].number), Lost(log_.folded + 1, begin)));
    }
    Note(fmt::format(
        "{}: the log begins with record {}, and the marker of the last fold is missing; "
        "records before it may be lost: {}",
        log_.folder, begin, kMeans));
  }

  // What lies between two segments with a header, or behind the last one. The records from `missing`
  // on were not seen.
  void NoteBetween(std::size_t index, std::size_t next, std::uint64_t missing,
                   std::uint64_t limit) {
    for (std::size_t i = index + 1; i <= next && i < found_.size(); ++i) {
      for (std::uint64_t number = found_[i - 1].number + 1; number < found_[i].number; ++number) {
        Note(fmt::format("{} is missing", NameOf(number)));
      }
    }
    NoteHeaders(index + 1, next);
    missing = std::max(missing, log_.folded + 1);
    if (limit == kNoLimit || missing >= limit) return;
    Note(fmt::format("{}: before {}, {}", log_.folder, SegmentName(found_[next].number),
                     Lost(missing, limit)));
  }

  void NoteHeaders(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      // Room that was prepared, if nothing behind it has begun.
      if (found_[i].damage.ok() && end == found_.size()) continue;
      Note(fmt::format("{}: {}; its records are lost", NameOf(found_[i].number),
                       found_[i].damage.ok() ? "its header is missing" : WhyDamaged(found_[i])));
    }
  }

  static std::string WhyDamaged(const FoundSegment& segment) {
    return segment.damage.code() == StatusCode::kCorruption
               ? "both copies of its header are damaged"
               : segment.damage.ToString();
  }

  // The rest of a segment, from `first` on, has no whole record.
  void NoteEnd(std::uint64_t from, std::uint64_t bytes, std::uint64_t first, std::uint64_t limit) {
    if (limit != kNoLimit) return NotePlace(from, bytes, first, limit);
    Note(fmt::format(
        "{}: {} bytes from byte {} on are no whole record: damage, or what a crash left "
        "of commits that were not synced",
        NameOf(number_), bytes, from));
  }

  void NotePlace(std::uint64_t offset, std::uint64_t bytes, std::uint64_t first,
                 std::uint64_t end) {
    if (end <= log_.folded + 1) return;
    Note(fmt::format("{}: {} bytes from byte {} on cannot be read; {}", NameOf(number_), bytes,
                     offset, Lost(std::max(first, log_.folded + 1), end)));
  }

  static std::string Lost(std::uint64_t first, std::uint64_t end) {
    if (end == kNoLimit) return fmt::format("records from {} on are lost: {}", first, kMeans);
    if (first + 1 == end) return fmt::format("record {} is lost: {}", first, kMeans);
    return fmt::format("records {} to {} are lost: {}", first, end - 1, kMeans);
  }

  std::string NameOf(std::uint64_t number) const { return log_.folder + "/" + SegmentName(number); }

  void Note(std::string what) {
    ++out_.places;
    if (out_.lost.size() < kLostMax) out_.lost.push_back(std::move(what));
  }

  const LogToSalvage& log_;
  LogFiles& files_;
  const ReplayRecord replay_;
  std::vector<FoundSegment> found_;
  std::uint64_t number_ = 0;   // Of the segment that is read.
  std::uint64_t checked_ = 0;  // By searches, of all segments.
  std::string buffer_;
  SalvagedLog out_;
};

}  // namespace

Result<SalvagedLog> SalvageLog(const LogToSalvage& log, ReplayRecord replay) {
  return LogSalvager(log, replay).Run();
}

}  // namespace mayfly::engine::hot
