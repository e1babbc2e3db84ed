#include "engine/hot/reader/segment_tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "crypto/file_header.h"
#include "engine/hot/log/limits.h"
#include "engine/hot/log/segment.h"
#include "engine/hot/reader/limits.h"

namespace mayfly::engine::hot {

Result<std::optional<SegmentHeader>> ReadSegmentHeader(LogFiles& files, LogFile& file,
                                                       std::uint64_t number) {
  Status damage;
  for (int i = 0; i < kHeaderReadsMax; ++i) {
    if (i > 0) std::this_thread::sleep_for(kHeaderPause);
    MAYFLY_TRY(const std::string bytes, file.Read(0, kSegmentHeaderBytes));
    auto header = DecodeSegmentHeader(bytes);
    if (header.has_value() && (!header->has_value() || (*header)->number == number)) {
      return *std::move(header);
    }
    damage = header.has_value()
                 ? Status::Corruption(fmt::format("this is segment {}", (*header)->number))
                 : header.error();
    if (damage.code() != StatusCode::kCorruption) break;
  }
  return Status(damage.code(), fmt::format("{}, offset 0: {}", files.PathOf(SegmentName(number)),
                                           damage.message()));
}

SegmentTail::SegmentTail(std::unique_ptr<LogFile> file, SegmentHeader header)
    : file_(std::move(file)), header_(std::move(header)), seed_(header_.seed()) {}

Result<std::unique_ptr<SegmentTail>> SegmentTail::Make(std::unique_ptr<LogFile> file,
                                                       SegmentHeader header,
                                                       const crypto::DatabaseKey* key) {
  std::unique_ptr<SegmentTail> tail(new SegmentTail(std::move(file), std::move(header)));
  if (!tail->header_.cipher.empty()) {
    if (key == nullptr) return Status::WrongPassword("the log is encrypted, and there is no key");
    MAYFLY_TRY(const crypto::Secret secret,
               crypto::OpenFileHeader(*key, kSegmentKeyPurpose, tail->header_.cipher));
    MAYFLY_TRY(tail->cipher_, crypto::CounterCipher::Make(secret));
  }
  return tail;
}

Result<bool> SegmentTail::Next(std::uint64_t end, StoredRecord& record) {
  if (offset_ >= end) return false;
  if (TakeBuffered(end, record)) return true;
  MAYFLY_RETURN_IF_ERROR(Load());
  return TakeBuffered(end, record);
}

bool SegmentTail::TakeBuffered(std::uint64_t end, StoredRecord& record) {
  Bytes rest(buffer_);
  rest.remove_prefix(std::min<std::size_t>(offset_ - buffer_offset_, rest.size()));
  rest = rest.substr(0, end - offset_);
  if (!ReadRecord(rest, seed_, record) || record.header.number != next_number_) return false;
  offset_ += RecordBytes(record.header.bytes);
  ++next_number_;
  return true;
}

// Reads what is at offset_ now. A look that finds nothing costs one small read.
Status SegmentTail::Load() {
  buffer_offset_ = offset_;
  MAYFLY_TRY(buffer_, file_->Read(offset_, kRecordHeaderBytes));
  if (buffer_.size() < kRecordHeaderBytes) return {};
  if (Bytes(buffer_).substr(0, kCheckBytes).find_first_not_of('\0') == Bytes::npos) return {};
  StoredRecord announced;
  const bool is_whole = PeekRecord(buffer_, announced);
  // More than this is no length of a record.
  const std::uint64_t bytes = is_whole || announced.header.bytes > kPayloadBytesMax
                                  ? 0
                                  : RecordBytes(announced.header.bytes);
  MAYFLY_TRY(buffer_, file_->Read(offset_, std::max(kTailReadBytes, bytes)));
  return {};
}

Result<Bytes> SegmentTail::Plain(const StoredRecord& record, std::string& buffer) const {
  if (cipher_ == nullptr) return record.payload;
  buffer.resize(record.payload.size());
  const std::uint64_t offset =
      buffer_offset_ + static_cast<std::uint64_t>(record.payload.data() - buffer_.data());
  if (!cipher_->Apply(offset, record.payload, buffer.data())) {
    return Status::Internal("cannot decrypt a record of the log");
  }
  return Bytes(buffer);
}

}  // namespace mayfly::engine::hot
