#include "engine/hot/segment_changes.h"

#include <fmt/format.h>

#include <utility>

#include "engine/hot/log/change_codec.h"
#include "engine/hot/log/log_format.h"

namespace mayfly::engine::hot {
namespace {

Status Unreadable(const SegmentInfo& segment, std::uint64_t sequence) {
  return Status::Corruption(fmt::format("{}: record {} cannot be read", segment.path, sequence));
}

Result<std::unique_ptr<SegmentReader>> OpenSegment(LogFiles& files, const SegmentInfo& segment,
                                                   const crypto::DatabaseKey* key) {
  MAYFLY_TRY(const std::unique_ptr<LogFile> file, files.Open(SegmentName(segment.number)));
  MAYFLY_TRY(const std::string bytes, file->Read(0, kSegmentHeaderBytes));
  MAYFLY_TRY(const std::optional<SegmentHeader> header, DecodeSegmentHeader(bytes));
  if (!header) return Unreadable(segment, segment.first_sequence);
  MAYFLY_TRY(SegmentReader reader, SegmentReader::Open(files, *header, key));
  return std::make_unique<SegmentReader>(std::move(reader));
}

}  // namespace

Result<SegmentChanges> SegmentChanges::Read(LogFiles& files, const SegmentInfo& segment,
                                            const crypto::DatabaseKey* key) {
  MAYFLY_TRY(std::unique_ptr<SegmentReader> reader, OpenSegment(files, segment, key));
  SegmentChanges read(std::move(reader));
  StoredRecord record;
  for (Sequence at = segment.first_sequence; at <= segment.last_sequence; ++at) {
    if (!read.reader_->Next(read.reader_->bytes(), record)) return Unreadable(segment, at);
    if (record.header.is_void) continue;
    std::string buffer;
    MAYFLY_TRY(Bytes payload, read.reader_->Plain(record, buffer));
    if (payload.data() == buffer.data()) {
      read.decrypted_.push_back(std::move(buffer));
      payload = read.decrypted_.back();
    }
    const auto add = [&](const Batch::Change& change) {
      read.changes_.push_back({.sequence = at, .change = change});
      return Status();
    };
    MAYFLY_RETURN_IF_ERROR(DecodePayload(payload, add, [](Bytes) { return Status(); }));
  }
  return read;
}

Result<bool> SegmentContains(LogFiles& files, const SegmentInfo& segment,
                             const crypto::DatabaseKey* key, Bytes needle) {
  MAYFLY_TRY(const std::unique_ptr<SegmentReader> reader, OpenSegment(files, segment, key));
  StoredRecord record;
  std::string buffer;
  while (reader->Next(reader->bytes(), record)) {
    MAYFLY_TRY(const Bytes payload, reader->Plain(record, buffer));
    if (payload.find(needle) != Bytes::npos) return true;
  }
  // The remains of a failed write.
  return reader->rest().find(needle) != Bytes::npos;
}

}  // namespace mayfly::engine::hot
