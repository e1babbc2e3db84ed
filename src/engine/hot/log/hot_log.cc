#include "engine/hot/log/hot_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include "engine/hot/log/appender.h"
#include "engine/hot/log/log_syncer.h"

namespace mayfly::engine::hot {

struct HotLog::Parts {
  Parts(ChainOptions options, const Recovered& recovered)
      : chain(std::move(options), recovered.last_number),
        published(recovered.next_sequence - 1),
        syncer(chain, published, recovered.next_sequence - 1) {}

  SegmentChain chain;
  alignas(64) std::atomic<std::uint64_t> published;  // The appender's to write.
  alignas(64) LogSyncer syncer;
  std::unique_ptr<Appender> appender;
  LogReport report;
};

namespace {

Status CheckLogOptions(const LogOptions& options) {
  if (options.segment_bytes >= kSegmentBytesMin && options.segment_bytes <= kSegmentBytesMax &&
      options.segment_bytes % kRecordAlignment == 0) {
    return {};
  }
  return Status::Invalid(
      fmt::format("a segment of the log has {} to {} bytes, a multiple of {}, not {}",
                  kSegmentBytesMin, kSegmentBytesMax, kRecordAlignment, options.segment_bytes));
}

// Makes durable what was replayed: the next header will say that it is. A sync of the process
// before may have failed, and then the kernel has these bytes and takes them for written; so they
// are written again.
Status MakeDurable(LogFile& file, const RecoveredSegment& segment, std::uint64_t durable) {
  if (segment.last_sequence > durable || segment.end == kSegmentHeaderBytes) {
    MAYFLY_TRY(const std::string bytes, file.Read(0, segment.end));
    MAYFLY_RETURN_IF_ERROR(file.Write(0, bytes));
  }
  return file.Sync();
}

Status AdoptSegments(LogFiles& files, const Recovered& recovered, SegmentChain& chain) {
  for (const RecoveredSegment& segment : recovered.segments) {
    MAYFLY_TRY(std::unique_ptr<LogFile> file, files.Open(SegmentName(segment.header.number)));
    MAYFLY_RETURN_IF_ERROR(MakeDurable(*file, segment, recovered.durable));
    MAYFLY_TRY(const std::uint64_t bytes, file->Size());
    chain.Adopt(std::make_shared<Segment>(std::move(file), segment.header, bytes),
                segment.last_sequence);
  }
  chain.SetSynced(recovered.last_number, recovered.next_sequence);
  return {};
}

// Newest first, one by one: a crash in between leaves no gap. Numbers are used again, so none may
// come back.
Status RemoveDropped(LogFiles& files, const Recovered& recovered) {
  for (const std::string& name : recovered.dropped) {
    MAYFLY_RETURN_IF_ERROR(files.Remove(name));
    MAYFLY_RETURN_IF_ERROR(files.SyncDirectory());
  }
  return {};
}

Status RemoveFolded(LogFiles& files, const Recovered& recovered) {
  for (const std::string& name : recovered.folded) MAYFLY_RETURN_IF_ERROR(files.Remove(name));
  return recovered.folded.empty() ? Status() : files.SyncDirectory();
}

// The recovered segment before the active one has room that nobody will use.
Status TrimLast(LogFiles& files, const Recovered& recovered) {
  if (recovered.segments.empty()) return {};
  const RecoveredSegment& last = recovered.segments.back();
  MAYFLY_TRY(const std::unique_ptr<LogFile> file, files.Open(SegmentName(last.header.number)));
  return file->Truncate(last.end);
}

}  // namespace

Result<std::unique_ptr<HotLog>> HotLog::Open(const LogOptions& options, ReplayRecord replay) {
  MAYFLY_RETURN_IF_ERROR(CheckLogOptions(options));
  LogFiles& files = *options.files;
  MAYFLY_TRY(const Recovered recovered,
             RecoverLog(files, options.key.get(), options.replay_from, replay));
  MAYFLY_RETURN_IF_ERROR(RemoveDropped(files, recovered));

  bool mapped = options.mapped;
  std::unique_ptr<Parts> parts;
  for (;;) {
    parts = std::make_unique<Parts>(ChainOptions{.files = &files,
                                                 .segment_bytes = options.segment_bytes,
                                                 .length = options.length,
                                                 .mapped = mapped,
                                                 .key = options.key},
                                    recovered);
    const Status prepared = parts->chain.Prepare(0);
    if (prepared.ok()) break;
    if (!mapped || prepared.code() != StatusCode::kUnsupported) return prepared;
    mapped = false;
  }
  MAYFLY_RETURN_IF_ERROR(AdoptSegments(files, recovered, parts->chain));
  const std::uint64_t end = recovered.segments.empty() ? 0 : recovered.segments.back().end;
  MAYFLY_TRY(Segment* const active, parts->chain.Begin({.first_sequence = recovered.next_sequence,
                                                        .previous_end = end,
                                                        .durable = recovered.next_sequence - 1}));
  // The header ends the segment before it, so it must not be lost when more follows.
  MAYFLY_RETURN_IF_ERROR(parts->syncer.SyncNow());
  MAYFLY_RETURN_IF_ERROR(TrimLast(files, recovered));
  MAYFLY_RETURN_IF_ERROR(RemoveFolded(files, recovered));
  static_cast<void>(parts->chain.Prepare(0));  // One ahead, if there is room.

  const LogTail tail = {
      .segment = active, .offset = kSegmentHeaderBytes, .next_sequence = recovered.next_sequence};
  parts->appender = mapped ? NewMappedAppender(parts->chain, parts->syncer, tail, parts->published)
                           : NewGroupAppender(parts->chain, parts->syncer, tail, parts->published);
  parts->report = {.records = recovered.records, .cut = recovered.cut, .is_mapped = mapped};
  return std::unique_ptr<HotLog>(new HotLog(std::move(parts)));
}

HotLog::HotLog(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

HotLog::~HotLog() {
  if (!owner_.IsThis()) {
    static_cast<void>(parts_.release());  // Its locks may be held by threads that do not exist.
    return;
  }
  static_cast<void>(Close());
}

Status HotLog::CheckUsable() const {
  if (!owner_.IsThis()) return OwnerProcess::Refusal();
  if (is_closed_.load(std::memory_order_acquire)) return Status::Invalid("the log is closed");
  return {};
}

Result<std::uint64_t> HotLog::Append(std::span<const Bytes> payloads, std::uint64_t& voided,
                                     Wait wait) {
  voided = 0;
  MAYFLY_RETURN_IF_ERROR(CheckUsable());
  if (payloads.empty()) return Status::Invalid("an append to the log has no record");
  std::uint64_t bytes = 0;
  for (const Bytes payload : payloads) bytes += payload.size();
  if (bytes > kPayloadBytesMax || payloads.size() > kGroupRecordsMax) {
    return Status::Invalid(
        fmt::format("an append to the log has {} records of {} bytes; at most {} of {} are allowed",
                    payloads.size(), bytes, kGroupRecordsMax, kPayloadBytesMax));
  }
  return parts_->appender->Append(payloads, voided, wait == Wait::kForAllBefore);
}

Status HotLog::Sync(std::uint64_t sequence, Durability durability) {
  MAYFLY_RETURN_IF_ERROR(CheckUsable());
  if (sequence > last_sequence()) return Status::Invalid("the log has no such record to sync");
  if (durability != Durability::kDisk) return {};  // Append() has done it.
  return parts_->syncer.SyncThrough(sequence);
}

bool HotLog::has_failed_sync() const { return parts_->syncer.failed_segment() != 0; }

Status HotLog::WriteAgain() {
  MAYFLY_RETURN_IF_ERROR(CheckUsable());
  const std::uint64_t failed = parts_->syncer.failed_segment();
  if (failed == 0) return {};
  std::vector<SegmentInfo> segments = Segments();
  if (segments.back().number == failed) {
    MAYFLY_RETURN_IF_ERROR(Rotate());  // Its records must not change meanwhile. It may have none.
    segments = Segments();
  }
  for (const SegmentInfo& segment : segments) {
    if (!segment.is_active && segment.number <= failed) AwaitRecords(segment.last_sequence);
  }
  return parts_->syncer.WriteAgain();
}

void HotLog::AwaitRecords(std::uint64_t sequence) const {
  while (sequence > last_sequence()) std::this_thread::yield();
}

Status HotLog::Prepare() {
  MAYFLY_RETURN_IF_ERROR(CheckUsable());
  return parts_->chain.Prepare(0);
}

Status HotLog::Rotate() {
  MAYFLY_RETURN_IF_ERROR(CheckUsable());
  return parts_->appender->Rotate();
}

Status HotLog::Remove(std::uint64_t sequence) {
  MAYFLY_RETURN_IF_ERROR(CheckUsable());
  sequence = std::min(sequence, last_sequence());
  const std::shared_ptr<Segment> kept = parts_->chain.OldestKept(sequence);
  if (kept == nullptr) return {};
  MAYFLY_RETURN_IF_ERROR(parts_->syncer.SyncHeader(*kept));
  MAYFLY_TRY(const std::uint64_t oldest, parts_->chain.RemoveThrough(sequence));
  parts_->syncer.Removed(oldest, sequence);
  return {};
}

std::vector<SegmentInfo> HotLog::Segments() const {
  if (!CheckUsable().ok()) return {};
  return parts_->chain.List(last_sequence());
}

std::uint64_t HotLog::last_sequence() const {
  return parts_->published.load(std::memory_order_acquire);
}

std::uint64_t HotLog::durable_sequence() const { return parts_->syncer.durable(); }

const LogReport& HotLog::report() const { return parts_->report; }

Status HotLog::Close() {
  if (!owner_.IsThis()) return {};
  if (has_failed_sync()) static_cast<void>(WriteAgain());
  if (is_closed_.exchange(true)) return {};
  Status closed = parts_->syncer.SyncThrough(last_sequence());
  const SegmentInfo active = parts_->chain.List(last_sequence()).back();
  if (closed.ok() && active.last_sequence >= active.first_sequence) {
    // The mark: a record that changes nothing, and says that all before it is durable. Without room
    // for it a torn end could not be distinguished from damage, which is no reason to fail.
    const Bytes nothing;
    std::uint64_t voided = 0;
    static_cast<void>(parts_->appender->Append(std::span(&nothing, 1), voided, true));
  }
  static_cast<void>(parts_->chain.ShrinkPrepared());
  return closed;
}

}  // namespace mayfly::engine::hot
