#include "engine/hot/log/segment_reader.h"

#include <algorithm>
#include <utility>

#include "crypto/file_header.h"
#include "engine/hot/log/limits.h"
#include "engine/hot/log/segment.h"

namespace mayfly::engine::hot {

Result<SegmentReader> SegmentReader::Open(LogFiles& files, const SegmentHeader& header,
                                          const crypto::DatabaseKey* key) {
  MAYFLY_TRY(const std::unique_ptr<LogFile> file, files.Open(SegmentName(header.number)));
  MAYFLY_TRY(const std::uint64_t size, file->Size());
  MAYFLY_TRY(std::string bytes, file->Read(0, size));
  return Over(std::move(bytes), header, key);
}

Result<SegmentReader> SegmentReader::Over(std::string bytes, const SegmentHeader& header,
                                          const crypto::DatabaseKey* key) {
  SegmentReader reader(std::move(bytes), header);
  if (!header.cipher.empty()) {
    if (key == nullptr) return Status::WrongPassword("the log is encrypted, and there is no key");
    MAYFLY_TRY(const crypto::Secret secret,
               crypto::OpenFileHeader(*key, kSegmentKeyPurpose, header.cipher));
    MAYFLY_TRY(reader.cipher_, crypto::CounterCipher::Make(secret));
  }
  return reader;
}

bool SegmentReader::Next(std::uint64_t end, StoredRecord& record) {
  end = std::min<std::uint64_t>(end, bytes_.size());
  if (offset_ >= end) return false;
  const Bytes rest = Bytes(bytes_).substr(offset_, end - offset_);
  if (!ReadRecord(rest, seed_, record) || record.header.number != next_number_) return false;
  offset_ += RecordBytes(record.header.bytes);
  ++next_number_;
  return true;
}

bool SegmentReader::SkipDamage(std::uint64_t end, std::uint64_t limit, std::uint64_t& checked) {
  end = std::min<std::uint64_t>(end, bytes_.size());
  StoredRecord record;
  for (std::uint64_t at = offset_ + kRecordAlignment; at + kRecordHeaderBytes <= end;
       at += kRecordAlignment) {
    const Bytes rest = Bytes(bytes_).substr(at, end - at);
    if (!PeekRecord(rest, record)) continue;
    // Most places end here. The damaged record has the next number, so this one has a later one, but
    // not more than what lies in between has room for.
    const std::uint32_t number = record.header.number;
    if (number <= next_number_ || first_sequence_ + number >= limit) continue;
    if (number - next_number_ > (at - offset_) / kRecordHeaderBytes) continue;
    checked += record.payload.size();
    if (checked > kSearchBytesMax) return false;
    if (!ReadRecord(rest, seed_, record)) continue;
    offset_ = at;
    next_number_ = number;
    return true;
  }
  return false;
}

Result<Bytes> SegmentReader::Plain(const StoredRecord& record, std::string& buffer) const {
  if (cipher_ == nullptr) return record.payload;
  buffer.resize(record.payload.size());
  const auto offset = static_cast<std::uint64_t>(record.payload.data() - bytes_.data());
  if (!cipher_->Apply(offset, record.payload, buffer.data())) {
    return Status::Internal("cannot decrypt a record of the log");
  }
  return Bytes(buffer);
}

bool SegmentReader::IsAtZeros() const {
  return Bytes(bytes_)
             .substr(std::min<std::size_t>(offset_, bytes_.size()))
             .find_first_not_of('\0') == Bytes::npos;
}

Result<bool> SegmentReader::ProvesDurable(std::uint64_t sequence, std::uint64_t& checked) const {
  StoredRecord record;
  for (std::uint64_t at = offset_; at + kRecordHeaderBytes <= bytes_.size();
       at += kRecordAlignment) {
    const Bytes rest = Bytes(bytes_).substr(at);
    if (!PeekRecord(rest, record)) continue;
    const RecordHeader& header = record.header;
    const std::uint64_t own = first_sequence_ + header.number;
    // Most places end here: a check is calculated only for fields that would prove something.
    if (header.unsynced == 0 || header.unsynced == RecordHeader::kUnsyncedMax) continue;
    if (header.number < next_number_ || own < sequence + header.unsynced) continue;
    if (header.number - next_number_ > (at - offset_) / kRecordHeaderBytes) continue;
    checked += record.payload.size();
    if (checked > kSearchBytesMax) {
      return Status::Corruption(
          "the log is torn, and what lies behind looks like too many records");
    }
    if (ReadRecord(rest, seed_, record)) return true;
  }
  return false;
}

}  // namespace mayfly::engine::hot
